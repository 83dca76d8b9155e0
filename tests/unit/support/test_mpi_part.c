/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of a job's file, which a command makes that this process starts; here it is a script. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "mpi/part.h"

static char script[] = "/tmp/heddle-part-XXXXXX";

static void write_script(const char *text) {
  FILE *out = fopen(script, "w");
  assert_non_null(out);
  fprintf(out, "#!/bin/sh\n%s\n", text);
  assert_int_equal(fclose(out), 0);
  assert_int_equal(chmod(script, 0700), 0);
}

static uint64_t in_a_minute(void) {
  return hd_part_clock() + UINT64_C(60000000000);
}

static void expect_content(int part, const char *expected) {
  char content[256] = "";
  assert_true(part > STDERR_FILENO);
  assert_int_equal(hd_part_bytes(part), strlen(expected));
  assert_int_equal(pread(part, content, sizeof content - 1, 0), strlen(expected));
  assert_string_equal(content, expected);
  hd_part_free(part);
}

static int part_of(const char *content) {
  const int part = hd_part_new(strlen(content));
  char *bytes = hd_part_map(part);
  assert_non_null(bytes);
  for (size_t i = 0; content[i]; i++)
    bytes[i] = content[i];
  hd_part_unmap(part, bytes);
  return part;
}

static void test_a_profile_and_parts_are_joined(void **state) {
  struct hd_part_sources sources = {.command = script, .all_ranks = true, .profile = "/tmp/a profile", .part_count = 2};
  (void)state;
  write_script("echo \"$1 $2 $3 $4\"; cat \"$5\" \"$6\"; cat");
  sources.parts[0] = part_of("first,");
  sources.parts[1] = part_of("second");
  expect_content(hd_part_join(&sources, in_a_minute()), "job --json --all-ranks /tmp/a profile\nfirst,second");
  sources.all_ranks = false;
  sources.profile = NULL;
  write_script("echo \"$1 $2\"; cat \"$3\" \"$4\"");
  expect_content(hd_part_join(&sources, in_a_minute()), "job --json\nfirst,second");
  hd_part_free(sources.parts[0]);
  hd_part_free(sources.parts[1]);
}

static void test_the_command_is_not_measured(void **state) {
  const struct hd_part_sources sources = {.command = script, .profile = "x"};
  (void)state;
  setenv("LD_PRELOAD", "", 1);
  setenv("OMP_TOOL_LIBRARIES", "libheddle.so", 1);
  setenv("PART_TEST", "kept", 1);
  write_script("echo \"${LD_PRELOAD-no} ${OMP_TOOL_LIBRARIES-no} $PART_TEST\"");
  expect_content(hd_part_join(&sources, in_a_minute()), "no no kept\n");
  unsetenv("LD_PRELOAD");
  unsetenv("OMP_TOOL_LIBRARIES");
}

static void test_what_fails_leaves_no_part(void **state) {
  struct hd_part_sources sources = {.command = script, .profile = "x"};
  (void)state;
  write_script("echo half; exit 1");
  assert_int_equal(hd_part_join(&sources, in_a_minute()), -1);
  write_script("kill -9 $$");
  assert_int_equal(hd_part_join(&sources, in_a_minute()), -1);
  write_script(":");
  assert_int_equal(hd_part_join(&sources, in_a_minute()), -1);
  write_script("sleep 1; echo late");
  assert_int_equal(hd_part_join(&sources, hd_part_clock()), -1);
  sources.command = "/nonexistent/heddle";
  assert_int_equal(hd_part_join(&sources, in_a_minute()), -1);
  sources.command = NULL;
  assert_int_equal(hd_part_join(&sources, in_a_minute()), -1);
}

/* Signals are the program's: the command has the usual ones. */
static void test_signals_are_as_a_shell_gives_them(void **state) {
  const struct hd_part_sources sources = {.command = script, .profile = "x"};
  sigset_t blocked, before;
  (void)state;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  signal(SIGTERM, SIG_IGN);
  write_script("kill -TERM $$; echo survived");
  assert_int_equal(hd_part_join(&sources, in_a_minute()), -1);
  signal(SIGTERM, SIG_DFL);
  sigprocmask(SIG_SETMASK, &before, NULL);
}

/* A program that lets the kernel take its children's statuses: nobody knows how the command ended. */
static void test_a_status_that_is_lost_is_none(void **state) {
  const struct hd_part_sources sources = {.command = script, .profile = "x"};
  (void)state;
  signal(SIGCHLD, SIG_IGN);
  write_script("echo done");
  assert_int_equal(hd_part_join(&sources, in_a_minute()), -1);
  signal(SIGCHLD, SIG_DFL);
}

static void test_no_part_beyond_the_limit_of_files(void **state) {
  struct rlimit before, small = {.rlim_cur = 1000};
  (void)state;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small.rlim_max = before.rlim_max;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  const int large = hd_part_new(1001), fits = hd_part_new(1000);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_int_equal(large, -1);
  assert_int_equal(hd_part_bytes(fits), 1000);
  hd_part_free(fits);
  assert_int_equal(hd_part_new(UINT64_MAX), -1);
  assert_int_equal(hd_part_bytes(-1), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_profile_and_parts_are_joined), cmocka_unit_test(test_the_command_is_not_measured),
      cmocka_unit_test(test_what_fails_leaves_no_part),      cmocka_unit_test(test_signals_are_as_a_shell_gives_them),
      cmocka_unit_test(test_a_status_that_is_lost_is_none),  cmocka_unit_test(test_no_part_beyond_the_limit_of_files),
  };
  close(mkstemp(script));
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(script);
  return failed;
}
