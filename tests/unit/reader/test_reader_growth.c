/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that are made to take much memory or time: both stay in proportion to the file. Read in a child that may not
 * have more. */
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exercise.h"
#include "fake_ompt.h"
#include "output/model/levels.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "output/views/report/report.h"
#include "profile_builder.h"
#include "support/command/options.h"

enum {
  SECONDS = 60,
  BYTES_EACH = 300,
  BYTES_LEAST = 64 << 20,
  CHAIN_UNITS = 200,
  UNITS = 4096,
  QUESTIONS = 10,
  READ = 0,
  NO_MEMORY = HD_EXIT_FAILED, /* support/command/memory.h */
  REFUSED,
  UNREADABLE
};

/* Of this process, in pages. */
static uint64_t address_space(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%lu", &pages), 1);
  fclose(file);
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void bound(size_t size) {
  const struct rlimit time = {SECONDS, SECONDS};
  const uint64_t most = address_space() + BYTES_LEAST + (uint64_t)size * BYTES_EACH;
  const struct rlimit memory = {most, most};
  setrlimit(RLIMIT_CPU, &time);
  if (fk_can_fail_allocations()) /* sanitizers take what they like */
    setrlimit(RLIMIT_AS, &memory);
  signal(SIGABRT, SIG_DFL); /* cmocka's handlers would go on in the child */
  signal(SIGSEGV, SIG_DFL);
}

static int read_and_ask(const struct builder *builder, bool narrow) {
  struct hd_model *model = NULL;
  char error[256] = "";
  if (!hd_profile_parse("grown", builder->bytes, builder->size, &model, error, sizeof error))
    return strstr(error, "damaged: ") ? REFUSED : UNREADABLE;
  if (narrow)
    fz_narrow(model);
  for (uint32_t question = 0; question < QUESTIONS; question++)
    fz_report(model, question);
  return READ;
}

/* In a child. Frees the builder. */
static int end_of(struct builder *builder, bool narrow) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    bound(builder->size);
    _exit(read_and_ask(builder, narrow));
  }
  builder_free(builder);
  assert_int_equal(waitpid(child, &status, 0), child);
  if (!WIFEXITED(status))
    fail_msg("ended by signal %d", WTERMSIG(status));
  return WEXITSTATUS(status);
}

/* A chain of as many routines as a few MiB hold. */
static uint32_t add_chain(struct builder *builder) {
  builder_profile(builder, 0, HD_KIND_PROGRAM);
  while (builder->header->block_count < CHAIN_UNITS)
    builder_profile(builder, builder->profiles - 1, HD_KIND_ROUTINE);
  return builder->profiles - 1;
}

static struct hd_tally_record *add_tally(struct builder *builder, uint32_t profile, enum hd_tally_what what) {
  struct hd_tally_record *tally = builder_record(builder, HD_BLOCK_TALLIES, sizeof *tally);
  *tally = (struct hd_tally_record){.profile = profile, .what = what};
  return tally;
}

static void add_level(struct builder *builder, uint32_t tally, uint32_t level) {
  struct hd_level_record *levels = builder_record(builder, HD_BLOCK_LEVELS, sizeof *levels);
  *levels = (struct hd_level_record){.tally = tally, .first = level / 7 * 7};
  levels->ticks[level % 7] = 1;
}

static void test_a_long_chain_is_read(void **state) {
  (void)state;
  struct builder builder;
  builder_init_with(&builder, UNITS);
  const uint32_t last = add_chain(&builder);
  builder_thread(&builder, HD_THREAD_INITIAL, 1000, 2000)->end_ticks = 2000;
  builder_cell(builder_row(&builder, last, 0), HD_BUSY)->ticks = 1000;
  assert_int_equal(end_of(&builder, false), READ);
}

static void test_a_long_chain_with_counts_is_narrowed(void **state) {
  (void)state;
  struct builder builder;
  builder_init_with(&builder, UNITS);
  builder_counters(&builder, 1, 0, HD_COUNTERS_AT_REGION);
  const uint32_t last = add_chain(&builder);
  builder_event(&builder, "ONE", 0);
  builder_thread(&builder, HD_THREAD_INITIAL, 1000, 2000)->end_ticks = 2000;
  builder_cell(builder_row(&builder, last, 0), HD_BUSY)->ticks = 1000;
  builder_counts(&builder, 0, 0);
  builder_name(&builder, last, "f", "f.c", "1");
  assert_int_equal(end_of(&builder, true), READ);
}

