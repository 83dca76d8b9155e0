/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Traces: what each thread did adds up to the profile to the tick, whatever the program does (expect.c compares every
 * profile that has one); entries in the order of time; what is missing is said. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "output/trace/compare.h"
#include "output/trace/entry.h"
#include "output/trace/size.h"
#include "output/trace/walk.h"
#include "random_plays.h"
#include "script.h"
#include "traced_script.h"

static const char *const traced[] = {"HEDDLE_TRACE=16M", NULL};
static const char *const little[] = {"HEDDLE_TRACE=20k", NULL};
static const struct fk_options options = {.environment = traced};

/* ---- random programs ---- */

static const struct fk_options variants[] = {{.environment = traced}, {.environment = traced, .depth = "2"}};
static const char *const only_concurrency[] = {"HEDDLE_TRACE=16M", "HEDDLE_TRACE_CONCURRENCY=1", NULL};
static const struct fk_options concurrent[] = {{.environment = only_concurrency}};
static const char *const with_order[] = {"HEDDLE_TRACE=16M", "HEDDLE_CRITICAL_PATH=1", "HEDDLE_LOCKS=1", NULL};
static const struct fk_options ordered = {.environment = with_order, .real_clock = true, .pthreads = true};
enum { VARIANTS = sizeof variants / sizeof *variants };

static void test_random_programs(void **state) {
  (void)state;
  pl_check("traces", (struct rp_options){0}, variants, VARIANTS);
  pl_check("traces of recursion", (struct rp_options){.recursive = true}, variants, VARIANTS);
}

static void test_random_routines_and_pauses(void **state) {
  (void)state;
  pl_check("traces of routines", (struct rp_options){.routines = true}, variants, VARIANTS);
  pl_check("traces of MPI", (struct rp_options){.routines = true, .mpi = true}, variants, VARIANTS);
}

static void test_random_large_teams(void **state) {
  (void)state;
  pl_check("traces of large teams", (struct rp_options){.large_teams = true}, variants, VARIANTS);
}

static void test_random_short_threads(void **state) {
  (void)state;
  pl_check("traces of short threads", (struct rp_options){.short_threads = true}, variants, VARIANTS);
}

static void test_random_orders(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    const struct rp_options program = {.recursive = seed % 3 == 0, .large_teams = seed % 3 == 1};
    rp_generate(seed, &program);
    hd_model_free(ex_play_rough(&ordered));
  }
}

static void test_random_traces_of_concurrency(void **state) {
  (void)state;
  pl_check("concurrency", (struct rp_options){0}, concurrent, 1);
  pl_check("concurrency of large teams", (struct rp_options){.large_teams = true}, concurrent, 1);
  pl_check("concurrency of short threads", (struct rp_options){.short_threads = true}, concurrent, 1);
  pl_check("concurrency of killed programs", (struct rp_options){.killed = true}, concurrent, 1);
}

static void test_random_killed_programs(void **state) {
  (void)state;
  pl_check("traces of killed programs", (struct rp_options){.killed = true}, variants, VARIANTS);
}

/* ---- parts ---- */

/* Regions of three threads that take a lock in turn. `cut`: the last one has not ended. */
static void play_turns(uint32_t count, bool cut) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  for (uint64_t i = 0, at = 100; i < count; i++, at += 100) {
    sc_at(at);
    sc_fork(0x1000 + i % 3, 3, 1, at + 2);
    for (uint32_t thread = 1; thread < 3; thread++) {
      sc_thread(thread);
      sc_at(at + 10 * thread + i % 5);
      sc_acquire(ompt_mutex_critical, 1, 0x300);
      sc_at(at + 10 * thread + 5 + i % 5);
      sc_acquired(ompt_mutex_critical, 1, 0x300);
      sc_released(ompt_mutex_critical, 1, 0x300);
    }
    sc_thread(0);
    sc_at(at + 40);
    if (cut && i + 1 == count)
      break;
    for (uint32_t thread = 1; thread < 3; thread++) {
      sc_thread(thread);
      sc_at(at + 40 + thread);
      sc_join_begin();
    }
    sc_thread(0);
    sc_join(at + 60 + i % 7, at + 70, at + 80);
  }
}

