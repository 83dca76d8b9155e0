/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How Heddle's costs grow with the team: plays the runtime's events for teams of 16 to 1024 threads, all by one thread,
 * which takes the place of each in turn. No machine with 1024 processors is needed, and what the events themselves cost
 * is seen apart from what processors cost each other: contention for cache lines and locks is what this does not show.
 *
 * A region is what libomp 19 sends for
 *     #pragma omp parallel
 *     for each of LOOPS: #pragma omp for          (with its barrier; nothing in them)
 *
 * usage: simulation [regions [loops [threads ...]]]         default: 100000 regions of 1 loop, 16 to 1024 threads
 *        simulation --profile FILE threads callpaths [one in so many threads]
 *
 * The first prints, for each team, in nanoseconds: an event (mean of all, processor time); what thread number 0 needs
 * for the whole team in the event that ends a loop's barrier, and in the three that end a region (medians); and the
 * memory. The second leaves a profile of so many threads with a row for each callpath; with a third number, a thread is
 * in one of so many regions only.
 */
#include <errno.h>
#include <omp-tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ompt/thread/current.h"
#include "ompt/thread/thread.h"

#include "played_runtime.h"

enum { LOOPS_PER_REGION = 99, MOST_SAMPLES = 1000000 };

static const char code[1 << 20]; /* made-up return addresses */

/* ---- the team ---- */

struct member {
  struct hd_thread *self; /* what the library keeps in the thread's own storage */
  ompt_data_t data;       /* what the runtime keeps for the tool */
  ompt_data_t task;       /* its implicit task */
  ompt_data_t late;       /* a copy: its end comes at the next fork */
  bool joins;             /* that end is still to come */
};

static struct member *team;
static uint32_t team_size;
static ompt_data_t initial_region, initial_task, region;

/* What was spent, in ticks of the library's clock. */
struct samples {
  uint64_t *ticks;
  size_t count, limit;
};
static struct samples loop_ends, joins;
static uint64_t events;

static void add_sample(struct samples *samples, uint64_t ticks) {
  if (samples->count < samples->limit)
    samples->ticks[samples->count++] = ticks;
}

static ompt_data_t *get_thread_data(void) {
  return &team[0].data;
}

/* From here on the events are this thread's. */
static struct member *become(uint32_t number) {
  hd_thread_current = team[number].self;
  return &team[number];
}

static void begin_thread(uint32_t number) {
  hd_thread_current = NULL;
  CALL(ompt_callback_thread_begin, number ? ompt_thread_worker : ompt_thread_initial, &team[number].data);
  if (number == 0)
    CALL(ompt_callback_implicit_task, ompt_scope_begin, &initial_region, &initial_task, 1, 1, ompt_task_initial);
  team[number].self = hd_thread_current;
}

/* A worker's end of the region before comes with its begin of the next. */
static void enter_region(uint32_t number) {
  struct member *member = become(number);
  if (member->joins) {
    CALL(ompt_callback_sync_region_wait, ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, NULL,
         &member->late, NULL);
    CALL(ompt_callback_implicit_task, ompt_scope_end, NULL, &member->late, 0, number, ompt_task_implicit);
    events += 2;
  }
  member->joins = false;
  member->task.value = 0;
  CALL(ompt_callback_implicit_task, ompt_scope_begin, &region, &member->task, team_size, number, ompt_task_implicit);
}

static void begin_barrier(uint32_t number, ompt_sync_region_t kind, const void *address) {
  struct member *member = become(number);
  CALL(ompt_callback_sync_region_wait, kind, ompt_scope_begin, &region, &member->task, address);
}

static void run_loop(uint32_t number, const void *address) {
  struct member *member = become(number);
  CALL(ompt_callback_work, ompt_work_loop_static, ompt_scope_begin, &region, &member->task, 1, address);
  CALL(ompt_callback_work, ompt_work_loop_static, ompt_scope_end, &region, &member->task, 1, address);
  begin_barrier(number, ompt_sync_region_barrier_implicit_workshare, address);
}

static void leave_loop(uint32_t number, const void *address) {
  struct member *member = become(number);
  CALL(ompt_callback_sync_region_wait, ompt_sync_region_barrier_implicit_workshare, ompt_scope_end, &region,
       &member->task, address);
}

