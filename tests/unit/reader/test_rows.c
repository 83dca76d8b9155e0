/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Large files: mapped, summed without their rows, and the rows made when they are asked for. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_ompt.h"
#include "output/model/lazy_rows.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "output/writer/profile_writer.h"
#include "profile_builder.h"

/* 110,000 rows: more than the 16 MiB from which files are mapped. */
enum { NODES = 250, THREADS = 1100, LIFETIME = 1000 };

static uint64_t busy_of(uint32_t node, uint32_t thread) {
  return node == 0 ? LIFETIME - 10 - (uint64_t)(NODES - 1) * (1 + thread % 3) : 1 + thread % 3;
}

static void write_nodes(struct hd_writer *writer) {
  hd_writer_begin_block(writer, HD_BLOCK_PROFILES);
  for (uint32_t i = 0; i < NODES; i++) {
    const struct hd_profile_record record = {.id = i,
                                             .kind = i == 0 ? HD_KIND_PROGRAM : HD_KIND_CRITICAL,
                                             .module = HD_NONE,
                                             .target = i,
                                             .address = 64 + i};
    hd_writer_add(writer, &record, sizeof record);
  }
}

/* The last ten ticks of each thread are still open. Where its rows lie: of thread t, node n is the n-th of its own. */
static void write_threads(struct hd_writer *writer, uint64_t first_row) {
  hd_writer_begin_block(writer, HD_BLOCK_THREADS);
  for (uint32_t i = 0; i < THREADS; i++) {
    const struct hd_thread_record record = {.id = i,
                                            .kind = i == 0 ? HD_THREAD_INITIAL : HD_THREAD_WORKER,
                                            .threads = 1,
                                            .begin_ticks = 1000,
                                            .last_ticks = 1990,
                                            .open_cell = first_row +
                                                         (uint64_t)i * NODES * sizeof(struct hd_row_record) +
                                                         offsetof(struct hd_row_record, cells[1])};
    hd_writer_add(writer, &record, sizeof record);
  }
}

/* Every other row is in two halves. */
static void write_rows(struct hd_writer *writer) {
  hd_writer_begin_block(writer, HD_BLOCK_ROWS);
  for (int part = 0; part < 2; part++)
    for (uint32_t thread = 0; thread < THREADS; thread++)
      for (uint32_t node = 0; node < NODES; node++) {
        struct hd_row_record record = {
            .profile = node, .thread = thread & (HD_ROW_THREADS_MOST - 1), .second = HD_IDLE, .visits = 2};
        const bool halved = node % 2 == 1;
        record.cells[0].ticks = part == 0 ? busy_of(node, thread) - halved : 1;
        if (part == 0 || halved)
          hd_writer_add(writer, &record, sizeof record);
      }
}

/* All threads are in one node with entries of their own. */
static void write_levels(struct hd_writer *writer) {
  const struct hd_tally_record tally = {.what = HD_TALLY_PROGRAM, .count = 1, .since_ticks = 1000};
  const struct hd_timeline_record timeline = {.origin_ticks = 1000, .until_ticks = 1000, .width_ticks = 2};
  hd_writer_begin_block(writer, HD_BLOCK_TALLIES);
  hd_writer_add(writer, &tally, sizeof tally);
  hd_writer_begin_block(writer, HD_BLOCK_TIMELINE);
  hd_writer_add(writer, &timeline, sizeof timeline);
  hd_writer_begin_block(writer, HD_BLOCK_ENTRIES);
  for (uint32_t thread = 0; thread < THREADS; thread++) {
    struct hd_entry_record record = {.profile = 7, .thread = thread};
    record.visits[HD_SEQUENTIAL][HD_CONCURRENT] = 3;
    hd_writer_add(writer, &record, sizeof record);
  }
}

static void write_profile(struct hd_writer *writer) {
  struct builder builder;
  builder_init(&builder);
  hd_writer_begin(writer, builder.header);
  builder_free(&builder);
  write_nodes(writer);
  write_rows(writer);
  const size_t rows_at = writer->block + HD_BLOCK_HEADER_BYTES;
  write_threads(writer, rows_at);
  write_levels(writer);
  assert_true(hd_writer_end(writer));
  assert_true(writer->size > 16 << 20);
}

static struct hd_model *open_profile(const struct hd_writer *writer, char *path, size_t path_bytes) {
  struct hd_model *model = NULL;
  char error[300] = "";
  snprintf(path, path_bytes, "%s/large.heddle", fk_directory());
  assert_true(hd_writer_save(writer, path, true));
  if (!hd_profile_open(path, &model, error, sizeof error))
    fail_msg("%s", error);
  return model;
}

