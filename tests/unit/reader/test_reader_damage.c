/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_reader_damage.c
 * Files that are no profile, cut short or damaged: refused with a reason, and never a crash or an endless loop.
 */
#include "output/model/memory.h"
#include "output/model/watched.h"
#include "output/reader/open.h"
#include "profile_sample.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static struct sample *setup_sample(void) {
  static struct sample sample;
  make_sample(&sample);
  struct hd_model *model = builder_read(&sample.builder);
  assert_int_equal(model->thread_count, 1);
  hd_model_free(model);
  return &sample;
}

static void test_foreign_files_are_refused(void **state) {
  (void)state;
  struct builder builder = {.bytes = (char[]){"%PDF-1.4 something"}, .size = 18};
  builder_refused(&builder, "not a Heddle profile");
  builder = (struct builder){.bytes = (char[]){"HEDDLE\n...."}, .size = 11};
  builder_refused(&builder, "text mode");
  builder.size = 0;
  builder_refused(&builder, "empty");
  builder = (struct builder){.bytes = (char[]){HD_MAGIC}, .size = 8};
  builder_refused(&builder, "cut short");
}

static void test_newer_and_foreign_layouts_are_refused(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  struct hd_file_header *header = sample->builder.header;
  header->version = HD_FORMAT_VERSION + 1;
  builder_refused(&sample->builder, "written by a newer Heddle (format 19, this reads 18)");
  header->version = 0;
  builder_refused(&sample->builder, "format 0 does not exist");
  header->version = 1;
  builder_refused(&sample->builder, "written by an older Heddle (format 1, this reads 18)");
  header->version = HD_FORMAT_VERSION;
  header->byte_order = __builtin_bswap32(HD_BYTE_ORDER);
  builder_refused(&sample->builder, "other byte order");
  header->byte_order = HD_BYTE_ORDER;
  header->row_record_bytes = 168;
  builder_refused(&sample->builder, "record sizes");
  header->row_record_bytes = sizeof(struct hd_row_record);
  header->costs_record_bytes -= 8;
  builder_refused(&sample->builder, "record sizes");
  header->costs_record_bytes += 8;
  header->switch_record_bytes = 0;
  builder_refused(&sample->builder, "record sizes");
  header->switch_record_bytes = sizeof(struct hd_switch_record);
  header->clock_kind = 9;
  builder_refused(&sample->builder, "unknown clock");
  builder_free(&sample->builder);
}

static void test_a_runtime_in_no_module_is_refused(void **state) {
  (void)state;
  struct sample *sample = setup_sample(); /* has one module */
  sample->builder.header->runtime_module = 1;
  struct hd_model *model = builder_read(&sample->builder);
  assert_ptr_equal(hd_model_runtime(model), &model->modules[0]);
  hd_model_free(model);
  sample->builder.header->runtime_module = 2;
  builder_refused(&sample->builder, "the runtime's module is not there");
  builder_free(&sample->builder);
}

static void test_cut_at_any_byte_is_refused(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  const size_t whole = sample->builder.size;
  char *copy = NULL;
  for (size_t size = 0; size < whole; size += size < 5000 ? 1 : 61) {
    copy = malloc(size + 1); /* of its own size, so that a sanitizer sees what lies behind it */
    memcpy(copy, sample->builder.bytes, size);
    struct builder cut = {.bytes = copy, .size = size};
    builder_refused(&cut, size == 0 ? "empty" : "cut short");
    free(copy);
  }
  builder_free(&sample->builder);
}

static void test_bytes_behind_the_blocks_are_ignored(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  sample->builder.size += 5;
  struct hd_model *model = builder_read(&sample->builder);
  hd_model_free(model);
  builder_free(&sample->builder);
}

