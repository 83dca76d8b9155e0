/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random programs in which classes of events are switched off and on keep what is known of their regions.
 * HEDDLE_SEEDS=n plays n programs (default 100), HEDDLE_SEED=n only that one, with its script on stderr. */
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "output/analysis/losses/causes.h"
#include "output/model/format_names.h"
#include "output/model/memory.h"
#include "random_program.h"
#include "script.h"
#include "switched_program.h"

struct region_sums {
  uint64_t instances;
  uint64_t elapsed_ticks;
  uint64_t capacity_ticks;
};

static struct region_sums sums_of(const struct hd_model *model, uint64_t address) {
  struct region_sums sums = {0};
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    if ((node->kind != HD_KIND_PARALLEL && node->kind != HD_KIND_TEAMS) || node->address != address)
      continue;
    sums.instances += node->team.instances;
    sums.elapsed_ticks += node->team.elapsed_ticks;
    sums.capacity_ticks += node->team.capacity_ticks;
  }
  return sums;
}

static void expect_same_regions(const struct hd_model *all, const struct hd_model *some, uint64_t seed, bool times) {
  for (uint32_t i = 0; i < all->node_count; i++) {
    const struct hd_node *node = &all->nodes[i];
    if (node->kind != HD_KIND_PARALLEL && node->kind != HD_KIND_TEAMS)
      continue;
    const struct region_sums a = sums_of(all, node->address), b = sums_of(some, node->address);
    if (times ? memcmp(&a, &b, sizeof a) != 0 : a.instances != b.instances)
      fail_msg("seed %llu: region %llx: %llu instances, %llu elapsed; without switches %llu, %llu",
               (unsigned long long)seed, (unsigned long long)node->address, (unsigned long long)b.instances,
               (unsigned long long)b.elapsed_ticks, (unsigned long long)a.instances,
               (unsigned long long)a.elapsed_ticks);
  }
  assert_int_equal(all->thread_count, some->thread_count);
  for (uint32_t i = 0; i < all->thread_count; i++) {
    assert_int_equal(all->threads[i].begin_ticks, some->threads[i].begin_ticks);
    assert_int_equal(all->threads[i].end_ticks, some->threads[i].end_ticks);
  }
}

/* ---- what is not exact says so ---- */

/* A phase has no address. */
static bool is_same_site(const struct hd_node *a, const struct hd_node *b) {
  return a->address == b->address && hd_kind_of_site(a->kind) == hd_kind_of_site(b->kind) &&
         (a->kind != HD_KIND_PHASE || strcmp(a->name.function, b->name.function) == 0);
}

static bool is_same_callpath(const struct hd_model *a, const struct hd_node *of_a, const struct hd_model *b,
                             const struct hd_node *of_b) {
  while (of_a->id != 0 && of_b->id != 0 && is_same_site(of_a, of_b)) {
    of_a = &a->nodes[of_a->parent];
    of_b = &b->nodes[of_b->parent];
  }
  return of_a->id == 0 && of_b->id == 0;
}

static const struct hd_node *find_callpath(const struct hd_model *model, const struct hd_model *of,
                                           const struct hd_node *node) {
  static const struct hd_node none;
  for (uint32_t i = 0; i < model->node_count; i++)
    if (is_same_callpath(model, &model->nodes[i], of, node))
      return &model->nodes[i];
  return &none;
}

struct check {
  uint64_t seed;
  const struct hd_node *node; /* where events were off */
  const char *what;
};

static void expect_bound(struct check check, double is, double truth, struct hd_bounds bounds) {
  if ((is < truth - 1e-6 && !bounds.at_least) || (is > truth + 1e-6 && !bounds.at_most))
    fail_msg("seed %llu: %s of node %u, kind %u, at %llx, is %g, in truth %g, and marked %s (marks %x, above %u)",
             (unsigned long long)check.seed, check.what, check.node->id, check.node->kind,
             (unsigned long long)check.node->address, is, truth,
             hd_bounds_text(bounds) ? hd_bounds_text(bounds) : "exact", check.node->marks[HD_MARKS_OF_CALLPATHS],
             check.node->parent);
}

