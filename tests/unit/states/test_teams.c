/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a sweep makes of logs that tell of teams, to the tick: however they are cut into windows and parts, and wherever
 * a commit is cut off. */
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

enum { ARENA = 1 << 20, RINGS = 4, PROFILES = 8, SIZES = 5, REGION = 1, INNER = 2, LOOP = 3, BARRIER = 4 };

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

static struct arena *map_arena(void) {
  void *memory = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(memory, MAP_FAILED);
  return memory;
}

struct sweep {
  struct arena *arena;
  struct hd_tallies tallies;
  struct hd_batch batch;
  struct hd_ring_record *rings[RINGS];
  struct hd_row_record *rows[RINGS];
  uint32_t ring_count, row_count;
  void *memory;
};

static void open_sweep(struct sweep *sweep, struct arena *arena) {
  *sweep = (struct sweep){.arena = arena, .memory = calloc(1, hd_window_bytes(RINGS))};
  assert_non_null(sweep->memory);
  hd_tallies_init(&sweep->tallies, allocate, arena, &arena->header);
  hd_batch_init(&sweep->batch, &sweep->tallies);
}

static void begin_sweep(struct sweep *sweep, struct arena *arena) {
  open_sweep(sweep, arena);
  assert_true(hd_tallies_begin(&sweep->tallies, 0) && hd_journal_begin(&sweep->tallies.journal, arena));
  for (; sweep->ring_count < RINGS; sweep->ring_count++) {
    struct hd_ring_record *ring = allocate(arena, HD_BLOCK_RING, sizeof *ring);
    ring->sweep.busy = ring->sweep.busy_before = HD_NONE;
    ring->sweep.index = ring->sweep.thread = sweep->ring_count;
    sweep->rings[sweep->ring_count] = ring;
    sweep->rows[sweep->ring_count] = allocate(arena, HD_BLOCK_ROWS, sizeof(struct hd_row_record));
  }
}

static void close_sweep(struct sweep *sweep) {
  hd_tallies_free(&sweep->tallies);
  hd_batch_free(&sweep->batch);
  free(sweep->memory);
}

static void take(struct sweep *sweep, uint64_t until) {
  hd_batch_plan(&sweep->batch, hd_window_make(sweep->memory, RINGS), sweep->rings, sweep->ring_count, until);
  while (hd_batch_help(&sweep->batch))
    ;
  assert_false(hd_batch_is_open(&sweep->batch));
}

/* ---- as the reader does with a killed program's file ---- */

static void undo(const struct hd_journal_record *journal, struct arena *arena) {
  for (uint64_t i = journal->count; i-- > 0;)
    memcpy((char *)arena + journal->entries[i].offset, &journal->entries[i].before, sizeof(uint64_t));
}

static void restore_tallies(struct hd_tallies *tallies, uint64_t type, void *record) {
  struct hd_tally_record *tally = record;
  if (type == HD_BLOCK_TALLIES && tally->what)
    assert_non_null(hd_tallies_restore(tallies, tally));
  else if (type == HD_BLOCK_TALLIES)
    tallies->tally_count++;
  else if (type == HD_BLOCK_TIMELINE)
    tallies->timeline = record;
}

static void restore_record(struct sweep *sweep, uint64_t type, void *record) {
  struct hd_team_book *teams = &sweep->tallies.teams;
  restore_tallies(&sweep->tallies, type, record);
  if (type == HD_BLOCK_TEAMS)
    assert_true(hd_teams_restore_team(teams, record));
  else if (type == HD_BLOCK_TOTALS && ((struct hd_total_record *)record)->team_size)
    assert_true(hd_teams_restore_total(teams, record));
  else if (type == HD_BLOCK_DELAYS)
    assert_true(hd_teams_restore_delay(teams, record));
  else if (type == HD_BLOCK_RING)
    sweep->rings[sweep->ring_count++] = record;
  else if (type == HD_BLOCK_ROWS)
    sweep->rows[sweep->row_count++] = record;
}

static struct hd_row_cell *find_cell(void *context, uint64_t offset) {
  return (struct hd_row_cell *)(void *)((char *)context + offset);
}

static void restore(struct sweep *sweep, struct arena *arena) {
  const uint64_t used = arena->used;
  open_sweep(sweep, arena);
  for (uint64_t at = 0; at < used; at += 2 + (arena->records[at + 1] + 7) / 8)
    if (arena->records[at] == HD_BLOCK_JOURNAL)
      undo((void *)&arena->records[at + 2], arena);
  for (uint64_t at = 0; at < used; at += 2 + (arena->records[at + 1] + 7) / 8)
    restore_record(sweep, arena->records[at], &arena->records[at + 2]);
  sweep->tallies.teams.cell_at = find_cell;
  sweep->tallies.teams.context = arena;
  for (uint32_t i = 0; i < sweep->ring_count; i++) {
    hd_commit_catch_up(&sweep->tallies, sweep->rings[i]);
    sweep->tallies.level += sweep->rings[i]->sweep.busy != HD_NONE;
  }
  hd_tallies_resume(&sweep->tallies);
}