static void test_broken_blocks_are_refused(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  struct hd_block_header *rows = sample->builder.newest[HD_BLOCK_ROWS];
  const struct hd_block_header intact = *rows;
  rows->magic ^= 1;
  builder_refused(&sample->builder, "no valid header");
  *rows = intact;
  rows->type = 99;
  builder_refused(&sample->builder, "no valid header");
  *rows = intact;
  rows->span = 0;
  builder_refused(&sample->builder, "larger than the file");
  rows->span = UINT32_MAX;
  builder_refused(&sample->builder, "larger than the file");
  *rows = intact;
  rows->count = (HD_BLOCK_BYTES - HD_BLOCK_HEADER_BYTES) / sizeof(struct hd_row_record) + 1;
  builder_refused(&sample->builder, "more than fits");
  *rows = intact;
  sample->builder.header->block_count = UINT32_MAX;
  builder_refused(&sample->builder, "cut short");
  builder_free(&sample->builder);
}

static void test_broken_callpaths_are_refused(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  sample->loop->parent = 2; /* its own: an endless tree */
  builder_refused(&sample->builder, "callpath 2");
  sample->loop->parent = 3;
  builder_refused(&sample->builder, "callpath 2");
  sample->loop->parent = 1;
  sample->loop->id = 1;
  builder_refused(&sample->builder, "callpath 2");
  sample->loop->id = 2;
  sample->loop->kind = HD_KIND_PROGRAM;
  builder_refused(&sample->builder, "callpath 2");
  sample->loop->kind = HD_KIND_LOOP;
  sample->loop->module = 1;
  builder_refused(&sample->builder, "callpath 2");
  sample->loop->module = HD_NONE;
  sample->loop->kind = 1000; /* of a later Heddle */
  struct hd_model *model = builder_read(&sample->builder);
  assert_int_equal(model->nodes[2].kind, HD_KIND_OTHER);
  hd_model_free(model);
  builder_free(&sample->builder);
}

static void test_broken_references_are_refused(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  sample->row->thread = 1;
  builder_refused(&sample->builder, "row 0");
  sample->row->thread = 0;
  sample->row->profile = 3;
  builder_refused(&sample->builder, "row 0");
  sample->row->profile = 1;
  sample->total->profile = 3;
  builder_refused(&sample->builder, "total 0");
  sample->total->profile = 1;
  sample->total->team_size = 0;
  builder_refused(&sample->builder, "total 0");
  sample->total->team_size = 1;
  builder_free(&sample->builder);
}

static void test_broken_teams_are_refused(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  sample->team->profile = 3;
  builder_refused(&sample->builder, "team 0");
  sample->team->profile = 1;
  sample->team->primary = 1;
  builder_refused(&sample->builder, "team 0");
  sample->team->primary = 0;
  sample->team->barriers[3].profile = 3;
  builder_refused(&sample->builder, "team 0");
  sample->team->barriers[3].profile = 2;
  sample->team->barriers[0].work = 3;
  builder_refused(&sample->builder, "team 0");
  sample->team->flags = 0; /* nobody's */
  struct hd_model *model = builder_read(&sample->builder);
  assert_int_equal(model->nodes[1].team.open_instances, 0);
  hd_model_free(model);
  sample->member->thread = 1;
  builder_refused(&sample->builder, "a team has a thread");
  sample->member->thread = 0;
  sample->delay->thread = 1;
  builder_refused(&sample->builder, "delay 0");
  sample->delay->thread = 0;
  sample->ring->sweep.waits_in = 2;
  builder_refused(&sample->builder, "the ring of thread 0");
  builder_free(&sample->builder);
}

static void test_broken_open_cells_are_refused(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  const uint64_t good = sample->thread->open_cell;
  const uint64_t bad[] = {good + 1,
                          good - 2 * sizeof(struct hd_row_cell),
                          8,
                          UINT64_MAX,
                          builder_offset(&sample->builder, sample->team),
                          builder_offset(&sample->builder, sample->row + 1) + 32};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    sample->thread->open_cell = bad[i];
    builder_refused(&sample->builder, "open interval");
  }
  sample->thread->open_cell = good;
  sample->thread->last_ticks = 999;
  builder_refused(&sample->builder, "thread 0");
  builder_free(&sample->builder);
}

