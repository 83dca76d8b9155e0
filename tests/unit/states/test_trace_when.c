/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Traces with a condition: in their stretches they have what a whole trace of the same program has, and nothing else;
 * the stretches are those in which the condition held. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "output/trace/blocks.h"
#include "output/trace/entry.h"
#include "output/trace/lulls.h"
#include "output/trace/size.h"
#include "output/trace/stretches.h"
#include "output/trace/walk.h"
#include "random_plays.h"
#include "script.h"

#define PHASE "HEDDLE_TRACE_WHEN=phase phase 1"
#define REGION "HEDDLE_TRACE_WHEN=region 1000ff-100100,1010ff-101100"

static const char *const all[] = {"HEDDLE_TRACE=16M", NULL};
static const char *const of_phase[] = {"HEDDLE_TRACE=16M", PHASE, NULL};
static const char *const of_region[] = {"HEDDLE_TRACE=16M", REGION, NULL};
static const char *const of_few_busy[] = {"HEDDLE_TRACE=16M", "HEDDLE_TRACE_CONCURRENCY=1", PHASE, NULL};
static const char *const of_lulls[] = {"HEDDLE_TRACE=60k", "HEDDLE_TRACE_WHEN=busy<=1 for 2us", NULL};
static const char *const last_of_region[] = {"HEDDLE_TRACE_LAST=20k", REGION, NULL};

/* ---- what was traced ---- */

struct list {
  struct hd_trace_entry *items;
  uint32_t count, limit;
};

struct traced {
  struct hd_model *model;
  struct list list;
  struct hd_trace_stretches stretches;
};

static bool keep(void *context, const struct hd_trace_entry *entry) {
  struct list *list = context;
  if (list->count == list->limit) {
    list->limit = 2 * list->limit + 1000;
    list->items = realloc(list->items, list->limit * sizeof *list->items);
    assert_non_null(list->items);
  }
  assert_true(list->count == 0 || entry->ticks >= list->items[list->count - 1].ticks);
  list->items[list->count++] = *entry;
  return true;
}

static struct traced read_trace(struct hd_model *model) {
  struct traced traced = {.model = model, .stretches = hd_trace_stretches_find(model)};
  char error[300];
  if (!hd_trace_walk(model, keep, &traced.list, error, sizeof error))
    fail_msg("%s", error);
  return traced;
}

static struct traced play(const char *const *environment) {
  const struct fk_options options = {.environment = environment};
  const struct fk_result result = fk_play(sc_script(), &options);
  struct hd_model *model;
  char error[300];
  if (!hd_profile_open(result.path, &model, error, sizeof error))
    fail_msg("%s", error);
  return read_trace(model);
}

static void free_traced(struct traced *traced) {
  hd_trace_stretches_free(&traced->stretches);
  free(traced->list.items);
  hd_model_free(traced->model);
}

/* ---- against a whole trace ---- */

/* Numbers of tasks are those of the trace. */
static bool is_same(const struct hd_trace_entry *a, const struct hd_trace_entry *b) {
  return a->ticks == b->ticks && a->what == b->what && a->operand == b->operand && a->now.node == b->now.node &&
         a->now.state == b->now.state && (!hd_trace_has_number(a->what) || a->number == b->number) &&
         (!hd_trace_names_team(a->what) || a->team == b->team);
}

/* Something ends the trace and something else opens it at one instant: what comes between is not told. */
static bool is_seam(const struct list *part, uint64_t ticks) {
  for (uint32_t i = 0; i < part->count && part->items[i].ticks <= ticks; i++)
    if (part->items[i].ticks == ticks && part->items[i].is_bound)
      return true;
  return false;
}

/* The thread's next entry within, in either of the two. */
static const struct hd_trace_entry *next_within(const struct list *list, const struct list *part, uint32_t *at,
                                                uint32_t thread, const struct hd_trace_stretch *stretch) {
  for (; *at < list->count; ++*at) {
    const struct hd_trace_entry *entry = &list->items[*at];
    if (entry->thread == thread && entry->ticks > stretch->from_ticks && entry->ticks < stretch->to_ticks &&
        !is_seam(part, entry->ticks))
      return &list->items[(*at)++];
  }
  return NULL;
}

/* What it does just after that. */
static struct hd_trace_place place_after(const struct list *list, uint32_t thread, uint64_t ticks) {
  struct hd_trace_place place = {0, HD_STATE_COUNT};
  for (uint32_t i = 0; i < list->count && list->items[i].ticks <= ticks; i++)
    if (list->items[i].thread == thread)
      place = list->items[i].now;
  return place;
}

