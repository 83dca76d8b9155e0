/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who held what others waited for: of scripts whose holds and hand-overs are known, and of random ones against a count
 * of every tick. HEDDLE_SEEDS as in random_plays.h. */
#include "output/model/locks.h"

#include <stdlib.h>

#include "expect.h"
#include "output/model/memory.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)

static const char *const follow[] = {"HEDDLE_LOCKS=1", "HEDDLE_OVERHEAD=off", NULL};
static const struct fk_options followed = {.environment = follow};

static struct hd_model *model;

static int forget(void **state) {
  (void)state;
  hd_model_free(model);
  model = NULL;
  return 0;
}

/* ---- scripts ---- */

/* A region of so many threads from 0 on. */
static void begin(enum sc_runtime runtime, uint32_t threads) {
  sc_start(runtime);
  sc_initial_begin();
  sc_fork(0x100, threads, 1, 0);
}

static void end(uint32_t threads, uint64_t time, const struct fk_options *options) {
  for (uint32_t i = 1; i < threads; i++) {
    sc_thread(i);
    sc_at(time);
    sc_join_begin();
  }
  sc_thread(0);
  sc_join(time, time + 1, time + 2);
  sc_at(time + 3);
  sc_finish();
  fk_sort(sc_script());
  model = ex_play_with(options);
  assert_true(model->locks_known);
  assert_int_equal(model->header.lost_locks, 0);
}

static void waits(uint32_t thread, uint64_t time, ompt_mutex_t kind, uint64_t lock, uint64_t code) {
  sc_thread(thread);
  sc_at(time);
  sc_acquire(kind, lock, code);
}

static void gets(uint32_t thread, uint64_t time, ompt_mutex_t kind, uint64_t lock, uint64_t code) {
  sc_thread(thread);
  sc_at(time);
  sc_acquired(kind, lock, code);
}

static void gives(uint32_t thread, uint64_t time, ompt_mutex_t kind, uint64_t lock, uint64_t code) {
  sc_thread(thread);
  sc_at(time);
  sc_released(kind, lock, code);
}

static void section(uint32_t thread, uint64_t from, uint64_t got, uint64_t to, uint64_t code) {
  waits(thread, from, ompt_mutex_critical, 0x7000, code);
  gets(thread, got, ompt_mutex_critical, 0x7000, code);
  gives(thread, to, ompt_mutex_critical, 0x7000, code);
}

static struct hd_model_lock lock_of(const struct hd_node *node) {
  const struct hd_model_lock *found = hd_locks_find(model, node->id);
  return found ? *found : (struct hd_model_lock){0};
}

static struct hd_model_lock_pair pair_of(const struct hd_node *node, const struct hd_node *holder) {
  uint32_t count;
  const struct hd_model_lock_pair *pairs = hd_lock_pairs_of(model, node->id, &count);
  for (uint32_t i = 0; i < count; i++)
    if (pairs[i].holder == holder->id)
      return pairs[i];
  return (struct hd_model_lock_pair){0};
}

static void expect_pair(const struct hd_node *node, const struct hd_node *holder, uint64_t ticks, uint64_t count) {
  assert_int_equal(pair_of(node, holder).ticks, ticks);
  assert_int_equal(pair_of(node, holder).count, count);
}

/* Nothing of its waits is left over. */
static void expect_divided(const struct hd_node *node) {
  const struct hd_model_lock lock = lock_of(node);
  uint64_t ticks = lock.handover_ticks + lock.free_ticks, waited = 0;
  uint32_t count;
  const struct hd_model_lock_pair *pairs = hd_lock_pairs_of(model, node->id, &count);
  for (uint32_t i = 0; i < count; i++)
    ticks += pairs[i].ticks;
  for (enum hd_state state = HD_WAIT_CRITICAL; state <= HD_WAIT_ATOMIC; state++)
    waited += node->ticks[state];
  assert_int_equal(ticks, waited);
}

/* ---- known answers ---- */

/* The first gets it after 1 and holds it for 10. The second waits for 9 of them and for 2 of the hand-over, and holds
 * it for 20. The third waits for 7 of the first's, for those 2, for the second's 20, and for 3 of the next hand-over.
 */