/* ---- logs ---- */

static struct sweep *now;

static void put(uint32_t number, uint64_t ticks, uint32_t busy, uint32_t what, const void *first, const void *second) {
  struct hd_ring_record *ring = now->rings[number];
  struct hd_transition *entry = hd_log_at(ring, ring->head);
  *entry = (struct hd_transition){.ticks = ticks, .busy = busy, .what = what};
  if (first)
    memcpy(entry + 1, first, sizeof *entry);
  if (second)
    memcpy(entry + 2, second, sizeof *entry);
  ring->head += hd_what_slots(what);
  ring->latest_ticks = ticks;
  assert_true(ring->head - ring->sweep.tail <= HD_RING_LENGTH);
}

static void begin(uint32_t ring, uint64_t ticks, uint32_t team, uint32_t profile, uint32_t flags) {
  const struct hd_log_begin said = {.team = team, .flags = flags};
  const enum hd_what what = flags & HD_LOG_UNCOUNTED ? HD_WHAT_NESTED_BEGIN : HD_WHAT_REGION_BEGIN;
  put(ring, ticks, profile, HD_WHAT(what, profile), &said, NULL);
}

static void start(uint32_t ring, uint64_t ticks, uint32_t team, uint32_t size) {
  const struct hd_log_member said = {.team = team, .number = size};
  put(ring, ticks, REGION, HD_WHAT(HD_WHAT_START, REGION), &said, NULL);
}

static void enter(uint32_t ring, uint64_t ticks, uint32_t team) {
  const struct hd_log_member said = {.team = team, .number = ring};
  put(ring, ticks, REGION, HD_WHAT(HD_WHAT_TEAM, REGION), &said, NULL);
}

struct told {
  uint32_t number, cost, flags;
  int64_t late;
};

static struct hd_log_arrival arrival(uint32_t team, struct told told) {
  return (struct hd_log_arrival){.team = team,
                                 .cost = told.cost,
                                 .number = told.number % HD_LOG_BARRIERS,
                                 .flags = told.flags & 31,
                                 .late = HD_LOG_LATE(told.late)};
}

static void arrive(uint32_t ring, uint64_t ticks, uint32_t team, uint32_t profile, struct told told) {
  const struct hd_log_arrival said = arrival(team, told);
  put(ring, ticks, HD_NONE, HD_WHAT(HD_WHAT_ARRIVE, profile) | HD_WHAT_UNCOUNTED, &said, NULL);
}

/* Busy again: nothing is told. */
static void leave(uint32_t ring, uint64_t ticks) {
  put(ring, ticks, REGION, HD_WHAT_NOTHING, NULL, NULL);
}

static void leave_work(uint32_t ring, uint64_t ticks, uint32_t team, uint32_t number, uint64_t capacity,
                       uint64_t busy_ticks) {
  const struct hd_log_arrival said = arrival(team, (struct told){.number = number, .late = ring == 0 ? 1 : 0});
  const struct hd_log_work work = {.capacity_ticks = capacity, .busy_ticks = busy_ticks};
  const enum hd_what what = ring == HD_TEAM_RING(team) ? HD_WHAT_LEAVE_WORK : HD_WHAT_WORKED;
  put(ring, ticks, REGION, HD_WHAT(what, LOOP), &said, &work);
}

static void finish(uint32_t ring, uint64_t ticks, uint32_t team, struct told told, uint64_t busy_ticks) {
  const struct hd_log_arrival said = arrival(team, told);
  const uint64_t cell = (uint64_t)((char *)&now->rows[ring]->cells[1] - (char *)now->arena);
  const struct hd_log_finish finished = {.busy_ticks = busy_ticks, .idle_cell = cell};
  const enum hd_what what = told.flags & HD_LOG_AGAIN ? HD_WHAT_FINISH_AGAIN : HD_WHAT_FINISH;
  put(ring, ticks, HD_NONE, HD_WHAT(what, REGION), &said, &finished);
}

static void join(uint32_t ring, uint64_t ticks, uint32_t team, uint64_t busy_ticks) {
  const struct hd_log_join said = {.team = team, .busy_ticks = busy_ticks};
  put(ring, ticks, HD_NONE, HD_WHAT(HD_WHAT_JOIN, REGION), &said, NULL);
}

