/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How Heddle's costs grow with the team: a simulation of teams of 2 to 1024 threads, on any machine. It plays the
 * runtime's events in the order of time, each thread with a clock of its own (schedule.h), and adds up what callbacks
 * cost: their accesses to memory, at the price that this machine shows for them, and the lines that another thread has
 * written last, at the price of --line-ns (play.h).
 *
 * What it leaves out: caches that are too small for what one thread uses; lines that are far apart, or wanted by
 * several threads at once, and so cost more; misses that overlap, and so cost less; the callers of a region
 * (benchmarks/unwind).
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "each.h"
#include "machine.h"
#include "play.h"
#include "profile.h"

enum { TEAMS_MOST = 64, WORKS = 3, BALANCES = 2, UNTIMED = 160 };

static const uint64_t works_ns[WORKS] = {10000, 100000, 1000000};

static struct {
  uint32_t teams[TEAMS_MOST];
  int team_count;
  uint64_t regions;
  const char *constructs;
  double line_ns, lines_ns, interrupt_ns, access_ns, further_ns; /* negative: as measured */
  double fork_ns, barrier_ns;
  bool each;
} options = {.teams = {2, 4, 16, 64, 128, 256, 1024},
             .team_count = 7,
             .regions = 400,
             .constructs = "loop",
             .line_ns = -1,
             .lines_ns = -1,
             .interrupt_ns = -1,
             .access_ns = -1,
             .further_ns = -1};

static int usage(void) {
  fputs(
      "usage: simulation [--threads N,...] [--regions COUNT] [--constructs NAME,...] [--line-ns NS]\n"
      "                  [--lines-ns NS] [--access-ns NS] [--further-ns NS] [--interrupt-ns NS] [--fork-ns NS] "
      "[--barrier-ns NS] [--each]\n"
      "       simulation --profile FILE THREADS CALLPATHS [ONE_IN]\n"
      "\n"
      "  --threads       teams to simulate (2,4,16,64,128,256,1024)\n"
      "  --regions       regions of each simulation (400)\n"
      "  --constructs    in each region (loop): loop, nowait, single, barrier, critical, task\n"
      "  --line-ns       price of a line of memory that comes from another processor (measured)\n"
      "  --lines-ns      and of each of many in one callback, after the first eight (measured)\n"
      "  --access-ns     price of an access to memory in what a callback always does (measured, callback by callback)\n"
      "  --further-ns    and in what it does beyond that: sweeps, loops over the team (measured)\n"
      "  --interrupt-ns  price of a membarrier(2), for the caller and for each thread that it interrupts (measured)\n"
      "  --fork-ns, --barrier-ns  what the runtime itself takes, with or without a tool (0)\n"
      "  --each          predict how much longer each construct takes, with nothing in it\n"
      "  --profile       only writes a profile with so many threads and callpaths; each thread is in one of ONE_IN\n"
      "                  regions\n",
      stderr);
  return 2;
}

/* ---- options ---- */

static bool read_teams(char *text) {
  options.team_count = 0;
  for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
    const long threads = strtol(word, NULL, 10);
    if (threads < 1 || threads > 2048 || options.team_count == TEAMS_MOST)
      return false;
    options.teams[options.team_count++] = (uint32_t)threads;
  }
  return options.team_count > 0;
}

