/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles whose records of concurrency are damaged: refused with a reason or read as far as they make sense, and never
 * a crash or an endless loop. The profile is a killed program's, so that the reader has transitions to finish. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "script.h"

static char *whole; /* the intact file */
static char *bytes; /* a copy to damage */
static size_t size;

/* As much as the header claims: behind that, a live file has nothing but space. */
static void load(const char *path) {
  struct hd_file_header header;
  int fd = open(path, O_RDONLY);
  assert_true(fd >= 0 && pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header);
  size = HD_HEADER_BYTES + (size_t)header.block_count * HD_BLOCK_BYTES;
  whole = malloc(size);
  bytes = malloc(size);
  assert_true(whole && bytes && read(fd, whole, size) == (ssize_t)size);
  close(fd);
}

enum { STEP = 1000 }; /* buckets of the histories end */

/* Two threads in a loop, one of them in critical sections, killed after a sweep with transitions left. */
static int play(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_at(10);
  sc_fork(0x100, 2, 1, 12);
  sc_work_begin(ompt_work_loop_static, 0x200);
  for (uint64_t i = 0; i < 500; i++) {
    sc_at(STEP * (20 + 10 * i));
    sc_acquire(ompt_mutex_critical, 1, 0x300);
    sc_at(STEP * (22 + 10 * i));
    sc_acquired(ompt_mutex_critical, 1, 0x300);
    sc_at(STEP * (25 + 10 * i));
    sc_released(ompt_mutex_critical, 1, 0x300);
  }
  sc_at(STEP * 6000);
  sc_kill();
  struct fk_result result = fk_play(sc_script(), NULL);
  load(result.path);
  return 0;
}

static int release(void **state) {
  (void)state;
  free(whole);
  free(bytes);
  return 0;
}

static struct hd_block_header *block_of(enum hd_block_type type) {
  const struct hd_file_header *header = (const void *)bytes;
  for (uint32_t unit = 0; unit < header->block_count;) {
    struct hd_block_header *block = (void *)(bytes + HD_HEADER_BYTES + (size_t)unit * HD_BLOCK_BYTES);
    if (block->type == type)
      return block;
    unit += block->span;
  }
  fail_msg("no block of type %d", type);
  return NULL;
}

static void *first_record(enum hd_block_type type) {
  return (char *)block_of(type) + HD_BLOCK_HEADER_BYTES;
}

/* Restores the file and returns its first record of a type. */
static void *intact(enum hd_block_type type) {
  memcpy(bytes, whole, size);
  return first_record(type);
}

static void refused(const char *reason) {
  struct hd_model *model;
  char error[300];
  assert_false(hd_profile_parse("damaged", bytes, size, &model, error, sizeof error));
  assert_non_null(strstr(error, reason));
}

static void test_invalid_records_are_refused(void **state) {
  (void)state;
  ((struct hd_tally_record *)intact(HD_BLOCK_TALLIES))->profile = 99;
  refused("tally 0 is not valid");
  ((struct hd_tally_record *)intact(HD_BLOCK_TALLIES))->what = 9;
  refused("tally 0 is not valid");
  *((struct hd_tally_record *)intact(HD_BLOCK_TALLIES) + 1) = *(struct hd_tally_record *)first_record(HD_BLOCK_TALLIES);
  refused("tally 1 is not valid");
  ((struct hd_level_record *)intact(HD_BLOCK_LEVELS))->tally = 1000;
  refused("levels 0 are not valid");
  ((struct hd_level_record *)intact(HD_BLOCK_LEVELS))->first = 7u << 20;
  refused("levels 0 are not valid");
  ((struct hd_overlap_record *)intact(HD_BLOCK_OVERLAPS))->b = 1000;
  refused("overlap 0 is not valid");
  ((struct hd_timeline_record *)intact(HD_BLOCK_TIMELINE))->width_ticks = 1000;
  refused("timeline is not valid");
  ((struct hd_timeline_record *)intact(HD_BLOCK_TIMELINE))->width_ticks = 0;
  refused("timeline is not valid");
  ((struct hd_ring_record *)intact(HD_BLOCK_RING))->head += HD_RING_LENGTH + 1;
  refused("ring of thread");
  struct hd_ring_record *ring = intact(HD_BLOCK_RING);
  ring->transitions[ring->sweep.tail % HD_RING_LENGTH].busy = 1000;
  refused("transition of thread");
}

