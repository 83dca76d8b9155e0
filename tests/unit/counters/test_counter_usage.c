/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the kernel tells each thread of itself: exact counts, the same as perf's, and whose turn it is to count. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include "counted_sets.h"
#include "counters/event_sets.h"
#include "counters/source.h"
#include "papi_cases.h"

static const struct hd_source *const usage = &hd_source_usage;

/* AddressSanitizer would put arrays on ever fresh pages. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "detect_stack_use_after_return=0";
}

/* ---- the program's own books ---- */

static struct rusage used(void) {
  struct rusage used = {0};
  CHECK(!getrusage(RUSAGE_THREAD, &used));
  return used;
}

static uint64_t switches(void) {
  const struct rusage now = used();
  return (uint64_t)now.ru_nvcsw + (uint64_t)now.ru_nivcsw;
}

static uint64_t faults(void) {
  const struct rusage now = used();
  return (uint64_t)now.ru_minflt + (uint64_t)now.ru_majflt;
}

/* ---- counts ---- */

OWN_PROCESS_TEST(test_fresh_pages_are_faults) {
  prepare(2000);
  struct hd_event_set *set = start_one(usage, "perf::PAGE-FAULTS");
  CHECK_EQUAL(faults_of(usage, set, 1000), 1000);
  CHECK_EQUAL(faults_of(usage, set, 0), 0); /* a reading has none */
  usage->destroy(set);
}

/* From its own beginning, not the thread's. */
OWN_PROCESS_TEST(test_a_set_begins_at_zero) {
  static const char *const names[] = {"page-faults", "task-clock", "context-switches"};
  uint64_t counts[HD_EVENTS_MOST];
  prepare(2000);
  touch(500);
  usleep(1000);
  const uint64_t before_ns = thread_ns(), faults_before = faults(), switches_before = switches();
  struct hd_event_set *set = create_set(usage, names, 3);
  CHECK(usage->read(set, counts));
  CHECK(counts[0] == 0 && counts[1] == 0 && counts[2] == 0);
  start_set(usage, set);
  CHECK(usage->read(set, counts));
  CHECK(counts[0] <= faults() - faults_before && counts[1] <= thread_ns() - before_ns);
  CHECK(counts[2] <= switches() - switches_before);
  usage->destroy(set);
}

static void check_clock(const char *name) {
  const uint64_t spin_ns = 50000000;
  struct hd_event_set *set = start_one(usage, name);
  const uint64_t outer_ns = thread_ns();
  const uint64_t before = read_one(usage, set);
  const uint64_t inner_ns = thread_ns();
  while (thread_ns() - inner_ns < spin_ns) {
  }
  usleep(20000);
  const uint64_t least_ns = thread_ns() - inner_ns;
  const uint64_t counted = read_one(usage, set) - before;
  const uint64_t most_ns = thread_ns() - outer_ns;
  CHECK(counted >= least_ns && counted <= most_ns);
  usage->destroy(set);
}

OWN_PROCESS_TEST(test_clocks_are_the_threads_processor_time) {
  check_clock("perf::TASK-CLOCK");
  check_clock("perf::CPU-CLOCK");
}

static void spin_ms(unsigned ms) {
  const uint64_t begin_ns = thread_ns();
  while (thread_ns() - begin_ns < ms * 1000000u) {
  }
}

static void *spin_200_ms(void *unused) {
  spin_ms(200);
  return unused;
}

static bool is_over;

static void *spin_until_over(void *unused) {
  while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
  }
  return unused;
}

/* Two threads on one processor take it from each other, or sleep. */
OWN_PROCESS_TEST(test_switches_are_the_kernels) {
  cpu_set_t one;
  pthread_t thread;
  CPU_ZERO(&one);
  CPU_SET((size_t)sched_getcpu(), &one);
  CHECK(!sched_setaffinity(0, sizeof one, &one));
  CHECK(!pthread_create(&thread, NULL, spin_until_over, NULL));
  struct hd_event_set *set = start_one(usage, "perf::CS");
  const uint64_t outer = switches();
  const uint64_t first = read_one(usage, set);
  const uint64_t inner = switches();
  const long taken = used().ru_nivcsw;
  for (int i = 0; i < 10; i++)
    usleep(1000);
  while (used().ru_nivcsw == taken)
    spin_ms(1);
  const uint64_t least = switches() - inner;
  const uint64_t counted = read_one(usage, set) - first;
  const uint64_t most = switches() - outer;
  __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
  CHECK(!pthread_join(thread, NULL));
  CHECK(least > 10); /* more than the sleeps */
  CHECK(counted >= least && counted <= most);
}