/* A thread that was killed before it could say what it waited for since before the stretch is not there. */
static void expect_begin_of(const struct traced *whole, const struct traced *part, uint32_t thread, uint64_t ticks,
                            uint64_t seed) {
  const struct hd_trace_place a = place_after(&whole->list, thread, ticks), b = place_after(&part->list, thread, ticks);
  const bool may_lack = !(part->model->header.flags & HD_FILE_COMPLETE) && b.state == HD_STATE_COUNT;
  if (!may_lack && (a.state != b.state || (a.state != HD_STATE_COUNT && a.node != b.node)))
    fail_msg("seed %llu: thread %u from %llu: state %u in %u, not %u in %u", (unsigned long long)seed, thread,
             (unsigned long long)ticks, a.state, a.node, b.state, b.node);
}

static void expect_stretch_of(const struct traced *whole, const struct traced *part, uint32_t thread,
                              const struct hd_trace_stretch *stretch, uint64_t seed) {
  if (stretch->from_ticks < stretch->to_ticks)
    expect_begin_of(whole, part, thread, stretch->from_ticks, seed);
  for (uint32_t i = 0, j = 0;;) {
    const struct hd_trace_entry *of_whole = next_within(&whole->list, &part->list, &i, thread, stretch);
    const struct hd_trace_entry *of_part = next_within(&part->list, &part->list, &j, thread, stretch);
    if (!of_whole && !of_part)
      return;
    if (!of_whole || !of_part || !is_same(of_whole, of_part))
      fail_msg("seed %llu: thread %u: what %d at %llu, not what %d at %llu", (unsigned long long)seed, thread,
               of_whole ? (int)of_whole->what : -1, of_whole ? (unsigned long long)of_whole->ticks : 0,
               of_part ? (int)of_part->what : -1, of_part ? (unsigned long long)of_part->ticks : 0);
  }
}

static void expect_stretches_of(const struct traced *whole, const struct traced *part, uint64_t seed) {
  uint32_t within = 0;
  for (uint32_t i = 0; i < part->stretches.count; i++) {
    const struct hd_trace_stretch *stretch = &part->stretches.items[i];
    assert_true(stretch->from_ticks <= stretch->to_ticks);
    assert_true(i == 0 || stretch->from_ticks > stretch[-1].to_ticks);
    for (uint32_t thread = 0; thread < whole->model->thread_count; thread++)
      expect_stretch_of(whole, part, thread, stretch, seed);
    for (uint32_t j = 0; j < part->list.count; j++)
      within += part->list.items[j].ticks >= stretch->from_ticks && part->list.items[j].ticks <= stretch->to_ticks;
  }
  assert_int_equal(within, part->list.count);
}

/* ---- random programs ---- */

static unsigned long number(const char *variable, unsigned long otherwise) {
  const char *text = getenv(variable);
  return text ? strtoul(text, NULL, 10) : otherwise;
}

static struct rp_options program_of(uint64_t seed) {
  return (struct rp_options){.recursive = seed % 3 == 0,
                             .large_teams = seed % 3 == 1,
                             .routines = true,
                             .short_threads = seed % 4 == 2,
                             .killed = seed % 5 == 0};
}

static void check_random(const char *const *environment, uint32_t events,
                         uint32_t (*check)(const struct traced *, const struct traced *)) {
  const unsigned long only = number("HEDDLE_SEED", 0), last = only ? only : number("HEDDLE_SEEDS", 60);
  uint32_t found = 0;
  for (uint64_t seed = only ? only : 1; seed <= last; seed++) {
    struct rp_options program = program_of(seed);
    program.events = events;
    rp_generate(seed, &program);
    if (only)
      fk_print(sc_script());
    struct traced whole = play(all), part = play(environment);
    expect_stretches_of(&whole, &part, seed);
    found += check(&whole, &part);
    free_traced(&whole);
    free_traced(&part);
  }
  assert_true(only || found >= last / 10);
}

static bool is_phase_1(const struct hd_model *model, uint32_t node) {
  return model->nodes[node].kind == HD_KIND_PHASE && ex_code(&model->nodes[node]) == 1;
}

static bool is_traced(const struct traced *part, uint64_t ticks) {
  for (uint32_t i = 0; i < part->stretches.count; i++)
    if (ticks >= part->stretches.items[i].from_ticks && ticks <= part->stretches.items[i].to_ticks)
      return true;
  return false;
}