/* Rings in the order of the file, the last one again and again. */
static struct hd_ring_record *ring_at(uint32_t index) {
  const struct hd_file_header *header = (const void *)bytes;
  struct hd_ring_record *ring = NULL;
  for (uint32_t unit = 0; unit < header->block_count;) {
    struct hd_block_header *block = (void *)(bytes + HD_HEADER_BYTES + (size_t)unit * HD_BLOCK_BYTES);
    unit += block->span;
    if (block->type != HD_BLOCK_RING)
      continue;
    ring = (void *)((char *)block + HD_BLOCK_HEADER_BYTES);
    if (index-- == 0)
      break;
  }
  return ring;
}

/* All that is left in the ring: a worker joins a team of the thread with ring `primary`. */
static void join_team_of(struct hd_ring_record *ring, uint32_t primary) {
  const uint64_t tail = ring->sweep.tail;
  struct hd_transition *entry = hd_log_at(ring, tail);
  const struct hd_log_member member = {.team = HD_TEAM(primary, 0)};
  entry->what = HD_WHAT(HD_WHAT_TEAM, 0);
  memcpy(entry + 1, &member, sizeof member);
  ring->head = tail + 2;
}

static void read_to_the_end(void) {
  struct hd_model *model;
  char error[300];
  alarm(300); /* against reading for ever */
  assert_true(hd_profile_parse("damaged", bytes, size, &model, error, sizeof error));
  alarm(0);
  hd_model_free(model);
}

static void test_teams_that_join_one_another_are_read_to_the_end(void **state) {
  (void)state;
  intact(HD_BLOCK_RING);
  struct hd_ring_record *first = ring_at(0);
  assert_true(first->sweep.tail < first->head);
  join_team_of(first, first->sweep.index);
  read_to_the_end();
  intact(HD_BLOCK_RING);
  struct hd_ring_record *second = ring_at(1);
  assert_true(first != second);
  join_team_of(first, second->sweep.index);
  join_team_of(second, first->sweep.index);
  read_to_the_end();
}

/* Numbers may be wrong then, but they are numbers. */
static void test_random_damage_is_survived(void **state) {
  (void)state;
  static const enum hd_block_type types[] = {HD_BLOCK_RING, HD_BLOCK_TALLIES, HD_BLOCK_LEVELS, HD_BLOCK_OVERLAPS,
                                             HD_BLOCK_TIMELINE, HD_BLOCK_HISTORIES};
  unsigned refusals = 0;
  srand(1);
  for (int i = 0; i < 3000; i++) {
    unsigned char *record = intact(types[i % 6]);
    const size_t within = i % 3 ? 64 : HD_BLOCK_BYTES - HD_BLOCK_HEADER_BYTES;
    for (int byte = 0; byte < 4; byte++)
      record[(size_t)rand() % within] ^= (unsigned char)(1 << rand() % 8);
    struct hd_model *model;
    char error[300];
    if (hd_profile_parse("damaged", bytes, size, &model, error, sizeof error))
      hd_model_free(model);
    else
      refusals++;
  }
  assert_in_range(refusals, 300, 2999);
}

static void test_a_profile_without_tallies_has_no_levels(void **state) {
  (void)state;
  intact(HD_BLOCK_TALLIES);
  block_of(HD_BLOCK_TALLIES)->count = block_of(HD_BLOCK_LEVELS)->count = 0;
  struct hd_model *model;
  char error[300];
  assert_true(hd_profile_parse("old", bytes, size, &model, error, sizeof error));
  assert_false(model->levels_known);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_invalid_records_are_refused),
      cmocka_unit_test(test_teams_that_join_one_another_are_read_to_the_end),
      cmocka_unit_test(test_random_damage_is_survived),
      cmocka_unit_test(test_a_profile_without_tallies_has_no_levels),
  };
  return cmocka_run_group_tests(tests, play, release);
}