static void end_nested(uint32_t ring, uint64_t ticks, uint32_t team, uint32_t profile, uint32_t size, int64_t delay) {
  const struct hd_log_end said = {.team = team, .team_size = size, .delay = delay};
  const struct hd_log_alone alone = {0};
  put(ring, ticks, profile, HD_WHAT(HD_WHAT_REGION_END, profile), &said, &alone);
}

static void end(uint32_t ring, uint64_t ticks, uint32_t team, uint32_t size, int64_t delay) {
  end_nested(ring, ticks, team, REGION, size, delay);
}

static void left(uint32_t ring, uint64_t ticks) {
  put(ring, ticks, 0, HD_WHAT(HD_WHAT_LEFT, 0), NULL, NULL);
}

static void become(uint32_t ring, uint64_t ticks, uint32_t busy) {
  put(ring, ticks, busy, 0, NULL, NULL);
}

/* ---- what comes out ---- */

struct result {
  struct hd_total_record totals[PROFILES][RINGS][SIZES];
  uint64_t idle[RINGS];
  int64_t delays[RINGS];
  uint32_t open; /* teams */
  uint32_t records;
};

static void collect(const struct sweep *sweep, struct result *result) {
  const struct hd_team_book *book = &sweep->tallies.teams;
  memset(result, 0, sizeof *result);
  for (uint32_t i = 0; book->totals.slots && i <= book->totals.mask; i++) {
    const struct hd_total_record *total = book->totals.slots[i].record;
    if (total)
      result->totals[total->profile][total->thread][total->team_size] = *total;
  }
  for (uint32_t i = 0; i < RINGS; i++)
    result->idle[i] = sweep->rows[i]->cells[1].ticks;
  for (uint32_t i = 0; book->delays && i <= book->delay_mask; i++)
    if (book->delays[i])
      result->delays[book->delays[i]->thread] = book->delays[i]->ticks;
  for (uint32_t at = 0; hd_teams_next_open(book, &at);)
    result->open++;
  result->records = book->team_count;
}

/* As at the end of the program: what has ended is complete. */
static void take_all(struct sweep *sweep) {
  struct hd_team_book *book = &sweep->tallies.teams;
  take(sweep, UINT64_MAX);
  for (uint32_t at = 0; hd_teams_next_open(book, &at);)
    if (book->teams[at - 1].record->flags & HD_TEAM_ENDED)
      hd_teams_close(book, at - 1, UINT64_MAX);
}

typedef void script(void);

/* `step`: everything is taken until each multiple of it; 0: all at once. */
static void play_cut(script *plays, struct hd_batch_habits habits, uint64_t step, struct result *result) {
  struct arena *arena = map_arena();
  struct sweep sweep;
  begin_sweep(&sweep, arena);
  sweep.batch.habits = habits;
  now = &sweep;
  plays();
  for (uint64_t until = step; step > 0 && until < 400; until += step)
    take(&sweep, until);
  take_all(&sweep);
  collect(&sweep, result);
  close_sweep(&sweep);
  munmap(arena, ARENA);
}

static void commit_and_stop(struct sweep *sweep) {
  assert_int_equal(ptrace(PTRACE_TRACEME, 0, 0, 0), 0);
  raise(SIGSTOP);
  take(sweep, UINT64_MAX);
  _exit(0);
}

static void expect_same(const struct result *expected, const struct result *found) {
  assert_memory_equal(expected->totals, found->totals, sizeof expected->totals);
  assert_memory_equal(expected->idle, found->idle, sizeof expected->idle);
  assert_memory_equal(expected->delays, found->delays, sizeof expected->delays);
  assert_int_equal(expected->open, found->open);
}

static void expect_from_copy(const struct result *expected, const struct arena *arena, struct arena *copy) {
  struct sweep sweep;
  struct result result;
  memcpy(copy, arena, sizeof *arena + arena->used * 8);
  restore(&sweep, copy);
  take_all(&sweep);
  collect(&sweep, &result);
  expect_same(expected, &result);
  close_sweep(&sweep);
}

static uint32_t step_through(pid_t child, const struct result *expected, const struct arena *arena) {
  struct arena *copy = map_arena();
  struct arena *last = map_arena();
  uint32_t stores = 0;
  int status = 0;
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    const size_t bytes = sizeof *arena + arena->used * 8;
    if (memcmp(last, arena, bytes) != 0) {
      memcpy(last, arena, bytes);
      expect_from_copy(expected, arena, copy);
      stores++;
    }
    if (ptrace(PTRACE_SINGLESTEP, child, 0, 0) != 0)
      break;
  }
  munmap(copy, ARENA);
  munmap(last, ARENA);
  return stores;
}

