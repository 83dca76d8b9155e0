/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Outermost regions are switched off in random programs, but for windows: all numbers are as if the program had not had
 * the instances that are refused, nor what was in them; only their number is known. What windows saw makes estimates
 * whose sums are the same. HEDDLE_SEEDS=n plays n programs (default 100), HEDDLE_SEED=n only that one. */
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "output/analysis/resolve/resolve.h"
#include "output/model/format_names.h"
#include "output/model/lazy_rows.h"
#include "output/model/memory.h"
#include "random_program.h"
#include "script.h"
#include "switched_program.h"

enum { REGIONS_MOST = 1 << 16, TASKS_MOST = 1 << 16, CALLPATHS_MOST = 1 << 10, DEPTH_MOST = 64 };

/* ---- regions are switched off and on ---- */

static uint64_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
  return *state >> 33;
}

static void emit_switch(struct fk_script *with, uint64_t time, uint32_t offset, bool off) {
  struct fk_event event = fk_event_of(FK_SWITCH, time, 0);
  event.kind = HD_CLASS_REGION + offset;
  event.endpoint = off ? ompt_scope_begin : ompt_scope_end;
  fk_emit(with, &event);
}

static size_t last_of_thread_0(const struct fk_script *script) {
  size_t i = 0;
  while (i < script->count && script->events[i].op != FK_THREAD_END && script->events[i].op < FK_FORK)
    i++;
  return i < script->count ? i : 0;
}

/* Off, then windows that open and close, then on again, and so on. */
static void add_switches(uint64_t seed) {
  struct fk_script *script = sc_script();
  struct fk_script with = {.region_count = script->region_count, .task_count = script->task_count};
  uint64_t random = seed;
  bool off = false, open = false;
  const size_t last = last_of_thread_0(script);
  for (size_t i = 0; i < script->count; i++) {
    const uint64_t dice = next_random(&random) % 16, time = script->events[i].time;
    if (i > 2 && i < last && !off && dice < 4) {
      emit_switch(&with, time, 0, true);
      off = true;
    } else if (i > 2 && i < last && off && dice < 2) {
      emit_switch(&with, time, HD_CLASS_COUNT, open);
      open = !open;
    } else if (i > 2 && i < last && off && dice == 2) {
      emit_switch(&with, time, 0, false);
      off = open = false;
    }
    fk_emit(&with, &script->events[i]);
  }
  fk_free(script);
  *script = with;
}

/* ---- what is refused, by the definition ---- */

static struct {
  bool off, open, paused;
  struct doing {
    bool is_initial, works_in;
    uint32_t led, observed;
    uint32_t depth;
    uint64_t callpath[DEPTH_MOST]; /* of constructs outside regions, [0] outside all: what they and those around are */
    uint32_t known;
    uint64_t knows[CALLPATHS_MOST];
  } threads[FK_MAX_THREADS];
  bool refused[REGIONS_MOST], is_explicit[TASKS_MOST];
  uint64_t count; /* of outermost instances */
} now;

static bool is_refused(uint32_t thread) {
  return now.threads[thread].led > 0 || now.threads[thread].works_in;
}

/* ---- constructs around regions ---- */

static uint64_t below(const struct doing *doing, uint64_t code) {
  return (doing->callpath[doing->depth] ^ code) * 6364136223846793005u + 1442695040888963407u;
}

static void nest(const struct fk_event *e, bool begins) {
  struct doing *doing = &now.threads[e->thread];
  if (is_refused(e->thread) || doing->observed > 0 || !doing->is_initial)
    return;
  assert_true(begins ? doing->depth + 1 < DEPTH_MOST : doing->depth > 0);
  if (begins)
    doing->callpath[doing->depth + 1] = below(doing, e->code);
  doing->depth = begins ? doing->depth + 1 : doing->depth - 1;
}