/* `inside`: a region; else what was busy just before an entry may have been in a region that ended at that instant. */
static void expect_marked(uint64_t seed, const struct hd_node *is, const struct hd_node *truth, bool inside) {
  const uint32_t marks = is->marks[HD_MARKS_OF_CALLPATHS];
  const struct {
    const char *what;
    double is, truth;
    struct hd_bounds bounds;
  } checks[] = {
      {"visits", (double)is->visits, (double)truth->visits, hd_bounds_of_visits(marks)},
      {"concurrent visits", inside ? (double)is->visits_concurrent : 0, inside ? (double)truth->visits_concurrent : 0,
       hd_bounds_of_concurrent(marks)},
      {"own busy time", (double)is->ticks[HD_BUSY], (double)truth->ticks[HD_BUSY], hd_bounds_of_own(marks)},
      {"busy time", (double)is->inclusive_ticks[HD_BUSY], (double)truth->inclusive_ticks[HD_BUSY],
       hd_bounds_of_busy(marks)},
      {"waits", (double)hd_ticks_waiting(is->inclusive_ticks), (double)hd_ticks_waiting(truth->inclusive_ticks),
       hd_bounds_of_waits(marks)},
      {"runtime", (double)hd_ticks_runtime(is->inclusive_ticks), (double)hd_ticks_runtime(truth->inclusive_ticks),
       hd_bounds_of_runtime(marks)},
      {"capacity", (double)is->team.capacity_ticks, (double)truth->team.capacity_ticks, hd_bounds_of_elapsed(marks)},
      {"team's busy time", (double)is->team.busy_ticks, (double)truth->team.busy_ticks,
       hd_bounds_of_concurrency(marks)},
      {"busiest threads", (double)is->team.busy_max_ticks, (double)truth->team.busy_max_ticks,
       hd_bounds_of_imbalance(marks)},
      {"wall share", is->wall_share_inclusive_ticks, truth->wall_share_inclusive_ticks, hd_bounds_of_levels(marks)},
  };
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
    expect_bound((struct check){seed, is, checks[i].what}, checks[i].is, checks[i].truth, checks[i].bounds);
  for (int state = HD_WAIT_FIRST; state <= HD_WAIT_LAST; state++)
    expect_bound((struct check){seed, is, hd_state_id((enum hd_state)state)}, (double)is->inclusive_ticks[state],
                 (double)truth->inclusive_ticks[state], hd_bounds_of_wait(marks, (enum hd_state)state));
  for (int state = HD_RUNTIME_FIRST; state <= HD_RUNTIME_LAST; state++)
    expect_bound((struct check){seed, is, hd_state_id((enum hd_state)state)}, (double)is->inclusive_ticks[state],
                 (double)truth->inclusive_ticks[state], hd_bounds_of_runtime_by(marks, (enum hd_state)state));
}

/* A section in another of which nothing is known, because it was entered just before sections were observed again:
 * docs/budget.md names it. */
static bool may_be_inner_section(const struct hd_model *model, const struct hd_node *node) {
  for (; node->id != 0; node = &model->nodes[node->parent])
    if ((hd_kind_event_classes(node->kind) & 1u << HD_CLASS_MUTEX) &&
        (model->nodes[node->parent].refused >> HD_REFUSED_SECTION & 1))
      return true;
  return false;
}

static bool is_inside(const struct hd_model *model, const struct hd_node *node) {
  while (node->id != 0 && !hd_kind_is_region(node->kind))
    node = &model->nodes[node->parent];
  return node->id != 0;
}