static void test_broken_texts_are_refused(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  struct hd_block_header *block = sample->builder.newest[HD_BLOCK_TEXT];
  struct hd_text_record *first = (void *)((char *)block + HD_BLOCK_HEADER_BYTES);
  first->bytes = UINT32_MAX;
  builder_refused(&sample->builder, "a text is cut short");
  first->bytes = 4;
  block->count -= 8;
  builder_refused(&sample->builder, "a text is cut short");
  block->count += 8;
  struct hd_text_record *second = (void *)((char *)(first + 1) + 8);
  second->id = 3;
  builder_refused(&sample->builder, "name belongs to no callpath");
  builder_free(&sample->builder);
}

static void test_broken_counters_are_refused(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  struct hd_file_header *header = sample->builder.header;
  sample->counts->profile = 3;
  builder_refused(&sample->builder, "counts 1 belong to no callpath");
  sample->counts->profile = 2;
  sample->counts->thread = 1;
  builder_refused(&sample->builder, "counts 1 belong to no callpath");
  sample->counts->thread = 0;
  sample->event->slot = 3;
  builder_refused(&sample->builder, "event 1 is not valid");
  sample->event->slot = 2;
  sample->event->name[0] = '\0';
  builder_refused(&sample->builder, "event 1 is not valid");
  sample->event->name[0] = 'T';
  header->flags = 0;
  const uint64_t counting = builder_offset(&sample->builder, sample->counts->missing);
  const uint64_t bad[] = {counting + 4, counting - 8, counting + 8 * HD_COUNT_CLASSES, UINT64_MAX, 8, 1 << 20};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    sample->thread->counting = bad[i];
    builder_refused(&sample->builder, "thread 0 counts for nothing");
  }
  sample->thread->counting = counting;
  header->counts_record_bytes -= 8;
  builder_refused(&sample->builder, "do not take");
  header->counts_record_bytes += 8;
  header->counters_at = 4;
  builder_refused(&sample->builder, "counters were read at 4");
  header->counters_at = 0;
  builder_refused(&sample->builder, "counters were read at 0");
  header->counters_at = HD_COUNTERS_AT_ALL;
  sample->builder.newest[HD_BLOCK_EVENTS]->count = 1;
  builder_refused(&sample->builder, "2 events were counted, 1 are described");
  sample->builder.newest[HD_BLOCK_EVENTS]->count = 2;
  sample->builder.newest[HD_BLOCK_COUNTS]->count = 1000;
  builder_refused(&sample->builder, "more than fits");
  builder_free(&sample->builder);
}

static void test_impossible_numbers_of_events_are_refused(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  struct hd_file_header *header = sample->builder.header;
  header->event_count = HD_EVENTS_MOST + 1;
  header->counts_record_bytes = (uint32_t)HD_COUNTS_BYTES(HD_EVENTS_MOST + 1, 2);
  builder_refused(&sample->builder, "33 events in 2 turns");
  header->event_count = 2;
  header->event_slots = UINT32_MAX;
  builder_refused(&sample->builder, "2 events in 4294967295 turns");
  header->event_slots = 2;
  header->counts_record_bytes = 0;
  builder_refused(&sample->builder, "do not take 0 bytes");
  header->event_count = 0;
  builder_refused(&sample->builder, "0 events were counted, 2 are described");
  sample->builder.newest[HD_BLOCK_EVENTS]->count = 0;
  builder_refused(&sample->builder, "counts of no event");
  builder_free(&sample->builder);
}

