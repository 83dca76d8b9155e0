/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kernel's software events: exact counts, other people's descriptors, and what may be forbidden. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sys/resource.h>

#include "counted_sets.h"
#include "counters/perf_permission.h"
#include "counters/source.h"
#include "heddle-format.h"
#include "own_process.h"

static const struct hd_source *const kernel = &hd_source_kernel;

/* ---- counts ---- */

OWN_PROCESS_TEST_NEEDS(test_fresh_pages_are_faults, HD_USER_PERF) {
  prepare(2000);
  struct hd_event_set *set = start_one(kernel, "perf::PAGE-FAULTS");
  CHECK_EQUAL(faults_of(kernel, set, 1000), 1000);
  CHECK_EQUAL(faults_of(kernel, set, 0), 0); /* a reading has none */
  kernel->destroy(set);
}

/* Over 20 ms of work and 10 of sleep. Time of interrupts and of a virtual machine's host is perf's alone: on a busy
 * machine a span may have much of it. */
static bool clocks_agree(struct hd_event_set *set) {
  const uint64_t spin_ns = 20000000;
  const uint64_t before_ns = thread_ns();
  const uint64_t before = read_one(kernel, set);
  while (thread_ns() - before_ns < spin_ns) {
  }
  usleep(10000);
  const uint64_t counted = read_one(kernel, set) - before;
  const uint64_t lasted_ns = thread_ns() - before_ns;
  return counted > spin_ns * 98 / 100 && counted <= lasted_ns * 102 / 100;
}

OWN_PROCESS_TEST_NEEDS(test_task_clock_is_the_threads_processor_time, HD_USER_PERF) {
  bool agreed = false;
  struct hd_event_set *set = start_one(kernel, "perf::TASK-CLOCK");
  for (int i = 0; i < 20 && !agreed; i++)
    agreed = clocks_agree(set);
  CHECK(agreed);
  CHECK_TEXT(find_event(kernel, "task-clock").unit, "ns");
  CHECK_TEXT(find_event(kernel, "page-faults").unit, "");
}

OWN_PROCESS_TEST_NEEDS(test_sleeping_switches_context, HD_KERNEL_PERF) {
  struct hd_event_set *set = start_one(kernel, "perf::CS");
  const uint64_t before = read_one(kernel, set);
  for (int i = 0; i < 5; i++)
    usleep(1000);
  CHECK(read_one(kernel, set) - before >= 5);
}

OWN_PROCESS_TEST_NEEDS(test_events_of_a_set_keep_their_order, HD_USER_PERF) {
  prepare(2000);
  static const char *const names[] = {"task-clock", "page-faults", "perf::MAJOR-FAULTS", "perf::MINOR-FAULTS"};
  uint64_t before[HD_EVENTS_MOST], after[HD_EVENTS_MOST];
  char why[400];
  struct hd_event_set *set = create_set(kernel, names, 4);
  CHECK(kernel->start(set, why, sizeof why));
  for (int pass = 0; pass < 2; pass++) {
    CHECK(kernel->read(set, before));
    touch(77);
    CHECK(kernel->read(set, after));
  }
  CHECK(after[0] - before[0] > 1000);
  CHECK_EQUAL(after[1] - before[1], 77);
  CHECK_EQUAL(after[2] - before[2], 0);
  CHECK_EQUAL(after[3] - before[3], 77);
}

OWN_PROCESS_TEST_NEEDS(test_nothing_is_counted_while_stopped, HD_USER_PERF) {
  prepare(2000);
  char why[400];
  const char *name = "page-faults";
  struct hd_event_set *set = create_set(kernel, &name, 1);
  touch(10);
  CHECK_EQUAL(read_one(kernel, set), 0);
  CHECK(kernel->start(set, why, sizeof why));
  touch(20);
  kernel->stop(set);
  const uint64_t at_stop = read_one(kernel, set);
  CHECK(at_stop >= 20 && at_stop < 25);
  touch(40);
  CHECK_EQUAL(read_one(kernel, set), at_stop);
  CHECK(kernel->start(set, why, sizeof why));
  touch(80);
  CHECK(read_one(kernel, set) >= at_stop + 80 && read_one(kernel, set) < at_stop + 85);
}

static void *touch_and_count(void *pages) {
  prepare(4100);
  struct hd_event_set *set = start_one(kernel, "page-faults");
  CHECK_EQUAL(faults_of(kernel, set, *(const size_t *)pages), *(const size_t *)pages);
  kernel->destroy(set);
  return NULL;
}

