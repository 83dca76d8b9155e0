/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Windows of time: however small they are, in whatever order and by whatever thread they are integrated, and wherever a
 * commit is cut off, the same comes out to the tick. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine.h"
#include "sweep/batch.h"
#include "sweep/timeline.h"

enum { ARENA = 4 << 20, RINGS = 90, PROFILES = 100, LEVELS = 98, THREADS = 4 };

#define STEP UINT64_C(4096) /* many, and buckets of the histories end */
#define END (1000000 * STEP)

/* ---- a profile file in memory ---- */

struct arena {
  struct hd_file_header header;
  uint64_t used;
  uint64_t records[]; /* each behind its type and size */
};

static void *allocate(void *context, enum hd_block_type type, size_t bytes) {
  struct arena *arena = context;
  uint64_t *place = arena->records + arena->used;
  const uint64_t words = 2 + (bytes + 7) / 8;
  assert_true((arena->used + words) * 8 + sizeof *arena < ARENA);
  place[0] = type;
  place[1] = bytes;
  memset(place + 2, 0, bytes);
  arena->used += words;
  return place + 2;
}

struct record {
  enum hd_block_type type;
  void *bytes;
};

static bool next_record(struct arena *arena, uint64_t *at, struct record *record) {
  if (*at >= arena->used)
    return false;
  uint64_t *place = arena->records + *at;
  *record = (struct record){(enum hd_block_type)place[0], place + 2};
  *at += 2 + (place[1] + 7) / 8;
  return true;
}

static struct arena *map_arena(void) {
  void *memory = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(memory, MAP_FAILED);
  return memory;
}

/* ---- random logs ---- */

static uint32_t seed;

static uint32_t any(uint32_t below) {
  seed = seed * 1664525u + 1013904223u;
  return (seed >> 8) % below;
}

struct options {
  uint32_t rings, profiles, entries;
};

static void put(struct hd_ring_record *ring, uint64_t ticks, uint32_t busy, uint32_t what) {
  struct hd_transition *entry = hd_log_at(ring, ring->head);
  *entry = (struct hd_transition){.ticks = ticks, .busy = busy, .what = what};
  ring->head += hd_what_slots(what);
  ring->latest_ticks = ticks;
}

/* Instances of one region in each other, of a ring that knows how many. */
static uint32_t what_of(struct hd_ring_record *ring, uint32_t profile) {
  const uint32_t choice = any(8);
  if (choice == 0)
    return HD_WHAT(HD_WHAT_ENTER, profile);
  if (choice == 1)
    return ring->next++, HD_WHAT(HD_WHAT_REGION_BEGIN, 1);
  if (choice == 2 && ring->next > 0)
    return ring->next--, HD_WHAT(HD_WHAT_REGION_END, 1);
  return 0;
}

static void fill(struct hd_ring_record **rings, const struct options *options, uint64_t *ticks) {
  for (uint32_t i = 0; i < options->entries; i++) {
    struct hd_ring_record *ring = rings[any(options->rings)];
    const uint32_t profile = 1 + any(options->profiles);
    *ticks += STEP * (any(4) ? any(3) : any(4000));
    if (ring->head - ring->sweep.tail < HD_RING_LENGTH - HD_SLOTS_MOST)
      put(ring, *ticks, any(3) ? profile : HD_NONE, what_of(ring, profile));
  }
}

/* ---- the library and the reader ---- */

struct sweep {
  struct arena *arena;
  struct hd_tallies tallies;
  struct hd_batch batch;
  struct hd_ring_record *rings[RINGS];
  uint32_t ring_count;
  void *memory;
};

static void open_sweep(struct sweep *sweep, struct arena *arena) {
  *sweep = (struct sweep){.arena = arena, .memory = calloc(1, hd_window_bytes(RINGS))};
  assert_non_null(sweep->memory);
  hd_tallies_init(&sweep->tallies, allocate, arena, &arena->header);
  hd_batch_init(&sweep->batch, &sweep->tallies);
}

static void begin(struct sweep *sweep, struct arena *arena, const struct options *options) {
  open_sweep(sweep, arena);
  assert_true(hd_tallies_begin(&sweep->tallies, 0) && hd_journal_begin(&sweep->tallies.journal, arena));
  for (uint32_t i = 0; i < options->rings; i++) {
    struct hd_ring_record *ring = allocate(arena, HD_BLOCK_RING, sizeof *ring);
    ring->sweep.busy = ring->sweep.busy_before = HD_NONE;
    ring->sweep.index = sweep->ring_count;
    sweep->rings[sweep->ring_count++] = ring;
  }
}