/* Within regions, too. */
static void test_a_part_is_what_a_kill_leaves(void **state) {
  (void)state;
  play_turns(20, false);
  sc_finish();
  struct hd_model *whole = ex_play_exact(&options);
  for (uint32_t turns = 1; turns <= 20; turns++) {
    play_turns(turns, true);
    sc_kill();
    struct hd_model *killed = ex_play_killed_with(&options);
    const char *broken = ex_broken_replay_of(killed, whole);
    if (broken)
      fail_msg("after %u turns: %s", turns, broken);
    hd_model_free(killed);
  }
  hd_model_free(whole);
}

/* ---- one by one ---- */

struct list {
  struct hd_trace_entry items[400];
  uint32_t count;
};

static bool keep(void *context, const struct hd_trace_entry *entry) {
  struct list *list = context;
  assert_in_range(list->count, 0, sizeof list->items / sizeof *list->items - 1);
  list->items[list->count++] = *entry;
  return true;
}

/* Who reads changes only gets the same ones. */
static void expect_changes(const struct hd_model *model, const struct list *list) {
  static struct list changes;
  char error[300];
  uint32_t at = 0;
  changes.count = 0;
  assert_true(hd_trace_walk_changes(model, keep, &changes, error, sizeof error));
  for (uint32_t i = 0; i < list->count; i++) {
    const struct hd_trace_entry *entry = &list->items[i], *change = &changes.items[at];
    if (!hd_trace_is_change(entry->what))
      continue;
    assert_in_range(++at, 1, changes.count);
    assert_true(change->ticks == entry->ticks && change->thread == entry->thread && change->what == entry->what);
    assert_memory_equal(&change->before, &entry->before, sizeof change->before);
    assert_memory_equal(&change->now, &entry->now, sizeof change->now);
  }
  assert_int_equal(at, changes.count);
}

static void read_all(const struct hd_model *model, struct list *list) {
  char error[300];
  list->count = 0;
  assert_true(hd_trace_walk(model, keep, list, error, sizeof error));
  expect_changes(model, list);
}

static void expect_entry(const struct hd_trace_entry *entry, uint64_t ticks, uint32_t thread, uint32_t node,
                         uint32_t state, enum hd_what what) {
  assert_int_equal(entry->ticks, ticks);
  assert_int_equal(entry->thread, thread);
  assert_int_equal(entry->now.node, node);
  assert_int_equal(entry->now.state, state);
  assert_int_equal(entry->what, what);
}

static void test_entries_are_in_the_order_of_time(void **state) {
  (void)state;
  static struct list list;
  sc_traced_region();
  struct hd_model *model = ex_play_exact(&options);
  read_all(model, &list);
  const uint32_t region = model->node_count - 1;
  uint32_t i = 0;
  expect_entry(&list.items[i++], 0, 0, 0, HD_BUSY, HD_WHAT_NOTHING);
  assert_int_equal(list.items[0].before.state, HD_STATE_COUNT);
  expect_entry(&list.items[i++], 100, 0, region, HD_RUNTIME_FORK_JOIN, HD_WHAT_REGION_BEGIN);
  for (uint32_t from = i; i < from + 3; i++) /* at one instant: the primary's comes before the worker's */
    assert_int_equal(list.items[i].ticks, 110);
  expect_entry(&list.items[i - 1], 110, 1, region, HD_BUSY, HD_WHAT_TEAM);
  assert_int_equal(list.items[i - 1].number, 1);
  expect_entry(&list.items[i++], 150, 1, region, HD_WAIT_BARRIER_IMPLICIT, HD_WHAT_FINISH);
  expect_entry(&list.items[i++], 170, 0, region, HD_WAIT_BARRIER_IMPLICIT, HD_WHAT_ARRIVE);
  expect_entry(&list.items[i++], 180, 0, region, HD_RUNTIME_FORK_JOIN, HD_WHAT_JOIN);
  expect_entry(&list.items[i++], 180, 1, 0, HD_IDLE, HD_WHAT_NOTHING);
  assert_true(list.items[i - 1].inferred);
  expect_entry(&list.items[i++], 190, 0, 0, HD_BUSY, HD_WHAT_REGION_END);
  for (; i < list.count; i++) /* both end */
    assert_int_equal(list.items[i].ticks, 200);
  assert_int_equal(list.items[list.count - 1].now.state, HD_STATE_COUNT);
  hd_model_free(model);
}

