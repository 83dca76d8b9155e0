/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every field of every record of real profiles gets special values, every block is left out, doubled and swapped, and
 * files end anywhere: refused with a reason, or read, reported and exported. */
#include <stdio.h>

#include "exercise.h"
#include "expect.h"
#include "layout.h"
#include "mutate.h"
#include "output/model/memory.h"
#include "profile_sample.h"
#include "random_program.h"
#include "script.h"

enum { ELEMENTS = 2, STEP_BYTES = 509 };

static struct {
  uint8_t *whole;
  uint8_t *bytes; /* a copy to damage, with room for one more block of any size */
  size_t size;
  struct fz_layout layout;
  unsigned tried, refused;
} file;

static void load(const void *bytes, size_t size) {
  memset(&file, 0, sizeof file);
  file.size = size;
  file.whole = malloc(size);
  file.bytes = malloc(2 * size);
  assert_true(file.whole && file.bytes);
  memcpy(file.whole, bytes, size);
  fz_unseal(file.whole);
  memcpy(file.bytes, file.whole, size);
  assert_true(fz_layout_make(&file.layout, file.whole, size, ELEMENTS));
  hd_model_free(fz_read(file.bytes, size));
}

static void unload(void) {
  assert_in_range(file.refused, 1, file.tried - 1); /* both happen */
  fz_layout_free(&file.layout);
  free(file.whole);
  free(file.bytes);
}

static void load_sample(void) {
  struct sample sample;
  make_sample(&sample);
  load(sample.builder.bytes, sample.builder.size);
  builder_free(&sample.builder);
}

/* A program that was killed has something of everything; rings that are not empty, too. */
static void load_killed(uint64_t seed, const struct fk_options *options) {
  static char bytes[1 << 20];
  rp_generate(seed, &(struct rp_options){.killed = true, .routines = true, .events = 60});
  const struct fk_result result = fk_play(sc_script(), options);
  FILE *from = fopen(result.path, "rb");
  assert_non_null(from);
  const size_t there = fread(bytes, 1, sizeof bytes, from);
  const size_t claimed =
      HD_HEADER_BYTES + (size_t)((struct hd_file_header *)(void *)bytes)->block_count * HD_BLOCK_BYTES;
  assert_true(claimed <= there); /* what lies behind is space of a live file */
  load(bytes, claimed);
  fclose(from);
}

/* What is read must also be fit to be shown. */
static void try(const uint8_t *bytes, size_t size) {
  struct hd_model *model = fz_read(bytes, size);
  file.refused += !model;
  if (model && file.tried % 8 == 0)
    fz_report(model, file.tried / 8);
  hd_model_free(model);
  file.tried++;
}

static void try_fields(void) {
  for (size_t i = 0; i < file.layout.field_count; i++) {
    const struct fz_field field = file.layout.fields[i];
    const uint64_t value = fz_get(file.whole, field.offset, field.bytes);
    for (uint32_t which = 0; which < FZ_SPECIAL_COUNT; which++) {
      if (fz_special(which, value, field.bytes) == value)
        continue;
      fz_set(file.bytes, field.offset, field.bytes, fz_special(which, value, field.bytes));
      try(file.bytes, file.size);
    }
    fz_set(file.bytes, field.offset, field.bytes, value);
  }
}