static void nest_in_construct(const struct fk_event *e) {
  const bool is_lock = e->kind != ompt_mutex_critical && e->kind != ompt_mutex_atomic && e->kind != ompt_mutex_ordered;
  if (e->op == FK_WORK || e->op == FK_MASKED || (e->op == FK_SYNC_REGION && e->kind == ompt_sync_region_taskgroup))
    nest(e, e->endpoint == ompt_scope_begin);
  else if ((e->op == FK_MUTEX_ACQUIRE || e->op == FK_MUTEX_RELEASED) && !is_lock)
    nest(e, e->op == FK_MUTEX_ACQUIRE);
}

/* ---- regions ---- */

static bool knows(struct doing *doing, uint64_t callpath) {
  for (uint32_t i = 0; i < doing->known; i++)
    if (doing->knows[i] == callpath)
      return true;
  assert_true(doing->known < CALLPATHS_MOST);
  doing->knows[doing->known++] = callpath;
  return false;
}

/* The first that a thread begins at a callpath, once regions are off, is observed: it makes room for the count. */
static bool begins_refused(const struct fk_event *e) {
  const bool is_league = e->flags & ompt_parallel_league;
  struct doing *doing = &now.threads[e->thread];
  if (is_refused(e->thread))
    return true;
  if (!now.off || now.paused || doing->observed > 0 || !doing->is_initial || now.is_explicit[e->task])
    return false;
  const bool refused = knows(doing, below(doing, e->code + is_league)) && !now.open;
  now.count += refused;
  return refused;
}

static bool drop_parallel_begin(const struct fk_event *e) {
  const bool refused = begins_refused(e);
  now.refused[e->region] = refused;
  now.threads[e->thread].led += refused;
  now.threads[e->thread].observed += !refused;
  return refused;
}

static bool drop_parallel_end(const struct fk_event *e) {
  const bool refused = now.threads[e->thread].led > 0;
  now.threads[e->thread].led -= refused;
  now.threads[e->thread].observed -= !refused;
  return refused;
}

static bool drop_implicit(const struct fk_event *e) {
  bool *works_in = &now.threads[e->thread].works_in;
  const bool leads = now.threads[e->thread].led > 0;
  const bool before = *works_in;
  const bool begins = e->endpoint == ompt_scope_begin && e->region != FK_NONE && now.refused[e->region];
  if (!leads)
    *works_in = begins;
  return leads || begins || (before && e->endpoint == ompt_scope_end);
}

static bool drops(const struct fk_event *e) {
  switch ((enum fk_op)e->op) {
  case FK_SWITCH:
    if (e->kind == HD_CLASS_REGION)
      now.off = e->endpoint == ompt_scope_begin;
    now.open = e->kind != HD_CLASS_REGION && e->endpoint != ompt_scope_begin;
    return true;
  case FK_THREAD_BEGIN:
    now.threads[e->thread].is_initial = e->kind == ompt_thread_initial;
    return false;
  case FK_PAUSE:
  case FK_RESUME:
    now.paused = e->op == FK_PAUSE;
    return false;
  case FK_THREAD_END:
  case FK_CONTROL:
  case FK_FINALIZE:
  case FK_EXIT:
  case FK_KILL:
    return false;
  case FK_PARALLEL_BEGIN:
    return drop_parallel_begin(e);
  case FK_PARALLEL_END:
    return drop_parallel_end(e);
  case FK_IMPLICIT_TASK:
    return drop_implicit(e);
  case FK_TASK_CREATE:
    now.is_explicit[e->next] = true;
    return is_refused(e->thread);
  default:
    nest_in_construct(e);
    return is_refused(e->thread);
  }
}

static void leave_out(void) {
  struct fk_script *script = sc_script();
  struct fk_script without = {.region_count = script->region_count, .task_count = script->task_count};
  assert_true(script->region_count < REGIONS_MOST && script->task_count < TASKS_MOST);
  memset(&now, 0, sizeof now);
  for (size_t i = 0; i < script->count; i++)
    if (!drops(&script->events[i]))
      fk_emit(&without, &script->events[i]);
  fk_free(script);
  *script = without;
}

/* ---- comparison ---- */