/* libomp 14 tells of a failed test of a lock as of a wait: the thread never waited. */
static void test_what_was_taken_back_did_not_happen(void **state) {
  (void)state;
  static struct list list;
  sc_start(SC_LIBOMP_14);
  sc_initial_begin();
  sc_at(100);
  sc_acquire(ompt_mutex_lock, 1, 0x400);
  sc_at(300);
  sc_parallel_begin(0x1000, 1);
  sc_implicit_begin(0, 0, 1);
  sc_at(400);
  sc_kill();
  struct hd_model *model = ex_play_killed_with(&options);
  read_all(model, &list);
  uint64_t waited = 0;
  for (uint32_t i = 0; i < list.count; i++)
    waited += list.items[i].before.state == HD_WAIT_LOCK ? list.items[i].ticks - list.items[i].since_ticks : 0;
  assert_int_equal(waited, 0);
  hd_model_free(model);
}

/* ---- tasks, locks, chunks ---- */

static void expect_order(const struct list *list, enum hd_order order, const uint64_t (*known)[3], uint32_t count) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    const struct hd_trace_entry *entry = &list->items[i];
    if (entry->what != HD_WHAT_ORDER || entry->operand != (uint32_t)order)
      continue;
    assert_in_range(found, 0, count - 1);
    assert_int_equal(entry->ticks, known[found][0]);
    assert_int_equal(entry->a, known[found][1]);
    assert_int_equal(entry->b, known[found][2]);
    found++;
  }
  assert_int_equal(found, count);
}

/* Tasks are numbered in the order of their creation, and 0 is the one that created them. */
static void test_tasks_have_numbers(void **state) {
  (void)state;
  static struct list list;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_at(100);
  const uint32_t first = sc_task_create(0x500, 0);
  sc_at(110);
  const uint32_t second = sc_task_create(0x500, 0);
  sc_at(120);
  sc_barrier_begin(ompt_sync_region_taskwait, 0x600);
  sc_at(130);
  sc_task_run(second);
  sc_at(140);
  sc_task_leave(ompt_task_complete);
  sc_at(150);
  sc_task_run(first);
  sc_at(160);
  sc_task_leave(ompt_task_complete);
  sc_at(170);
  sc_barrier_end(ompt_sync_region_taskwait, 0x600);
  sc_at(180);
  sc_task_create(0x500, 0);
  sc_at(200);
  sc_finish();
  struct hd_model *model = ex_play_exact(&options);
  read_all(model, &list);
  const uint64_t task = list.items[list.count - 1].before.node + 1; /* the only callpath of tasks */
  expect_order(&list, HD_ORDER_CREATE, (const uint64_t[][3]){{100, 1, task}, {110, 2, task}, {180, 3, task}}, 3);
  expect_order(&list, HD_ORDER_SWITCH, (const uint64_t[][3]){{130, 0, 2}, {140, 2, 0}, {150, 0, 1}, {160, 1, 0}}, 4);
  expect_order(&list, HD_ORDER_TASKWAIT, (const uint64_t[][3]){{170, 0, 0}}, 1);
  hd_model_free(model);
}