OWN_PROCESS_TEST_NEEDS(test_each_thread_counts_for_itself, HD_USER_PERF) {
  static const size_t pages[] = {2000, 4000};
  struct hd_event_set *set = start_one(kernel, "page-faults");
  const uint64_t before = read_one(kernel, set);
  for (int i = 0; i < 2; i++) {
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, touch_and_count, (void *)(uintptr_t)&pages[i]));
    CHECK(!pthread_join(thread, NULL));
  }
  CHECK(read_one(kernel, set) - before < 2000); /* what making threads takes, not what they do */
}

/* ---- names ---- */

OWN_PROCESS_TEST_NEEDS(test_names_are_those_of_libpfm_and_perf, HD_USER_PERF) {
  static const char *const same[][5] = {
      {"perf::PAGE-FAULTS", "perf::faults", "page-faults", "PERF_COUNT_SW_PAGE_FAULTS",
       "perf::PERF_COUNT_SW_PAGE_FAULTS"},
      {"perf::TASK-CLOCK", "Perf::Task-Clock", "task-clock", "perf_sw::TASK-CLOCK", "perf_count_sw_task_clock"},
      {"perf::MINOR-FAULTS", "minor-faults", "MINOR-FAULTS", "perf_sw::minor-faults", "PERF_COUNT_SW_PAGE_FAULTS_MIN"},
      {"perf::MAJOR-FAULTS", "major-faults", "MAJOR-FAULTS", "perf_sw::major-faults", "PERF_COUNT_SW_PAGE_FAULTS_MAJ"},
  };
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    for (size_t j = 1; j < 5; j++)
      CHECK_EQUAL(find_event(kernel, same[i][j]).code, find_event(kernel, same[i][0]).code);
  CHECK(find_event(kernel, "page-faults").code != find_event(kernel, "minor-faults").code);
}

OWN_PROCESS_TEST(test_other_names_are_not_known) {
  static const char *const names[] = {"",
                                      "perf::",
                                      "perf::CYCLES",
                                      "PAPI_TOT_INS",
                                      "faultss",
                                      "PERF_COUNT_SW_",
                                      "PERF_COUNT_SW_PAGE-FAULTS",
                                      "perf::PAGE-FAULTS:u",
                                      "fault",
                                      "other::faults"};
  struct hd_counter_event event;
  char why[400];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    CHECK_EQUAL(kernel->find(names[i], &event, why, sizeof why), HD_COUNTER_UNKNOWN);
}

static int visits;

static bool visit(void *most, const struct hd_counter_event *event, bool available, const char *why) {
  struct hd_counter_event same = {0};
  char text[400];
  visits++;
  CHECK(event->source == kernel && event->description[0] && !strncmp(event->name, "perf::", 6));
  CHECK_EQUAL(hd_source_ask(kernel, event->name, &same, text, sizeof text),
              available ? HD_COUNTER_FOUND : HD_COUNTER_UNAVAILABLE);
  CHECK_EQUAL(same.code, event->code);
  CHECK(available || why[0]);
  return visits < *(int *)most;
}

OWN_PROCESS_TEST(test_walk_visits_all_events_until_told_to_end) {
  int most = 100;
  kernel->each(visit, &most);
  CHECK_EQUAL(visits, 10);
  visits = 0;
  most = 3;
  kernel->each(visit, &most);
  CHECK_EQUAL(visits, 3);
}

/* ---- descriptors ---- */

static int perf_descriptors(int *fds) {
  int count = 0;
  char path[64], target[64];
  for (int fd = 0; fd < 8192; fd++) {
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0)
      continue;
    target[length] = '\0';
    if (strstr(target, "perf_event"))
      fds[count++] = fd;
  }
  return count;
}

/* Of the descriptors that were inherited only the first three remain, and all of these are open. */
static void limit_descriptors(rlim_t most) {
  struct rlimit limit;
  CHECK(!getrlimit(RLIMIT_NOFILE, &limit));
  while (open("/dev/null", O_RDWR) >= 0 && fcntl(STDERR_FILENO, F_GETFD) < 0) {
  }
  for (int fd = 3; fd < 8192; fd++)
    close(fd);
  CHECK(limit.rlim_max >= most);
  limit.rlim_cur = most;
  CHECK(!setrlimit(RLIMIT_NOFILE, &limit));
}