OWN_PROCESS_TEST(test_other_threads_time_does_not_count) {
  pthread_t thread;
  const uint64_t before_ns = thread_ns();
  struct hd_event_set *set = start_one(usage, "task-clock");
  CHECK(!pthread_create(&thread, NULL, spin_200_ms, NULL));
  CHECK(!pthread_join(thread, NULL));
  const uint64_t counted = read_one(usage, set);
  CHECK(counted <= thread_ns() - before_ns && counted < 200000000);
}

OWN_PROCESS_TEST(test_events_of_a_set_keep_their_order) {
  static const char *const names[] = {"task-clock", "page-faults", "perf::MAJOR-FAULTS", "perf::MINOR-FAULTS",
                                      "context-switches"};
  uint64_t before[HD_EVENTS_MOST], after[HD_EVENTS_MOST], most_ns = 0, most_switches = 0;
  prepare(2000);
  struct hd_event_set *set = create_set(usage, names, 5);
  start_set(usage, set);
  for (int pass = 0; pass < 2; pass++) {
    const uint64_t before_ns = thread_ns(), switches_before = switches();
    CHECK(usage->read(set, before));
    touch(77);
    usleep(1000);
    CHECK(usage->read(set, after));
    most_ns = thread_ns() - before_ns;
    most_switches = switches() - switches_before;
  }
  CHECK(after[0] - before[0] > 1000 && after[0] - before[0] <= most_ns);
  CHECK_EQUAL(after[1] - before[1], 77);
  CHECK_EQUAL(after[2] - before[2], 0);
  CHECK_EQUAL(after[3] - before[3], 77);
  CHECK(after[4] - before[4] >= 1 && after[4] - before[4] <= most_switches);
}

/* Of a set that is started. */
static bool counts_only_while_started(struct hd_event_set *set, size_t pages) {
  uint64_t counts[5];
  counts[0] = read_one(usage, set);
  touch(pages);
  usage->stop(set);
  counts[1] = read_one(usage, set);
  touch(40);
  counts[2] = read_one(usage, set);
  usage->stop(set);
  start_set(usage, set);
  counts[3] = read_one(usage, set);
  start_set(usage, set);
  counts[4] = read_one(usage, set);
  for (int i = 1; i <= 4; i++)
    if (counts[i] - counts[0] != pages)
      return false;
  return true;
}

/* The kernel may take a page of the code away at any time: what then counts one more is tried again. */
OWN_PROCESS_TEST(test_nothing_is_counted_while_stopped) {
  prepare(4000);
  const char *name = "page-faults";
  struct hd_event_set *set = create_set(usage, &name, 1);
  touch(10);
  CHECK_EQUAL(read_one(usage, set), 0);
  start_set(usage, set);
  for (size_t turn = 1; turn <= 5; turn++) {
    bool is_exact = false;
    for (int attempt = 0; attempt < 5 && !is_exact; attempt++)
      is_exact = counts_only_while_started(set, 20 * turn + 1);
    CHECK(is_exact);
  }
}

static void *touch_and_count(void *pages) {
  prepare(4100);
  struct hd_event_set *set = start_one(usage, "page-faults");
  CHECK_EQUAL(faults_of(usage, set, *(const size_t *)pages), *(const size_t *)pages);
  usage->destroy(set);
  return NULL;
}

OWN_PROCESS_TEST(test_each_thread_counts_for_itself) {
  static const size_t pages[] = {2000, 4000};
  struct hd_event_set *set = start_one(usage, "page-faults");
  const uint64_t before = read_one(usage, set);
  for (int i = 0; i < 2; i++) {
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, touch_and_count, (void *)(uintptr_t)&pages[i]));
    CHECK(!pthread_join(thread, NULL));
  }
  CHECK(read_one(usage, set) - before < 2000); /* what making threads takes, not what they do */
  CHECK(!usage->reads_others);
}

/* ---- against perf ---- */

/* Both of one event, with `work` in between, at its second pass. */
static void gain_of_both(const char *name, void (*work)(void), uint64_t gains[2]) {
  const struct hd_source *const sources[] = {&hd_source_kernel, usage};
  struct hd_event_set *sets[2];
  uint64_t before[2], after[2];
  for (int i = 0; i < 2; i++) {
    sets[i] = create_set(sources[i], &name, 1);
    start_set(sources[i], sets[i]);
  }
  for (int pass = 0; pass < 2; pass++) {
    CHECK(sources[0]->read(sets[0], &before[0]) && sources[1]->read(sets[1], &before[1]));
    work();
    CHECK(sources[0]->read(sets[0], &after[0]) && sources[1]->read(sets[1], &after[1]));
  }
  for (int i = 0; i < 2; i++)
    gains[i] = after[i] - before[i];
}