static void test_broken_costs_and_switches_are_refused(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  sample->costs->thread = 1;
  builder_refused(&sample->builder, "costs 0 are no thread's");
  sample->costs->thread = 0;
  sample->switched->event_class = HD_CLASS_COUNT;
  builder_refused(&sample->builder, "switch 0 is not valid");
  sample->switched->event_class = HD_CLASS_TASK;
  sample->switched->thread = 1;
  builder_refused(&sample->builder, "switch 0 is not valid");
  sample->switched->thread = 0;
  sample->switched->profile = 3;
  builder_refused(&sample->builder, "switch 0 is not valid");
  sample->switched->profile = 2;
  sample->builder.newest[HD_BLOCK_COSTS]->count = 1000;
  builder_refused(&sample->builder, "more than fits");
  builder_free(&sample->builder);
}

/* What no program can have cost is as much as a number holds; nothing wraps around into something that looks well. */
static void test_absurd_costs_stay_absurd(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  struct hd_event_cost *cost = &sample->costs->kinds[HD_EVENT_WORK_END];
  *cost = (struct hd_event_cost){.count = UINT64_MAX, .total_ticks = 5, .ticks = UINT32_MAX};
  sample->costs->kinds[HD_EVENT_CALL] = (struct hd_event_cost){.count = 1, .charged = 2, .total_ticks = 7, .ticks = 9};
  sample->thread->intrusion = INT64_MIN;
  sample->thread->intrusion_charged = INT64_MAX;
  builder_cell(sample->row, HD_BUSY)->intrusion = INT64_MIN;
  sample->total->merged = sample->delay->ticks = sample->delay->base = INT64_MIN;
  builder_cell(sample->row, HD_CELL_TEAM)->ticks = UINT64_MAX;
  sample->total->intrusion_ticks = INT64_MIN;
  sample->switched->off_ticks = UINT64_MAX;
  struct hd_model *model = builder_read(&sample->builder);
  assert_true(model->cost_of[HD_EVENT_WORK_END].ticks == UINT64_MAX);
  assert_true(model->cost_ticks == UINT64_MAX);
  assert_int_equal(model->cost_of[HD_EVENT_CALL].ticks, 7); /* more are charged than there were: none is left */
  assert_int_equal(model->switches[0].ticks, 0);
  hd_model_free(model);
  builder_free(&sample->builder);
}

static void test_broken_samples_are_refused(void **state) {
  (void)state;
  const struct hd_sample_record broken[] = {
      {.address = 1, .place = hd_sample_place(3, HD_BUSY, 0), .count = 1, .taken = 1},        /* no such callpath */
      {.address = 1, .place = hd_sample_place(2, HD_STATE_COUNT, 0), .count = 1, .taken = 1}, /* state */
      {.address = 1, .place = hd_sample_place(2, HD_BUSY, 1), .count = 1, .taken = 1},        /* module */
      {.address = 1, .place = hd_sample_place(2, HD_BUSY, 0), .count = 1, .taken = 2},
      {.address = 1, .place = hd_sample_place(2, HD_BUSY, 0), .count = UINT64_C(1) << 41, .taken = 1},
  };
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    struct sample *sample = setup_sample();
    *sample->sampled = broken[i];
    builder_refused(&sample->builder, "sample 0 is not valid");
    builder_free(&sample->builder);
  }
}

static void test_unused_samples_are_left_out_and_equal_ones_joined(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  builder_sampled(&sample->builder, 2, HD_BUSY, 0, 0x1234, 7);
  builder_sampled(&sample->builder, 2, HD_BUSY, HD_NONE, 0x1234, 11);
  builder_sampled(&sample->builder, 2, HD_BUSY, 0, 0x99, 1)->place = 0;
  struct hd_model *model = builder_read(&sample->builder);
  assert_int_equal(model->sample_count, 2);
  assert_int_equal(model->samples[0].count, 5 + 7);
  assert_int_equal(model->samples[1].module, HD_NONE);
  assert_int_equal(model->samples[1].count, 11);
  hd_model_free(model);
  builder_free(&sample->builder);
}