static void close_sweep(struct sweep *sweep) {
  hd_tallies_free(&sweep->tallies);
  hd_batch_free(&sweep->batch);
  free(sweep->memory);
}

static void plan(struct sweep *sweep, uint64_t until) {
  hd_batch_plan(&sweep->batch, hd_window_make(sweep->memory, RINGS), sweep->rings, sweep->ring_count, until);
}

static void take(struct sweep *sweep, uint64_t until) {
  plan(sweep, until);
  while (hd_batch_help(&sweep->batch))
    ;
  assert_false(hd_batch_is_open(&sweep->batch));
}

static void undo(struct arena *arena) {
  struct record record;
  for (uint64_t at = 0; next_record(arena, &at, &record);) {
    struct hd_journal_record *journal = record.bytes;
    for (uint64_t i = record.type == HD_BLOCK_JOURNAL ? journal->count : 0; i-- > 0;)
      memcpy((char *)arena + journal->entries[i].offset, &journal->entries[i].before, sizeof(uint64_t));
  }
}

static void restore_level(struct sweep *sweep, struct hd_level_record *level) {
  struct record record;
  uint32_t index = 0;
  for (uint64_t at = 0; next_record(sweep->arena, &at, &record);) {
    const struct hd_tally_record *tally = record.bytes;
    if (record.type == HD_BLOCK_TALLIES && index++ == level->tally && tally->what)
      assert_true(hd_tallies_restore_levels(&sweep->tallies, tally->profile, (enum hd_tally_what)tally->what, level));
  }
}

static void restore_record(struct sweep *sweep, struct record record) {
  struct hd_tallies *tallies = &sweep->tallies;
  if (record.type == HD_BLOCK_TALLIES && ((struct hd_tally_record *)record.bytes)->what)
    assert_non_null(hd_tallies_restore(tallies, record.bytes));
  else if (record.type == HD_BLOCK_TALLIES)
    tallies->tally_count++;
  else if (record.type == HD_BLOCK_LEVELS)
    restore_level(sweep, record.bytes);
  else if (record.type == HD_BLOCK_OVERLAPS && ((struct hd_overlap_record *)record.bytes)->ticks)
    assert_true(hd_overlaps_restore(&tallies->overlaps, record.bytes));
  else if (record.type == HD_BLOCK_ENTRIES)
    assert_true(hd_entries_restore(&tallies->entries, record.bytes));
  else if (record.type == HD_BLOCK_TIMELINE)
    tallies->timeline = record.bytes;
  else if (record.type == HD_BLOCK_HISTORIES)
    hd_histories_restore(tallies, record.bytes);
  else if (record.type == HD_BLOCK_RING)
    sweep->rings[sweep->ring_count++] = record.bytes;
}

/* As the reader does with a killed program's file. */
static void restore(struct sweep *sweep, struct arena *arena) {
  struct record record;
  undo(arena);
  open_sweep(sweep, arena);
  for (uint64_t at = 0, used = arena->used; at < used && next_record(arena, &at, &record);)
    restore_record(sweep, record);
  for (uint32_t i = 0; i < sweep->ring_count; i++) {
    hd_commit_catch_up(&sweep->tallies, sweep->rings[i]);
    sweep->tallies.level += sweep->rings[i]->sweep.busy != HD_NONE;
  }
  hd_tallies_resume(&sweep->tallies);
}

/* ---- what comes out ---- */

struct result {
  uint64_t levels[HD_TALLY_ELAPSED + 1][PROFILES + 1][LEVELS];
  uint64_t active[HD_TALLY_ELAPSED + 1][PROFILES + 1];
  uint64_t unpaired[PROFILES + 1];
  uint64_t overlaps[PROFILES + 1][PROFILES + 1];
  uint64_t concurrent[PROFILES + 1];
  uint64_t lost;
  struct hd_timeline_record timeline;
  struct hd_history_record history;
};