static void expect_all_marked(const struct hd_model *all, const struct hd_model *some, uint64_t seed) {
  for (uint32_t i = 0; i < some->node_count; i++)
    if (!may_be_inner_section(some, &some->nodes[i]))
      expect_marked(seed, &some->nodes[i], find_callpath(all, some, &some->nodes[i]),
                    is_inside(some, &some->nodes[some->nodes[i].parent]));
  for (uint32_t i = 0; i < some->thread_count; i++) {
    const struct hd_model_thread *is = &some->threads[i], *truth = &all->threads[i];
    const uint32_t marks = hd_model_thread_marks(some, i);
    expect_bound((struct check){seed, &some->nodes[0], "a thread's busy time"}, (double)is->ticks[HD_BUSY],
                 (double)truth->ticks[HD_BUSY], hd_bounds_of_busy(marks));
    expect_bound((struct check){seed, &some->nodes[0], "a thread's waits"}, (double)hd_ticks_waiting(is->ticks),
                 (double)hd_ticks_waiting(truth->ticks), hd_bounds_of_waits(marks));
    expect_bound((struct check){seed, &some->nodes[0], "a thread's runtime"}, (double)hd_ticks_runtime(is->ticks),
                 (double)hd_ticks_runtime(truth->ticks), hd_bounds_of_runtime(marks));
  }
}

/* What is not unresolved is as it was: of a thread's time no more counts as something else. Of waits it may be another
 * cause: HD_MARK_RENAMED. */
static void expect_resolved(const struct hd_model *all, const struct hd_model *some, uint64_t seed) {
  for (uint32_t i = 0; i < some->thread_count; i++) {
    const struct hd_model_thread *is = &some->threads[i], *truth = &all->threads[i];
    uint64_t was[HD_INTRUSION_CLASSES] = {0}, found[HD_INTRUSION_CLASSES] = {0}, wrong = 0;
    for (uint32_t state = 0; state < HD_STATE_COUNT; state++) {
      was[hd_intrusion_class_of(state)] += truth->ticks[state];
      found[hd_intrusion_class_of(state)] += is->ticks[state];
    }
    for (int class = 0; class < HD_INTRUSION_CLASSES; class ++)
      wrong += found[class] > was[class] ? found[class] - was[class] : 0;
    if (wrong > is->unresolved.ticks)
      fail_msg("seed %llu: thread %u: %llu count as something else, but only %llu are unresolved",
               (unsigned long long)seed, i, (unsigned long long)wrong, (unsigned long long)is->unresolved.ticks);
  }
}

/* What a jump leaves open ends with the construct around it, if that is observed, or later. */
static bool has_jumped(const struct hd_model *model) {
  return model->header.left_routines > 0 || model->header.unmatched_phases > 0;
}

/* Identities, and that nothing is unmatched, ex_play looks after. Of recursive programs the callpaths fold differently
 * when something is missing from them, and so do elapsed times, which are counted once for each callpath. */
static void check(uint64_t seed, void (*add)(struct fk_script *script, uint64_t seed)) {
  const struct rp_options program = {.recursive = seed % 2, .large_teams = seed % 5 == 0, .routines = seed % 3 == 0};
  rp_generate(seed, &program);
  sw_name_sections(sc_script());
  struct hd_model *all = ex_play();
  add(sc_script(), seed);
  if (getenv("HEDDLE_SEED"))
    fk_print(sc_script());
  struct hd_model *some = ex_play();
  expect_same_regions(all, some, seed, !program.recursive);
  if (!has_jumped(all) && !has_jumped(some))
    expect_resolved(all, some, seed);
  if (!program.recursive && !has_jumped(all) && !has_jumped(some))
    expect_all_marked(all, some, seed);
  hd_model_free(all);
  hd_model_free(some);
}

static void add_switches(struct fk_script *script, uint64_t seed) {
  sw_add(script, seed, UINT32_MAX);
}

static void check_switches(uint64_t seed) {
  check(seed, add_switches);
}

static void check_requests(uint64_t seed) {
  check(seed, sw_ask);
}

static void test_random_programs_keep_their_regions(void **state) {
  (void)state;
  sw_play_seeds(check_switches);
}

static void test_so_they_do_when_it_is_asked_for(void **state) {
  (void)state;
  sw_play_seeds(check_requests);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_programs_keep_their_regions),
      cmocka_unit_test(test_so_they_do_when_it_is_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
