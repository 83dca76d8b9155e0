/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file losses_barriers.c
 * Why threads waited at implicit barriers.
 *
 * A thread waits there because another comes later, which had more work, waited for a lock itself, or began later; and
 * because a barrier takes time. Known is how much of the wait unequal work can explain, at most; the rest is due to the
 * runtime or to locks. In this order, each limited by what is left of the wait:
 *
 * 1. where tasks ran below: tasks, all of it;
 * 2. unequal work in the construct itself: per instance, team size * the longest busy time - the sum of busy times. At
 *    the last barrier of a region with other barriers inside, only the work outside of constructs with a barrier of
 *    their own counts: nobody waits for work that is not there. In a `single` all work is unequal. Work of one thread
 *    alone (in a `masked`, or a `single` without a barrier) makes others wait at explicit barriers, too. The barrier of
 * a copyprivate, which libomp does not tell from that of a reduction, is such a single's;
 * 3. unequal work before the construct, in the same region but outside of constructs with a barrier, as far as 2 has
 * not used it up;
 * 4. waits for locks inside, times the number of threads that can wait for a thread that waits;
 * 5. the rest: threads that began late, and the barrier itself.
 */
#include <stdlib.h>

#include "output/analysis/losses/losses.h"
#include "output/model/format_names.h"
#include "output/model/lazy_rows.h"
#include "support/command/memory.h"

/** A node and all below it, but not what is in regions nested there, whose threads wait for each other. */
struct scope {
  uint64_t busy;
  uint64_t locks;        /* waits */
  uint64_t singles;      /* busy in masked constructs, and in singles at whose end nobody waits */
  uint64_t synchronized; /* busy in constructs at whose end all wait */
  uint64_t explicit_waits;
  bool barriers; /* the team waits for each other somewhere */
  bool tasks;

  uint32_t region;     /* the region whose team it is; 0: none */
  uint32_t others;     /* threads of that team that can wait for one */
  bool unsynchronized; /* of the node alone: no construct with a barrier of its own is around it */
  uint64_t explained;  /* of the node's own wait, by 1 and 2 */
  uint64_t used;       /* regions: the same of the constructs in it */
  uint64_t unequal;    /* regions: work that 3 can still explain something with */
  uint64_t alone; /* regions: of what singles without a barrier can make others wait, what has not been found yet */
};

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static uint64_t difference(uint64_t more, uint64_t less) {
  return more > less ? more - less : 0;
}

static uint64_t take(uint64_t *from, uint64_t most) {
  const uint64_t taken = smaller(*from, most);
  *from -= taken;
  return taken;
}

static uint64_t lock_waits(const uint64_t ticks[HD_STATE_COUNT]) {
  uint64_t sum = 0;
  for (int state = 0; state < HD_STATE_COUNT; state++)
    sum += hd_state_loss((enum hd_state)state) == HD_LOSS_LOCKS ? ticks[state] : 0;
  return sum;
}

static bool waits_at_end(const struct hd_node *node) {
  return node->team.instances > 0 && !hd_kind_is_region(node->kind);
}

static bool is_barrier(enum hd_kind kind) {
  return kind == HD_KIND_BARRIER_EXPLICIT || kind == HD_KIND_BARRIER || kind == HD_KIND_BARRIER_IMPLICIT;
}

/* ---- what is where ---- */

static void find_teams(const struct hd_model *model, struct scope *scopes) {
  for (uint32_t i = 1; i < model->node_count; i++) { /* parents come before their children */
    const struct hd_node *node = &model->nodes[i];
    const struct scope *above = &scopes[node->parent];
    struct scope *own = &scopes[i];
    const bool begins_team = hd_kind_is_region(node->kind);
    own->region = begins_team ? i : above->region;
    own->others = above->others;
    if (begins_team)
      own->others = node->team.team_max > 0 ? node->team.team_max - 1 : 0;
    own->unsynchronized = begins_team || (above->unsynchronized && !waits_at_end(node));
  }
}