/* Killed after any store of the commits. */
static void kill_anywhere(script *plays, const struct result *expected) {
  struct arena *arena = map_arena();
  struct sweep sweep;
  begin_sweep(&sweep, arena);
  sweep.batch.habits.part_entries = 5;
  now = &sweep;
  plays();
  take(&sweep, 40);
  const pid_t child = fork();
  if (child == 0)
    commit_and_stop(&sweep);
  assert_in_range(step_through(child, expected, arena), 300, 100000);
  close_sweep(&sweep);
  munmap(arena, ARENA);
}

/* However it is cut. */
static struct result play(script *plays) {
  static const struct hd_batch_habits habits[] = {
      {.part_entries = 1},
      {.part_entries = 3},
      {.window_slots = 4, .spare_windows = 3, .order = 3},
      {.window_slots = 9, .part_entries = 2, .spare_windows = 7, .order = 6}};
  struct result expected, result;
  play_cut(plays, (struct hd_batch_habits){0}, 0, &expected);
  for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
    for (uint64_t step = 0; step <= 21; step += 7) {
      play_cut(plays, habits[i], step, &result);
      expect_same(&expected, &result);
    }
  return expected;
}

struct numbers {
  uint64_t instances, elapsed, busy, busy_max, idle, capacity;
  int64_t intrusion, merged;
};

static void expect_total(const struct result *result, uint32_t profile, uint32_t thread, uint32_t size,
                         struct numbers numbers) {
  const struct hd_total_record *total = &result->totals[profile][thread][size];
  assert_int_equal(total->instances, numbers.instances);
  assert_int_equal(total->elapsed_ticks, numbers.elapsed);
  assert_int_equal(total->busy_ticks, numbers.busy);
  assert_int_equal(total->busy_max_ticks, numbers.busy_max);
  assert_int_equal(total->idle_ticks, numbers.idle);
  assert_int_equal(total->capacity_ticks, numbers.capacity);
  assert_int_equal(total->intrusion_ticks, numbers.intrusion);
  assert_int_equal(total->merged, numbers.merged);
}

#define TOTAL(...) ((struct numbers){__VA_ARGS__})
#define TOLD(...) ((struct told){__VA_ARGS__})
#define TEAM(number) HD_TEAM(0, number)

/* ---- teams ---- */

static void play_one(void) {
  begin(0, 10, TEAM(0), REGION, 0);
  start(0, 12, TEAM(0), 1);
  leave_work(0, 17, TEAM(0), 1, 4, 4);
  join(0, 20, TEAM(0), 8);
  end(0, 25, TEAM(0), 1, 3);
}

static void test_team_of_one(void **state) {
  (void)state;
  const struct result result = play(play_one);
  expect_total(&result, REGION, 0, 1,
               TOTAL(.instances = 1, .elapsed = 15, .busy = 8, .busy_max = 8, .capacity = 15, .intrusion = 3));
  expect_total(&result, LOOP, 0, 1, TOTAL(.instances = 1, .elapsed = 5, .busy = 4, .busy_max = 4, .capacity = 4));
  assert_int_equal(result.open, 0);
}

static void play_two(void) {
  begin(0, 10, TEAM(0), REGION, 0);
  start(0, 12, TEAM(0), 2);
  enter(1, 14, TEAM(0));
  arrive(1, 30, TEAM(0), BARRIER, TOLD(.number = 1, .cost = 2, .late = 1));
  arrive(0, 40, TEAM(0), BARRIER, TOLD(.number = 1, .cost = 3, .late = 4));
  leave(0, 45);
  become(1, 46, REGION);
  finish(1, 60, TEAM(0), TOLD(.number = 2, .cost = 1, .late = 2), 40);
  arrive(0, 70, TEAM(0), REGION, TOLD(.number = 2, .cost = 1, .late = 3, .flags = HD_LOG_LAST));
  join(0, 75, TEAM(0), 50);
  end(0, 80, TEAM(0), 2, 6);
  begin(0, 90, TEAM(1), REGION, HD_LOG_UNASKED);
  start(0, 91, TEAM(1), 2);
  enter(1, 100, TEAM(1));
  finish(1, 110, TEAM(1), TOLD(.flags = HD_LOG_UNTOLD), 10);
  join(0, 120, TEAM(1), 20);
  become(1, 128, REGION); /* something that was left to be done */
  become(1, 129, HD_NONE);
  end(0, 130, TEAM(1), 2, -1);
  for (uint32_t i = 1; i < 16; i++)
    become(0, 130 + i, i % 2 ? REGION : HD_NONE);
  left(1, 150);
}