/* Every begin of such a phase is in a stretch, and every stretch begins with one. */
static uint32_t check_phases(const struct traced *whole, const struct traced *part) {
  for (uint32_t i = 0; i < part->stretches.count; i++) {
    bool begins = false;
    for (uint32_t j = 0; j < whole->list.count; j++) {
      const struct hd_trace_entry *entry = &whole->list.items[j];
      begins |= entry->ticks == part->stretches.items[i].from_ticks && entry->what == HD_WHAT_ENTER &&
                is_phase_1(whole->model, entry->operand);
    }
    assert_true(begins || whole->model->header.pauses > 0); /* one that begins in a pause is not told */
  }
  for (uint32_t j = 0; j < whole->list.count; j++) {
    const struct hd_trace_entry *entry = &whole->list.items[j];
    if (entry->what == HD_WHAT_ENTER && is_phase_1(whole->model, entry->operand))
      assert_true(is_traced(part, entry->ticks));
  }
  return part->stretches.count;
}

static bool is_wanted(const struct hd_model *model, uint32_t node) {
  const uint64_t code = ex_code(&model->nodes[node]);
  return code == 0x100100 || code == 0x101100;
}

/* Those in which an instance is open, as the whole trace says. */
static uint32_t check_regions(const struct traced *whole, const struct traced *part) {
  uint32_t open = 0, stretches = 0;
  uint64_t end = UINT64_MAX;
  for (uint32_t i = 0; i < whole->list.count; i++) {
    const struct hd_trace_entry *entry = &whole->list.items[i];
    const bool begins = entry->what == HD_WHAT_REGION_BEGIN || entry->what == HD_WHAT_NESTED_BEGIN;
    const bool ends = entry->what == HD_WHAT_REGION_END || entry->what == HD_WHAT_NESTED_END;
    if ((!begins && !ends) || !is_wanted(whole->model, entry->operand))
      continue;
    if (begins && open++ == 0 && entry->ticks != end) {
      assert_in_range(stretches, 0, part->stretches.count - 1);
      assert_int_equal(part->stretches.items[stretches++].from_ticks, entry->ticks);
    }
    if (ends && --open == 0)
      end = entry->ticks;
    if (ends && open == 0)
      assert_true(part->stretches.items[stretches - 1].to_ticks >= end);
  }
  assert_int_equal(stretches, part->stretches.count);
  return stretches;
}

/* Not all blocks that threads had are there. */
static uint32_t used_again;

static bool used_blocks_again(const struct hd_model *model) {
  struct hd_trace_blocks blocks = hd_trace_blocks_find(model);
  bool any = false;
  for (uint32_t i = 1; i < blocks.count; i++)
    any |=
        blocks.items[i].owner == blocks.items[i - 1].owner && blocks.items[i].number > blocks.items[i - 1].number + 1;
  hd_trace_blocks_free(&blocks);
  return any;
}

static int by_begin(const void *a, const void *b) {
  const struct hd_lull *left = a, *right = b;
  return (left->from_ticks > right->from_ticks) - (left->from_ticks < right->from_ticks);
}

/* As far as the trace goes: those that a whole trace has. */
static uint32_t check_lulls(const struct traced *whole, const struct traced *part) {
  const struct hd_lull_condition condition = {.busy_most = 1, .least_ticks = 2000};
  const uint64_t full = part->model->header.trace_full_ticks, end = full > 0 ? full : UINT64_MAX;
  struct hd_lulls lulls;
  char error[300];
  assert_true(hd_lulls_find(whole->model, &condition, &lulls, error, sizeof error));
  if (lulls.count > 0)
    qsort(lulls.items, lulls.count, sizeof *lulls.items, by_begin);
  uint32_t found = 0;
  for (; found < lulls.count && lulls.items[found].to_ticks < end; found++) {
    assert_in_range(found, 0, part->stretches.count - 1);
    assert_int_equal(part->stretches.items[found].from_ticks, lulls.items[found].from_ticks);
    assert_int_equal(part->stretches.items[found].to_ticks, lulls.items[found].to_ticks);
  }
  assert_true(full > 0 || found == part->stretches.count);
  hd_lulls_free(&lulls);
  used_again += used_blocks_again(part->model);
  return found;
}

static void test_random_lulls(void **state) {
  (void)state;
  check_random(of_lulls, 20000, check_lulls);
}

static void test_random_phases(void **state) {
  (void)state;
  check_random(of_phase, 0, check_phases);
}

static void test_random_regions(void **state) {
  (void)state;
  check_random(of_region, 0, check_regions);
}