OWN_PROCESS_TEST_NEEDS(test_the_programs_numbers_stay_the_same, HD_USER_PERF) {
  static const char *const names[] = {"page-faults", "task-clock", "minor-faults"};
  int fds[HD_EVENTS_MOST];
  limit_descriptors(1000);
  const int before = dup(0);
  close(before);
  struct hd_event_set *set = create_set(kernel, names, 3);
  CHECK_EQUAL(dup(0), before);
  CHECK_EQUAL(perf_descriptors(fds), 3);
  for (int i = 0; i < 3; i++) {
    CHECK_EQUAL(fds[i], 500 + i);
    CHECK_EQUAL(fcntl(fds[i], F_GETFD), FD_CLOEXEC);
  }
  kernel->destroy(set);
  CHECK_EQUAL(perf_descriptors(fds), 0);
}

OWN_PROCESS_TEST_NEEDS(test_a_quarter_of_the_numbers_at_most_is_taken, HD_USER_PERF) {
  static const char *const names[] = {"page-faults", "task-clock", "minor-faults", "major-faults",
                                      "cpu-clock",   "faults",     "task-clock"};
  struct hd_counter_event events[7];
  const struct hd_counter_event *pointers[7];
  char why[400] = "";
  int fds[HD_EVENTS_MOST];
  limit_descriptors(24);
  kernel->destroy(create_set(kernel, names, 6));
  for (int i = 0; i < 7; i++) {
    events[i] = find_event(kernel, names[i]);
    pointers[i] = &events[i];
  }
  CHECK(!kernel->create(pointers, 7, why, sizeof why));
  CHECK_CONTAINS(why, "too many open files");
  CHECK_CONTAINS(why, "24");
  CHECK_EQUAL(perf_descriptors(fds), 0);
}

OWN_PROCESS_TEST_NEEDS(test_no_descriptor_left_is_said, HD_USER_PERF) {
  const struct hd_counter_event event = find_event(kernel, "page-faults");
  const struct hd_counter_event *pointer = &event;
  char why[400] = "";
  limit_descriptors(64);
  while (dup(0) >= 0) {
  }
  CHECK(!kernel->create(&pointer, 1, why, sizeof why));
  CHECK_CONTAINS(why, "too many open files");
  _exit(0); /* sanitizers would need descriptors to say that all is well */
}

/* As a daemon does; then a pipe of its own lies where ours was. */
OWN_PROCESS_TEST_NEEDS(test_a_foreign_descriptor_is_left_alone, HD_USER_PERF) {
  static const char *const names[] = {"page-faults", "task-clock"};
  uint64_t counts[HD_EVENTS_MOST];
  char why[400], text[16] = "";
  int fds[HD_EVENTS_MOST], ends[2];
  struct hd_event_set *set = create_set(kernel, names, 2);
  CHECK(kernel->start(set, why, sizeof why) && kernel->read(set, counts));
  CHECK_EQUAL(perf_descriptors(fds), 2);
  close(fds[0]);
  close(fds[1]);
  CHECK(!pipe(ends) && dup2(ends[0], fds[0]) >= 0 && dup2(ends[1], fds[1]) >= 0);
  CHECK_EQUAL(write(fds[1], "0123456789abcdef0123456789abcdef", 32), 32);
  CHECK(!kernel->read(set, counts));
  CHECK(!kernel->read(set, counts));
  kernel->stop(set);
  CHECK(!kernel->start(set, why, sizeof why));
  CHECK_CONTAINS(why, "closed");
  kernel->destroy(set);
  CHECK_EQUAL(read(fds[0], text, 10), 10);
  CHECK_TEXT(text, "0123456789");
  CHECK_EQUAL(write(fds[1], "x", 1), 1);
}

OWN_PROCESS_TEST_NEEDS(test_a_foreign_event_is_not_stopped, HD_USER_PERF) {
  prepare(2000);
  int fds[HD_EVENTS_MOST];
  struct hd_event_set *own = start_one(kernel, "page-faults");
  CHECK_EQUAL(perf_descriptors(fds), 1);
  struct hd_event_set *other = start_one(kernel, "page-faults");
  int both[HD_EVENTS_MOST];
  CHECK_EQUAL(perf_descriptors(both), 2);
  CHECK(dup2(both[1], fds[0]) >= 0);
  kernel->stop(own);
  kernel->destroy(own);
  CHECK_EQUAL(faults_of(kernel, other, 10), 10);
  CHECK_EQUAL(perf_descriptors(fds), 2);
}

OWN_PROCESS_TEST_NEEDS(test_a_set_that_lost_an_event_is_not_read, HD_USER_PERF) {
  static const char *const names[] = {"page-faults", "task-clock"};
  uint64_t counts[HD_EVENTS_MOST];
  char why[400];
  int fds[HD_EVENTS_MOST];
  struct hd_event_set *set = create_set(kernel, names, 2);
  CHECK(kernel->start(set, why, sizeof why) && kernel->read(set, counts));
  CHECK_EQUAL(perf_descriptors(fds), 2);
  close(fds[1]);
  CHECK(!kernel->read(set, counts));
  kernel->destroy(set);
  CHECK_EQUAL(perf_descriptors(fds), 0);
}