static void test_broken_chunks_are_refused_and_those_of_a_loop_added_up(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    struct sample *sample = setup_sample();
    if (i == 0)
      sample->chunks->profile = 3; /* no such callpath */
    else
      sample->chunks->flags = 8;
    builder_refused(&sample->builder, "chunks 0 are not valid");
    builder_free(&sample->builder);
  }
  struct sample *sample = setup_sample();
  struct hd_chunks_record *other = builder_record(&sample->builder, HD_BLOCK_CHUNKS, sizeof *other);
  *other = *sample->chunks;
  other->count = 65;
  other->lengths.longest_ticks = 9;
  struct hd_model *model = builder_read(&sample->builder);
  assert_int_equal(model->loop_count, 1);
  assert_int_equal(model->loops[0].flags, HD_CHUNKS_BOUNDS | HD_CHUNKS_VARY);
  assert_int_equal(model->loops[0].iterations[0], 2);
  assert_int_equal(model->loops[0].lengths.longest_ticks, 9);
  hd_model_free(model);
  builder_free(&sample->builder);
}

static void test_broken_times_of_tasks_are_refused(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    struct sample *sample = setup_sample();
    if (i == 0)
      sample->tasks->profile = 3; /* no such callpath */
    else
      sample->tasks->thread = 1; /* no such thread */
    builder_refused(&sample->builder, "times 0 of tasks are not valid");
    builder_free(&sample->builder);
  }
}

static void test_a_broken_critical_path_is_refused(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  sample->path->profile = 3; /* no such callpath */
  builder_refused(&sample->builder, "part 0 of the critical path is not valid");
  builder_free(&sample->builder);
  sample = setup_sample();
  sample->builder.header->path_open = 3;
  builder_refused(&sample->builder, "the critical path ends in no callpath");
  builder_free(&sample->builder);
}

static void test_broken_locks_are_refused(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  sample->lock->profile = 3; /* no such callpath */
  builder_refused(&sample->builder, "locks of callpath 3 (0) are not valid");
  builder_free(&sample->builder);
  sample = setup_sample();
  sample->pair->holder = 3;
  builder_refused(&sample->builder, "waits for holder 3 (0) are not valid");
  builder_free(&sample->builder);
}

/* Its thread was busy to the end, 10 after it was written. */
static void test_a_critical_path_ends_with_the_profile(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  struct hd_model *model = builder_read(&sample->builder);
  assert_true(model->path_known);
  assert_int_equal(model->nodes[1].path_inclusive_ticks, 60 + model->end_ticks - 1090);
  assert_int_equal(model->nodes[0].path_inclusive_ticks, model->nodes[1].path_inclusive_ticks + model->before_ticks);
  hd_model_free(model);
  builder_free(&sample->builder);
}

static void test_what_windows_saw_is_added_up_unless_it_is_nobodys(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  sample->watched->thread = 9;
  builder_refused(&sample->builder, "what windows saw (0) belongs to no callpath or thread");
  sample->watched->thread = 0;
  struct hd_watched_record *other = builder_record(&sample->builder, HD_BLOCK_WATCHED, sizeof *other);
  *other = *sample->watched;
  struct hd_model *model = builder_read(&sample->builder);
  assert_int_equal(model->watched_count, 1);
  assert_int_equal(model->watched[0].ticks[HD_BUSY], 40);
  assert_int_equal(model->watched[0].visits, 6);
  hd_model_free(model);
  builder_free(&sample->builder);
}

static void test_empty_profile_is_refused(void **state) {
  (void)state;
  struct builder builder;
  builder_init(&builder);
  builder_refused(&builder, "no measurement");
  builder_free(&builder);
}