static void test_sums_do_not_need_rows(void **state) {
  (void)state;
  struct hd_writer writer = {0};
  char path[600];
  write_profile(&writer);
  struct hd_model *model = open_profile(&writer, path, sizeof path);
  assert_null(model->rows);
  for (uint32_t node = 0; node < NODES; node++) {
    uint64_t busy = 0;
    for (uint32_t thread = 0; thread < THREADS; thread++)
      busy += busy_of(node, thread);
    assert_int_equal(model->nodes[node].ticks[HD_BUSY], busy);
    assert_int_equal(model->nodes[node].ticks[HD_IDLE], node == 0 ? 10 * THREADS : 0);
  }
  for (uint32_t thread = 0; thread < THREADS; thread++)
    assert_true(hd_model_thread_is_whole(model, thread));
  assert_int_equal(model->nodes[0].inclusive_ticks[HD_BUSY], (uint64_t)THREADS * (LIFETIME - 10));
  assert_int_equal(model->nodes[7].visits, THREADS * 4);
  assert_int_equal(model->nodes[7].visits_concurrent, THREADS * 3);
  assert_int_equal(model->nodes[6].visits_concurrent, 0);
  assert_null(model->rows);
  hd_model_free(model);
  hd_writer_free(&writer);
}

static void test_rows_are_made_on_request(void **state) {
  (void)state;
  struct hd_writer writer = {0};
  char path[600];
  write_profile(&writer);
  struct hd_model *model = open_profile(&writer, path, sizeof path);
  assert_int_equal(unlink(path), 0); /* the mapping stays */
  hd_model_need_rows(model);
  assert_int_equal(model->row_count, NODES * THREADS);
  for (uint32_t node = 0; node < NODES; node++) {
    assert_int_equal(model->nodes[node].row_count, THREADS);
    for (uint32_t thread = 0; thread < THREADS; thread++) {
      const struct hd_row *row = &model->rows[model->nodes[node].row_first + thread];
      assert_int_equal(row->thread, thread);
      assert_int_equal(row->node, node);
      assert_int_equal(row->ticks[HD_BUSY], busy_of(node, thread));
      assert_int_equal(row->ticks[HD_IDLE], node == 0 ? 10 : 0);
      assert_int_equal(row->visits, node % 2 == 1 ? 4 : 2);
      assert_int_equal(row->entries.visits[HD_SEQUENTIAL][HD_CONCURRENT], node == 7 ? 3 : 0);
    }
  }
  hd_model_free(model);
  hd_writer_free(&writer);
}

static void test_from_memory_it_says_the_same(void **state) {
  (void)state;
  struct hd_writer writer = {0};
  struct hd_model *parsed = NULL;
  char path[600], error[300] = "";
  write_profile(&writer);
  struct hd_model *model = open_profile(&writer, path, sizeof path);
  assert_true(hd_profile_parse(path, writer.bytes, writer.size, &parsed, error, sizeof error));
  hd_writer_free(&writer);
  hd_model_need_rows(model);
  assert_int_equal(parsed->row_count, model->row_count);
  assert_memory_equal(parsed->rows, model->rows, model->row_count * sizeof *model->rows);
  assert_memory_equal(parsed->ticks, model->ticks, sizeof model->ticks);
  hd_model_free(parsed);
  hd_model_free(model);
}

static void add_up(void *context, const struct hd_row *times) {
  uint64_t *sums = context;
  sums[times->thread] += times->ticks[HD_BUSY] + times->ticks[HD_IDLE];
}

static void test_times_can_be_visited_with_and_without_rows(void **state) {
  (void)state;
  struct hd_writer writer = {0};
  char path[600];
  write_profile(&writer);
  struct hd_model *model = open_profile(&writer, path, sizeof path);
  for (int made = 0; made < 2; made++) {
    static uint64_t sums[THREADS];
    memset(sums, 0, sizeof sums);
    hd_model_each_times(model, add_up, sums);
    for (uint32_t thread = 0; thread < THREADS; thread++)
      assert_int_equal(sums[thread], LIFETIME);
    hd_model_need_rows(model);
  }
  hd_model_free(model);
  hd_writer_free(&writer);
}

static void test_a_damaged_row_is_found_in_a_mapped_file(void **state) {
  (void)state;
  struct hd_writer writer = {0};
  struct hd_model *model = NULL;
  char path[600], error[300] = "";
  write_profile(&writer);
  char *last = NULL;
  for (size_t at = HD_HEADER_BYTES; at < writer.size; at += HD_BLOCK_BYTES) {
    const struct hd_block_header *block = (void *)(writer.bytes + at);
    if (block->magic == HD_BLOCK_MAGIC && block->type == HD_BLOCK_ROWS)
      last = writer.bytes + at + HD_BLOCK_HEADER_BYTES + (block->count - 1) * sizeof(struct hd_row_record);
  }
  assert_non_null(last);
  ((struct hd_row_record *)(void *)last)->thread = THREADS;
  ((struct hd_file_header *)(void *)writer.bytes)->seal = 0; /* else its checksum would tell */
  snprintf(path, sizeof path, "%s/damaged.heddle", fk_directory());
  assert_true(hd_writer_save(&writer, path, true));
  assert_false(hd_profile_open(path, &model, error, sizeof error));
  assert_non_null(strstr(error, "belongs to no callpath or thread"));
  hd_writer_free(&writer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sums_do_not_need_rows),
      cmocka_unit_test(test_rows_are_made_on_request),
      cmocka_unit_test(test_from_memory_it_says_the_same),
      cmocka_unit_test(test_times_can_be_visited_with_and_without_rows),
      cmocka_unit_test(test_a_damaged_row_is_found_in_a_mapped_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