/* Profiles are what they are without a trace, whatever the program does. */
static void test_random_profiles_are_the_same(void **state) {
  (void)state;
  static const struct fk_options variants[] = {{.environment = of_phase},
                                               {.environment = of_region},
                                               {.environment = of_few_busy},
                                               {.environment = of_lulls},
                                               {.environment = last_of_region}};
  pl_check("conditions", (struct rp_options){0}, variants, 5);
  pl_check("conditions of short threads", (struct rp_options){.short_threads = true}, variants, 5);
  pl_check("conditions of killed programs", (struct rp_options){.killed = true}, variants, 5);
}

/* ---- one by one ---- */

static void expect_entry(const struct hd_trace_entry *entry, uint64_t ticks, uint32_t thread, uint32_t state,
                         uint32_t what) {
  assert_int_equal(entry->ticks, ticks);
  assert_int_equal(entry->thread, thread);
  assert_int_equal(entry->now.state, state);
  assert_int_equal(entry->what, what);
}

static void wait_for_lock(uint64_t from, uint64_t to) {
  sc_at(from);
  sc_acquire(ompt_mutex_lock, 1, 0x300);
  sc_at(to);
  sc_acquired(ompt_mutex_lock, 1, 0x300);
  sc_released(ompt_mutex_lock, 1, 0x300);
}

/* Two phases of that name, one within the other, are one stretch; what is between two is not told. */
static void test_a_phase_opens_the_trace(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  wait_for_lock(10, 20);
  sc_at(100);
  sc_phase_begin(1);
  wait_for_lock(110, 120);
  sc_at(130);
  sc_phase_begin(1);
  sc_at(140);
  sc_phase_end(1);
  sc_at(150);
  sc_phase_end(1);
  wait_for_lock(160, 170);
  sc_at(200);
  sc_phase_begin(2);
  sc_at(300);
  sc_phase_begin(1);
  sc_at(400);
  sc_finish();
  struct traced part = play(of_phase);
  struct hd_trace_size size;
  const struct list *list = &part.list;
  assert_true(hd_trace_size(part.model, &size));
  assert_true(size.has_condition);
  assert_int_equal(size.stretch_count, 2);
  assert_int_equal(size.stretch_ticks, 50 + 100);
  assert_int_equal(part.stretches.items[0].from_ticks, 100);
  assert_int_equal(part.stretches.items[0].to_ticks, 150);
  assert_int_equal(part.stretches.items[1].from_ticks, 300);
  expect_entry(&list->items[0], 100, 0, HD_BUSY, HD_WHAT_NOTHING);
  assert_true(list->items[0].is_bound && list->items[0].now.node == 0);
  expect_entry(&list->items[1], 100, 0, HD_BUSY, HD_WHAT_ENTER);
  uint32_t i = 2;
  while (i < list->count && list->items[i].now.state != HD_STATE_COUNT)
    assert_in_range(list->items[i++].ticks, 100, 150);
  expect_entry(&list->items[i], 150, 0, HD_STATE_COUNT, HD_WHAT_NOTHING);
  assert_true(list->items[i].is_bound);
  assert_int_equal(list->items[++i].ticks, 300);
  assert_int_equal(list->items[i].before.state, HD_STATE_COUNT);
  free_traced(&part);
}

/* Workers that idle since long before say so; a region around the phase has neither begin nor end in the trace. */
static void test_threads_say_what_they_are_in(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_at(10);
  sc_fork(0x1000, 3, 1, 20);
  sc_at(50);
  sc_phase_begin(1);
  sc_thread(1);
  sc_at(60);
  sc_join_begin();
  sc_thread(0);
  sc_at(70);
  sc_phase_end(1);
  sc_thread(2);
  sc_at(80);
  sc_join_begin();
  sc_thread(0);
  sc_join(90, 100, 110);
  sc_at(200);
  sc_phase_begin(1);
  sc_at(300);
  sc_phase_end(1);
  sc_at(400);
  sc_finish();
  struct traced part = play(of_phase);
  assert_int_equal(part.stretches.count, 2);
  for (uint32_t thread = 0; thread < 3; thread++) {
    const struct hd_trace_place during = place_after(&part.list, thread, 50),
                                later = place_after(&part.list, thread, 200);
    assert_int_equal(during.state, HD_BUSY);
    assert_int_equal(later.state, thread == 0 ? HD_BUSY : HD_IDLE);
  }
  assert_int_equal(place_after(&part.list, 1, 60).state, HD_WAIT_BARRIER_IMPLICIT);
  assert_int_equal(place_after(&part.list, 2, 69).state, HD_BUSY);
  for (uint32_t i = 0; i < part.list.count; i++)
    assert_true(part.list.items[i].what != HD_WHAT_REGION_BEGIN && part.list.items[i].what != HD_WHAT_REGION_END);
  free_traced(&part);
}