static void test_waits_are_divided_among_holders_and_handovers(void **state) {
  (void)state;
  begin(SC_LIBOMP_19, 3);
  section(0, 5, 6, 16, 0x300);
  section(1, 7, 18, 38, 0x310);
  section(2, 9, 41, 42, 0x320);
  end(3, 50, &followed);
  const struct hd_node *first = ex_node(model, REGION, SITE(CRITICAL, 0x300));
  const struct hd_node *second = ex_node(model, REGION, SITE(CRITICAL, 0x310));
  const struct hd_node *third = ex_node(model, REGION, SITE(CRITICAL, 0x320));
  assert_int_equal(lock_of(first).free_ticks, 1);
  assert_int_equal(lock_of(first).hold_ticks, 10);
  assert_int_equal(lock_of(first).handovers, 0);
  expect_pair(second, first, 9, 1);
  assert_int_equal(lock_of(second).handover_ticks, 2);
  assert_int_equal(lock_of(second).delay_ticks, 2);
  expect_pair(third, first, 7, 1);
  expect_pair(third, second, 20, 1);
  assert_int_equal(lock_of(third).handover_ticks, 2 + 3);
  assert_int_equal(lock_of(third).handovers, 1);
  assert_int_equal(lock_of(third).delay_ticks, 3);
  assert_int_equal(lock_of(third).hold_ticks, 1);
  expect_divided(first);
  expect_divided(second);
  expect_divided(third);
}

/* The first's release is told when the second has it already: the hold ends with that, and the hand-over took no
 * time. */
static void test_a_release_that_is_told_late_ends_a_hold_at_the_next_acquisition(void **state) {
  (void)state;
  begin(SC_LIBOMP_19, 2);
  section(0, 5, 5, 18, 0x300);
  section(1, 7, 15, 20, 0x310);
  section(0, 19, 22, 23, 0x300);
  end(2, 50, &followed);
  const struct hd_node *first = ex_node(model, REGION, SITE(CRITICAL, 0x300));
  const struct hd_node *second = ex_node(model, REGION, SITE(CRITICAL, 0x310));
  expect_pair(second, first, 8, 1);
  assert_int_equal(lock_of(second).handovers, 1);
  assert_int_equal(lock_of(second).delay_ticks, 0);
  assert_int_equal(lock_of(first).hold_ticks, 10 + 1);
  assert_int_equal(lock_of(second).hold_ticks, 5);
  assert_int_equal(lock_of(first).elsewhere + lock_of(second).elsewhere, 0);
  expect_divided(second);
}

/* Thread 0 has two locks. By the clocks of their processors thread 1 has got both before thread 0 has told of either
 * release. */
static void test_a_thread_may_owe_several_releases(void **state) {
  (void)state;
  begin(SC_LIBOMP_19, 2);
  for (uint64_t lock = 0; lock < 2; lock++) {
    waits(0, 2 + 2 * lock, ompt_mutex_lock, 0x8000 + lock, 0x400);
    gets(0, 3 + 2 * lock, ompt_mutex_lock, 0x8000 + lock, 0x400);
  }
  for (uint64_t lock = 0; lock < 2; lock++) {
    waits(1, 10 + 2 * lock, ompt_mutex_lock, 0x8000 + lock, 0x420);
    gets(1, 11 + 2 * lock, ompt_mutex_lock, 0x8000 + lock, 0x420);
  }
  for (uint64_t lock = 0; lock < 2; lock++)
    gives(0, 14 + lock, ompt_mutex_lock, 0x8000 + lock, 0x400);
  for (uint64_t lock = 0; lock < 2; lock++)
    gives(1, 20 + lock, ompt_mutex_lock, 0x8000 + lock, 0x420);
  end(2, 30, &followed);
  const struct hd_node *first = ex_node(model, REGION, SITE(LOCK, 0x400));
  const struct hd_node *second = ex_node(model, REGION, SITE(LOCK, 0x420));
  assert_int_equal(lock_of(first).hold_ticks, 8 + 8);
  assert_int_equal(lock_of(second).hold_ticks, 9 + 8);
  assert_int_equal(lock_of(first).elsewhere + lock_of(second).elsewhere, 0);
}