static uint64_t random_next(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

/* Changes a few bytes where something is written; the reader must take or refuse it. */
static void test_random_damage_never_crashes(void **state) {
  (void)state;
  struct sample *sample = setup_sample();
  const size_t size = sample->builder.size;
  char *copy = malloc(size);
  uint64_t seed = 20261120;
  unsigned refused = 0;
  for (int round = 0; round < 20000; round++) {
    memcpy(copy, sample->builder.bytes, size);
    for (uint64_t changes = 1 + random_next(&seed) % 4; changes > 0; changes--) {
      const uint64_t unit = random_next(&seed) % (sample->builder.header->block_count + 1);
      const size_t at = unit == 0 ? random_next(&seed) % 200
                                  : HD_HEADER_BYTES + (unit - 1) * HD_BLOCK_BYTES + random_next(&seed) % 400;
      copy[at] = (char)(random_next(&seed) % 3 == 0 ? 0xff : random_next(&seed));
    }
    struct hd_model *model = NULL;
    char error[256] = "";
    const bool done = hd_profile_parse("test.heddle", copy, size, &model, error, sizeof error);
    assert_true(done ? model != NULL : model == NULL && error[0] != '\0' && !strchr(error, '\n'));
    refused += !done;
    hd_model_free(model);
  }
  assert_in_range(refused, 1000, 19000); /* both happen, or the damage does not reach anything */
  free(copy);
  builder_free(&sample->builder);
}

static void test_files_that_cannot_be_read_are_named(void **state) {
  (void)state;
  struct hd_model *model = NULL;
  char error[256];
  assert_false(hd_profile_open("/nonexistent/x.heddle", &model, error, sizeof error));
  assert_string_equal(error,
                      "/nonexistent/x.heddle: No such file or directory; 'heddle run -- PROGRAM' writes profiles and "
                      "names them");
  assert_false(hd_profile_open("/tmp", &model, error, sizeof error));
  assert_string_equal(error, "/tmp: is a directory; name a profile in it");
  assert_false(hd_profile_open("/dev/null", &model, error, sizeof error));
  assert_string_equal(error, "/dev/null: not a regular file");
  char path[] = "/tmp/heddle-test-XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  assert_false(hd_profile_open(path, &model, error, sizeof error));
  assert_non_null(strstr(error, "the file is empty"));
  close(file);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_foreign_files_are_refused),
      cmocka_unit_test(test_newer_and_foreign_layouts_are_refused),
      cmocka_unit_test(test_a_runtime_in_no_module_is_refused),
      cmocka_unit_test(test_cut_at_any_byte_is_refused),
      cmocka_unit_test(test_bytes_behind_the_blocks_are_ignored),
      cmocka_unit_test(test_broken_blocks_are_refused),
      cmocka_unit_test(test_broken_callpaths_are_refused),
      cmocka_unit_test(test_broken_references_are_refused),
      cmocka_unit_test(test_broken_teams_are_refused),
      cmocka_unit_test(test_broken_open_cells_are_refused),
      cmocka_unit_test(test_broken_texts_are_refused),
      cmocka_unit_test(test_broken_counters_are_refused),
      cmocka_unit_test(test_impossible_numbers_of_events_are_refused),
      cmocka_unit_test(test_broken_costs_and_switches_are_refused),
      cmocka_unit_test(test_absurd_costs_stay_absurd),
      cmocka_unit_test(test_broken_samples_are_refused),
      cmocka_unit_test(test_unused_samples_are_left_out_and_equal_ones_joined),
      cmocka_unit_test(test_what_windows_saw_is_added_up_unless_it_is_nobodys),
      cmocka_unit_test(test_broken_chunks_are_refused_and_those_of_a_loop_added_up),
      cmocka_unit_test(test_broken_times_of_tasks_are_refused),
      cmocka_unit_test(test_a_broken_critical_path_is_refused),
      cmocka_unit_test(test_broken_locks_are_refused),
      cmocka_unit_test(test_a_critical_path_ends_with_the_profile),
      cmocka_unit_test(test_empty_profile_is_refused),
      cmocka_unit_test(test_random_damage_never_crashes),
      cmocka_unit_test(test_files_that_cannot_be_read_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
