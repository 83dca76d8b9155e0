/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file findings_charges.c
 * Charges every tick that is lost in regions to a cause and a place, from the division by causes of loss (losses.h):
 *
 * - waits for critical sections, locks, ordered and atomic: there. What they make others wait at a barrier: to the one
 *   of the region for which threads wait longest;
 * - unequal work: to the loop or the region, or to the sections. But if all that a region does is even, and loops in it
 *   are uneven, the barriers at the loops' ends are the cause;
 * - a single or masked construct during which the team waits: there;
 * - explicit barriers: there, but for what some thread has more to do than others all the time, which no barrier
 * causes;
 * - reductions: unequal work as far as there is some in the region, else the combining;
 * - fork, join, late threads: to the region; at a barrier inside: to what the barrier closes. If threads sleep while
 * they wait, what waking them up takes is that of neither;
 * - where there are more threads than processors, all that depends on when a thread gets one is their number's fault.
 */
#include <math.h>
#include <stdlib.h>

#include "output/analysis/findings/findings_internal.h"
#include "output/model/format_names.h"
#include "output/model/levels.h"
#include "output/model/place.h"
#include "support/command/memory.h"

static double smaller(double a, double b) {
  return a < b ? a : b;
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

/* ---- the list ---- */

static void append(struct hd_diagnosis *diagnosis, struct hd_charge charge) {
  if (diagnosis->charge_count == diagnosis->charge_limit) {
    diagnosis->charge_limit = diagnosis->charge_limit * 2 + 64;
    diagnosis->charges = hd_grow(diagnosis->charges, diagnosis->charge_limit, sizeof *diagnosis->charges);
  }
  diagnosis->charges[diagnosis->charge_count++] = charge;
}

void hd_charge_run(struct hd_diagnosis *diagnosis, enum hd_cause cause, uint32_t node, double lost_ticks,
                   double gain_ticks) {
  if (gain_ticks > 0)
    append(diagnosis, (struct hd_charge){cause, node, 0, lost_ticks, gain_ticks, 0});
}

void hd_charge_add(struct hd_diagnosis *diagnosis, enum hd_cause cause, uint32_t node, double lost_ticks) {
  const uint32_t region = diagnosis->region[node];
  const double gain = lost_ticks / diagnosis->facts[region].team * diagnosis->model->nodes[region].gain_share;
  if (gain > 0)
    append(diagnosis, (struct hd_charge){cause, node, region, lost_ticks, gain, 0});
}

/* ---- by cause ---- */

static void charge_to_threads_or(struct hd_diagnosis *diagnosis, enum hd_cause cause, uint32_t node, double ticks) {
  if (diagnosis->crowded)
    hd_charge_add(diagnosis, HD_CAUSE_OVERSUBSCRIPTION, diagnosis->outermost[node], ticks);
  else
    hd_charge_add(diagnosis, cause, node, ticks);
}

/* Of the time in which a region's threads do not work, that in which none of them does. */
static double part_without_work(const struct hd_diagnosis *diagnosis, const struct hd_node *region) {
  const struct hd_levels *levels = &region->elapsed_at;
  const double idle = (double)region->team.capacity_ticks - (double)region->team.busy_ticks;
  const double none = levels->count > 0 ? (double)levels->ticks[0] * diagnosis->facts[region->id].team : 0;
  return idle > 0 ? smaller(none / idle, 1) : 0;
}

/* How much of what threads wait for each other at a barrier more threads than processors may explain: all of it, if
 * those that wait keep processors. But if they sleep, processors without work are there for late sleepers only, the
 * more of them, the later. Later than that they are while none has one, because others have them. */
static double part_of_crowd(const struct hd_diagnosis *diagnosis, const struct hd_node *node, double lost_ticks) {
  static const double LATE_NS = 125000;
  const struct hd_node *region = &diagnosis->model->nodes[diagnosis->region[node->id]];
  if (!diagnosis->crowded || !hd_diagnosis_sleeps(diagnosis) || region->gain_share <= 0)
    return diagnosis->crowded ? lost_ticks : 0;
  const double threads = diagnosis->facts[region->id].team * (double)node->visits;
  const double visits = region == node ? threads : (double)node->visits;
  const double crowd = (double)diagnosis->book->alive_threads / diagnosis->processors;
  const double late_ticks = LATE_NS / 1e9 / diagnosis->model->seconds_per_tick * crowd;
  return smaller(lost_ticks,
                 larger(late_ticks * visits / region->gain_share, part_without_work(diagnosis, region) * lost_ticks));
}

static const struct {
  enum hd_state state;
  enum hd_cause cause;
} mutexes[] = {{HD_WAIT_CRITICAL, HD_CAUSE_CRITICAL},
               {HD_WAIT_LOCK, HD_CAUSE_LOCK},
               {HD_WAIT_ATOMIC, HD_CAUSE_ATOMIC},
               {HD_WAIT_ORDERED, HD_CAUSE_ORDERED}};
enum { MUTEXES = sizeof mutexes / sizeof mutexes[0] };

static enum hd_cause longest_mutex(const struct hd_node *node) {
  size_t most = 0;
  for (size_t i = 1; i < MUTEXES; i++)
    if (node->ticks[mutexes[i].state] > node->ticks[mutexes[most].state])
      most = i;
  return mutexes[most].cause;
}

/* The region or loop whose reduction a critical section is: libomp combines the copies of a few threads in one, GCC's
 * code in an atomic update, at the place of the directive. 0: it is one of the program's. */
static uint32_t combined_in(const struct hd_diagnosis *diagnosis, const struct hd_node *critical) {
  const struct hd_node *nodes = diagnosis->model->nodes;
  const bool may_be = critical->kind == HD_KIND_CRITICAL || critical->kind == HD_KIND_ATOMIC;
  const uint32_t region = may_be ? diagnosis->region[critical->id] : 0;
  for (uint32_t i = region; i != 0; i = diagnosis->next[i])
    if ((i == region || hd_kind_is_worksharing(nodes[i].kind)) && hd_place_is_same_line(&nodes[i], critical))
      return i;
  return 0;
}

static void charge_mutex(struct hd_diagnosis *diagnosis, enum hd_cause cause, uint32_t node, double lost_ticks) {
  const uint32_t combined = combined_in(diagnosis, &diagnosis->model->nodes[node]);
  hd_charge_add(diagnosis, combined != 0 ? HD_CAUSE_REDUCTION : cause, combined != 0 ? combined : node, lost_ticks);
}

static void charge_mutexes(struct hd_diagnosis *diagnosis, const struct hd_node *node, double lost_ticks) {
  const uint32_t lock = diagnosis->facts[diagnosis->region[node->id]].lock;
  for (size_t i = 0; i < MUTEXES; i++) {
    const double waited = (double)node->ticks[mutexes[i].state];
    if (waited > 0)
      charge_mutex(diagnosis, mutexes[i].cause, node->id, waited);
    lost_ticks -= waited;
  }
  if (lock != 0) /* others waited at a barrier for those that waited for it */
    charge_mutex(diagnosis, longest_mutex(&diagnosis->model->nodes[lock]), lock, lost_ticks);
}

/* A loop that is all of a combined construct has the region's pragma. Its own line may be that of the `for` below it.
 */
static bool is_combined(const struct hd_node *region, const struct hd_node *loop) {
  return loop->name.line == region->name.line || loop->name.line == region->name.line + 1;
}

static bool is_most_of(const struct hd_node *node, const struct hd_node *region) {
  return node->id != 0 && 2 * node->inclusive_ticks[HD_BUSY] > region->inclusive_ticks[HD_BUSY];
}

/* A loop that is most of what a region does, and has no barrier of its own, is what the region's end waits for: it has
 * the line of the schedule. Likewise sections. */
static uint32_t uneven_place(const struct hd_diagnosis *diagnosis, uint32_t node) {
  const struct hd_model *model = diagnosis->model;
  const struct hd_region_facts *facts = &diagnosis->facts[node];
  const struct hd_node *region = &model->nodes[node], *loop = &model->nodes[facts->loop];
  if (is_most_of(&model->nodes[facts->sections], region))
    return facts->sections;
  return is_most_of(loop, region) && !is_combined(region, loop) ? loop->id : node;
}

static void charge_uneven_at(struct hd_diagnosis *diagnosis, uint32_t place, double lost_ticks) {
  const enum hd_kind kind = diagnosis->model->nodes[place].kind;
  hd_charge_add(diagnosis, kind == HD_KIND_SECTIONS ? HD_CAUSE_SERIAL_IN_REGION : HD_CAUSE_IMBALANCE, place,
                lost_ticks);
}

static void charge_uneven(struct hd_diagnosis *diagnosis, const struct hd_node *node, double lost_ticks) {
  const bool region = hd_kind_is_region(node->kind);
  double lasting = lost_ticks;
  if (diagnosis->crowded)
    lasting = smaller(lost_ticks, (double)diagnosis->uneven[diagnosis->group[node->id]]);
  const double crowd = part_of_crowd(diagnosis, node, lost_ticks - lasting);
  charge_uneven_at(diagnosis, region ? uneven_place(diagnosis, node->id) : node->id, lost_ticks - crowd);
  hd_charge_add(diagnosis, HD_CAUSE_OVERSUBSCRIPTION, diagnosis->outermost[node->id], crowd);
}

static void charge_serial(struct hd_diagnosis *diagnosis, const struct hd_node *node, double lost_ticks) {
  const uint32_t for_one = diagnosis->facts[diagnosis->region[node->id]].for_one;
  const uint32_t place = hd_kind_is_for_one(node->kind) || for_one == 0 ? node->id : for_one;
  hd_charge_add(diagnosis, HD_CAUSE_SERIAL_IN_REGION, place, lost_ticks);
}

/* What one thread has more to do than the others in all instances together stays when the barrier goes. Where it may be
 * the end of a loop (GCC's code), that is the barrier's. */
static void charge_explicit(struct hd_diagnosis *diagnosis, const struct hd_node *node, double lost_ticks) {
  const uint32_t region = diagnosis->region[node->id];
  const uint32_t place = node->kind == HD_KIND_BARRIER ? node->id : uneven_place(diagnosis, region);
  uint64_t *uneven = &diagnosis->uneven[diagnosis->group[node->id]];
  const double lasting = larger(smaller(lost_ticks, (double)*uneven), 0);
  *uneven -= (uint64_t)lasting;
  charge_uneven_at(diagnosis, place, lasting);
  const double crowd = part_of_crowd(diagnosis, node, lost_ticks - lasting);
  hd_charge_add(diagnosis, HD_CAUSE_BARRIER, node->id, lost_ticks - lasting - crowd);
  hd_charge_add(diagnosis, HD_CAUSE_OVERSUBSCRIPTION, diagnosis->outermost[node->id], crowd);
}

/* What a region's fork and join explain of the time in which its threads had no work. All of it, if a thread's work is
 * less than ten times the fork; if it has to wake up threads, less than twice. Else others wait while the first thread
 * forks and joins, and after each of both; but threads that sleep make all of it longer. */
static double explained_by_fork(const struct hd_diagnosis *diagnosis, const struct hd_node *region, double part,
                                double lost_ticks) {
  const double team = diagnosis->facts[region->id].team;
  const double fork = (double)region->ticks[HD_RUNTIME_FORK_JOIN];
  const bool sleeps = hd_diagnosis_sleeps(diagnosis);
  if ((double)region->team.busy_ticks / team <= (sleeps ? 2 : 10) * fork)
    return lost_ticks;
  return sleeps ? 0 : smaller(lost_ticks, 3 * team * fork * part);
}

/* However many threads there are: each works for less time than the fork takes. */
static bool is_tiny(const struct hd_diagnosis *diagnosis, const struct hd_node *region) {
  const double each = (double)region->team.busy_ticks / diagnosis->facts[region->id].team;
  return each <= (double)region->ticks[HD_RUNTIME_FORK_JOIN];
}

/* Threads that are late for no reason that is known are not charged; nor, if others took processors, those that may
 * have had none: that is what findings_run.c finds. Nor the first instance: it may create the threads, and one region
 * around all instances has it, too. */
static void charge_fork(struct hd_diagnosis *diagnosis, const struct hd_node *region, double lost_ticks) {
  const double instances = (double)region->team.instances;
  const double part = instances > 0 ? (instances - 1) / instances : 0;
  const double lost = lost_ticks * part, by_fork = explained_by_fork(diagnosis, region, part, lost);
  if (is_tiny(diagnosis, region))
    hd_charge_add(diagnosis, HD_CAUSE_FORK_JOIN, region->id, by_fork);
  else
    charge_to_threads_or(diagnosis, HD_CAUSE_FORK_JOIN, region->id, by_fork);
  if (diagnosis->crowded || (hd_diagnosis_sleeps(diagnosis) && !diagnosis->shared))
    charge_to_threads_or(diagnosis, HD_CAUSE_WAKE_UP, region->id, lost - by_fork);
}

static void charge_runtime(struct hd_diagnosis *diagnosis, const struct hd_node *node, double lost_ticks) {
  if (hd_kind_is_region(node->kind))
    charge_fork(diagnosis, node, lost_ticks);
  else if (!diagnosis->shared)
    charge_to_threads_or(diagnosis, hd_diagnosis_sleeps(diagnosis) ? HD_CAUSE_WAKE_UP : HD_CAUSE_BARRIER, node->id,
                         lost_ticks);
}

static void charge_scheduling(struct hd_diagnosis *diagnosis, const struct hd_node *node, double lost_ticks) {
  const struct hd_node *region = &diagnosis->model->nodes[diagnosis->region[node->id]];
  const bool combined = diagnosis->group[node->id] == region->id && node->name.line != 0 && is_combined(region, node);
  hd_charge_add(diagnosis, HD_CAUSE_SCHEDULING, combined ? region->id : node->id, lost_ticks);
}

/* A single has none: libomp has the same kind of barrier for its copyprivate (losses_barriers.c). */
static double waits_in_reduction(const struct hd_node *node) {
  return node->kind == HD_KIND_SINGLE ? 0 : (double)node->ticks[HD_WAIT_REDUCTION];
}

static void charge_node(struct hd_diagnosis *diagnosis, const struct hd_node *node) {
  const int64_t *lost = diagnosis->book->own[node->id].lost;
  struct hd_region_facts *facts = &diagnosis->facts[diagnosis->region[node->id]];
  const double reduction = waits_in_reduction(node);
  charge_mutexes(diagnosis, node, (double)lost[HD_LOSS_LOCKS]);
  if (node->kind == HD_KIND_BARRIER)
    charge_explicit(diagnosis, node, (double)lost[HD_LOSS_IMBALANCE]);
  else
    charge_uneven(diagnosis, node, (double)lost[HD_LOSS_IMBALANCE] - reduction);
  charge_serial(diagnosis, node, (double)lost[HD_LOSS_SERIAL]);
  charge_explicit(diagnosis, node, (double)lost[HD_LOSS_BARRIER]);
  charge_runtime(diagnosis, node, (double)lost[HD_LOSS_RUNTIME]);
  charge_scheduling(diagnosis, node, (double)lost[HD_LOSS_SCHEDULING]);
  facts->waits_for_tasks += (double)lost[HD_LOSS_TASKS];
  facts->reduction_ticks += reduction;
}

/* ---- by region ---- */

static double charged(const struct hd_diagnosis *diagnosis, size_t first, enum hd_cause cause) {
  double sum = 0;
  for (size_t i = first; i < diagnosis->charge_count; i++)
    sum += diagnosis->charges[i].cause == cause ? diagnosis->charges[i].lost_ticks : 0;
  return sum;
}

/* Waits in reductions: for those who had more to do, as far as anybody had: in the loop, if it has a barrier. */
static void charge_reductions(struct hd_diagnosis *diagnosis, uint32_t region, uint32_t reduction, double uneven) {
  const double waited = diagnosis->facts[region].reduction_ticks;
  const double lasting = smaller(waited, larger((double)diagnosis->facts[region].uneven_ticks - uneven, 0));
  const uint32_t group = diagnosis->group[reduction];
  charge_uneven_at(diagnosis, group != 0 && group != region ? group : uneven_place(diagnosis, region), lasting);
  if (reduction != 0)
    charge_to_threads_or(diagnosis, HD_CAUSE_REDUCTION, reduction, waited - lasting);
}

static bool is_closing(const struct hd_diagnosis *diagnosis, const struct hd_charge *charge, uint32_t region) {
  return charge->cause == HD_CAUSE_IMBALANCE && charge->region == region && diagnosis->group[charge->node] != region;
}

/* Loops of a region that are uneven the same way each time, while all that the region does is even: without the
 * barriers at their ends threads would not wait. */
static void blame_closing_barriers(struct hd_diagnosis *diagnosis, uint32_t region, size_t first) {
  double lost = 0, uneven = 0;
  for (size_t i = first; i < diagnosis->charge_count; i++)
    if (is_closing(diagnosis, &diagnosis->charges[i], region)) {
      lost += diagnosis->charges[i].lost_ticks;
      uneven += smaller(diagnosis->charges[i].lost_ticks,
                        (double)diagnosis->uneven[diagnosis->group[diagnosis->charges[i].node]]);
    }
  if (lost <= 0 || 2 * uneven < lost || 2 * (double)hd_diagnosis_uneven_together(diagnosis, region) > uneven)
    return;
  for (size_t i = first; i < diagnosis->charge_count; i++)
    if (is_closing(diagnosis, &diagnosis->charges[i], region))
      diagnosis->charges[i].cause = HD_CAUSE_BARRIER;
}

double hd_diagnosis_spare(const struct hd_diagnosis *diagnosis, const struct hd_node *node) {
  const struct hd_levels *levels = &node->elapsed_at;
  const uint32_t usable = diagnosis->usable;
  const double all = (double)hd_levels_up_to(levels, UINT32_MAX);
  double sum = 0;
  if (levels->count == 0)
    return node->id == 0 ? diagnosis->model->gain_limit_ticks : hd_team_elapsed(&node->team);
  for (uint32_t k = 0; k < usable && k < levels->count; k++)
    sum += (double)levels->ticks[k] * (usable - k) / usable;
  if (node->shares.refused > 0 && all > 0) /* levels are those of the instances that were observed */
    return sum * hd_team_elapsed(&node->team) / all;
  return fmin(sum + fmax(node->resolved_ticks, 0) / usable, all); /* levels count that as busy */
}

static void charge_region(struct hd_diagnosis *diagnosis, uint32_t region) {
  const struct hd_model *model = diagnosis->model;
  const size_t first = diagnosis->charge_count;
  uint32_t reduction = 0;
  for (uint32_t i = region; i != 0; i = diagnosis->next[i]) {
    charge_node(diagnosis, &model->nodes[i]);
    if (waits_in_reduction(&model->nodes[i]) > waits_in_reduction(&model->nodes[reduction]))
      reduction = i;
  }
  charge_reductions(diagnosis, region, reduction, charged(diagnosis, first, HD_CAUSE_IMBALANCE));
  blame_closing_barriers(diagnosis, region, first);
  hd_charges_divide_tasks(diagnosis, region, first);
}

void hd_charges_divide(struct hd_diagnosis *diagnosis) {
  for (uint32_t i = 1; i < diagnosis->model->node_count; i++)
    if (diagnosis->region[i] == i)
      charge_region(diagnosis, i);
}

/* ---- no more than there is ---- */

static void limit_to(struct hd_charge *charge, double sum, double most) {
  if (sum > most)
    charge->gain_ticks *= most / sum;
}

void hd_charges_limit(struct hd_diagnosis *diagnosis) {
  const struct hd_node *nodes = diagnosis->model->nodes;
  const uint32_t *outermost = diagnosis->outermost;
  double *sums = hd_new(diagnosis->model->node_count, sizeof *sums);
  double whole = 0;
  for (size_t i = 0; i < diagnosis->charge_count; i++)
    sums[outermost[diagnosis->charges[i].node]] += diagnosis->charges[i].gain_ticks;
  for (size_t i = 0; i < diagnosis->charge_count; i++) {
    struct hd_charge *charge = &diagnosis->charges[i];
    const uint32_t region = outermost[charge->node];
    limit_to(charge, sums[region], hd_diagnosis_spare(diagnosis, &nodes[region]));
    whole += charge->gain_ticks;
  }
  for (size_t i = 0; i < diagnosis->charge_count; i++)
    limit_to(&diagnosis->charges[i], whole, hd_diagnosis_spare(diagnosis, &nodes[0]));
  free(sums);
}