/* Thread 0 gets it, thread 1 gives it back, thread 2 waits. Then the same, with a release that is told late. */
static void test_a_lock_that_another_thread_releases_is_marked(void **state) {
  (void)state;
  begin(SC_LIBOMP_19, 3);
  for (uint64_t at = 0; at < 60; at += 30) {
    waits(0, at + 2, ompt_mutex_lock, 0x8000, 0x400);
    gets(0, at + 3, ompt_mutex_lock, 0x8000, 0x400);
    waits(2, at + 4, ompt_mutex_lock, 0x8000, 0x420);
    gives(1, at + (at ? 14 : 10), ompt_mutex_lock, 0x8000, 0x410);
    gets(2, at + 12, ompt_mutex_lock, 0x8000, 0x420);
    gives(2, at + 20, ompt_mutex_lock, 0x8000, 0x430);
  }
  end(3, 70, &followed);
  const struct hd_node *got = ex_node(model, REGION, SITE(LOCK, 0x400));
  const struct hd_node *waited = ex_node(model, REGION, SITE(LOCK, 0x420));
  assert_int_equal(lock_of(got).holds, 2);
  assert_int_equal(lock_of(got).elsewhere, 2);
  assert_int_equal(lock_of(got).hold_ticks, 7 + 9);
  assert_int_equal(lock_of(waited).elsewhere, 0);
  assert_int_equal(lock_of(waited).hold_ticks, 8 + 8);
  assert_int_equal(lock_of(waited).delay_ticks, 2);
  expect_pair(waited, got, 6 + 8, 2);
  expect_divided(waited);
}

/* Nobody has it any more when it is released by another thread than the last that got it, which goes on meanwhile. */
static void test_a_thread_that_has_gone_on_has_not_released_its_lock(void **state) {
  (void)state;
  begin(SC_LIBOMP_19, 2);
  waits(0, 2, ompt_mutex_lock, 0x8000, 0x400);
  gets(0, 2, ompt_mutex_lock, 0x8000, 0x400);
  waits(1, 4, ompt_mutex_lock, 0x8000, 0x420);
  gets(1, 12, ompt_mutex_lock, 0x8000, 0x420);
  section(0, 13, 14, 15, 0x300);
  gives(1, 20, ompt_mutex_lock, 0x8000, 0x430);
  end(2, 30, &followed);
  assert_int_equal(lock_of(ex_node(model, REGION, SITE(LOCK, 0x400))).elsewhere, 1);
  assert_int_equal(lock_of(ex_node(model, REGION, SITE(LOCK, 0x420))).elsewhere, 0);
}

/* A test that succeeds holds it like any other; one that fails waits for nothing. */
static void test_tests_of_locks_hold_but_never_wait(void **state) {
  (void)state;
  begin(SC_LIBOMP_19, 2);
  waits(0, 2, ompt_mutex_test_lock, 0x8000, 0x400);
  gets(0, 3, ompt_mutex_test_lock, 0x8000, 0x400);
  waits(1, 4, ompt_mutex_test_lock, 0x8000, 0x410);
  waits(1, 5, ompt_mutex_lock, 0x8000, 0x420);
  gives(0, 10, ompt_mutex_lock, 0x8000, 0x430);
  gets(1, 12, ompt_mutex_lock, 0x8000, 0x420);
  gives(1, 20, ompt_mutex_lock, 0x8000, 0x430);
  end(2, 30, &followed);
  const struct hd_node *tested = ex_node(model, REGION, SITE(LOCK, 0x400));
  const struct hd_node *waited = ex_node(model, REGION, SITE(LOCK, 0x420));
  assert_int_equal(lock_of(tested).holds, 1);
  assert_int_equal(lock_of(tested).hold_ticks, 7);
  assert_int_equal(lock_of(tested).waits, 0);
  assert_null(hd_locks_find(model, ex_node(model, REGION, SITE(LOCK, 0x410))->id));
  expect_pair(waited, tested, 5, 1);
  assert_int_equal(lock_of(waited).handover_ticks, 2);
  expect_divided(waited);
}

