/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file findings_run.c
 * Causes of lost time that concern the run as a whole: what runs outside regions, too many threads for the processors,
 * and Heddle itself.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/findings/findings_internal.h"
#include "output/model/account.h"
#include "output/model/format_names.h"
#include "output/model/levels.h"
#include "support/command/memory.h"

const char *hd_diagnosis_variable(const struct hd_diagnosis *diagnosis, const char *name) {
  const struct hd_strings *environment = &diagnosis->model->environment;
  const size_t length = strlen(name);
  for (size_t i = 0; i < environment->count; i++)
    if (strncmp(environment->items[i], name, length) == 0 && environment->items[i][length] == '=')
      return environment->items[i] + length + 1;
  return NULL;
}

bool hd_diagnosis_sleeps(const struct hd_diagnosis *diagnosis) {
  enum { LIBOMP_MS = 200 }; /* for so long a thread spins unless it is told otherwise */
  const char *time = hd_diagnosis_variable(diagnosis, "KMP_BLOCKTIME");
  const char *policy = hd_diagnosis_variable(diagnosis, "OMP_WAIT_POLICY");
  if (time)
    return isdigit((unsigned char)time[0]) && strtoul(time, NULL, 10) < LIBOMP_MS;
  return policy && strcasecmp(policy, "passive") == 0;
}

/* ---- serial ---- */

/* Divided evenly among the threads that could run. */
static double gain_of_serial(const struct hd_diagnosis *diagnosis, double ticks, double team) {
  const double usable = (double)diagnosis->usable;
  return usable > team ? ticks * (1 - team / usable) : 0;
}

static bool is_outside(const struct hd_diagnosis *diagnosis, const struct hd_node *node) {
  return diagnosis->book->place[node->id] == HD_PLACE_OUTSIDE;
}

/* The routine or phase with most time of its own. If most of the time was before or beside all that has times: the
 * routine that called all others. */
static uint32_t serial_place(const struct hd_diagnosis *diagnosis) {
  const struct hd_node *nodes = diagnosis->model->nodes;
  uint32_t most = 0, top = 0, tops = 0;
  for (uint32_t i = 1; i < diagnosis->model->node_count; i++) {
    if ((nodes[i].kind != HD_KIND_ROUTINE && nodes[i].kind != HD_KIND_PHASE) || !is_outside(diagnosis, &nodes[i]))
      continue;
    if (nodes[i].ticks[HD_BUSY] > nodes[most].ticks[HD_BUSY])
      most = i;
    if (nodes[i].kind == HD_KIND_ROUTINE && nodes[i].depth == 1) {
      top = i;
      tops++;
    }
  }
  return most != 0 || tops != 1 ? most : top;
}

/* By outermost region: what regions nested in it could gain themselves. */
static double *gains_of_nested(const struct hd_diagnosis *diagnosis) {
  double *sums = hd_new(diagnosis->model->node_count, sizeof *sums);
  for (size_t i = 0; i < diagnosis->charge_count; i++) {
    const uint32_t region = diagnosis->charges[i].region, outermost = diagnosis->outermost[region];
    sums[outermost] += region != outermost ? diagnosis->charges[i].gain_ticks : 0;
  }
  return sums;
}

static void find_small_teams(struct hd_diagnosis *diagnosis) {
  const struct hd_model *model = diagnosis->model;
  double *nested = gains_of_nested(diagnosis);
  for (uint32_t i = 1; i < model->node_count; i++)
    if (diagnosis->outermost[i] == i) {
      const double elapsed = (double)model->nodes[i].team.elapsed_ticks;
      const double gain = gain_of_serial(diagnosis, elapsed, diagnosis->facts[i].team);
      hd_charge_run(diagnosis, HD_CAUSE_SERIAL, i, elapsed,
                    fmin(gain, hd_diagnosis_spare(diagnosis, &model->nodes[i]) - nested[i]));
    }
  free(nested);
}

void hd_charges_find_serial(struct hd_diagnosis *diagnosis) {
  const struct hd_model *model = diagnosis->model;
  double outside =
      model->elapsed_ticks > model->inside_ticks ? (double)(model->elapsed_ticks - model->inside_ticks) : 0;
  if (model->levels_known)
    outside = fmin(outside, (double)hd_levels_up_to(&model->time_at, 1));
  outside = fmax(outside - (double)hd_losses_mpi_outside(diagnosis->book), 0);
  hd_charge_run(diagnosis, HD_CAUSE_SERIAL, serial_place(diagnosis), outside, gain_of_serial(diagnosis, outside, 1));
  find_small_teams(diagnosis);
}