/* The barriers are late by 43 - 36 and 71 - 67. */
static void test_barriers_are_as_late_as_who_came_last(void **state) {
  (void)state;
  const struct result result = play(play_two);
  expect_total(&result, REGION, 0, 2,
               TOTAL(.instances = 1, .elapsed = 70 + 40, .busy = 90 + 30, .busy_max = 100 + 40, .idle = 4 + 5 + 10 + 10,
                     .capacity = 140 + 80, .intrusion = 7 + 4 + 6 - 1, .merged = 2 * 4));
  expect_total(&result, BARRIER, 0, 2, TOTAL(.merged = 2 * 7));
  assert_int_equal(result.idle[1], (100 - 75) + (150 - 129));
  assert_int_equal(result.delays[0], 7 + 4);
  assert_int_equal(result.open, 0);
  assert_in_range(result.records, 1, 2);
}

static void play_three(void) {
  begin(0, 10, TEAM(7), REGION, 0);
  enter(1, 11, TEAM(7));
  start(0, 12, TEAM(7), 3);
  enter(2, 13, TEAM(7));
  arrive(1, 20, TEAM(7), LOOP, TOLD(.number = 1));
  arrive(0, 21, TEAM(7), LOOP, TOLD(.number = 1, .flags = HD_LOG_CLOSES_WORK));
  arrive(2, 30, TEAM(7), LOOP, TOLD(.number = 1, .cost = 1));
  leave_work(1, 31, TEAM(7), 1, 18, 7);
  arrive(1, 32, TEAM(7), LOOP, TOLD(.number = 2));
  leave_work(0, 33, TEAM(7), 1, 19, 8);
  arrive(0, 34, TEAM(7), BARRIER, TOLD(.number = 2));
  leave_work(2, 35, TEAM(7), 1, 20, 15);
  arrive(2, 36, TEAM(7), LOOP, TOLD(.number = 2));
  leave(0, 37);
  leave_work(1, 37, TEAM(7), 2, 1000, 1000); /* the primary was not told of this one */
  become(2, 38, REGION);
  finish(1, 40, TEAM(7), TOLD(.number = 3), 20);
  become(1, 41, REGION); /* a task */
  finish(1, 44, TEAM(7), TOLD(.number = 3, .flags = HD_LOG_AGAIN), 23);
  arrive(0, 45, TEAM(7), REGION, TOLD(.number = 3, .flags = HD_LOG_LAST));
  become(1, 46, REGION);
  become(1, 47, HD_NONE);
  become(0, 48, REGION);
  arrive(0, 49, TEAM(7), REGION, TOLD(.number = 3, .cost = 2, .flags = HD_LOG_LAST | HD_LOG_AGAIN));
  join(0, 55, TEAM(7), 25);
  finish(2, 57, TEAM(7), TOLD(.number = 3, .cost = 3), 30); /* another processor's clock */
  end(0, 60, TEAM(7), 3, 0);
  left(1, 70);
  left(2, 71);
  become(2, 72, HD_NONE);
  left(2, 90); /* again: it waits for nothing */
}

/* The last barrier: entered at 60, and nobody was late when he came at 57. */
static void test_constructs_and_tasks_and_a_late_finish(void **state) {
  (void)state;
  const struct result result = play(play_three);
  expect_total(&result, LOOP, 0, 3,
               TOTAL(.instances = 1, .elapsed = 20, .busy = 30, .busy_max = 45, .capacity = 57, .merged = 3));
  expect_total(&result, REGION, 0, 3,
               TOTAL(.instances = 1, .elapsed = 50, .busy = 78, .busy_max = 90, .idle = 1 + 3 + 2 * 5 - 2,
                     .capacity = 150, .intrusion = 1 + 3, .merged = 3 * 3));
  assert_int_equal(result.idle[1], 70 - 55);
  assert_int_equal(result.idle[2], 71 - 57);
  assert_int_equal(result.open, 0);
}

/* Thread 2 never says that it begins; 1 is released while it is busy, and before the join. */
static void play_missing(void) {
  begin(0, 10, TEAM(0), REGION, 0);
  start(0, 10, TEAM(0), 3);
  enter(1, 12, TEAM(0));
  finish(1, 20, TEAM(0), TOLD(.number = 1), 8);
  left(1, 25);
  finish(1, 28, TEAM(0), TOLD(.number = 1, .flags = HD_LOG_AGAIN), 9);
  join(0, 30, TEAM(0), 18);
  become(1, 31, REGION);
  end(0, 35, TEAM(0), 3, 0);
  left(1, 40);
  finish(2, 41, TEAM(3), TOLD(.number = 1), 8); /* of no team */
}