/* libomp 14 sends such a test as the begin of a wait that never ends. */
static void test_a_failed_test_that_looks_like_a_wait_is_taken_back(void **state) {
  (void)state;
  begin(SC_LIBOMP_14, 2);
  waits(0, 2, ompt_mutex_lock, 0x8000, 0x400);
  gets(0, 3, ompt_mutex_lock, 0x8000, 0x400);
  waits(1, 4, ompt_mutex_lock, 0x8000, 0x410);
  waits(1, 8, ompt_mutex_lock, 0x8000, 0x420);
  gives(0, 10, ompt_mutex_lock, 0x8000, 0x430);
  gets(1, 12, ompt_mutex_lock, 0x8000, 0x420);
  gives(1, 20, ompt_mutex_lock, 0x8000, 0x430);
  end(2, 30, &followed);
  const struct hd_node *first = ex_node(model, REGION, SITE(LOCK, 0x400));
  const struct hd_node *failed = ex_node(model, REGION, SITE(LOCK, 0x410));
  const struct hd_node *waited = ex_node(model, REGION, SITE(LOCK, 0x420));
  assert_int_equal(lock_of(failed).waits, 0);
  expect_pair(failed, first, 0, 0);
  expect_pair(waited, first, 2, 1);
  expect_divided(failed);
  expect_divided(waited);
}

/* What is acquired again while it is held makes no events of its own. */
static void test_a_nested_lock_is_held_until_its_last_release(void **state) {
  (void)state;
  begin(SC_LIBOMP_19, 2);
  waits(0, 2, ompt_mutex_nest_lock, 0x8000, 0x400);
  gets(0, 2, ompt_mutex_nest_lock, 0x8000, 0x400);
  waits(1, 4, ompt_mutex_nest_lock, 0x8000, 0x420);
  gives(0, 14, ompt_mutex_nest_lock, 0x8000, 0x430);
  gets(1, 15, ompt_mutex_nest_lock, 0x8000, 0x420);
  gives(1, 20, ompt_mutex_nest_lock, 0x8000, 0x430);
  end(2, 30, &followed);
  const struct hd_node *first = ex_node(model, REGION, SITE(LOCK, 0x400));
  assert_int_equal(lock_of(first).hold_ticks, 12);
  expect_pair(ex_node(model, REGION, SITE(LOCK, 0x420)), first, 10, 1);
}

/* Waits and holds that are still open at the end last until then: the program's. */
static void test_what_is_open_lasts_until_the_end(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  waits(0, 2, ompt_mutex_critical, 0x8000, 0x400);
  gets(0, 3, ompt_mutex_critical, 0x8000, 0x400);
  sc_thread(1);
  sc_at(1);
  sc_initial_begin();
  waits(1, 5, ompt_mutex_critical, 0x8000, 0x420);
  sc_thread(0);
  sc_at(20);
  sc_finish();
  fk_sort(sc_script());
  model = ex_play_with(&followed);
  const struct hd_node *first = ex_node(model, SITE(CRITICAL, 0x400)), *waited = ex_node(model, SITE(CRITICAL, 0x420));
  assert_int_equal(lock_of(first).hold_ticks, 17);
  expect_pair(waited, first, 15, 1);
}

/* What was to be told of locks is still in the logs: it names no callpaths, of which there are few. */
static void test_a_killed_program_has_all_but_the_holders(void **state) {
  (void)state;
  begin(SC_LIBOMP_19, 2);
  section(0, 10, 11, 20, 0x400);
  waits(0, 30, ompt_mutex_critical, 0x7000, 0x400);
  sc_kill();
  model = ex_play_killed_with(&followed);
  assert_false(model->locks_known);
  assert_int_equal(ex_node(model, REGION, SITE(CRITICAL, 0x400))->visits, 2);
}