static void join_scopes(const struct hd_model *model, struct scope *scopes) {
  for (uint32_t i = model->node_count; i-- > 1;) { /* children have larger ids: they have been added */
    const struct hd_node *node = &model->nodes[i];
    struct scope *own = &scopes[i];
    struct scope *above = &scopes[node->parent];
    own->busy += node->ticks[HD_BUSY];
    own->locks += lock_waits(node->ticks);
    own->explicit_waits += node->ticks[HD_WAIT_BARRIER_EXPLICIT];
    own->tasks |= node->kind == HD_KIND_TASK || node->kind == HD_KIND_TASKLOOP;
    above->busy += own->busy;
    if (hd_kind_is_region(node->kind))
      continue;
    above->locks += own->locks;
    above->explicit_waits += own->explicit_waits;
    above->tasks |= own->tasks;
    above->barriers |= own->barriers || waits_at_end(node) || is_barrier(node->kind);
    above->synchronized += waits_at_end(node) ? own->busy : own->synchronized;
    above->singles += hd_kind_is_for_one(node->kind) && !waits_at_end(node) ? own->busy : own->singles;
  }
}

/* ---- 1 and 2 ---- */

/* GCC's code does not tell when a `single` ends: it has no totals, its work is the region's, and so are its tasks. */
static bool is_untold_single(const struct hd_node *node) {
  return node->kind == HD_KIND_SINGLE && node->team.instances == 0;
}

static uint64_t own_work(const struct hd_node *node, const struct scope *scope) {
  if (node->team.instances == 0)
    return UINT64_MAX; /* nothing limits it */
  if (node->kind == HD_KIND_SINGLE)
    return scope->others * scope->busy;
  if (hd_kind_is_region(node->kind) && scope->barriers)
    return scope->others * difference(scope->busy, scope->synchronized);
  return difference(node->team.busy_max_ticks, node->team.busy_ticks);
}

static void explain_by_own(const struct hd_node *node, struct scope *scopes, struct hd_losses *losses) {
  struct scope *scope = &scopes[node->id];
  const uint64_t wait = node->ticks[HD_WAIT_BARRIER_IMPLICIT];
  const bool tasks = scope->tasks || (is_untold_single(node) && scopes[scope->region].tasks);
  scope->explained = tasks ? wait : smaller(wait, own_work(node, scope));
  if (tasks) {
    hd_losses_plus(&losses->lost[HD_LOSS_TASKS], scope->explained);
    return;
  }
  uint64_t serial = node->kind == HD_KIND_SINGLE ? scope->explained : 0;
  if (hd_kind_is_region(node->kind))
    serial = take(&scope->alone, scope->explained);
  hd_losses_plus(&losses->lost[HD_LOSS_SERIAL], serial);
  hd_losses_plus(&losses->lost[HD_LOSS_IMBALANCE], scope->explained - serial);
}

static void explain_explicit(const struct hd_node *node, struct scope *scopes, struct hd_losses *losses) {
  const uint64_t serial = take(&scopes[scopes[node->id].region].alone, node->ticks[HD_WAIT_BARRIER_EXPLICIT]);
  hd_losses_plus(&losses->lost[HD_LOSS_SERIAL], serial);
  hd_losses_plus(&losses->lost[HD_LOSS_BARRIER], -serial);
}

/* A single has no reduction: the others wait there for what is copied to them. */
static void explain_copies(const struct hd_node *node, struct scope *scopes, struct hd_losses *losses) {
  const uint64_t wait = node->kind == HD_KIND_SINGLE ? node->ticks[HD_WAIT_REDUCTION] : 0;
  const uint64_t serial = take(&scopes[scopes[node->id].region].alone, wait);
  hd_losses_plus(&losses->lost[HD_LOSS_IMBALANCE], -wait);
  hd_losses_plus(&losses->lost[HD_LOSS_SERIAL], serial);
  hd_losses_plus(&losses->lost[HD_LOSS_RUNTIME], wait - serial);
}

/* Regions come before what is in them: the last barrier comes first. */
static void explain_by_work(const struct hd_model *model, struct scope *scopes, struct hd_losses *losses) {
  for (uint32_t i = 1; i < model->node_count; i++)
    if (hd_kind_is_region(model->nodes[i].kind))
      scopes[i].alone = scopes[i].others * scopes[i].singles;
  for (uint32_t i = 1; i < model->node_count; i++)
    explain_copies(&model->nodes[i], scopes, &losses[i]);
  for (uint32_t i = 1; i < model->node_count; i++) {
    explain_by_own(&model->nodes[i], scopes, &losses[i]);
    explain_explicit(&model->nodes[i], scopes, &losses[i]);
  }
}

/* ---- 3 ---- */

