/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file inflation.c
 * Work inflation: the same work takes more thread time. Counted is busy time less what Heddle's own events took. Where
 * threads lacked processors it is also less the time without one, which is busy time, too, and has a finding of its own
 * (oversubscription, pinned).
 */
#include <math.h>
#include <stdlib.h>

#include "output/comparison/findings_internal.h"
#include "output/model/account.h"
#include "output/model/format_names.h"
#include "support/command/memory.h"

/* A row in a run. */
struct work {
  double busy, own; /* thread time, and what Heddle took of it, in common ticks */
  double capacity, mean;
  const struct hd_node *longest; /* of its callpaths the one with most busy time; NULL: it does not occur */
};

/* A row in all repeats of a point. */
struct repeats {
  double *ticks; /* worked */
  size_t count;
};

static bool is_looked_at(const struct hd_compared_row *row) {
  return row->kind == HD_COMPARED_REGION || row->kind == HD_COMPARED_OUTSIDE;
}

static void add_node(struct work *work, const struct hd_node *node, double factor) {
  work->busy += factor * (double)node->inclusive_ticks[HD_BUSY];
  work->own += factor * (double)node->intrusion_inclusive.ticks[HD_INTRUSION_BUSY];
  work->capacity += (double)node->team.capacity_ticks;
  work->mean += node->team.mean_ticks;
  if (!work->longest || node->inclusive_ticks[HD_BUSY] > work->longest->inclusive_ticks[HD_BUSY])
    work->longest = node;
}

/* By row, of regions and of what is outside. */
static struct work *look_into(const struct hd_comparison *comparison, uint32_t index) {
  const struct hd_run *run = &comparison->runs[index];
  struct work *works = hd_new(comparison->row_count, sizeof *works);
  add_node(&works[1], &run->model->nodes[0], (double)run->factor);
  for (uint32_t i = 1; i < run->model->node_count; i++) {
    const uint32_t united = comparison->united->node_of[index][i], row = comparison->row_of[united];
    if (comparison->heads[united] && comparison->rows[row].kind == HD_COMPARED_REGION)
      add_node(&works[row], &run->model->nodes[i], (double)run->factor);
  }
  for (uint32_t row = 2; row < comparison->row_count; row++) {
    works[1].busy -= works[row].busy;
    works[1].own -= works[row].own;
  }
  return works;
}

/* 1 where too little is missing to matter. */
static double applied_share(double share) {
  return share < HD_ACCOUNT_SHARED ? share : 1;
}

static double worked(const struct work *work, double share) {
  return fmax(work->busy - fmax(work->own, 0), 0) * applied_share(share);
}

/* Threads that could work in it at once. */
static double width_of(const struct hd_comparison *comparison, uint32_t row, const struct work *work, uint32_t point) {
  const double team = work->mean > 0 ? work->capacity / work->mean : comparison->points[point].threads;
  const double processors = comparison->points[point].processors;
  if (comparison->rows[row].kind == HD_COMPARED_OUTSIDE)
    return 1;
  return fmax(processors > 0 ? fmin(team, processors) : team, 1);
}

static double more(const double medians[], void *context) {
  (void)context;
  return medians[1] - medians[0];
}

/* ---- a row at a point ---- */

struct search {
  const struct hd_comparison *comparison;
  struct work **works; /* by run, then by row; of the runs at the baseline and at the point */
  double *shares;      /* by run: of the processor time that was wanted */
  struct hd_compared_findings *findings;
};

static struct repeats repeats_of(const struct search *search, uint32_t row, uint32_t point) {
  const struct hd_point *of = &search->comparison->points[point];
  struct repeats repeats = {.ticks = hd_new(of->run_count, sizeof *repeats.ticks)};
  for (uint32_t run = of->run_first; run < of->run_first + of->run_count; run++)
    if (search->works[run][row].longest)
      repeats.ticks[repeats.count++] = worked(&search->works[run][row], search->shares[run]);
  return repeats;
}

/* In which waits may count as busy because the events that tell of them were switched off. */
static double unsure_ticks(const struct hd_compared *at, const struct hd_compared *base) {
  return (double)at->untold_ticks + (double)base->untold_ticks;
}