static void test_worker_that_never_begins_and_one_that_is_busy(void **state) {
  (void)state;
  const struct result result = play(play_missing);
  expect_total(
      &result, REGION, 0, 3,
      TOTAL(.instances = 1, .elapsed = 25, .busy = 27, .busy_max = 54, .idle = 2 + 20 + 2 * 5, .capacity = 75));
  assert_int_equal(result.idle[1], 0);
  assert_int_equal(result.open, 0);
}

/* In a pause all happens at one instant. */
static void play_pause(void) {
  begin(0, 10, TEAM(0), REGION, 0);
  start(0, 10, TEAM(0), 2);
  become(0, 20, REGION);
  arrive(0, 20, TEAM(0), REGION, TOLD(.number = 1, .flags = HD_LOG_LAST));
  join(0, 20, TEAM(0), 10);
  end(0, 20, TEAM(0), 2, 0);
  begin(0, 20, TEAM(1), REGION, HD_LOG_UNASKED);
  start(0, 20, TEAM(1), 2);
  join(0, 20, TEAM(1), 0);
  end(0, 20, TEAM(1), 2, 0);
  enter(1, 20, TEAM(0));
  finish(1, 20, TEAM(0), TOLD(.number = 1), 0);
  enter(1, 20, TEAM(1));
  finish(1, 20, TEAM(1), TOLD(.number = 1), 0);
  become(0, 60, REGION);
  left(1, 70);
}

static void test_all_of_a_team_in_an_instant(void **state) {
  (void)state;
  const struct result result = play(play_pause);
  expect_total(&result, REGION, 0, 2,
               TOTAL(.instances = 1, .elapsed = 10, .busy = 10, .busy_max = 20, .idle = 10, .capacity = 20));
  assert_int_equal(result.idle[1], 70 - 20);
  assert_int_equal(result.open, 0);
}

/* ---- delays ---- */

/* Thread 1 works in thread 0's team and leads one of its own, with thread 2. */
static void play_nested(void) {
  const uint32_t inner = HD_TEAM(1, 4095);
  begin(0, 10, TEAM(0), REGION, 0);
  start(0, 11, TEAM(0), 2);
  enter(1, 12, TEAM(0));
  begin(1, 20, inner, INNER, 0);
  start(1, 21, inner, 2);
  enter(2, 22, inner);
  finish(2, 30, inner, TOLD(.number = 1, .cost = 1, .late = 1), 8);
  arrive(1, 40, inner, INNER, TOLD(.number = 1, .cost = 2, .late = 3, .flags = HD_LOG_LAST)); /* by 5 */
  join(1, 45, inner, 19);
  end_nested(1, 50, inner, INNER, 2, 4);
  arrive(0, 55, TEAM(0), BARRIER, TOLD(.number = 1, .cost = 1));
  arrive(1, 60, TEAM(0), BARRIER, TOLD(.number = 1, .cost = 1, .late = 7)); /* by 1 + 7 + 5, but 55 - 0 is later */
  leave(0, 65);
  become(1, 66, REGION);
  finish(1, 80, TEAM(0), TOLD(.number = 2, .cost = 1, .late = 2), 60);                            /* in step again */
  arrive(0, 90, TEAM(0), REGION, TOLD(.number = 2, .cost = 1, .late = 20, .flags = HD_LOG_LAST)); /* 91 - 78 */
  join(0, 95, TEAM(0), 70);
  end(0, 100, TEAM(0), 2, 0);
  left(1, 110);
  left(2, 120);
}

static void test_who_led_a_team_is_late_by_its_barriers(void **state) {
  (void)state;
  const struct result result = play(play_nested);
  expect_total(&result, INNER, 1, 2,
               TOTAL(.instances = 1, .elapsed = 30, .busy = 27, .busy_max = 38, .idle = 2 + 5, .capacity = 60,
                     .intrusion = 5 + 4, .merged = 2 * 5));
  expect_total(&result, BARRIER, 0, 2, TOTAL(.merged = 2 * (61 - 55) - 5));
  expect_total(&result, REGION, 0, 2,
               TOTAL(.instances = 1, .elapsed = 90, .busy = 130, .busy_max = 140, .idle = 2 + 5, .capacity = 180,
                     .intrusion = 6 + 13, .merged = 2 * 13));
  assert_int_equal(result.delays[1], 5);
  assert_int_equal(result.delays[0], 6 + 13);
  assert_int_equal(result.idle[1], 110 - 95);
  assert_int_equal(result.idle[2], 120 - 45);
}