static void test_without_the_option_nothing_is_known(void **state) {
  (void)state;
  begin(SC_LIBOMP_19, 2);
  section(0, 5, 6, 16, 0x300);
  sc_thread(1);
  sc_at(20);
  sc_join_begin();
  sc_thread(0);
  sc_join(20, 21, 22);
  sc_at(23);
  sc_finish();
  fk_sort(sc_script());
  model = ex_play();
  assert_false(model->locks_known);
  assert_int_equal(model->header.lock_flags, 0);
}

/* ---- random programs ---- */

enum { THREADS = 5, LOCKS = 3, SITES = 4, EVENTS = 1200, TIMES = 8 * EVENTS };

static const ompt_mutex_t kinds[LOCKS] = {ompt_mutex_critical, ompt_mutex_lock, ompt_mutex_ordered};

struct stretch {
  uint32_t thread, lock, site;
  uint64_t from, got, to;
};

static struct {
  uint64_t seed, time;
  struct stretch all[EVENTS];
  uint32_t count;
  int32_t of_thread[THREADS]; /* its open one; -1: none */
  int32_t holder[LOCKS];      /* likewise */
} program;

static uint32_t choose(uint32_t below) {
  program.seed = program.seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(program.seed >> 33) % below;
}

static uint64_t code_of(uint32_t lock, uint32_t site) {
  return 0x300 + 0x100 * lock + 0x10 * site;
}

/* Each thread has a few callpaths of its own. */
static void step(uint32_t thread, bool ends) {
  const int32_t open = program.of_thread[thread];
  struct stretch *at = open < 0 ? NULL : &program.all[open];
  program.time += 1 + choose(6);
  if (!at && !ends && program.count < EVENTS) {
    at = &program.all[program.count];
    *at = (struct stretch){.thread = thread, .lock = choose(LOCKS), .site = choose(SITES), .from = program.time};
    program.of_thread[thread] = (int32_t)program.count++;
    waits(thread, program.time, kinds[at->lock], 0x9000 + at->lock, code_of(at->lock, at->site));
  } else if (at && at->got == 0 && program.holder[at->lock] < 0) {
    program.holder[at->lock] = open;
    at->got = program.time;
    gets(thread, program.time, kinds[at->lock], 0x9000 + at->lock, code_of(at->lock, at->site));
  } else if (at && at->got > 0) {
    program.holder[at->lock] = program.of_thread[thread] = -1;
    at->to = program.time;
    gives(thread, program.time, kinds[at->lock], 0x9000 + at->lock, code_of(at->lock, at->site));
  }
}

static void generate(uint64_t seed) {
  memset(&program, 0, sizeof program);
  program.seed = seed * 0x9E3779B97F4A7C15u;
  memset(program.of_thread, -1, sizeof program.of_thread);
  memset(program.holder, -1, sizeof program.holder);
  begin(SC_LIBOMP_19, THREADS);
  for (uint32_t i = 0; i < EVENTS; i++)
    step(choose(THREADS), false);
  for (uint32_t i = 0; i < 3 * THREADS * THREADS; i++)
    step(i % THREADS, true);
}

/* Every tick of every lock: who holds it, or whether somebody waited at its last release. */
enum { NOBODY = -1, HANDED = -2 };
static int32_t states[LOCKS][TIMES];

static bool is_waited_for(uint32_t lock, uint64_t time) {
  for (uint32_t i = 0; i < program.count; i++)
    if (program.all[i].lock == lock && program.all[i].from < time && program.all[i].got > time)
      return true;
  return false;
}

static void play_holds(uint32_t lock) {
  for (uint32_t time = 0; time < TIMES; time++)
    states[lock][time] = NOBODY;
  for (uint32_t i = 0; i < program.count; i++)
    for (uint64_t time = program.all[i].got; program.all[i].lock == lock && time < program.all[i].to; time++)
      states[lock][time] = (int32_t)i;
}

static void play_ticks(void) {
  for (uint32_t lock = 0; lock < LOCKS; lock++) {
    play_holds(lock);
    for (uint32_t i = 0; i < program.count; i++) {
      const uint64_t released = program.all[i].to;
      const bool is_handed = program.all[i].lock == lock && is_waited_for(lock, released);
      for (uint64_t time = released; is_handed && time < TIMES && states[lock][time] == NOBODY; time++)
        states[lock][time] = HANDED;
    }
  }
}