/* From the medians of both points; the interval by the bootstrap, if there are enough repeats. False: it is noise. */
static bool measure(const struct search *search, uint32_t row, uint32_t point, double ticks[2],
                    struct hd_interval *interval) {
  struct repeats base = repeats_of(search, row, 0), at = repeats_of(search, row, point);
  const bool there = base.count > 0 && at.count > 0;
  *interval = HD_INTERVAL_UNKNOWN;
  if (there) {
    ticks[0] = base.ticks[hd_median_index(base.ticks, base.count)];
    ticks[1] = at.ticks[hd_median_index(at.ticks, at.count)];
    *interval = hd_bootstrap((struct hd_sample[]){{base.ticks, base.count}, {at.ticks, at.count}}, 2, more, NULL);
  }
  free(base.ticks);
  free(at.ticks);
  return there && ticks[1] > ticks[0] && !(interval->low <= 0);
}

/* What is known worse than the median says so. */
static void bound(struct hd_finding *finding, const struct hd_interval *interval, double unsure, double to_gain) {
  finding->low_ticks = finding->high_ticks = finding->gain_ticks;
  if (isfinite(interval->low)) {
    finding->low_ticks = fmin(interval->low * to_gain, finding->gain_ticks);
    finding->high_ticks = fmax(interval->high * to_gain, finding->gain_ticks);
  }
  finding->low_ticks = finding->basis == HD_BASIS_MODEL ? 0 : fmax(finding->low_ticks - unsure * to_gain, 0);
}

static enum hd_basis basis_of(const struct hd_inflation *inflation, double unsure) {
  if (inflation->shares[0] < HD_ACCOUNT_SHARED || inflation->shares[1] < HD_ACCOUNT_SHARED)
    return HD_BASIS_MODEL;
  return unsure > 0 ? HD_BASIS_ESTIMATED : HD_BASIS_MEASURED;
}

static struct hd_inflation inflation_of(const struct search *search, uint32_t row, uint32_t point,
                                        const double ticks[2]) {
  const struct hd_comparison *comparison = search->comparison;
  const struct hd_compared *rows = comparison->rows[row].at;
  const double s = comparison->seconds_per_tick;
  return (struct hd_inflation){.comparison = comparison,
                               .row = row,
                               .point = point,
                               .worked_s = {ticks[0] * s, ticks[1] * s},
                               .shares = {search->shares[rows[0].run], search->shares[rows[point].run]}};
}

static void look_at(const struct search *search, uint32_t row, uint32_t point) {
  const struct hd_comparison *comparison = search->comparison;
  const struct hd_compared *at = &comparison->rows[row].at[point], *base = &comparison->rows[row].at[0];
  struct hd_interval interval;
  double ticks[2] = {0};
  if (!at->matched || at->causes_unknown || !measure(search, row, point, ticks, &interval))
    return;
  const struct hd_run *run = &comparison->runs[at->run];
  const struct work *work = &search->works[at->run][row];
  const struct hd_inflation inflation = inflation_of(search, row, point, ticks);
  const double factor = (double)run->factor, to_gain = 1 / (width_of(comparison, row, work, point) * factor);
  const double unsure = unsure_ticks(at, base), more_ticks = ticks[1] - ticks[0];
  struct hd_finding finding = {.cause = HD_CAUSE_WORK_INFLATION,
                               .place = work->longest,
                               .basis = basis_of(&inflation, unsure),
                               .lost_ticks = more_ticks / factor,
                               .gain_ticks = fmin(more_ticks * to_gain, (double)at->time_ticks / factor)};
  bound(&finding, &interval, unsure, to_gain);
  if (finding.gain_ticks < hd_compared_finding_least(run->model, isfinite(interval.low)))
    return;
  hd_inflation_say(&inflation, &finding);
  hd_compared_finding_add(search->findings, &finding, run->model, point);
}

/* ---- all rows ---- */

void hd_inflation_find(const struct hd_comparison *comparison, uint32_t point, struct hd_compared_findings *findings) {
  struct search search = {.comparison = comparison, .findings = findings};
  search.works = hd_new(comparison->run_count, sizeof *search.works);
  search.shares = hd_new(comparison->run_count, sizeof *search.shares);
  for (uint32_t run = 0; run < comparison->run_count; run++)
    if (comparison->runs[run].point == 0 || comparison->runs[run].point == point) {
      search.works[run] = look_into(comparison, run);
      search.shares[run] = hd_account_share_of_program(comparison->runs[run].model);
    }
  for (uint32_t row = 1; row < comparison->row_count; row++)
    if (is_looked_at(&comparison->rows[row]))
      look_at(&search, row, point);
  for (uint32_t run = 0; run < comparison->run_count; run++)
    free(search.works[run]);
  free(search.works);
  free(search.shares);
}