/* Workers, and thread 0 by itself. */
static void play_loop(const void *address) {
  for (uint32_t i = team_size; i-- > 0;)
    run_loop(i, address);
  const uint64_t begin = hd_clock_now();
  leave_loop(0, address);
  add_sample(&loop_ends, hd_clock_now() - begin);
  for (uint32_t i = 1; i < team_size; i++)
    leave_loop(i, address);
  events += 4 * (uint64_t)team_size;
}

static void begin_region(const void *address) {
  become(0);
  region.value = 0;
  CALL(ompt_callback_parallel_begin, &initial_task, NULL, &region, team_size,
       (int)(ompt_parallel_invoker_runtime | ompt_parallel_team), address);
  for (uint32_t i = 0; i < team_size; i++)
    enter_region(i);
  events += 1 + (uint64_t)team_size;
}

static void end_region(const void *address) {
  for (uint32_t i = 1; i < team_size; i++) {
    begin_barrier(i, ompt_sync_region_barrier_implicit_parallel, NULL);
    team[i].late = team[i].task;
    team[i].joins = true;
  }
  begin_barrier(0, ompt_sync_region_barrier_implicit_parallel, address);
  const uint64_t begin = hd_clock_now();
  CALL(ompt_callback_sync_region_wait, ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, NULL, &team[0].task,
       address);
  CALL(ompt_callback_implicit_task, ompt_scope_end, NULL, &team[0].task, team_size, 0, ompt_task_implicit);
  CALL(ompt_callback_parallel_end, &region, &initial_task, (int)(ompt_parallel_invoker_runtime | ompt_parallel_team),
       address);
  add_sample(&joins, hd_clock_now() - begin);
  events += 3 + (uint64_t)team_size;
}

static bool start(uint32_t threads) {
  team_size = threads;
  team = calloc(threads, sizeof *team);
  ompt_start_tool_result_t *ompt_start_tool(unsigned, const char *);
  ompt_start_tool_result_t *tool = team ? ompt_start_tool(201611, "simulation") : NULL;
  if (!tool || !tool->initialize(look_up, 0, &tool->tool_data)) {
    fputs("simulation: the library declined\n", stderr);
    return false;
  }
  for (uint32_t i = 0; i < threads; i++)
    begin_thread(i);
  return true;
}

/* ---- growth ---- */

static uint64_t resident_bytes(void) {
  unsigned long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%*u %llu", &pages) != 1)
    pages = 0;
  if (file)
    fclose(file);
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static double ns_of(uint64_t ticks) {
  const struct hd_clock_pair first = hd_store.header->clock_first;
  const struct hd_clock_pair last = hd_clock_read_pair();
  return (double)ticks * (double)(last.ns - first.ns) / (double)(last.ticks - first.ticks);
}

static double processor_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return left < right ? -1 : left > right;
}

static double median_ns(const struct samples *samples) {
  if (samples->count == 0)
    return 0;
  qsort(samples->ticks, samples->count, sizeof *samples->ticks, by_value);
  return ns_of(samples->ticks[samples->count / 2]);
}

static bool make_room(struct samples *samples, size_t limit) {
  samples->limit = limit < MOST_SAMPLES ? limit : MOST_SAMPLES;
  samples->ticks = malloc((samples->limit + 1) * sizeof *samples->ticks);
  if (samples->ticks) /* its pages are not the library's memory */
    memset(samples->ticks, 1, (samples->limit + 1) * sizeof *samples->ticks);
  return samples->ticks;
}

static void play(unsigned regions, unsigned loops) {
  for (unsigned i = 0; i < regions; i++) {
    begin_region(&code[1]);
    for (unsigned j = 0; j < loops; j++)
      play_loop(&code[2 + j]);
    end_region(&code[1]);
  }
}

static int grow(uint32_t threads, unsigned regions, unsigned loops) {
  if (!make_room(&loop_ends, (size_t)regions * loops) || !make_room(&joins, regions))
    return 1;
  const uint64_t before = resident_bytes();
  if (!start(threads))
    return 1;
  play(1, loops); /* what comes once */
  loop_ends.count = joins.count = events = 0;
  const double begin_ns = processor_ns();
  play(regions, loops);
  const double event_ns = (processor_ns() - begin_ns) / (double)events;
  const double loop_ns = median_ns(&loop_ends), join_ns = median_ns(&joins);
  const double file_bytes = HD_HEADER_BYTES + (double)hd_store.header->block_count * HD_BLOCK_BYTES;
  printf("%7u %9.1f %11.0f %11.1f %11.0f %11.1f %10.2f %10.2f\n", threads, event_ns, loop_ns, loop_ns / threads,
         join_ns, join_ns / threads, file_bytes / 0x1p20, (double)(resident_bytes() - before) / 0x1p20);
  fflush(stdout);
  become(0);
  return 0;
}

