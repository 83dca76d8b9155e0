/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"
#include "support/tsc_clock.h"

#define CALIBRATION_NS 2e7

enum { SAMPLES = 1 << 12, LONG_TICKS = 10000 };
enum { CALIBRATIONS = 7, CALIBRATION_TEAM = 2, CALIBRATION_REGIONS = 2000 };

/* Medians are those of the first so many. */
struct samples {
  double values[SAMPLES];
  uint32_t count;
};

static const struct play *playing;
static struct traced *traced;
static struct samples cost_samples[PLACES], access_samples[PLACES], loop_ends, region_ends;
static struct figures result;
static double region_end_ps;

static void add_sample(struct samples *samples, double value) {
  if (samples->count < SAMPLES)
    samples->values[samples->count++] = value;
}

static double median(struct samples *samples) {
  if (samples->count == 0)
    return 0;
  qsort(samples->values, samples->count, sizeof *samples->values, machine_by_value);
  return samples->values[samples->count / 2];
}

static void note(const struct step *step, uint32_t number, double ps, const struct act *act) {
  struct place_figures *place = &result.places[step->place];
  place->calls++;
  place->ps += ps;
  place->accesses += (double)act->accesses;
  result.calls++;
  result.lines += (double)act->lines;
  result.runtime_lines += (double)act->runtime_lines;
  result.takes += (double)act->takes;
  result.interrupts += (double)act->interrupts;
  add_sample(&cost_samples[step->place], ps);
  add_sample(&access_samples[step->place], (double)act->accesses);
  if (number != 0)
    return;
  if (step->place == PLACE_LOOP_BARRIER_END)
    add_sample(&loop_ends, ps);
  region_end_ps = step->place == PLACE_JOIN_END ? ps : region_end_ps + ps;
  if (step->place == PLACE_PARALLEL_END)
    add_sample(&region_ends, region_end_ps);
}

/* ---- measured ---- */

static double ps_of_tick;
static uint64_t empty_ticks;

static double processor_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static uint64_t ticks_now(void) {
  return hd_processor_clock(hd_processor_clock_shift());
}

/* A thread may lose its processor in the middle of a callback. Since the last look at its processor time that has
 * passed by `lost`: the rest is other threads'. */
static uint64_t without_others(uint64_t ticks, uint64_t end) {
  static double last_ns;
  static uint64_t last_end;
  const double ns = processor_ns();
  const double lost = (double)(end - last_end) - (ns - last_ns) * PS_OF_NS / ps_of_tick;
  last_ns = ns;
  last_end = end;
  return lost < 1000 ? ticks : lost < (double)ticks ? ticks - (uint64_t)lost : empty_ticks;
}

static double wall_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void measure_ticks(void) {
  const double begin_ns = wall_ns();
  const uint64_t begin = ticks_now();
  while (wall_ns() - begin_ns < CALIBRATION_NS)
    ;
  ps_of_tick = (wall_ns() - begin_ns) * PS_OF_NS / (double)(ticks_now() - begin);
  empty_ticks = UINT64_MAX;
  for (int i = 0; i < 1000; i++) {
    const uint64_t before = ticks_now(), after = ticks_now();
    empty_ticks = after - before < empty_ticks ? after - before : empty_ticks;
  }
  without_others(0, ticks_now());
}

static struct spent call_measured(const struct step *step, uint32_t number, uint64_t now_ps) {
  (void)now_ps;
  const uint64_t begin = ticks_now();
  team_call(step->place, number, playing->program.threads, step->site);
  const uint64_t end = ticks_now();
  uint64_t ticks = end - begin;
  if (ticks > LONG_TICKS)
    ticks = without_others(ticks, end);
  const double ps = ticks > empty_ticks ? (double)(ticks - empty_ticks) * ps_of_tick : 0;
  note(step, number, ps, &(struct act){.accesses = 0});
  return (struct spent){.ps = (uint64_t)ps};
}

/* ---- counted ---- */

static struct spent call_counted(const struct step *step, uint32_t number, uint64_t now_ps) {
  struct act *act = &traced->act;
  traced->on_line = playing->names_lines ? names_note : NULL;
  traced->thread = number;
  traced->costs = playing->costs[step->place];
  *act = (struct act){.begin_ps = now_ps};
  team_call(step->place, number, playing->program.threads, step->site);
  const struct spent spent = {act_cost_ps(act, &traced->costs), act->interrupts};
  note(step, number, (double)spent.ps, act);
  return spent;
}

/* ---- in a process of its own ---- */