static void test_locks_have_numbers(void **state) {
  (void)state;
  static struct list list;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  for (uint64_t i = 0; i < 3; i++) {
    const uint64_t lock = i == 1 ? 0x7fff0000 : 0x800;
    sc_at(100 * i + 10);
    sc_acquire(ompt_mutex_lock, lock, 0x300);
    sc_at(100 * i + 30);
    sc_acquired(ompt_mutex_lock, lock, 0x300);
    sc_at(100 * i + 70);
    sc_released(ompt_mutex_lock, lock, 0x300);
  }
  sc_at(400);
  sc_finish();
  struct hd_model *model = ex_play_exact(&options);
  read_all(model, &list);
  const uint64_t where = model->node_count - 1;
  expect_order(&list, HD_ORDER_WAITS, (const uint64_t[][3]){{10, 1, where}, {110, 2, where}, {210, 1, where}}, 3);
  expect_order(&list, HD_ORDER_ACQUIRED, (const uint64_t[][3]){{30, 1, 0}, {130, 2, 0}, {230, 1, 0}}, 3);
  expect_order(&list, HD_ORDER_RELEASED, (const uint64_t[][3]){{70, 1, 0}, {170, 2, 0}, {270, 1, 0}}, 3);
  hd_model_free(model);
}

static void test_chunks_have_their_iterations(void **state) {
  (void)state;
  static struct list list;
  const struct heddle_iterations loop = {.first = 10, .step = 2, .count = 100};
  const struct heddle_iterations chunks[] = {{10, 2, 40}, {90, 2, 60}};
  uint32_t found = 0;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x100, 1, 1, 0);
  sc_at(10);
  sc_loop_begin(&loop);
  sc_work_begin(sc_loop_kind(ompt_work_loop_dynamic), 0x200);
  sc_entry_end(HEDDLE_ENTRY_SCHEDULING, 0);
  for (uint64_t i = 0; i < 2; i++) {
    sc_at(20 + 100 * i);
    sc_entry_begin(HEDDLE_ENTRY_SCHEDULING);
    sc_at(25 + 100 * i);
    sc_chunk_end(&chunks[i]);
  }
  sc_at(300);
  sc_work_end(sc_loop_kind(ompt_work_loop_dynamic), 0x200);
  sc_join(310, 310, 310);
  sc_finish();
  struct hd_model *model = ex_play_exact(&options);
  read_all(model, &list);
  for (uint32_t i = 0; i < list.count; i++) {
    const struct hd_trace_entry *entry = &list.items[i];
    if (entry->what != HD_TRACE_CHUNK)
      continue;
    assert_int_equal(entry->ticks, 25 + 100 * found);
    assert_int_equal(entry->a, found == 0 ? 0 : 40);
    assert_int_equal(entry->b, found == 0 ? 40 : 60);
    found++;
  }
  assert_int_equal(found, 2);
  hd_model_free(model);
}

/* ---- what is missing ---- */

static bool count_until(void *context, const struct hd_trace_entry *entry) {
  uint64_t *last = context;
  assert_true(entry->ticks >= *last);
  *last = entry->ticks;
  return true;
}

static void flood(uint32_t events) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  for (uint64_t i = 1; i <= events; i++) {
    sc_at(10 * i);
    sc_acquire(ompt_mutex_critical, 1, 0x300);
    sc_at(10 * i + 3);
    sc_acquired(ompt_mutex_critical, 1, 0x300);
    sc_at(10 * i + 7);
    sc_released(ompt_mutex_critical, 1, 0x300);
  }
}