/* Each in a process of its own: the library starts once. */
static bool in_child(int (*run)(uint32_t, unsigned, unsigned), uint32_t threads, unsigned a, unsigned b) {
  int status = 1;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0)
    exit(run(threads, a, b));
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static int print_growth(unsigned regions, unsigned loops, const uint32_t *teams, int count) {
  char path[] = "/tmp/heddle-simulation.XXXXXX";
  const int file = mkstemp(path);
  if (file < 0)
    return 1;
  close(file);
  setenv("HEDDLE_OUTPUT", path, 1); /* taken: the profile gets a name beside it */
  puts("        an event        a loop's end              a region's end          file        all\n"
       "threads       ns          ns  per thread          ns  per thread        MiB        MiB");
  bool done = true;
  for (int i = 0; i < count && done; i++) {
    char profile[sizeof path + 2];
    done = in_child(grow, teams[i], regions, loops);
    snprintf(profile, sizeof profile, "%s.1", path);
    unlink(profile);
  }
  unlink(path);
  return done ? 0 : 1;
}

/* ---- a large profile ---- */

static unsigned one_in = 1;

/* Every region has LOOPS_PER_REGION loops below it. */
static int make_profile(uint32_t threads, unsigned callpaths, unsigned unused) {
  (void)unused;
  if (!start(threads))
    return 1;
  unsigned made = 1; /* the program */
  for (unsigned i = 0; made < callpaths; i++) {
    const char *address = &code[1 + i * (LOOPS_PER_REGION + 1)];
    team_size = (threads + one_in - 1) / one_in;
    for (uint32_t j = 1; one_in > 1 && j < team_size; j++) { /* another part of the threads each time */
      const uint32_t other = 1 + (i * (team_size - 1) + j - 1) % (threads - 1);
      const struct member swapped = team[j];
      team[j] = team[other];
      team[other] = swapped;
    }
    begin_region(address);
    made++;
    for (unsigned j = 0; j < LOOPS_PER_REGION && made < callpaths; j++, made++)
      play_loop(&address[1 + j]);
    end_region(address);
  }
  become(0);
  return 0;
}

static int usage(void) {
  fputs("usage: simulation [regions [loops [threads ...]]]\n"
        "       simulation --profile FILE threads callpaths [one in so many threads]\n",
        stderr);
  return 2;
}

static int profile(int argc, char **argv) {
  const unsigned threads = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
  const unsigned callpaths = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
  one_in = argc > 5 ? (unsigned)atoi(argv[5]) : 1;
  if (threads < 2 || callpaths < 1 || callpaths >= sizeof code / 2 || one_in < 1)
    return usage();
  setenv("HEDDLE_OUTPUT", argv[2], 1);
  setenv("HEDDLE_MEMORY", "64G", 1);
  unlink(argv[2]);
  return in_child(make_profile, threads, callpaths, 0) ? 0 : 1;
}

int main(int argc, char **argv) {
  uint32_t teams[64] = {16, 32, 64, 128, 256, 512, 1024};
  int count = 7;
  setenv("HEDDLE_UNWIND", "off", 1); /* what a stack costs: benchmarks/unwind */
  setenv("HEDDLE_OVERHEAD", "off", 1);
  if (argc > 1 && !strcmp(argv[1], "--profile"))
    return profile(argc, argv);
  const int regions = argc > 1 ? atoi(argv[1]) : 100000;
  const int loops = argc > 2 ? atoi(argv[2]) : 1;
  for (int i = 3; i < argc && i - 3 < 64; i++) {
    teams[i - 3] = (uint32_t)atoi(argv[i]);
    count = i - 2;
    if (teams[i - 3] < 1 || teams[i - 3] > 1 << 16)
      return usage();
  }
  if (regions < 1 || loops < 0)
    return usage();
  return print_growth((unsigned)regions, (unsigned)loops, teams, count);
}
