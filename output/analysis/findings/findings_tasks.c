/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file findings_tasks.c
 * Why threads waited for tasks, by region:
 *
 * 1. tasks are too small, if creating one takes more than HD_TASK_COST_MOST of a task's own time, and is most of what
 * the one thread that creates them does, if there is one and if that is known: what the others can have waited
 * meanwhile, and as much again. If all threads create: all that is lost, if it takes twice as much; in between the more
 * of it, the more it takes. Or if they were switched off because so many of them begin: then it is not known which work
 * was a task's, and what looks like uneven work of the region is theirs;
 * 2. one thread creates all of them, and the others wait meanwhile: as much as they can have waited while it did;
 * 3. they depend on each other, and the waits are more than uneven tasks explain;
 * 4. else tasks are too few or too uneven; creating them is what could be saved with fewer of them. Where others took
 * processors, 3. and 4. are no more than what threads waited while another one was busy: else they waited for these.
 */
#include <math.h>

#include "output/analysis/findings/findings_internal.h"
#include "output/model/account.h"
#include "output/model/format_names.h"

static bool has_one_producer(const struct hd_region_facts *facts) {
  return 2 * facts->alone_count > facts->task_count;
}

static double creation_of(const struct hd_model *model, const struct hd_region_facts *facts) {
  const double least_ticks = HD_TASK_COST_LEAST_NS / 1e9 / model->seconds_per_tick;
  const double least = facts->has_taskloop ? least_ticks * (double)facts->task_count : 0;
  return fmax(facts->creation_ticks, least);
}

/* Of the time that tasks seem to take: among more threads than processors they lack one for the rest. */
static double part_with_processor(const struct hd_diagnosis *diagnosis) {
  const struct hd_account account = hd_account_after_start(diagnosis->model);
  const double share = hd_account_share(&account);
  return diagnosis->crowded && isfinite(share) ? share : 1;
}

/* How much of the waits small tasks are charged with. Creation that was not observed counts as other work of the thread
 * that creates. */
static double part_of_small(const struct hd_diagnosis *diagnosis, const struct hd_region_facts *facts) {
  const struct hd_model *model = diagnosis->model;
  if (facts->unseen_tasks)
    return 1;
  const double creation = creation_of(model, facts);
  const bool is_told = !(model->off_classes >> HD_CLASS_ENTRY & 1);
  const bool is_most = !has_one_producer(facts) || !is_told || creation > facts->producing_ticks;
  const double most = HD_TASK_COST_MOST * (double)facts->task_ticks * part_with_processor(diagnosis);
  if (facts->task_count == 0 || !is_most || creation <= most)
    return 0;
  if (!has_one_producer(facts))
    return fmin(creation - most, most) / most;
  const double explained = 2 * (facts->team - 1) * creation; /* as much again for taking them */
  return is_told && explained < facts->waits_for_tasks ? explained / facts->waits_for_tasks : 1;
}

/* Whether tasks wait for each other: some have dependences, and the threads wait longer than tasks that end at
 * different times can make them. */
static bool are_dependent(const struct hd_diagnosis *diagnosis, uint32_t region, double waits) {
  const struct hd_region_facts *facts = &diagnosis->facts[region];
  const double instances = fmax((double)diagnosis->model->nodes[region].team.instances, 1);
  const double mean = facts->task_count > 0 ? (double)facts->task_ticks / (double)facts->task_count : 0;
  return facts->dependent != 0 && waits > 2 * facts->team * instances * mean;
}

/* What the others can have waited while one thread created the tasks; 0 if that is the smaller part. */
static double waits_for_producer(const struct hd_region_facts *facts) {
  const double most = (facts->team - 1) * (facts->producing_ticks + facts->creation_ticks);
  const double waits = has_one_producer(facts) ? fmin(facts->waits_for_tasks, most) : 0;
  return 2 * waits < facts->waits_for_tasks ? 0 : waits;
}

/* What threads can have waited for others that had more to do, or less. */
static double waits_while_busy(const struct hd_diagnosis *diagnosis, uint32_t region, double waits) {
  const struct hd_node *node = &diagnosis->model->nodes[region];
  const struct hd_levels *levels = &node->elapsed_at;
  const bool is_whole = levels->count > 0 && node->shares.refused == 0 && node->resolved_ticks <= 0;
  double most = 0;
  for (uint32_t k = 1; k < levels->count && k < diagnosis->facts[region].team; k++)
    most += (double)levels->ticks[k] * (diagnosis->facts[region].team - k);
  return diagnosis->shared && is_whole ? fmin(waits, most) : waits;
}

/* Of loops and sections the work was observed, and what a task did was theirs. */
static void blame_unseen_tasks(struct hd_diagnosis *diagnosis, uint32_t region, uint32_t place, size_t first) {
  for (size_t i = first; i < diagnosis->charge_count; i++) {
    struct hd_charge *charge = &diagnosis->charges[i];
    const enum hd_kind kind = diagnosis->model->nodes[charge->node].kind;
    const bool of_tasks = charge->node == region || hd_kind_is_for_one(kind) || kind == HD_KIND_TASK;
    if (charge->region != region || !of_tasks)
      continue;
    if (charge->cause == HD_CAUSE_IMBALANCE || charge->cause == HD_CAUSE_SERIAL_IN_REGION) {
      charge->cause = HD_CAUSE_TASK_GRANULARITY;
      charge->node = place;
    }
  }
}

void hd_charges_divide_tasks(struct hd_diagnosis *diagnosis, uint32_t region, size_t first) {
  const struct hd_region_facts *facts = &diagnosis->facts[region];
  const uint32_t place = facts->task != 0 ? facts->task : region;
  const double small = part_of_small(diagnosis, facts);
  const double by_size = small * facts->waits_for_tasks, waits = facts->waits_for_tasks - by_size;
  const double for_producer = small > 0 ? 0 : waits_for_producer(facts);
  if (facts->unseen_tasks)
    blame_unseen_tasks(diagnosis, region, place, first);
  if (for_producer > 0)
    hd_charge_add(diagnosis, HD_CAUSE_TASK_CREATION, place, for_producer + facts->creation_ticks);
  else
    hd_charge_add(diagnosis, HD_CAUSE_TASK_GRANULARITY, place, by_size + facts->creation_ticks);
  const double rest = waits_while_busy(diagnosis, region, waits - for_producer);
  const bool dependent = are_dependent(diagnosis, region, rest);
  hd_charge_add(diagnosis, dependent ? HD_CAUSE_TASK_DEPENDENCES : HD_CAUSE_IMBALANCE,
                dependent ? facts->dependent : place, rest);
}