static void touch_100(void) {
  touch(100);
}

/* The kernel fills them: faults in a system call, of which each is one. Sanitizers do not see it. */
static void receive_100(void) {
  int ends[2];
  static const char byte = 1;
  CHECK(!syscall(SYS_pipe2, ends, 0));
  for (int i = 0; i < 100; i++, fresh += sysconf(_SC_PAGESIZE))
    CHECK(syscall(SYS_write, ends[1], &byte, 1) == 1 && syscall(SYS_read, ends[0], fresh, 1) == 1);
}

static void populate_100(void) {
  CHECK(syscall(SYS_mmap, NULL, 100 * sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0) != -1);
}

OWN_PROCESS_TEST_NEEDS(test_faults_are_perfs, HD_KERNEL_PERF) {
  uint64_t gains[2];
  prepare(2000);
  gain_of_both("page-faults", touch_100, gains);
  CHECK(gains[0] == 100 && gains[1] == 100);
  gain_of_both("minor-faults", receive_100, gains);
  CHECK(gains[0] == 100 && gains[1] == 100);
}

static int file;

/* Pages of a file that must be read from storage, if it lies on any. */
static void read_file(void) {
  CHECK(!posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED));
  volatile char *pages = mmap(NULL, 64 << 12, PROT_READ, MAP_PRIVATE, file, 0);
  CHECK(pages != MAP_FAILED);
  madvise((char *)pages, 64 << 12, MADV_RANDOM);
  for (int i = 0; i < 64; i++)
    (void)pages[i << 12];
  munmap((char *)pages, 64 << 12);
}

/* In the first folder that takes it: as long as it is kept on storage, some faults are major. */
static int make_file(void) {
  static const char *const folders[] = {".", "/var/tmp", "/tmp", "/dev/shm"};
  char path[64];
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    snprintf(path, sizeof path, "%s/heddle-test-XXXXXX", folders[i]);
    const int made = mkstemp(path);
    if (made >= 0 && !unlink(path))
      return made;
  }
  return -1;
}

OWN_PROCESS_TEST_NEEDS(test_faults_that_wait_for_storage_are_perfs, HD_KERNEL_PERF) {
  static char content[64 << 12];
  uint64_t all[2], major[2];
  file = make_file();
  CHECK(file >= 0);
  CHECK_EQUAL(write(file, content, sizeof content), sizeof content);
  CHECK(!fsync(file));
  gain_of_both("page-faults", read_file, all);
  gain_of_both("major-faults", read_file, major);
  CHECK_EQUAL(all[1], all[0]);
  CHECK_EQUAL(major[1], major[0]);
}

/* As the description says. */
OWN_PROCESS_TEST_NEEDS(test_pages_brought_in_in_advance_are_faults_here_alone, HD_KERNEL_PERF) {
  uint64_t gains[2];
  struct hd_counter_event event;
  CHECK_EQUAL(usage->find("page-faults", &event, NULL, 0), HD_COUNTER_FOUND);
  CHECK_CONTAINS(event.description, "MAP_POPULATE");
  gain_of_both("page-faults", populate_100, gains);
  CHECK(gains[0] < 10 && gains[1] > gains[0]); /* one fault may bring in several pages */
}

/* ---- names ---- */

OWN_PROCESS_TEST(test_names_are_the_kernel_sources) {
  static const char *const names[] = {"perf::PAGE-FAULTS", "faults", "PERF_COUNT_SW_PAGE_FAULTS", "cs", "cpu-clock"};
  struct hd_counter_event event = {0}, same = {0};
  char why[400] = "";
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    CHECK_EQUAL(usage->find(names[i], &event, why, sizeof why), HD_COUNTER_FOUND);
    hd_source_kernel.find(names[i], &same, why, sizeof why);
    CHECK_EQUAL(event.code, same.code);
    CHECK_TEXT(event.unit, same.unit);
  }
  static const char *const others[] = {"perf::CPU-MIGRATIONS", "alignment-faults", "cgroup-switches", "PAPI_TOT_INS",
                                       ""};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    CHECK_EQUAL(usage->find(others[i], &event, why, sizeof why), HD_COUNTER_UNKNOWN);
}

static int visits;