/* Each of many callpaths at the highest level. */
static void test_high_levels_everywhere_are_refused(void **state) {
  (void)state;
  struct builder builder;
  builder_init_with(&builder, UNITS);
  builder.header->flags |= HD_FILE_MERGED;
  add_chain(&builder);
  while (builder.header->block_count < 2 * CHAIN_UNITS)
    builder_thread(&builder, HD_THREAD_OTHER, 1000, 1000)->end_ticks = 1000;
  add_tally(&builder, 0, HD_TALLY_PROGRAM)->count = 1;
  for (uint32_t i = 1; builder.header->block_count < 3 * CHAIN_UNITS; i++) {
    add_tally(&builder, i, HD_TALLY_BUSY);
    add_level(&builder, i, builder.threads - 8);
  }
  assert_int_equal(end_of(&builder, false), REFUSED);
}

/* At the end of a long chain: all above it have it below them. */
static void test_a_high_level_far_below_is_refused(void **state) {
  (void)state;
  struct builder builder;
  builder_init_with(&builder, UNITS);
  builder.header->flags |= HD_FILE_MERGED;
  const uint32_t last = add_chain(&builder);
  while (builder.header->block_count < 2 * CHAIN_UNITS)
    builder_thread(&builder, HD_THREAD_OTHER, 1000, 1000)->end_ticks = 1000;
  add_tally(&builder, 0, HD_TALLY_PROGRAM)->count = 1;
  add_tally(&builder, last, HD_TALLY_BUSY);
  add_level(&builder, 1, builder.threads - 8);
  assert_int_equal(end_of(&builder, false), REFUSED);
}

/* All of them would be settled whenever the level goes up and down. */
static void test_more_tallies_than_threads_and_regions_are_refused(void **state) {
  (void)state;
  struct builder builder;
  builder_init_with(&builder, UNITS);
  add_chain(&builder);
  builder_thread(&builder, HD_THREAD_INITIAL, 1000, 2000)->end_ticks = 2000;
  builder_levels(&builder);
  builder_ring(&builder, 0);
  for (uint32_t i = 1; i < builder.profiles; i++)
    *add_tally(&builder, i, HD_TALLY_BUSY) =
        (struct hd_tally_record){.profile = i, .what = HD_TALLY_BUSY, .count = 1, .since_ticks = 1000};
  assert_int_equal(end_of(&builder, false), REFUSED);
}

/* A program that was killed with many callpaths open at once. */
static void test_many_active_tallies_are_read(void **state) {
  (void)state;
  enum { THREADS = 80 };
  struct builder builder;
  builder_init_with(&builder, UNITS);
  builder_profile(&builder, 0, HD_KIND_PROGRAM);
  for (uint32_t i = 0; i < THREADS; i++) {
    builder_profile(&builder, 0, HD_KIND_PARALLEL);
    builder_thread(&builder, HD_THREAD_INITIAL, 1000, 2000)->end_ticks = 2000;
  }
  builder_levels(&builder);
  for (uint32_t i = 0; i < THREADS; i++) {
    struct hd_tally_record *tally = add_tally(&builder, i + 1, HD_TALLY_BUSY);
    tally->count = 1;
    tally->since_ticks = tally->active_since_ticks = 1000;
    struct hd_ring_record *ring = builder_ring(&builder, i);
    ring->sweep.tail = ring->head = 1;
    ring->sweep.tick = 1000;
    ring->sweep.busy = ring->sweep.busy_before = i + 1;
  }
  struct hd_model *model = builder_read(&builder);
  assert_true(model->levels_known);
  assert_int_equal(hd_levels_at(&model->time_at, THREADS), 1000);
  assert_int_equal(hd_levels_at(&model->nodes[1].busy_at, THREADS), 1000);
  hd_model_free(model);
  builder_free(&builder);
}

/* As many ways lead to the routines of a chain as it is long, squared. */
static void test_callers_of_a_long_chain_are_refused(void **state) {
  (void)state;
  struct builder builder;
  char *said = NULL;
  size_t bytes = 0;
  builder_init_with(&builder, UNITS);
  builder_thread(&builder, HD_THREAD_INITIAL, 1000, 2000)->end_ticks = 2000;
  builder_cell(builder_row(&builder, add_chain(&builder), 0), HD_BUSY)->ticks = 1000;
  struct hd_model *model = builder_read(&builder);
  FILE *sink = open_memstream(&said, &bytes);
  const struct hd_report_options options = {.question = HD_ASK_CALLERS, .sort = HD_SORT_INCLUSIVE, .callers = "."};
  assert_int_equal(hd_report_print(model, &options, sink, sink), HD_REPORT_REFUSED);
  fclose(sink);
  assert_non_null(strstr(said, "too many callers of '.'; --depth K"));
  free(said);
  hd_model_free(model);
  builder_free(&builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_long_chain_is_read),
      cmocka_unit_test(test_a_long_chain_with_counts_is_narrowed),
      cmocka_unit_test(test_high_levels_everywhere_are_refused),
      cmocka_unit_test(test_a_high_level_far_below_is_refused),
      cmocka_unit_test(test_callers_of_a_long_chain_are_refused),
      cmocka_unit_test(test_many_active_tallies_are_read),
      cmocka_unit_test(test_more_tallies_than_threads_and_regions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