/* Of a condition that never held there is an empty trace. */
/* Of three threads; every third opens the trace. Before each thousandth nothing happens for `pause`. */
static void play_regions_and(uint64_t pause) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  for (uint64_t i = 0, at = 100; i < 3000; i++, at += 100) {
    at += i % 1000 == 999 ? pause : 0;
    sc_at(at);
    sc_fork(i % 3 == 0 ? 0x100100 : 0x100200, 3, 1, at + 2);
    for (uint32_t thread = 1; thread < 3; thread++) {
      sc_thread(thread);
      sc_at(at + 40 + thread);
      sc_join_begin();
    }
    sc_thread(0);
    sc_join(at + 60 + i % 7, at + 70, at + 80);
  }
  sc_finish();
}

static void play_regions(void) {
  play_regions_and(0);
}

/* All at the same time, as they like. */
static void check_freely(const char *const *environment, uint32_t least) {
  const struct fk_options with = {
      .environment = environment, .pthreads = true, .real_clock = true, .free_running = true};
  play_regions();
  struct traced part = read_trace(ex_play_with(&with));
  assert_in_range(part.stretches.count, least, 1 << 16);
  for (uint32_t i = 0; i < part.list.count; i++)
    assert_true(is_traced(&part, part.list.items[i].ticks));
  free_traced(&part);
}

static void test_threads_that_run_freely(void **state) {
  (void)state;
  check_freely(of_region, 1);
  check_freely(of_lulls, 0);
}

/* Of what lies between such times blocks are used again. */
static void test_times_with_few_busy(void **state) {
  (void)state;
  play_regions_and(5000);
  struct traced whole = play(all), part = play(of_lulls);
  used_again = 0;
  assert_int_equal(check_lulls(&whole, &part), 3);
  assert_int_equal(used_again, 1);
  expect_stretches_of(&whole, &part, 0);
  free_traced(&whole);
  free_traced(&part);
}

static void test_no_stretch_no_entries(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  wait_for_lock(10, 20);
  sc_at(100);
  sc_finish();
  struct traced part = play(of_phase);
  assert_int_equal(part.list.count, 0);
  assert_int_equal(part.stretches.count, 0);
  free_traced(&part);
}

/* More often than there is room for stretches to be listed: of the last one the thread knows all. */
static void test_many_stretches(void **state) {
  (void)state;
  enum { MANY = 70000, LISTED = 1 << 16 };
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  for (uint64_t i = 1; i <= MANY; i++) {
    sc_at(100 * i);
    sc_phase_begin(1);
    sc_at(100 * i + 10);
    sc_phase_end(1);
  }
  sc_at(100 * MANY + 100);
  sc_finish();
  struct traced part = play(of_phase);
  uint64_t ticks = 0;
  assert_int_equal(part.stretches.count, LISTED);
  for (uint32_t i = 0; i < part.list.count; i++)
    if (part.list.items[i].before.state != HD_STATE_COUNT)
      ticks += part.list.items[i].ticks - part.list.items[i].since_ticks;
  assert_int_equal(ticks, 10 * (LISTED - 1) + 100 * (MANY - LISTED) + 10);
  free_traced(&part);
}

/* ---- without the begin ---- */

static void test_the_end_of_a_run_is_kept(void **state) {
  (void)state;
  play_regions();
  struct traced whole = play(of_region), part = play(last_of_region);
  struct hd_trace_size size;
  assert_true(hd_trace_size(part.model, &size));
  assert_in_range(size.from_ticks, 10000, 290000);
  assert_in_range(part.stretches.count, 10, whole.stretches.count - 1);
  expect_stretches_of(&whole, &part, 0);
  free_traced(&whole);
  free_traced(&part);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_phases),
      cmocka_unit_test(test_random_regions),
      cmocka_unit_test(test_random_lulls),
      cmocka_unit_test(test_random_profiles_are_the_same),
      cmocka_unit_test(test_a_phase_opens_the_trace),
      cmocka_unit_test(test_threads_say_what_they_are_in),
      cmocka_unit_test(test_threads_that_run_freely),
      cmocka_unit_test(test_times_with_few_busy),
      cmocka_unit_test(test_no_stretch_no_entries),
      cmocka_unit_test(test_many_stretches),
      cmocka_unit_test(test_the_end_of_a_run_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