/* ---- processors ---- */

struct inside {
  double elapsed_ticks; /* of the outermost regions */
  double busy_ticks;    /* in them */
  double used_ticks;    /* of processors, while as many were used as there were busy threads */
  uint32_t longest;     /* the one with most elapsed time */
};

static struct inside look_inside(const struct hd_diagnosis *diagnosis) {
  const struct hd_model *model = diagnosis->model;
  struct inside inside = {0};
  for (uint32_t i = 1; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    if (diagnosis->outermost[i] != i)
      continue;
    const double elapsed = (double)node->team.elapsed_ticks;
    inside.elapsed_ticks += elapsed;
    inside.busy_ticks += (double)node->inclusive_ticks[HD_BUSY];
    inside.used_ticks += (elapsed - hd_diagnosis_spare(diagnosis, node)) * diagnosis->usable;
    if (inside.longest == 0 || node->team.elapsed_ticks > model->nodes[inside.longest].team.elapsed_ticks)
      inside.longest = i;
  }
  return inside;
}

/* The account of threads in regions: outside there is one thread, which has a processor for itself. */
static struct hd_account account_inside(const struct hd_model *model, const struct hd_account *account,
                                        double inside_ticks) {
  struct hd_account inside = *account;
  const double outside_ns = ((double)model->elapsed_ticks - inside_ticks) * model->seconds_per_tick * 1e9;
  inside.ran_ns = (double)account->ran_ns > outside_ns ? account->ran_ns - (uint64_t)fmax(outside_ns, 0) : 0;
  return inside;
}

/* More threads than processors: what processors did for threads that only waited could have been work. But those yield
 * to others while they spin, or sleep: a quarter of what they can have taken at most. Where processors were wanted and
 * the program did not have them, other processes had. */
static void find_crowd(struct hd_diagnosis *diagnosis, const struct inside *inside, double ran, double useful) {
  const double wasted = (fmin(inside->used_ticks, ran) - useful) / 4;
  const double others = inside->used_ticks - ran;
  hd_charge_run(diagnosis, HD_CAUSE_OVERSUBSCRIPTION, inside->longest, wasted, wasted / diagnosis->usable);
  if (others > (1 - HD_ACCOUNT_SHARED) * inside->used_ticks)
    hd_charge_run(diagnosis, HD_CAUSE_OVERSUBSCRIPTION, 0, others, others / diagnosis->usable);
}

/* More threads than processors, because the process may not use all that the machine has: with a processor for each
 * thread, or with all there are, the same work would be done by more of them. */
static void find_bound_process(struct hd_diagnosis *diagnosis, const struct inside *inside, double useful) {
  const double threads = fmin(diagnosis->book->alive_threads, (double)diagnosis->model->header.online_processors);
  hd_charge_run(diagnosis, HD_CAUSE_PINNED, inside->longest, inside->busy_ticks - useful,
                inside->elapsed_ticks - useful / threads);
}

static void find_crowd_or_bound(struct hd_diagnosis *diagnosis, const struct hd_account *account) {
  const struct hd_model *model = diagnosis->model;
  const struct inside inside = look_inside(diagnosis);
  const struct hd_account own = account_inside(model, account, inside.elapsed_ticks);
  const double useful = own.ran_ns > 0 ? inside.busy_ticks * hd_account_share(&own) : inside.busy_ticks;
  if (model->header.online_processors > diagnosis->processors)
    find_bound_process(diagnosis, &inside, useful);
  else
    find_crowd(diagnosis, &inside, (double)own.ran_ns / 1e9 / model->seconds_per_tick, useful);
}

static bool binds_threads(const struct hd_diagnosis *diagnosis) {
  static const char *const variables[] = {"OMP_PLACES", "OMP_PROC_BIND", "KMP_AFFINITY", "GOMP_CPU_AFFINITY"};
  bool found = false;
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
    found |= hd_diagnosis_variable(diagnosis, variables[i]) != NULL;
  return found;
}

static double charged(const struct hd_diagnosis *diagnosis) {
  double sum = 0;
  for (size_t i = 0; i < diagnosis->charge_count; i++)
    sum += diagnosis->charges[i].gain_ticks;
  return sum;
}

/* Enough processors, but threads had to wait for one: each went on at the pace of its share. What all other cures would
 * save is not there to be saved again. */
