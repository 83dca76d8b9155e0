/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups of events by name: in which folders they are looked for, and what is said when there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "output/metrics/group.h"
#include "support/command/edit_distance.h"

struct folder {
  char path[64];
};

static void write_file(const char *folder, const char *name, const char *text, size_t bytes) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, bytes, file), bytes);
  assert_int_equal(fclose(file), 0);
}

static void write_text(const char *folder, const char *name, const char *text) {
  write_file(folder, name, text, strlen(text));
}

static int make_folder(void **state) {
  static struct folder folder;
  strcpy(folder.path, "/tmp/heddle-groups-XXXXXX");
  *state = &folder;
  if (!mkdtemp(folder.path) || chdir(folder.path) != 0)
    return -1;
  return setenv("HEDDLE_GROUPS", folder.path, 1);
}

static int remove_folder(void **state) {
  const struct folder *folder = *state;
  char command[100];
  unsetenv("HEDDLE_GROUPS");
  snprintf(command, sizeof command, "rm -rf %s", folder->path);
  return chdir("/") + system(command);
}

static void expect_read(const char *name, const char *short_text) {
  char error[5000] = "";
  struct hd_group *group = hd_group_read(name, error, sizeof error);
  if (!group)
    fail_msg("%s", error);
  assert_string_equal(group->short_text, short_text);
  hd_group_free(group);
}

static const char *read_error(const char *name) {
  static char error[5000];
  struct hd_group *group = hd_group_read(name, error, sizeof error);
  assert_null(group);
  return error;
}

static void test_groups_are_found_by_name_in_any_case(void **state) {
  const struct folder *folder = *state;
  write_text(folder->path, "Mine.txt", "SHORT mine\nEVENTSET\nA\nMETRICS\nm  A\n");
  expect_read("Mine", "mine");
  expect_read("mINE", "mine");
  expect_read("Mine.txt", "mine");
  expect_read("./Mine.txt", "mine");
}

static void test_users_groups_come_before_heddles(void **state) {
  const struct folder *folder = *state;
  write_text(folder->path, "ipc.txt", "SHORT another\nEVENTSET\nA\nMETRICS\nm  A\n");
  expect_read("IPC", "another");
}

static void test_names_come_before_files(void **state) {
  const struct folder *folder = *state;
  mkdir("OS", 0700);
  unsetenv("HEDDLE_GROUPS");
  write_text(folder->path, "IPC", "SHORT not this\nEVENTSET\nA\nMETRICS\nm  A\n");
  write_text(folder->path, "word", "SHORT a file\nEVENTSET\nA\nMETRICS\nm  A\n");
  char error[500];
  struct hd_group *group = hd_group_read("IPC", error, sizeof error);
  assert_non_null(group);
  assert_string_not_equal(group->short_text, "not this");
  hd_group_free(group);
  group = hd_group_read("OS", error, sizeof error);
  assert_non_null(group);
  hd_group_free(group);
  expect_read("word", "a file");
}

static void test_unknown_groups_are_answered_with_names(void **state) {
  (void)state;
  assert_string_equal(read_error("BRANHC"), "no group of events 'BRANHC'; nearest: BRANCH");
  assert_string_equal(
      read_error("nothing-like-it"),
      "no group of events 'nothing-like-it'; there are: BRANCH, CACHE, FLOPS, FLOPS_DP, FLOPS_SP, IPC, MEM, OS");
  setenv("HEDDLE_GROUPS", "/nowhere", 1);
  assert_string_equal(read_error("BRANHC"),
                      "no group of events 'BRANHC' (and HEDDLE_GROUPS=/nowhere is no folder); nearest: BRANCH");
}

static void test_files_that_are_no_groups_are_refused(void **state) {
  const struct folder *folder = *state;
  char *large = calloc(1, (1 << 20) + 1);
  assert_non_null(large);
  memset(large, '#', (1 << 20) + 1);
  write_file(folder->path, "large.txt", large, (1 << 20) + 1);
  write_file(folder->path, "zero.txt", "SHORT\0x", 7);
  assert_string_equal(read_error("./large.txt"), "./large.txt: larger than 1 MiB: this is no group of events");
  assert_string_equal(read_error("./zero.txt"), "./zero.txt: has a zero byte: this is no text file");
  assert_string_equal(read_error("./missing.txt"), "./missing.txt: No such file or directory");
  assert_string_equal(read_error("/tmp"), "/tmp: Is a directory");
  write_file(folder->path, "most.txt", large, 1 << 20);
  assert_string_equal(read_error("./most.txt"), "./most.txt:1: EVENTSET is missing");
  free(large);
}

struct seen {
  char names[500];
  unsigned broken;
};

static void see(void *context, const struct hd_group *group, const char *error) {
  struct seen *seen = context;
  assert_true((group == NULL) == (error != NULL));
  seen->broken += group == NULL;
  snprintf(seen->names + strlen(seen->names), sizeof seen->names - strlen(seen->names), "%s ",
           group ? group->name : "?");
}

static void test_all_groups_are_listed_in_order(void **state) {
  const struct folder *folder = *state;
  struct seen seen = {0};
  write_text(folder->path, "ipc.txt", "SHORT another\nEVENTSET\nA\nMETRICS\nm  A\n");
  write_text(folder->path, "DAMAGED.txt", "nonsense");
  write_text(folder->path, "notes.md", "nonsense");
  hd_group_each(see, &seen);
  assert_string_equal(seen.names, "BRANCH CACHE ? FLOPS FLOPS_DP FLOPS_SP ipc MEM OS ");
  assert_int_equal(seen.broken, 1);
}

static void test_likeness(void **state) {
  (void)state;
  assert_int_equal(hd_edit_distance("kitten", "sitting"), 3);
  assert_int_equal(hd_edit_distance("abc", "ABC"), 0);
  assert_int_equal(hd_edit_distance("", "abc"), 3);
  assert_true(hd_edit_is_near("PAPI_TOT_INZ", "PAPI_TOT_INS"));
  assert_false(hd_edit_is_near("A", "B"));
}

int main(void) {
  unsetenv("HEDDLE_GROUPS");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_groups_are_found_by_name_in_any_case, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_users_groups_come_before_heddles, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_names_come_before_files, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_unknown_groups_are_answered_with_names, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_files_that_are_no_groups_are_refused, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_all_groups_are_listed_in_order, make_folder, remove_folder),
      cmocka_unit_test(test_likeness),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