/* In a task that runs in a barrier: then it is late there, and again until it leaves. */
static void play_nested_in_barrier(void) {
  const uint32_t inner = HD_TEAM(1, 0);
  begin(0, 10, TEAM(0), REGION, 0);
  start(0, 11, TEAM(0), 2);
  enter(1, 12, TEAM(0));
  arrive(1, 20, TEAM(0), BARRIER, TOLD(.number = 1));
  begin(1, 30, inner, INNER, 0);
  start(1, 31, inner, 2);
  finish(2, 40, inner, TOLD(.number = 1), 0);
  arrive(1, 41, inner, INNER, TOLD(.number = 1, .cost = 3, .flags = HD_LOG_LAST)); /* by 3 */
  join(1, 45, inner, 10);
  end_nested(1, 46, inner, INNER, 2, 0);
  arrive(1, 50, TEAM(0), BARRIER, TOLD(.number = 1, .late = 1, .flags = HD_LOG_AGAIN)); /* 50 - 3 - 1 */
  arrive(0, 51, TEAM(0), BARRIER, TOLD(.number = 1, .late = 9));
  leave(0, 55);
  become(1, 56, REGION);
  finish(1, 60, TEAM(0), TOLD(.number = 2), 30);
  arrive(0, 61, TEAM(0), REGION, TOLD(.number = 2, .flags = HD_LOG_LAST));
  join(0, 65, TEAM(0), 40);
  end(0, 66, TEAM(0), 2, 0);
}

static void test_team_that_is_led_inside_a_barrier(void **state) {
  (void)state;
  const struct result result = play(play_nested_in_barrier);
  expect_total(&result, BARRIER, 0, 2, TOTAL(.merged = 2 * (51 - 46) - 3));
  assert_int_equal(result.delays[1], 3);
  assert_int_equal(result.totals[REGION][0][2].intrusion_ticks, 5);
}

/* ---- numbers that come again ---- */

/* Barrier 4095, 0 and 1, of a region whose number is another's afterwards. Its worker waits for the first. */
static void play_wrapping(void) {
  begin(0, 10, TEAM(4095), REGION, 0);
  start(0, 10, TEAM(4095), 2);
  enter(1, 10, TEAM(4095));
  for (uint32_t i = 0; i < 3; i++) {
    const uint64_t at = 20 + 10 * i;
    arrive(1, at, TEAM(4095), LOOP, TOLD(.number = 4095 + i));
    arrive(0, at + 5, TEAM(4095), LOOP, TOLD(.number = 4095 + i, .cost = 1, .flags = HD_LOG_CLOSES_WORK));
    leave_work(0, at + 6, TEAM(4095), 4095 + i, 9, 8);
    leave_work(1, at + 7, TEAM(4095), 4095 + i, 10, 3);
  }
  finish(1, 50, TEAM(4095), TOLD(.number = 4098), 30);
  arrive(0, 51, TEAM(4095), REGION, TOLD(.number = 4098, .flags = HD_LOG_LAST));
  join(0, 55, TEAM(4095), 40);
  end(0, 60, TEAM(4095), 2, 0);
  begin(0, 65, TEAM(2 * 4096 - 1), REGION, HD_LOG_UNASKED | HD_LOG_UNCOUNTED);
  start(0, 66, TEAM(2 * 4096 - 1), 1);
  join(0, 67, TEAM(2 * 4096 - 1), 1);
  end(0, 68, TEAM(2 * 4096 - 1), 1, 0);
  left(1, 70);
}

static void test_numbers_come_again(void **state) {
  (void)state;
  const struct result result = play(play_wrapping);
  expect_total(&result, LOOP, 0, 2,
               TOTAL(.instances = 3, .elapsed = 30, .busy = 33, .busy_max = 48, .capacity = 57, .merged = 2 * 3));
  expect_total(
      &result, REGION, 0, 2,
      TOTAL(.instances = 1, .elapsed = 50, .busy = 70, .busy_max = 80, .idle = 5, .capacity = 100, .intrusion = 3));
  assert_int_equal(result.totals[REGION][0][1].team_size, 0);
  assert_int_equal(result.idle[1], 70 - 55);
  assert_int_equal(result.open, 0);
}

/* ---- killed ---- */

static void test_killed_after_any_store_of_a_commit_loses_nothing(void **state) {
  (void)state;
  if (HD_SANITIZED)
    skip(); /* it is stepped through by the instruction */
  hd_needs(HD_PTRACE);
  static script *const scripts[] = {play_two, play_three, play_nested};
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
    const struct result expected = play(scripts[i]);
    kill_anywhere(scripts[i], &expected);
  }
}

static void play_killed(void) {
  begin(0, 10, TEAM(0), REGION, 0);
  start(0, 10, TEAM(0), 2);
  enter(1, 15, TEAM(0));
  finish(1, 20, TEAM(0), TOLD(.number = 1), 5);
  join(0, 30, TEAM(0), 20);
}