static bool read_options(int argc, char **argv) {
  static const struct option known[] = {
      {"threads", 1, NULL, 't'},      {"regions", 1, NULL, 'r'},  {"constructs", 1, NULL, 'c'},
      {"line-ns", 1, NULL, 'l'},      {"fork-ns", 1, NULL, 'f'},  {"barrier-ns", 1, NULL, 'b'},
      {"interrupt-ns", 1, NULL, 'i'}, {"lines-ns", 1, NULL, 'm'}, {"access-ns", 1, NULL, 'a'},
      {"further-ns", 1, NULL, 'u'},   {"each", 0, NULL, 'e'},     {0}};
  bool is_good = true;
  for (int option; is_good && (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    if (option == 't')
      is_good = read_teams(optarg);
    else if (option == 'r')
      options.regions = strtoull(optarg, NULL, 10);
    else if (option == 'c')
      options.constructs = optarg;
    else if (option == 'e')
      options.each = true;
    else if (option == '?')
      is_good = false;
    else
      *(option == 'l'   ? &options.line_ns
        : option == 'm' ? &options.lines_ns
        : option == 'a' ? &options.access_ns
        : option == 'u' ? &options.further_ns
        : option == 'f' ? &options.fork_ns
        : option == 'b' ? &options.barrier_ns
                        : &options.interrupt_ns) = strtod(optarg, NULL);
  }
  return is_good && optind == argc && options.regions > 0;
}

/* ---- tables ---- */

struct results {
  struct figures measured, counted[BALANCES][WORKS], without[BALANCES][WORKS];
};
static struct results results[TEAMS_MOST];

static bool simulate(struct play *base, uint32_t threads, struct results *its) {
  struct play play_now = *base;
  bool done = true;
  play_now.program.threads = threads;
  for (int balance = 0; done && balance < BALANCES; balance++)
    for (int work = 0; done && work < WORKS; work++) {
      play_now.program.is_unbalanced = balance;
      play_now.program.work_ps = works_ns[work] * PS_OF_NS;
      play_now.mode = PLAY_COUNTED;
      done = play(&play_now, &its->counted[balance][work]);
      play_now.mode = PLAY_NOTHING;
      done = done && play(&play_now, &its->without[balance][work]);
    }
  play_now.mode = PLAY_MEASURED;
  return done && play(&play_now, &its->measured);
}

static double ns_per_region(const struct times *times, uint64_t ps) {
  return (double)ps / PS_OF_NS / (double)times->regions;
}

static double slowdown(const struct results *its, int balance, int work) {
  return ((double)its->counted[balance][work].times.elapsed / (double)its->without[balance][work].times.elapsed - 1) *
         100;
}

static void print_costs(void) {
  puts("\nA balanced region of 100 us, in ns: what the thread spends that comes last, what thread 0 spends, all "
       "threads,\n"
       "any thread while all others wait, and by how much the region lasts longer. Lines that come from another "
       "thread,\n"
       "and membarrier(2) calls a second.\n\n"
       "| threads | last | thread 0 | all | alone | longer by | loop's end | region's end | lines, of a thread |"
       " interrupts |\n"
       "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  for (int i = 0; i < options.team_count; i++) {
    const struct figures *its = &results[i].counted[0][1];
    const struct times *times = &its->times;
    const double longer = ns_per_region(times, times->elapsed - results[i].without[0][1].times.elapsed);
    printf("| %u | %.0f | %.0f | %.0f | %.0f | %.0f | %.1f | %.1f | %.1f | %.0f |\n", options.teams[i],
           ns_per_region(times, times->last), ns_per_region(times, times->primary), ns_per_region(times, times->total),
           ns_per_region(times, times->alone), longer, its->loop_end_ns, its->region_end_ns,
           its->lines / options.teams[i], its->interrupts / ((double)times->elapsed / (double)times->regions) * 1e12);
  }
}

static void print_slowdown(void) {
  puts("\nSlowdown in percent.\n\n"
       "| threads | balanced: 10 us | 100 us | 1 ms | unbalanced: 10 us | 100 us | 1 ms |\n"
       "| --- | --- | --- | --- | --- | --- | --- |");
  for (int i = 0; i < options.team_count; i++) {
    printf("| %u |", options.teams[i]);
    for (int balance = 0; balance < BALANCES; balance++)
      for (int work = 0; work < WORKS; work++)
        printf(" %.3g |", slowdown(&results[i], balance, work));
    puts("");
  }
}

static void print_measured(void) {
  puts("\nMeasured on one processor, which plays all threads (its cache is too small for large teams), in ns: mean of "
       "an\n"
       "event with its part of the sweeps; medians of thread 0's end of a loop and of a region. And the memory.\n\n"
       "| threads | event | loop's end | region's end | file, MiB | all, MiB |\n| --- | --- | --- | --- | --- | --- |");
  for (int i = 0; i < options.team_count; i++) {
    const struct figures *its = &results[i].measured;
    printf("| %u | %.1f | %.1f | %.1f | %.2f | %.2f |\n", options.teams[i],
           ns_per_region(&its->times, its->times.total) / its->calls, its->loop_end_ns, its->region_end_ns,
           its->file_bytes / 0x1p20, its->memory_bytes / 0x1p20);
  }
}

/* ---- main ---- */

static bool prepare(struct play *base, const struct machine *machine) {
  base->line_ns = options.line_ns < 0 ? machine->line_ns : options.line_ns;
  base->lines_ns = options.lines_ns < 0 ? machine->lines_ns : options.lines_ns;
  base->interrupt_ns = options.interrupt_ns < 0 ? machine->interrupt_ns : options.interrupt_ns;
  base->program = (struct program){.fork_ps = (uint64_t)(options.fork_ns * PS_OF_NS),
                                   .barrier_ps = (uint64_t)(options.barrier_ns * PS_OF_NS)};
  base->constructs = options.constructs;
  base->untimed = UNTIMED;
  base->regions = options.regions;
  if (machine->processors < 2 && (options.line_ns < 0 || options.interrupt_ns < 0))
    puts("This machine has one processor: what a line costs that comes from another one is not known, and taken for"
         " nothing\n(--line-ns, --interrupt-ns).");
  if (!play_calibrate(base))
    return false;
  for (int i = 0; i < PLACES; i++) {
    if (options.access_ns >= 0)
      base->costs[i].access_ps = (uint64_t)(options.access_ns * PS_OF_NS);
    if (options.further_ns >= 0)
      base->costs[i].further_ps = (uint64_t)(options.further_ns * PS_OF_NS);
  }
  printf("Regions with: %s. A line from another processor: %.0f ns, each of many %.0f ns. An interrupt: %.0f ns. An "
         "access to memory: %.2f ns"
         " at a region's\nbegin, %.2f ns at a loop's, %.2f ns in a sweep.\n",
         options.constructs, base->line_ns, base->lines_ns, base->interrupt_ns,
         (double)base->costs[PLACE_PARALLEL_BEGIN].access_ps / PS_OF_NS,
         (double)base->costs[PLACE_LOOP_BEGIN].access_ps / PS_OF_NS,
         (double)base->costs[PLACE_LOOP_BEGIN].further_ps / PS_OF_NS);
  return true;
}

static bool simulate_all(struct play *base) {
  const struct machine machine = machine_measure();
  if (!prepare(base, &machine))
    return false;
  if (options.each)
    return each_print(base, options.teams, options.team_count);
  for (int i = 0; i < options.team_count; i++)
    if (!simulate(base, options.teams[i], &results[i]))
      return false;
  print_costs();
  print_slowdown();
  print_measured();
  return true;
}

int main(int argc, char **argv) {
  char folder[4096], work[] = "/tmp/heddle-simulation.XXXXXX", profile[sizeof work + 16];
  const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
  folder[length > 0 ? length : 0] = 0;
  *(strrchr(folder, '/') ? strrchr(folder, '/') : folder) = 0;
  if (argc > 1 && !strcmp(argv[1], "--profile"))
    return profile_make(folder, argc - 2, argv + 2) ? 0 : usage();
  if (!read_options(argc, argv))
    return usage();
  if (!mkdtemp(work))
    return 1;
  snprintf(profile, sizeof profile, "%s/profile", work);
  struct play base = {.folder = folder, .profile = profile};
  const bool done = simulate_all(&base);
  rmdir(work);
  return done ? 0 : 1;
}