static struct {
  struct hd_model_lock lock;
  uint64_t ticks[SITES], counts[SITES]; /* by the holder's site */
} wanted[LOCKS][SITES];

static void add_wait(const struct stretch *at) {
  struct hd_model_lock *lock = &wanted[at->lock][at->site].lock;
  lock->waits++;
  for (uint64_t time = at->from; time < at->got; time++) {
    const int32_t found = states[at->lock][time];
    lock->free_ticks += found == NOBODY;
    lock->handover_ticks += found == HANDED;
    if (found >= 0)
      wanted[at->lock][at->site].ticks[program.all[found].site]++;
  }
  uint64_t released = at->got;
  while (released > 0 && states[at->lock][released - 1] == HANDED)
    released--;
  lock->handovers += released < at->got;
  lock->delay_ticks += at->got - released;
}

static void add_all(void) {
  memset(wanted, 0, sizeof wanted);
  for (uint32_t i = 0; i < program.count; i++) {
    const struct stretch *at = &program.all[i];
    add_wait(at);
    wanted[at->lock][at->site].lock.holds++;
    wanted[at->lock][at->site].lock.hold_ticks += at->to - at->got;
    for (uint32_t j = 0; j < program.count; j++) {
      const struct stretch *by = &program.all[j];
      if (by->lock == at->lock && by->got < at->got && by->to > at->from)
        wanted[at->lock][at->site].counts[by->site]++;
    }
  }
}

static const enum hd_kind kinds_of[LOCKS] = {HD_KIND_CRITICAL, HD_KIND_LOCK, HD_KIND_ORDERED};

static const struct hd_node *node_of(uint32_t lock, uint32_t site) {
  const struct ex_site path[] = {REGION, {kinds_of[lock], code_of(lock, site)}};
  return ex_node_at(model, true, path, 2);
}

static void expect_wanted(uint32_t lock, uint32_t site) {
  const struct hd_node *node = node_of(lock, site);
  const struct hd_model_lock *want = &wanted[lock][site].lock, found = lock_of(node);
  assert_int_equal(found.waits, want->waits);
  assert_int_equal(found.free_ticks, want->free_ticks);
  assert_int_equal(found.handover_ticks, want->handover_ticks);
  assert_int_equal(found.handovers, want->handovers);
  assert_int_equal(found.delay_ticks, want->delay_ticks);
  assert_int_equal(found.holds, want->holds);
  assert_int_equal(found.hold_ticks, want->hold_ticks);
  assert_int_equal(found.elsewhere, 0);
  for (uint32_t by = 0; by < SITES; by++)
    if (wanted[lock][by].lock.holds > 0)
      expect_pair(node, node_of(lock, by), wanted[lock][site].ticks[by], wanted[lock][site].counts[by]);
  expect_divided(node);
}

static void test_random_programs_match_a_count_of_every_tick(void **state) {
  (void)state;
  static const char *const tiny[] = {"HEDDLE_LOCKS=1", "HEDDLE_OVERHEAD=off", "HEDDLE_TEST_WINDOWS=2,1,7,5", NULL};
  static const char *const both[] = {"HEDDLE_LOCKS=1", "HEDDLE_OVERHEAD=off", "HEDDLE_CRITICAL_PATH=1", NULL};
  static const struct fk_options sweeps[] = {{.environment = follow}, {.environment = tiny}, {.environment = both}};
  const char *text = getenv("HEDDLE_SEEDS");
  const unsigned long seeds = text ? strtoul(text, NULL, 10) : 60;
  for (unsigned long seed = 1; seed <= seeds; seed++) {
    generate(seed);
    end(THREADS, program.time + 1, &sweeps[seed % 3]);
    play_ticks();
    add_all();
    for (uint32_t lock = 0; lock < LOCKS; lock++)
      for (uint32_t site = 0; site < SITES; site++)
        if (wanted[lock][site].lock.waits > 0)
          expect_wanted(lock, site);
    forget(NULL);
  }
}