static double resident_bytes(void) {
  unsigned long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%*u %llu", &pages) != 1)
    pages = 0;
  if (file)
    fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void forget(void) {
  names_begin();
  result = (struct figures){.calls = 0};
  loop_ends.count = region_ends.count = 0;
  for (int i = 0; i < PLACES; i++)
    cost_samples[i].count = access_samples[i].count = 0;
}

static void sum_up(void) {
  const double regions = (double)result.times.regions;
  double *const sums[] = {&result.calls, &result.lines, &result.runtime_lines, &result.takes, &result.interrupts};
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
    *sums[i] /= regions;
  result.loop_end_ns = median(&loop_ends) / PS_OF_NS;
  result.region_end_ns = median(&region_ends) / PS_OF_NS;
  for (int i = 0; i < PLACES; i++) {
    struct place_figures *place = &result.places[i];
    const double calls = place->calls ? (double)place->calls : 1;
    place->ps /= calls;
    place->accesses /= calls;
    place->usual_ps = median(&cost_samples[i]);
    place->usual_accesses = median(&access_samples[i]);
  }
}

static const struct mode {
  const char *library;
  struct spent (*call)(const struct step *step, uint32_t number, uint64_t now_ps);
} modes[] = {[PLAY_NOTHING] = {NULL, NULL},
             [PLAY_MEASURED] = {"played", call_measured},
             [PLAY_COUNTED] = {"traced", call_counted}};

static void play_regions(const struct program *program) {
  schedule_run(program, playing->untimed);
  forget();
  const struct times times = schedule_run(program, playing->regions);
  result.times = times;
}

static bool run(const struct play *play) {
  static struct shape shape;
  const struct mode *mode = &modes[play->mode];
  struct program program = play->program;
  playing = play;
  program.shape = &shape;
  program.call = mode->call;
  if (!team_shape(&shape, play->constructs, program.threads)) {
    fprintf(stderr, "simulation: %s: not a list of constructs\n", play->constructs);
    return false;
  }
  memset(cost_samples, 1, sizeof cost_samples); /* their pages are not the library's memory */
  forget();
  const double before = resident_bytes();
  measure_ticks();
  if (!team_start(play->folder, mode->library, program.threads, play->mode == PLAY_COUNTED ? &traced : NULL))
    return false;
  play_regions(&program);
  sum_up();
  result.memory_bytes = resident_bytes() - before;
  if (play->names_lines)
    names_tell(traced, result.names);
  team_end();
  return true;
}

static _Noreturn void run_child(const struct play *play, int to) {
  setenv("HEDDLE_OUTPUT", play->profile, 1);
  setenv("HEDDLE_UNWIND", "off", 1); /* what a stack costs: benchmarks/unwind */
  setenv("HEDDLE_OVERHEAD", "off", 1);
  setenv("HEDDLE_CLOCK", "tsc", 1);
  if (!run(play))
    exit(1);
  const bool done = write(to, &result, sizeof result) == (ssize_t)sizeof result;
  exit(done ? 0 : 1);
}

bool play(const struct play *play, struct figures *figures) {
  int ends[2], status = 1;
  struct stat file = {.st_size = 0};
  if (pipe(ends))
    return false;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0)
    run_child(play, ends[1]);
  close(ends[1]);
  const bool done = child > 0 && read(ends[0], figures, sizeof *figures) == (ssize_t)sizeof *figures;
  close(ends[0]);
  const bool ended = child > 0 && waitpid(child, &status, 0) == child && status == 0;
  if (!stat(play->profile, &file))
    unlink(play->profile);
  figures->file_bytes = (double)file.st_size;
  return done && ended;
}

/* ---- what an access costs ---- */

/* What callbacks do beyond the usual, all together: mostly sweeping. */
static double further(const struct figures *figures, bool counted) {
  double sum = 0;
  for (int i = 0; i < PLACES; i++) {
    const struct place_figures *its = &figures->places[i];
    sum += (counted ? its->accesses - its->usual_accesses : its->ps - its->usual_ps) * (double)its->calls;
  }
  return sum;
}

static double median_of(double values[CALIBRATIONS]) {
  qsort(values, CALIBRATIONS, sizeof *values, machine_by_value);
  return values[CALIBRATIONS / 2];
}

/* Medians of several runs: other work on this machine disturbs some. */
static bool measure_usual(const struct play *sample, struct figures *measured, double *further_ps) {
  static struct figures runs[CALIBRATIONS];
  double values[CALIBRATIONS];
  for (int i = 0; i < CALIBRATIONS; i++) {
    if (!play(sample, &runs[i]))
      return false;
    values[i] = further(&runs[i], false);
  }
  *further_ps = median_of(values);
  for (int place = 0; place < PLACES; place++) {
    for (int i = 0; i < CALIBRATIONS; i++)
      values[i] = runs[i].places[place].usual_ps;
    measured->places[place].usual_ps = median_of(values);
  }
  return true;
}

static void divide(const struct play *play, struct costs *costs, const struct place_figures *measured,
                   const struct place_figures *counted) {
  const double accesses = counted->usual_accesses > 0 ? counted->usual_accesses : 1;
  costs->access_ps = (uint64_t)(measured->usual_ps / accesses);
  costs->usual = (uint64_t)counted->usual_accesses;
  costs->line_ps = (uint64_t)(play->line_ns * PS_OF_NS);
  costs->lines_ps = (uint64_t)(play->lines_ns * PS_OF_NS);
  costs->interrupt_ps = (uint64_t)(play->interrupt_ns * PS_OF_NS);
}

bool play_calibrate(struct play *play_later) {
  static struct figures measured, counted;
  struct play sample = *play_later;
  double further_ps;
  sample.constructs = "loop,nowait,single,barrier,critical,task";
  sample.program = (struct program){.threads = CALIBRATION_TEAM};
  sample.untimed = sample.regions = CALIBRATION_REGIONS;
  for (int i = 0; i < PLACES; i++)
    sample.costs[i] = (struct costs){.access_ps = 300, .usual = UINT64_MAX};
  sample.mode = PLAY_MEASURED;
  if (!measure_usual(&sample, &measured, &further_ps))
    return false;
  sample.mode = PLAY_COUNTED;
  if (!play(&sample, &counted))
    return false;
  const double accesses = further(&counted, true);
  for (int i = 0; i < PLACES; i++) {
    divide(play_later, &play_later->costs[i], &measured.places[i], &counted.places[i]);
    play_later->costs[i].further_ps = accesses > 0 && further_ps > 0 ? (uint64_t)(further_ps / accesses) : 0;
  }
  play_later->program.interrupt_ps = (uint64_t)(play_later->interrupt_ns * PS_OF_NS);
  return true;
}