static void add_tally(struct result *result, const struct hd_tally *tally) {
  const struct hd_tally_record *record = tally->record;
  for (uint32_t k = 0; k < tally->level_limit * HD_LEVELS_PER_RECORD && k < LEVELS; k++)
    if (tally->levels[k / HD_LEVELS_PER_RECORD].record)
      result->levels[record->what][record->profile][k] =
          tally->levels[k / HD_LEVELS_PER_RECORD].record->ticks[k % HD_LEVELS_PER_RECORD];
  result->active[record->what][record->profile] = record->active_ticks;
  if (record->what == HD_TALLY_ELAPSED && record->count > 0) /* it may have ended and begun again in an instant */
    result->active[record->what][record->profile] += END - record->active_since_ticks;
  if (record->what == HD_TALLY_BUSY)
    result->unpaired[record->profile] = record->unpaired_ticks;
}

/* Half a megabyte each: new memory for thousands of them would take longer than all else. */
static struct result expected, found;

static void finish(struct sweep *sweep, struct result *result) {
  struct hd_tallies *tallies = &sweep->tallies;
  memset(result, 0, sizeof *result);
  take(sweep, UINT64_MAX);
  hd_tallies_end(tallies, END);
  for (uint32_t what = 1; what <= HD_TALLY_ELAPSED; what++)
    for (uint32_t i = 0; i <= PROFILES; i++)
      if (hd_tallies_find(tallies, i, (enum hd_tally_what)what))
        add_tally(result, hd_tallies_find(tallies, i, (enum hd_tally_what)what));
  for (uint32_t i = 0; i < tallies->overlaps.record_count; i++)
    result->overlaps[tallies->overlaps.records[i]->a][tallies->overlaps.records[i]->b] =
        tallies->overlaps.records[i]->ticks;
  for (uint32_t i = 0; tallies->entries.slots && i <= tallies->entries.mask; i++)
    if (tallies->entries.slots[i])
      result->concurrent[tallies->entries.slots[i]->profile] =
          tallies->entries.slots[i]->visits[HD_SEQUENTIAL][HD_CONCURRENT];
  result->lost = sweep->arena->header.lost_overlap_ticks + sweep->arena->header.lost_tallies;
  result->timeline = *tallies->timeline;
  result->timeline.kept_in = 0;
  if (tallies->histories.count > 0)
    result->history = *tallies->histories.tallies[0]->history;
  close_sweep(sweep);
}

static void expect_found(void) {
  if (memcmp(&expected, &found, sizeof found) == 0) /* cmocka compares byte by byte */
    return;
  assert_memory_equal(expected.levels, found.levels, sizeof expected.levels);
  assert_memory_equal(expected.active, found.active, sizeof expected.active);
  assert_memory_equal(expected.unpaired, found.unpaired, sizeof expected.unpaired);
  assert_memory_equal(expected.overlaps, found.overlaps, sizeof expected.overlaps);
  assert_memory_equal(expected.concurrent, found.concurrent, sizeof expected.concurrent);
  assert_memory_equal(&expected.timeline, &found.timeline, sizeof expected.timeline);
  assert_memory_equal(&expected.history, &found.history, sizeof expected.history);
  assert_int_equal(expected.lost, found.lost);
}

/* ---- playing ---- */

typedef void taker(struct sweep *sweep);

static void take_all(struct sweep *sweep) {
  take(sweep, UINT64_MAX);
}

static void *help(void *context) {
  struct sweep *sweep = context;
  while (hd_batch_is_open(&sweep->batch))
    hd_batch_help(&sweep->batch);
  return NULL;
}

static void take_together(struct sweep *sweep) {
  pthread_t threads[THREADS];
  plan(sweep, UINT64_MAX);
  for (uint32_t i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, help, sweep), 0);
  for (uint32_t i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
}

/* Some rounds: in the middle of some, an instant is cut in two. */
static void play(uint32_t number, const struct options *options, struct hd_batch_habits habits, taker *takes,
                 struct result *result) {
  struct sweep sweep;
  struct arena *arena = map_arena();
  uint64_t ticks = 1;
  seed = number;
  begin(&sweep, arena, options);
  sweep.batch.habits = habits;
  for (uint32_t round = 0; round < 3; round++) {
    fill(sweep.rings, options, &ticks);
    takes(&sweep);
  }
  fill(sweep.rings, options, &ticks);
  finish(&sweep, result);
  munmap(arena, ARENA);
}

static const struct options lone = {.rings = 2, .profiles = 2, .entries = 300};
static const struct options small = {.rings = 4, .profiles = 5, .entries = 300};
static const struct options large = {.rings = 40, .profiles = 20, .entries = 3000};
static const struct options crowded = {.rings = RINGS, .profiles = PROFILES, .entries = 2000};