/* ---- what may be forbidden ---- */

/* Even root is as anybody then. */
static void drop_capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
  CHECK(!syscall(SYS_capset, &header, none));
}

static void check_refusal(const char *name, int most) {
  const int paranoid = hd_permission_paranoid();
  struct hd_counter_event event;
  char why[400] = "", expected[100] = "no permission for the system call perf_event_open";
  CHECK_EQUAL(kernel->find(name, &event, why, sizeof why), HD_COUNTER_UNAVAILABLE);
  if (paranoid > most)
    snprintf(expected, sizeof expected, "/proc/sys/kernel/perf_event_paranoid is %d and must be %d or less", paranoid,
             most);
  else if (paranoid != INT_MIN)
    snprintf(expected, sizeof expected, "although /proc/sys/kernel/perf_event_paranoid is %d: ", paranoid);
  CHECK_CONTAINS(why, expected);
}

OWN_PROCESS_TEST(test_a_refusal_names_the_setting_that_the_event_needs) {
  forbid(EACCES);
  check_refusal("perf::CONTEXT-SWITCHES", 1);
  check_refusal("page-faults", 2);
}

OWN_PROCESS_TEST_NEEDS(test_without_permission_what_the_user_causes_is_counted_only, HD_USER_PERF_ALONE) {
  prepare(2000);
  struct hd_counter_event event;
  char why[400] = "";
  drop_capabilities();
  CHECK_EQUAL(kernel->find("perf::CONTEXT-SWITCHES", &event, why, sizeof why), HD_COUNTER_UNAVAILABLE);
  CHECK_CONTAINS(find_event(kernel, "page-faults").description, "not the kernel's own");
  CHECK(!strstr(find_event(kernel, "task-clock").description, "kernel"));
  struct hd_event_set *set = start_one(kernel, "page-faults");
  CHECK_EQUAL(faults_of(kernel, set, 10), 10);
}

static void check_forbidden(int error, const char *reason) {
  struct hd_counter_event event;
  char why[400] = "";
  forbid(error);
  CHECK_EQUAL(kernel->find("page-faults", &event, why, sizeof why), HD_COUNTER_UNAVAILABLE);
  CHECK_CONTAINS(why, reason);
}

OWN_PROCESS_TEST(test_a_container_that_forbids_it_is_named) {
  if (hd_permission_paranoid() <= HD_PARANOID_USER_CODE)
    check_forbidden(EPERM, "seccomp");
}

OWN_PROCESS_TEST(test_a_container_that_hides_it_is_named) {
  check_forbidden(ENOSYS, "this kernel has no perf_event_open");
}

OWN_PROCESS_TEST(test_an_event_that_the_kernel_lacks_is_said_so) {
  check_forbidden(ENOENT, "this kernel does not know the event");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fresh_pages_are_faults),
      cmocka_unit_test(test_task_clock_is_the_threads_processor_time),
      cmocka_unit_test(test_sleeping_switches_context),
      cmocka_unit_test(test_events_of_a_set_keep_their_order),
      cmocka_unit_test(test_nothing_is_counted_while_stopped),
      cmocka_unit_test(test_each_thread_counts_for_itself),
      cmocka_unit_test(test_names_are_those_of_libpfm_and_perf),
      cmocka_unit_test(test_other_names_are_not_known),
      cmocka_unit_test(test_walk_visits_all_events_until_told_to_end),
      cmocka_unit_test(test_the_programs_numbers_stay_the_same),
      cmocka_unit_test(test_a_quarter_of_the_numbers_at_most_is_taken),
      cmocka_unit_test(test_no_descriptor_left_is_said),
      cmocka_unit_test(test_a_foreign_descriptor_is_left_alone),
      cmocka_unit_test(test_a_foreign_event_is_not_stopped),
      cmocka_unit_test(test_a_set_that_lost_an_event_is_not_read),
      cmocka_unit_test(test_a_refusal_names_the_setting_that_the_event_needs),
      cmocka_unit_test(test_without_permission_what_the_user_causes_is_counted_only),
      cmocka_unit_test(test_a_container_that_forbids_it_is_named),
      cmocka_unit_test(test_a_container_that_hides_it_is_named),
      cmocka_unit_test(test_an_event_that_the_kernel_lacks_is_said_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
