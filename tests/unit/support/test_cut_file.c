/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A file that is cut short while it is being read. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output/model/lazy_rows.h"
#include "output/reader/open.h"
#include "profile_sample.h"
#include "support/command/sigbus_guard.h"

enum { LARGE_SPAN = 4000, UNITS = LARGE_SPAN + 96 }; /* large enough to be mapped */

static char path[] = "/tmp/heddle-cut-XXXXXX";

static int write_large(void **state) {
  (void)state;
  struct sample sample;
  make_sample_with(&sample, UNITS);
  builder_block(&sample.builder, HD_BLOCK_TEXT, LARGE_SPAN);
  builder_block(&sample.builder, HD_BLOCK_TEXT, UNITS - sample.builder.header->block_count);
  const int file = mkstemp(path);
  const ssize_t written = write(file, sample.builder.bytes, sample.builder.size);
  close(file);
  const bool whole = written == (ssize_t)sample.builder.size;
  builder_free(&sample.builder);
  return whole ? 0 : 1;
}

static int remove_large(void **state) {
  (void)state;
  return unlink(path);
}

/* In a child. */
static void read_and_cut(int errors) {
  struct hd_model *model = NULL;
  char error[256] = "";
  dup2(errors, STDERR_FILENO);
  hd_sigbus_guard();
  if (!hd_profile_open(path, &model, error, sizeof error) || !model->source->mapped || truncate(path, 0) != 0)
    _exit(90);
  struct hd_records at = hd_records_of(model->source, HD_BLOCK_ROWS); /* what is there no more */
  _exit(hd_records_next(&at) ? 91 : 92);
}

static void test_cut_files_are_named(void **state) {
  (void)state;
  int ends[2], status = 0;
  char said[300] = "", expected[300];
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0)
    read_and_cut(ends[1]);
  close(ends[1]);
  for (ssize_t got = 0, used = 0; (got = read(ends[0], said + used, sizeof said - 1 - (size_t)used)) > 0;)
    used += got;
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  snprintf(expected, sizeof expected,
           "heddle: %s: cut short while it was being read; try again when nobody writes it\n", path);
  assert_string_equal(said, expected);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cut_files_are_named)};
  return cmocka_run_group_tests(tests, write_large, remove_large);
}