/* The reader ends what is open. */
static void test_open_team_is_closed(void **state) {
  (void)state;
  struct arena *arena = map_arena();
  struct sweep sweep;
  struct result result;
  uint32_t at = 0;
  begin_sweep(&sweep, arena);
  now = &sweep;
  play_killed();
  take(&sweep, UINT64_MAX);
  assert_non_null(hd_teams_next_open(&sweep.tallies.teams, &at));
  hd_teams_close(&sweep.tallies.teams, at - 1, 40);
  hd_teams_close(&sweep.tallies.teams, at - 1, 50);
  assert_null(hd_teams_next_open(&sweep.tallies.teams, &at));
  hd_teams_release(&sweep.tallies.teams, &sweep.rings[1]->sweep, 40);
  hd_teams_end_step(&sweep.tallies.teams);
  collect(&sweep, &result);
  expect_total(&result, REGION, 0, 2,
               TOTAL(.instances = 1, .elapsed = 30, .busy = 25, .busy_max = 40, .idle = 5 + 10, .capacity = 60));
  assert_int_equal(result.idle[1], 10);
  assert_int_equal(result.open, 0);
  close_sweep(&sweep);
  munmap(arena, ARENA);
}

/* ---- damaged ---- */

static uint32_t seed = 1;

static uint32_t any(uint32_t below) {
  seed = seed * 1664525u + 1013904223u;
  return (seed >> 8) % below;
}

static void play_nonsense(void) {
  static const uint32_t kinds[] = {HD_WHAT_LEFT,         HD_WHAT_REGION_BEGIN, HD_WHAT_REGION_END, HD_WHAT_TEAM,
                                   HD_WHAT_START,        HD_WHAT_ARRIVE,       HD_WHAT_LEAVE_WORK, HD_WHAT_FINISH,
                                   HD_WHAT_FINISH_AGAIN, HD_WHAT_JOIN,         HD_WHAT_WORKED};
  uint64_t ticks = 1;
  for (uint32_t i = 0; i < 400; i++) {
    const uint32_t ring = any(RINGS);
    uint64_t payload[4];
    for (uint32_t word = 0; word < 4; word++)
      payload[word] = (uint64_t)any(1 << 24) << 40 ^ (uint64_t)any(1 << 24) << 20 ^ any(1 << 24);
    payload[0] = (payload[0] & 0xFFFFFFFF00000000u) | HD_TEAM(any(RINGS), any(3));
    ticks += any(3);
    if (now->rings[ring]->head + HD_SLOTS_MOST <= HD_RING_LENGTH)
      put(ring, ticks, any(2) ? any(PROFILES) : HD_NONE,
          HD_WHAT(kinds[any(sizeof kinds / sizeof *kinds)], any(PROFILES)), payload, payload + 2);
  }
}

static struct hd_row_cell *find_none(void *context, uint64_t offset) {
  (void)context, (void)offset;
  return NULL;
}

static void test_nonsense_does_no_harm(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 300; i++) {
    struct arena *arena = map_arena();
    struct sweep sweep;
    begin_sweep(&sweep, arena);
    sweep.tallies.teams.cell_at = find_none;
    sweep.batch.habits.part_entries = i % 5;
    now = &sweep;
    play_nonsense();
    take(&sweep, UINT64_MAX);
    for (uint32_t at = 0; hd_teams_next_open(&sweep.tallies.teams, &at);)
      hd_teams_close(&sweep.tallies.teams, at - 1, 5000);
    for (uint32_t ring = 0; ring < RINGS; ring++)
      hd_teams_release(&sweep.tallies.teams, &sweep.rings[ring]->sweep, 5000);
    hd_teams_end_step(&sweep.tallies.teams);
    close_sweep(&sweep);
    munmap(arena, ARENA);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_team_of_one),
      cmocka_unit_test(test_barriers_are_as_late_as_who_came_last),
      cmocka_unit_test(test_constructs_and_tasks_and_a_late_finish),
      cmocka_unit_test(test_worker_that_never_begins_and_one_that_is_busy),
      cmocka_unit_test(test_all_of_a_team_in_an_instant),
      cmocka_unit_test(test_who_led_a_team_is_late_by_its_barriers),
      cmocka_unit_test(test_team_that_is_led_inside_a_barrier),
      cmocka_unit_test(test_numbers_come_again),
      cmocka_unit_test(test_killed_after_any_store_of_a_commit_loses_nothing),
      cmocka_unit_test(test_open_team_is_closed),
      cmocka_unit_test(test_nonsense_does_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