/* That of the worker's idling is taken when it is called again: it knows itself in its region's barrier. */
static void test_samples_are_told_where_they_were_found(void **state) {
  (void)state;
  static const struct fk_options sampled = {.environment = traced, .samples = true};
  static const struct {
    uint64_t address, count;
    uint32_t thread;
    enum hd_state now, told;
  } expected[] = {{0x1111, 3, 0, HD_BUSY, HD_BUSY},
                  {0x2222, 2, 1, HD_BUSY, HD_BUSY},
                  {0x3333, 4, 1, HD_IDLE, HD_WAIT_BARRIER_IMPLICIT}};
  static struct list list;
  uint32_t found = 0;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_sample(0x1111, 3);
  sc_at(100);
  sc_fork(0x1000, 2, 1, 110);
  sc_thread(1);
  sc_sample(0x2222, 2);
  sc_at(150);
  sc_join_begin();
  sc_thread(0);
  sc_at(170);
  sc_join(170, 180, 190);
  sc_thread(1);
  sc_sample(0x3333, 4);
  sc_thread(0);
  sc_at(200);
  sc_fork(0x1000, 2, 1, 210);
  sc_thread(1);
  sc_at(215);
  sc_join_begin();
  sc_thread(0);
  sc_at(220);
  sc_join(220, 230, 240);
  sc_at(300);
  sc_finish();
  struct hd_model *model = ex_play_exact(&sampled);
  read_all(model, &list);
  for (uint32_t i = 0; i < list.count; i++) {
    const struct hd_trace_entry *entry = &list.items[i];
    if (entry->what != HD_TRACE_SAMPLE)
      continue;
    const uint32_t kind = found < 3 ? 0 : found < 5 ? 1 : 2;
    assert_int_equal(entry->a, expected[kind].address);
    assert_int_equal(entry->b, 1);
    assert_int_equal(entry->operand, HD_NONE);
    assert_int_equal(entry->thread, expected[kind].thread);
    assert_int_equal(entry->now.state, expected[kind].now);
    assert_int_equal(entry->told.state, expected[kind].told);
    found++;
  }
  assert_int_equal(found, 9);
  hd_model_free(model);
}

static void test_a_full_trace_says_until_when_it_is_whole(void **state) {
  (void)state;
  struct hd_trace_size size;
  char error[300];
  uint64_t last = 0;
  flood(20000);
  sc_finish();
  struct hd_model *model = ex_play_exact(&(struct fk_options){.environment = little});
  assert_true(hd_trace_size(model, &size));
  assert_in_range(size.bytes, 7 << 10, 20 << 10);
  assert_in_range(size.full_ticks, 1000, 100000);
  assert_true(hd_trace_walk(model, count_until, &last, error, sizeof error));
  assert_int_equal(last, size.full_ticks);
  hd_model_free(model);
}

struct many {
  struct hd_trace_entry *items;
  uint32_t count, limit;
};

static bool keep_many(void *context, const struct hd_trace_entry *entry) {
  struct many *many = context;
  if (many->count == many->limit) {
    many->limit = 2 * many->limit + 1000;
    many->items = realloc(many->items, many->limit * sizeof *many->items);
    assert_non_null(many->items);
  }
  many->items[many->count++] = *entry;
  return true;
}

static struct many play_with(const char *setting, bool killed, uint64_t *from_ticks) {
  const char *const environment[] = {setting, NULL};
  struct hd_trace_size size;
  struct many many = {0};
  char error[300];
  play_turns(2000, false);
  if (killed)
    sc_kill();
  else
    sc_finish();
  const struct fk_options with = {.environment = environment};
  struct hd_model *model = killed ? ex_play_killed_with(&with) : ex_play_exact(&with);
  assert_true(hd_trace_size(model, &size));
  assert_true(hd_trace_walk(model, keep_many, &many, error, sizeof error));
  *from_ticks = size.from_ticks;
  assert_int_equal(size.full_ticks, 0);
  hd_model_free(model);
  return many;
}

/* From where it begins it is what a whole trace is from there. */
static void expect_end_of(const struct many *whole, const struct many *part, uint64_t from_ticks) {
  uint32_t i = 0, j = 0;
  while (i < whole->count && whole->items[i].ticks <= from_ticks)
    i++;
  for (; j < part->count && part->items[j].before.state == HD_STATE_COUNT; j++)
    assert_int_equal(part->items[j].ticks, from_ticks);
  assert_int_equal(j, 3);
  assert_int_equal(whole->count - i, part->count - j);
  for (; i < whole->count; i++, j++) {
    assert_int_equal(part->items[j].ticks, whole->items[i].ticks);
    assert_int_equal(part->items[j].thread, whole->items[i].thread);
    assert_int_equal(part->items[j].what, whole->items[i].what);
    assert_memory_equal(&part->items[j].before, &whole->items[i].before, sizeof part->items->before);
    assert_memory_equal(&part->items[j].now, &whole->items[i].now, sizeof part->items->now);
  }
}