static void test_layout_is_that_of_the_format(void **state) {
  (void)state;
  const struct {
    enum hd_block_type type;
    size_t head, element;
  } known[] = {
      {HD_BLOCK_PROFILES, sizeof(struct hd_profile_record), 0},
      {HD_BLOCK_ROWS, sizeof(struct hd_row_record), 0},
      {HD_BLOCK_THREADS, sizeof(struct hd_thread_record), 0},
      {HD_BLOCK_TOTALS, sizeof(struct hd_total_record), 0},
      {HD_BLOCK_TEAMS, sizeof(struct hd_team_record), 0},
      {HD_BLOCK_MODULES, offsetof(struct hd_module_record, path), 1},
      {HD_BLOCK_TEXT, sizeof(struct hd_text_record), 1},
      {HD_BLOCK_RING, offsetof(struct hd_ring_record, transitions), sizeof(struct hd_transition)},
      {HD_BLOCK_TALLIES, sizeof(struct hd_tally_record), 0},
      {HD_BLOCK_LEVELS, sizeof(struct hd_level_record), 0},
      {HD_BLOCK_OVERLAPS, sizeof(struct hd_overlap_record), 0},
      {HD_BLOCK_TIMELINE, offsetof(struct hd_timeline_record, buckets), sizeof(struct hd_timeline_bucket)},
      {HD_BLOCK_ENTRIES, sizeof(struct hd_entry_record), 0},
      {HD_BLOCK_STACK, offsetof(struct hd_stack_record, entries), sizeof(struct hd_stack_entry)},
      {HD_BLOCK_EVENTS, sizeof(struct hd_event_record), 0},
      {HD_BLOCK_COUNTS, sizeof(struct hd_counts_record), 8},
      {HD_BLOCK_COSTS, offsetof(struct hd_costs_record, kinds), sizeof(struct hd_event_cost)},
      {HD_BLOCK_SWITCHES, sizeof(struct hd_switch_record), 0},
      {HD_BLOCK_JOURNAL, offsetof(struct hd_journal_record, entries), sizeof(struct hd_journal_entry)},
      {HD_BLOCK_DELAYS, sizeof(struct hd_delay_record), 0},
      {HD_BLOCK_MEMBERSHIPS, sizeof(struct hd_membership_record), 0},
      {HD_BLOCK_SAMPLES, sizeof(struct hd_sample_record), 0},
      {HD_BLOCK_CHUNKS, sizeof(struct hd_chunks_record), 0},
      {HD_BLOCK_PATHS, sizeof(struct hd_path_record), 0},
      {HD_BLOCK_WATCHED, sizeof(struct hd_watched_record), 0},
      {HD_BLOCK_PATH_STEPS, sizeof(struct hd_path_step_record), 0},
      {HD_BLOCK_TASKS, sizeof(struct hd_tasks_record), 0},
      {HD_BLOCK_LOCKS, sizeof(struct hd_lock_record), 0},
      {HD_BLOCK_LOCK_PAIRS, sizeof(struct hd_lock_pair_record), 0},
      {HD_BLOCK_HISTORIES, offsetof(struct hd_history_record, buckets), sizeof(struct hd_history_bucket)},
      {HD_BLOCK_TRACE, sizeof(struct hd_trace_record), 1},
      {HD_BLOCK_TRACE_STRETCHES, sizeof(struct hd_trace_stretch_record), 0},
  };
  assert_int_equal(sizeof known / sizeof *known, HD_BLOCK_TYPE_LAST);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    assert_int_equal(fz_head_bytes(known[i].type), known[i].head);
    assert_int_equal(fz_element_bytes(known[i].type), known[i].element);
  }
}

static void test_special_values_in_every_field(void **state) {
  (void)state;
  load_sample();
  try_fields();
  unload();
}

static void test_special_values_in_every_field_of_a_killed_run(void **state) {
  (void)state;
  load_killed(4, NULL);
  try_fields();
  unload();
}

static void test_special_values_in_every_field_of_a_run_with_counters(void **state) {
  (void)state;
  load_killed(7, &(struct fk_options){.counters = "STUB_CLOCK", .counters_at = "all"});
  try_fields();
  unload();
}

static void swap_blocks(size_t a, size_t b) {
  const size_t *at = file.layout.blocks;
  uint8_t *to = file.bytes + at[a];
  to = mempcpy(to, file.whole + at[b], at[b + 1] - at[b]);
  to = mempcpy(to, file.whole + at[a + 1], at[b] - at[a + 1]);
  memcpy(to, file.whole + at[a], at[a + 1] - at[a]);
  try(file.bytes, file.size);
  memcpy(file.bytes, file.whole, file.size);
}

static void recount(size_t size) {
  ((struct hd_file_header *)(void *)file.bytes)->block_count = (uint32_t)((size - HD_HEADER_BYTES) / HD_BLOCK_BYTES);
  try(file.bytes, size);
  memcpy(file.bytes, file.whole, file.size);
}

static void test_blocks_are_left_out_doubled_and_swapped(void **state) {
  (void)state;
  load_killed(7, &(struct fk_options){.counters = "STUB_CLOCK"});
  const size_t *at = file.layout.blocks;
  for (size_t i = 0; i < file.layout.block_count; i++) {
    const size_t bytes = at[i + 1] - at[i];
    memcpy(file.bytes + file.size, file.whole + at[i], bytes);
    recount(file.size + bytes);
    memmove(file.bytes + at[i], file.bytes + at[i + 1], file.size - at[i + 1]);
    recount(file.size - bytes);
    for (size_t j = i + 1; j < file.layout.block_count; j++)
      swap_blocks(i, j);
  }
  unload();
}

/* With a header that tells of no more blocks than there are, and one that does. */
static void test_files_that_end_anywhere(void **state) {
  (void)state;
  load_killed(7, NULL);
  for (size_t size = 0; size < file.size; size += size < 2048 ? 1 : STEP_BYTES) {
    uint8_t *cut = malloc(size + 1); /* of its own size, so that a sanitizer sees what lies behind it */
    assert_non_null(cut);
    memcpy(cut, file.whole, size);
    try(cut, size);
    if (size >= HD_HEADER_BYTES)
      ((struct hd_file_header *)(void *)cut)->block_count = (uint32_t)((size - HD_HEADER_BYTES) / HD_BLOCK_BYTES);
    try(cut, size);
    free(cut);
  }
  fz_layout_free(&file.layout);
  free(file.whole);
  free(file.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_layout_is_that_of_the_format),
      cmocka_unit_test(test_special_values_in_every_field),
      cmocka_unit_test(test_special_values_in_every_field_of_a_killed_run),
      cmocka_unit_test(test_special_values_in_every_field_of_a_run_with_counters),
      cmocka_unit_test(test_blocks_are_left_out_doubled_and_swapped),
      cmocka_unit_test(test_files_that_end_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