static void expect_same_node(uint64_t seed, const struct hd_node *node, const struct hd_node *expected) {
  const bool same = memcmp(node->ticks, expected->ticks, sizeof node->ticks) == 0 &&
                    node->visits - node->shares.refused == expected->visits &&
                    node->team.instances == expected->team.instances &&
                    node->team.elapsed_ticks == expected->team.elapsed_ticks &&
                    node->team.capacity_ticks == expected->team.capacity_ticks &&
                    node->team.busy_ticks == expected->team.busy_ticks &&
                    node->team.busy_max_ticks == expected->team.busy_max_ticks &&
                    node->team.idle_ticks == expected->team.idle_ticks && node->address == expected->address &&
                    node->kind == expected->kind;
  if (!same)
    fail_msg("seed %llu: node %u (%s %llx): %llu visits, %llu busy, %llu elapsed; expected %llu, %llu, %llu",
             (unsigned long long)seed, node->id, hd_kind_id(node->kind), (unsigned long long)node->address,
             (unsigned long long)node->visits, (unsigned long long)node->ticks[HD_BUSY],
             (unsigned long long)node->team.elapsed_ticks, (unsigned long long)expected->visits,
             (unsigned long long)expected->ticks[HD_BUSY], (unsigned long long)expected->team.elapsed_ticks);
}

static void expect_same(uint64_t seed, const struct hd_model *some, const struct hd_model *expected) {
  uint64_t refused = 0;
  assert_int_equal(some->node_count, expected->node_count);
  assert_int_equal(some->thread_count, expected->thread_count);
  for (uint32_t i = 0; i < some->node_count; i++) {
    expect_same_node(seed, &some->nodes[i], &expected->nodes[i]);
    refused += some->nodes[i].shares.refused;
  }
  for (uint32_t i = 0; i < some->thread_count; i++)
    assert_memory_equal(some->threads[i].ticks, expected->threads[i].ticks, sizeof some->threads[i].ticks);
  assert_int_equal(some->time_at.count, expected->time_at.count);
  assert_memory_equal(some->time_at.ticks, expected->time_at.ticks, some->time_at.count * sizeof(uint64_t));
  assert_int_equal(refused, now.count);
  assert_true(refused == 0 || some->nodes[0].marks[HD_MARKS_OF_CALLPATHS] & HD_MARK_REGIONS);
}

/* Times only go elsewhere. */
static void expect_sums(struct hd_model *model) {
  uint64_t rows = 0, all = 0;
  hd_resolve(model);
  for (uint32_t i = 0; i < model->thread_count; i++)
    assert_true(hd_model_thread_is_whole(model, i));
  hd_model_need_rows(model);
  for (uint32_t i = 0; i < model->row_count; i++)
    for (int state = 0; state < HD_STATE_COUNT; state++) {
      assert_true((int64_t)model->rows[i].ticks[state] >= 0);
      rows += model->rows[i].ticks[state];
    }
  for (int state = 0; state < HD_STATE_COUNT; state++) {
    assert_int_equal(model->nodes[0].inclusive_ticks[state], model->ticks[state]);
    all += model->ticks[state];
  }
  assert_int_equal(rows, all);
}

static uint64_t played, estimated;

static void check(uint64_t seed) {
  rp_generate(seed,
              &(struct rp_options){
                  .flat = seed % 3 == 0, .large_teams = seed % 5 == 0, .recursive = seed % 7 == 0, .events = 4000});
  add_switches(seed);
  struct hd_model *some = ex_play();
  leave_out();
  struct hd_model *expected = ex_play();
  expect_same(seed, some, expected);
  expect_sums(some);
  played += now.count;
  estimated += some->estimated;
  hd_model_free(some);
  hd_model_free(expected);
}

static void test_refused_instances_are_left_out(void **state) {
  (void)state;
  sw_play_seeds(check);
  print_message("%llu instances refused, %llu programs estimated\n", (unsigned long long)played,
                (unsigned long long)estimated);
  assert_true(getenv("HEDDLE_SEED") || (played > 0 && estimated > 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused_instances_are_left_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