static void expect_the_end(const char *setting, bool killed) {
  uint64_t none, from_ticks;
  struct many whole = play_with("HEDDLE_TRACE=16M", killed, &none);
  struct many part = play_with(setting, killed, &from_ticks);
  assert_int_equal(none, 0);
  assert_in_range(from_ticks, 1000, 200000);
  expect_end_of(&whole, &part, from_ticks);
  free(whole.items);
  free(part.items);
}

static void test_the_end_of_a_run_is_kept(void **state) {
  (void)state;
  expect_the_end("HEDDLE_TRACE_LAST=20k", false);
  expect_the_end("HEDDLE_TRACE_LAST=52k", false);
  expect_the_end("HEDDLE_TRACE_LAST=52k", true);
}

/* All at the same time take blocks from each other. */
static void test_threads_that_run_freely_keep_the_end(void **state) {
  (void)state;
  const char *const environment[] = {"HEDDLE_TRACE_LAST=20k", NULL};
  const struct fk_options with = {
      .environment = environment, .pthreads = true, .real_clock = true, .free_running = true};
  struct hd_trace_size size;
  char error[300];
  uint64_t last = 0;
  play_turns(1000, false);
  sc_finish();
  struct hd_model *model = ex_play_with(&with);
  assert_true(hd_trace_size(model, &size));
  assert_in_range(size.bytes, 8 << 10, 32 << 10);
  assert_int_equal(size.full_ticks, 0);
  assert_true(size.from_ticks > 0);
  assert_true(hd_trace_walk(model, count_until, &last, error, sizeof error));
  assert_in_range(last, size.from_ticks + 1, model->end_ticks);
  hd_model_free(model);
}

static void test_a_short_run_is_kept_whole(void **state) {
  (void)state;
  uint64_t from_ticks;
  struct many part = play_with("HEDDLE_TRACE_LAST=16M", false, &from_ticks);
  assert_int_equal(from_ticks, 0);
  free(part.items);
}

static void test_a_profile_without_a_trace_has_none(void **state) {
  (void)state;
  struct hd_trace_size size;
  flood(3);
  sc_finish();
  struct hd_model *model = ex_play_exact(NULL);
  assert_false(hd_trace_size(model, &size));
  hd_model_free(model);
}

/* ---- damage ---- */

static bool any(void *context, const struct hd_trace_entry *entry) {
  const struct hd_model *model = context;
  assert_in_range(entry->thread, 0, model->thread_count - 1);
  assert_in_range(entry->now.node, 0, model->node_count - 1);
  assert_in_range(entry->now.state, 0, HD_STATE_COUNT);
  assert_true(entry->ticks <= model->end_ticks && entry->ticks >= entry->since_ticks);
  return true;
}

static char *read_file(const char *path, size_t *size) {
  FILE *from = fopen(path, "rb");
  struct hd_file_header header;
  assert_non_null(from);
  assert_int_equal(fread(&header, sizeof header, 1, from), 1);
  *size = HD_HEADER_BYTES + (size_t)header.block_count * HD_BLOCK_BYTES;
  char *bytes = malloc(*size);
  assert_non_null(bytes);
  rewind(from);
  assert_int_equal(fread(bytes, 1, *size, from), *size);
  fclose(from);
  return bytes;
}