/* Work outside of constructs with a barrier, summed by thread over all instances: what the others lacked to the thread
 * with most of it. If another one has more each time that is not seen here. `by_thread` is all zero, and left so. */
static uint64_t unequal_by_thread(const struct hd_model *model, const uint32_t *next, uint32_t first, uint32_t team,
                                  uint64_t *by_thread) {
  uint64_t sum = 0, most = 0;
  for (uint32_t i = first; i != 0; i = next[i])
    for (uint32_t row = model->nodes[i].row_first; row < model->nodes[i].row_first + model->nodes[i].row_count; row++) {
      uint64_t *busy = &by_thread[model->rows[row].thread];
      *busy += model->rows[row].ticks[HD_BUSY];
      sum += model->rows[row].ticks[HD_BUSY];
      most = larger(most, *busy);
    }
  for (uint32_t i = first; i != 0; i = next[i])
    for (uint32_t row = model->nodes[i].row_first; row < model->nodes[i].row_first + model->nodes[i].row_count; row++)
      by_thread[model->rows[row].thread] = 0;
  return difference(team * most, sum);
}

/* Lists, by region, the nodes that are in no construct with a barrier of its own. 0 ends a list. */
static void list_unsynchronized(const struct hd_model *model, const struct scope *scopes, uint32_t *first,
                                uint32_t *next) {
  for (uint32_t i = 1; i < model->node_count; i++)
    if (scopes[i].region != 0 && scopes[i].unsynchronized) {
      next[i] = first[scopes[i].region];
      first[scopes[i].region] = i;
    }
}

/* By instance, from the totals of all busy time: what the constructs did not have themselves. */
static void find_unequal(const struct hd_model *model, struct scope *scopes, const uint32_t *first,
                         const uint32_t *next, uint64_t *by_thread) {
  for (uint32_t i = 1; i < model->node_count; i++)
    if (waits_at_end(&model->nodes[i]))
      scopes[scopes[i].region].used += scopes[i].explained;
  for (uint32_t i = 1; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    struct scope *scope = &scopes[i];
    if (!hd_kind_is_region(node->kind))
      continue;
    const uint64_t by_instance = difference(difference(node->team.busy_max_ticks, node->team.busy_ticks), scope->used);
    scope->unequal = larger(by_instance, unequal_by_thread(model, next, first[i], scope->others + 1, by_thread));
    scope->unequal = difference(scope->unequal, scope->explained + scope->explicit_waits);
  }
}

static uint64_t explain_by_region(struct scope *region, uint64_t wait, struct hd_losses *losses) {
  const uint64_t taken = take(&region->unequal, wait);
  const uint64_t serial = take(&region->alone, taken);
  hd_losses_plus(&losses->lost[HD_LOSS_SERIAL], serial);
  hd_losses_plus(&losses->lost[HD_LOSS_IMBALANCE], taken - serial);
  return taken;
}

/* ---- all ---- */

static void explain_rest(const struct hd_node *node, struct scope *scopes, struct hd_losses *losses) {
  struct scope *scope = &scopes[node->id];
  uint64_t wait = node->ticks[HD_WAIT_BARRIER_IMPLICIT] - scope->explained;
  if (waits_at_end(node) && scope->region != 0)
    wait -= explain_by_region(&scopes[scope->region], wait, losses);
  const uint64_t locks = smaller(wait, scope->others * scope->locks);
  hd_losses_plus(&losses->lost[HD_LOSS_LOCKS], locks);
  hd_losses_plus(&losses->lost[HD_LOSS_RUNTIME], wait - locks);
}

void hd_losses_divide_barriers(struct hd_loss_book *book) {
  const struct hd_model *model = book->model;
  struct scope *scopes = hd_new(model->node_count, sizeof *scopes);
  uint32_t *first = hd_new(model->node_count, sizeof *first);
  uint32_t *next = hd_new(model->node_count, sizeof *next);
  uint64_t *by_thread = hd_new(model->thread_count, sizeof *by_thread);
  hd_model_need_rows(model);
  find_teams(model, scopes);
  join_scopes(model, scopes);
  explain_by_work(model, scopes, book->inclusive);
  list_unsynchronized(model, scopes, first, next);
  find_unequal(model, scopes, first, next, by_thread);
  for (uint32_t i = 1; i < model->node_count; i++)
    explain_rest(&model->nodes[i], scopes, &book->inclusive[i]);
  free(scopes);
  free(first);
  free(next);
  free(by_thread);
}