static bool visit(void *most, const struct hd_counter_event *event, bool available, const char *why) {
  struct hd_counter_event same = {0};
  CHECK(event->source == usage && available && !why[0]);
  CHECK_EQUAL(usage->find(event->name, &same, NULL, 0), HD_COUNTER_FOUND);
  CHECK_EQUAL(same.code, event->code);
  CHECK_TEXT(same.description, event->description);
  CHECK(event->description[strlen(event->description) - 1] == ')' || !strchr(event->description, '(')); /* not cut */
  return ++visits < *(int *)most;
}

OWN_PROCESS_TEST(test_walk_visits_all_events_until_told_to_end) {
  int most = 100;
  usage->each(visit, &most);
  CHECK_EQUAL(visits, 6);
  visits = 0;
  most = 2;
  usage->each(visit, &most);
  CHECK_EQUAL(visits, 2);
}

/* ---- whose turn ---- */

static const char os_events[] = "perf::TASK-CLOCK,perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES";

static void check_plan_when_forbidden(int error) {
  struct hd_event_sets plan;
  struct hd_event_sets_error why;
  forbid(error);
  CHECK(hd_event_sets_make(&plan, os_events, false, &why));
  CHECK_EQUAL(plan.set_count, 1);
  CHECK(plan.sets[0].source == usage && plan.sets[0].count == 3 && plan.slots == 0);
}

EACH_PAPI_TEST(test_counts_where_perf_is_not_permitted) {
  check_plan_when_forbidden(EACCES);
}

EACH_PAPI_TEST(test_counts_where_a_container_forbids_perf) {
  check_plan_when_forbidden(EPERM);
}

EACH_PAPI_TEST(test_counts_where_a_container_hides_perf) {
  check_plan_when_forbidden(ENOSYS);
}

EACH_PAPI_TEST(test_the_kernels_events_come_first) {
  struct hd_counter_event event;
  struct hd_event_sets plan;
  struct hd_event_sets_error error;
  char why[400];
  CHECK(hd_event_sets_make(&plan, os_events, false, &error));
  for (uint32_t i = 0; i < plan.event_count; i++) {
    const bool perf =
        hd_source_ask(&hd_source_kernel, plan.events[i].name, &event, why, sizeof why) == HD_COUNTER_FOUND;
    CHECK(plan.events[i].source == (perf ? &hd_source_kernel : usage));
  }
}

static void check_what_nobody_counts(int code, const char *reason) {
  struct hd_event_sets plan;
  struct hd_event_sets_error error;
  forbid(code);
  CHECK(!hd_event_sets_make(&plan, "perf::PAGE-FAULTS,perf::CPU-MIGRATIONS", false, &error));
  CHECK_TEXT(error.event, "perf::CPU-MIGRATIONS");
  CHECK(!error.unknown);
  CHECK_CONTAINS(error.why, reason);
}

EACH_PAPI_TEST(test_the_reason_is_perfs_for_what_nobody_counts) {
  check_what_nobody_counts(ENOSYS, "this kernel has no perf_event_open");
}

EACH_PAPI_TEST(test_the_reason_is_the_permission_for_what_nobody_may_count) {
  check_what_nobody_counts(EACCES, "no permission");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fresh_pages_are_faults),
      cmocka_unit_test(test_a_set_begins_at_zero),
      cmocka_unit_test(test_clocks_are_the_threads_processor_time),
      cmocka_unit_test(test_switches_are_the_kernels),
      cmocka_unit_test(test_other_threads_time_does_not_count),
      cmocka_unit_test(test_events_of_a_set_keep_their_order),
      cmocka_unit_test(test_nothing_is_counted_while_stopped),
      cmocka_unit_test(test_each_thread_counts_for_itself),
      cmocka_unit_test(test_faults_are_perfs),
      cmocka_unit_test(test_faults_that_wait_for_storage_are_perfs),
      cmocka_unit_test(test_pages_brought_in_in_advance_are_faults_here_alone),
      cmocka_unit_test(test_names_are_the_kernel_sources),
      cmocka_unit_test(test_walk_visits_all_events_until_told_to_end),
      cmocka_unit_test(test_counts_where_perf_is_not_permitted),
      cmocka_unit_test(test_counts_where_a_container_forbids_perf),
      cmocka_unit_test(test_counts_where_a_container_hides_perf),
      cmocka_unit_test(test_the_kernels_events_come_first),
      cmocka_unit_test(test_the_reason_is_perfs_for_what_nobody_counts),
      cmocka_unit_test(test_the_reason_is_the_permission_for_what_nobody_may_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