static struct hd_block_header *trace_block(char *bytes, uint32_t number) {
  const struct hd_file_header *header = (const void *)bytes;
  struct hd_block_header *found = NULL;
  for (uint32_t unit = 0; unit < header->block_count;) {
    struct hd_block_header *block = (void *)(bytes + HD_HEADER_BYTES + (size_t)unit * HD_BLOCK_BYTES);
    unit += block->span;
    if (block->type == HD_BLOCK_TRACE && number-- == 0)
      found = block;
  }
  assert_non_null(found);
  return found;
}

static void try(const char *bytes, size_t size, unsigned *refusals) {
  struct hd_model *model;
  char error[300];
  if (!hd_profile_parse("damaged", bytes, size, &model, error, sizeof error))
    return;
  *refusals += !hd_trace_walk(model, any, model, error, sizeof error);
  hd_model_free(model);
}

static void test_random_damage_is_survived(void **state) {
  (void)state;
  size_t size;
  unsigned refusals = 0;
  flood(2000);
  sc_kill();
  struct fk_result result = fk_play(sc_script(), &options);
  char *whole = read_file(result.path, &size), *bytes = malloc(size);
  assert_non_null(bytes);
  srand(1);
  for (int i = 0; i < 2000; i++) {
    memcpy(bytes, whole, size);
    struct hd_block_header *block = trace_block(bytes, (uint32_t)i % 2);
    unsigned char *content = (unsigned char *)block + (i % 3 ? HD_BLOCK_HEADER_BYTES : 0);
    for (int byte = 0; byte < 3; byte++)
      content[(size_t)rand() % (i % 5 ? 4000 : 40)] ^= (unsigned char)(1 << rand() % 8);
    try(bytes, size, &refusals);
  }
  assert_in_range(refusals, 50, 2000);
  free(whole);
  free(bytes);
}

static void count_difference(void *context, const struct hd_trace_difference *difference) {
  (void)difference;
  ++*(unsigned *)context;
}

/* The program may be killed when a thread's rows say something that its trace does not yet. */
static void test_a_kill_before_the_last_entry_changes_nothing(void **state) {
  (void)state;
  size_t size;
  unsigned whole = 0;
  flood(100);
  sc_kill();
  struct fk_result result = fk_play(sc_script(), &options);
  char *bytes = read_file(result.path, &size);
  for (uint32_t less = 1; less < 8; less++) {
    struct hd_model *model;
    char error[300];
    unsigned differences = 0;
    trace_block(bytes, 0)->count--;
    assert_true(hd_profile_parse("killed", bytes, size, &model, error, sizeof error));
    whole += hd_trace_compare(model, count_difference, &differences, error, sizeof error) && differences == 0;
    hd_model_free(model);
  }
  assert_in_range(whole, 1, 3);
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_programs),
      cmocka_unit_test(test_random_routines_and_pauses),
      cmocka_unit_test(test_random_large_teams),
      cmocka_unit_test(test_random_short_threads),
      cmocka_unit_test(test_random_killed_programs),
      cmocka_unit_test(test_random_orders),
      cmocka_unit_test(test_random_traces_of_concurrency),
      cmocka_unit_test(test_a_part_is_what_a_kill_leaves),
      cmocka_unit_test(test_entries_are_in_the_order_of_time),
      cmocka_unit_test(test_what_was_taken_back_did_not_happen),
      cmocka_unit_test(test_tasks_have_numbers),
      cmocka_unit_test(test_locks_have_numbers),
      cmocka_unit_test(test_chunks_have_their_iterations),
      cmocka_unit_test(test_samples_are_told_where_they_were_found),
      cmocka_unit_test(test_a_full_trace_says_until_when_it_is_whole),
      cmocka_unit_test(test_the_end_of_a_run_is_kept),
      cmocka_unit_test(test_threads_that_run_freely_keep_the_end),
      cmocka_unit_test(test_a_short_run_is_kept_whole),
      cmocka_unit_test(test_a_profile_without_a_trace_has_none),
      cmocka_unit_test(test_random_damage_is_survived),
      cmocka_unit_test(test_a_kill_before_the_last_entry_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