static void check(const struct options *options, uint32_t programs, taker *takes) {
  for (uint32_t i = 1; i <= programs; i++) {
    play(i, options, (struct hd_batch_habits){0}, take_all, &expected);
    for (uint32_t j = 1; j <= 5; j++) {
      const struct hd_batch_habits habits = {
          .window_slots = j * options->entries / 100, .part_entries = j, .spare_windows = 7 * j, .order = i * 5 + j};
      play(i, options, habits, takes, &found);
      expect_found();
    }
  }
}

/* ThreadSanitizer takes a minute for what no second thread touches. */
static void skip_where_only_races_are_looked_for(void) {
#ifdef __SANITIZE_THREAD__
  skip();
#endif
}

static void test_tiny_windows_in_any_order_are_exact(void **state) {
  (void)state;
  skip_where_only_races_are_looked_for();
  check(&small, 60, take_all);
  check(&large, 10, take_all);
}

/* Parts of one or two transitions never take a wait in one piece; larger ones do wherever nothing happens in between.
 */
static void test_waits_taken_in_one_piece_are_exact(void **state) {
  (void)state;
  skip_where_only_races_are_looked_for();
  check(&lone, 100, take_all);
  check(&(struct options){.rings = 1, .profiles = 2, .entries = 200}, 50, take_all);
}

static void test_more_profiles_than_are_paired_are_the_same_in_any_windows(void **state) {
  (void)state;
  skip_where_only_races_are_looked_for();
  check(&crowded, 5, take_all);
}

static void test_windows_of_real_threads_are_exact(void **state) {
  (void)state;
  check(&small, 10, take_together);
  check(&large, 10, take_together);
  check(&crowded, 3, take_together);
}

/* ---- killed ---- */

static void commit_and_stop(struct sweep *sweep) {
  assert_int_equal(ptrace(PTRACE_TRACEME, 0, 0, 0), 0);
  raise(SIGSTOP);
  take(sweep, UINT64_MAX);
  _exit(0);
}

/* What the reader makes of the file as it is now. */
static void expect_from_copy(const struct arena *arena, struct arena *copy) {
  struct sweep sweep;
  memcpy(copy, arena, sizeof *arena + arena->used * 8);
  restore(&sweep, copy);
  finish(&sweep, &found);
  expect_found();
}

/* Records hold no pointers, so they may be copied. Whatever was stored last is in the file. */
static uint32_t step_through(pid_t child, const struct arena *arena) {
  struct arena *copy = map_arena();
  struct arena *last = map_arena();
  uint32_t stores = 0;
  int status = 0;
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    const size_t bytes = sizeof *arena + arena->used * 8;
    if (memcmp(last, arena, bytes) != 0) {
      memcpy(last, arena, bytes);
      expect_from_copy(arena, copy);
      stores++;
    }
    if (ptrace(PTRACE_SINGLESTEP, child, 0, 0) != 0)
      break;
  }
  munmap(copy, ARENA);
  munmap(last, ARENA);
  return stores;
}

static void test_killed_after_any_store_of_a_commit_loses_nothing(void **state) {
  (void)state;
  if (HD_SANITIZED)
    skip(); /* it is stepped through by the instruction */
  hd_needs(HD_PTRACE);
  const struct options few = {.rings = 3, .profiles = 3, .entries = 24};
  struct sweep sweep;
  struct arena *arena = map_arena();
  uint64_t ticks = 1;
  seed = 7;
  begin(&sweep, arena, &few);
  sweep.batch.habits = (struct hd_batch_habits){.window_slots = 8, .part_entries = 5, .spare_windows = 2, .order = 3};
  fill(sweep.rings, &few, &ticks);
  take(&sweep, ticks / 2);
  fill(sweep.rings, &few, &ticks);
  struct arena *copy = map_arena();
  struct sweep whole;
  memcpy(copy, arena, ARENA);
  restore(&whole, copy);
  finish(&whole, &expected);
  const pid_t child = fork();
  if (child == 0)
    commit_and_stop(&sweep);
  assert_in_range(step_through(child, arena), 200, 100000);
  close_sweep(&sweep);
  munmap(copy, ARENA);
  munmap(arena, ARENA);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tiny_windows_in_any_order_are_exact),
      cmocka_unit_test(test_waits_taken_in_one_piece_are_exact),
      cmocka_unit_test(test_more_profiles_than_are_paired_are_the_same_in_any_windows),
      cmocka_unit_test(test_windows_of_real_threads_are_exact),
      cmocka_unit_test(test_killed_after_any_store_of_a_commit_loses_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