/* ---- memory ---- */

/* Locks that nobody holds or waits for are forgotten. */
static uint64_t memory_of(uint32_t locks) {
  begin(SC_LIBOMP_19, 2);
  for (uint32_t i = 0; i < locks; i++) {
    waits(0, 1 + 4 * i, ompt_mutex_lock, 0x10000 + 64 * i, 0x400);
    gets(0, 2 + 4 * i, ompt_mutex_lock, 0x10000 + 64 * i, 0x400);
    gives(0, 3 + 4 * i, ompt_mutex_lock, 0x10000 + 64 * i, 0x400);
  }
  end(2, 4 * locks + 4, &followed);
  const uint64_t bytes = model->header.memory_bytes;
  assert_int_equal(lock_of(ex_node(model, REGION, SITE(LOCK, 0x400))).hold_ticks, locks);
  forget(NULL);
  return bytes;
}

static void test_memory_does_not_grow_with_the_number_of_locks(void **state) {
  (void)state;
  enum { FEW = 100, MANY = 20000, ALLOWED = 16 << 10 };
  const uint64_t few = memory_of(FEW);
  assert_in_range(memory_of(MANY), 0, few + ALLOWED);
}

/* More than there is room for at a time: counted, and the rest is as good as ever. Whoever waits for one that had no
 * room does not know whether somebody holds it, until it is released. */
static void test_locks_without_room_are_counted(void **state) {
  (void)state;
  enum { HELD = 5000, MOST = 4096 };
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  for (uint32_t i = 0; i < HELD; i++) {
    waits(0, 1 + 3 * i, ompt_mutex_lock, 0x10000 + 64 * i, 0x400);
    gets(0, 2 + 3 * i, ompt_mutex_lock, 0x10000 + 64 * i, 0x400);
  }
  enum { LATER = 3 * HELD, LAST = 0x10000 + 64 * (HELD - 1) };
  gives(0, LATER, ompt_mutex_lock, 0x10000, 0x410);
  sc_thread(1);
  sc_at(LATER);
  sc_initial_begin();
  waits(1, LATER + 1, ompt_mutex_lock, LAST, 0x420);
  gives(0, LATER + 10, ompt_mutex_lock, LAST, 0x410);
  gets(1, LATER + 12, ompt_mutex_lock, LAST, 0x420);
  sc_thread(0);
  sc_at(LATER + 20);
  sc_finish();
  fk_sort(sc_script());
  model = ex_play_with(&followed);
  assert_true(model->locks_known);
  const struct hd_model_lock waited = lock_of(ex_node(model, SITE(LOCK, 0x420)));
  assert_int_equal(waited.waits, 1);
  assert_int_equal(waited.free_ticks, 0);
  assert_int_equal(waited.handover_ticks, 2);
  assert_int_equal(lock_of(ex_node(model, SITE(LOCK, 0x400))).holds, MOST);
  assert_in_range(model->header.lost_locks, HELD - MOST, 2 * (HELD - MOST));
}

int main(int argc, char **argv) {
#define TEST(name) cmocka_unit_test_teardown(name, forget)
  const struct CMUnitTest tests[] = {
      TEST(test_waits_are_divided_among_holders_and_handovers),
      TEST(test_a_release_that_is_told_late_ends_a_hold_at_the_next_acquisition),
      TEST(test_a_thread_may_owe_several_releases),
      TEST(test_a_lock_that_another_thread_releases_is_marked),
      TEST(test_a_thread_that_has_gone_on_has_not_released_its_lock),
      TEST(test_tests_of_locks_hold_but_never_wait),
      TEST(test_a_failed_test_that_looks_like_a_wait_is_taken_back),
      TEST(test_a_nested_lock_is_held_until_its_last_release),
      TEST(test_what_is_open_lasts_until_the_end),
      TEST(test_a_killed_program_has_all_but_the_holders),
      TEST(test_without_the_option_nothing_is_known),
      TEST(test_random_programs_match_a_count_of_every_tick),
      TEST(test_memory_does_not_grow_with_the_number_of_locks),
      TEST(test_locks_without_room_are_counted),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