static void find_sharing(struct hd_diagnosis *diagnosis, const struct hd_account *account) {
  const double lost_ticks = (double)account->queued_ns / 1e9 / diagnosis->model->seconds_per_tick;
  const double left = fmax((double)diagnosis->model->elapsed_ticks - charged(diagnosis), 0);
  hd_charge_run(diagnosis, binds_threads(diagnosis) ? HD_CAUSE_PINNED : HD_CAUSE_OVERSUBSCRIPTION, 0, lost_ticks,
                (1 - hd_account_share(account)) * left);
}

void hd_charges_find_processors(struct hd_diagnosis *diagnosis) {
  const struct hd_account account = hd_account_after_start(diagnosis->model);
  if (!account.known || diagnosis->processors == 0 || account.queued_ns == 0)
    return;
  if (diagnosis->crowded)
    find_crowd_or_bound(diagnosis, &account);
  else
    find_sharing(diagnosis, &account);
}

/* ---- Heddle itself ---- */

static uint32_t most_measured(const struct hd_diagnosis *diagnosis) {
  const struct hd_model *model = diagnosis->model;
  uint32_t most = 0;
  int64_t most_ticks = 0;
  for (uint32_t i = 1; i < model->node_count; i++)
    if (diagnosis->outermost[i] == i && hd_intrusion_all(&model->nodes[i].intrusion_inclusive) > most_ticks) {
      most = i;
      most_ticks = hd_intrusion_all(&model->nodes[i].intrusion_inclusive);
    }
  return most;
}

/* Where there is too much of something, so there is of its events. */
static bool saves_events(const struct hd_charge *charge) {
  return charge->region != 0 && hd_cause_has_own_cost(charge->cause);
}

static double measured_in(const struct hd_diagnosis *diagnosis, uint32_t region) {
  return fmax((double)hd_intrusion_all(&diagnosis->model->nodes[region].intrusion_inclusive), 0);
}

/* What a region can gain beyond its charges: all but its work, if Heddle did not work in it. Waits that are charged may
 * have been for somebody who was delayed by an event. */
static double left_to_gain(const struct hd_diagnosis *diagnosis, uint32_t region, double charged) {
  const struct hd_node *node = &diagnosis->model->nodes[region];
  const uint64_t busy = node->inclusive_ticks[HD_BUSY];
  const double corrected = hd_corrected(busy, node->intrusion_inclusive.ticks[HD_INTRUSION_BUSY]);
  const double work = isfinite(corrected) ? corrected : (double)busy;
  return fmax(hd_team_elapsed(&node->team) - work / diagnosis->usable - charged, 0);
}

/* Gains of an outermost region: of all charges, and of those that save events. */
struct gains {
  double all, saving;
};

static struct gains *gains_by_region(const struct hd_diagnosis *diagnosis) {
  struct gains *gains = hd_new(diagnosis->model->node_count, sizeof *gains);
  for (size_t i = 0; i < diagnosis->charge_count; i++) {
    const struct hd_charge *charge = &diagnosis->charges[i];
    const uint32_t region = diagnosis->outermost[charge->node];
    gains[region].all += charge->region != 0 ? charge->gain_ticks : 0;
    gains[region].saving += saves_events(charge) ? charge->gain_ticks : 0;
  }
  return gains;
}

/* Whoever has fewer tasks, regions or critical sections saves Heddle's work for them, too: by what Heddle has done in
 * each outermost region, divided by gains. */
static void add_to_cures(struct hd_diagnosis *diagnosis, double gain) {
  struct gains *gains = gains_by_region(diagnosis);
  double all = 0;
  for (uint32_t i = 1; i < diagnosis->model->node_count; i++)
    all += diagnosis->outermost[i] == i ? measured_in(diagnosis, i) : 0;
  for (size_t i = 0; i < diagnosis->charge_count && all > 0; i++) {
    struct hd_charge *charge = &diagnosis->charges[i];
    const uint32_t region = diagnosis->outermost[charge->node];
    if (!saves_events(charge) || gains[region].saving <= 0)
      continue;
    const double own =
        fmin(measured_in(diagnosis, region) / all * gain, left_to_gain(diagnosis, region, gains[region].all));
    charge->own_ticks = own * charge->gain_ticks / gains[region].saving;
    charge->gain_ticks += charge->own_ticks;
  }
  free(gains);
}

void hd_charges_find_measurement(struct hd_diagnosis *diagnosis) {
  const struct hd_model *model = diagnosis->model;
  const double own = (double)model->elapsed_ticks - hd_model_corrected_elapsed(model);
  const double gain = fmin(own, (double)model->cost_ticks);
  hd_charge_run(diagnosis, HD_CAUSE_MEASUREMENT, most_measured(diagnosis), (double)model->cost_ticks, gain);
  if (gain > 0)
    add_to_cures(diagnosis, gain);
}
