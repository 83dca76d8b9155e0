/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/comparison/findings.h"

#include <math.h>
#include <stdlib.h>

#include "output/comparison/findings_internal.h"
#include "support/command/memory.h"

void hd_compared_finding_add(struct hd_compared_findings *findings, const struct hd_finding *finding,
                             const struct hd_model *model, uint32_t point) {
  findings->items = hd_grow_by_one(findings->items, findings->count, sizeof *findings->items);
  findings->items[findings->count++] = (struct hd_compared_finding){*finding, model, point};
}

double hd_compared_finding_least(const struct hd_model *model, bool noise_known) {
  return (noise_known ? HD_FINDING_LEAST : HD_FINDING_LEAST_UNREPEATED) * (double)model->elapsed_ticks;
}

/* ---- what a run loses by itself ---- */

/* A run and what was found in it. */
struct found {
  uint32_t run;
  struct hd_findings *findings;
};

static struct found find_in(const struct hd_comparison *comparison, uint32_t point, double least) {
  const uint32_t run = comparison->rows[0].at[point].run;
  return (struct found){run, hd_findings_new(comparison->runs[run].model, least)};
}

static const struct hd_finding *find_same(const struct hd_comparison *comparison, const struct found *in,
                                          const struct hd_finding *like, uint32_t run) {
  const struct hd_united *united = comparison->united;
  const uint32_t place = united->node_of[run][like->place->id];
  for (size_t i = 0; i < in->findings->count; i++) {
    const struct hd_finding *finding = &in->findings->items[i];
    const uint32_t other = united->node_of[in->run][finding->place->id];
    if (finding->cause == like->cause && (other == place || hd_united_place_is_same(united, other, place)))
      return finding;
  }
  return NULL;
}

/* As thread time of the baseline is taken from that of the point: divided by the point's threads. */
static void take_off(const struct hd_comparison *comparison, struct hd_finding *finding, const struct hd_finding *base,
                     const struct found *at, const struct found *at_base) {
  const struct hd_run *run = &comparison->runs[at->run], *base_run = &comparison->runs[at_base->run];
  const double ratio = (double)base_run->factor * base_run->book->threads / ((double)run->factor * run->book->threads);
  finding->gain_ticks = finding->gain_ticks - ratio * base->gain_ticks;
  finding->low_ticks = fmax(finding->low_ticks - ratio * base->high_ticks, 0);
  finding->high_ticks = finding->high_ticks - ratio * base->low_ticks;
}

/* With one thread nothing is lost that more of them could have brought. */
static bool has_losses(const struct hd_comparison *comparison) {
  return comparison->options.mode == HD_COMPARE_SIDES || comparison->points[0].threads > 1;
}

static void find_losses(const struct hd_comparison *comparison, uint32_t point, struct hd_compared_findings *findings) {
  const struct hd_compared *program = &comparison->rows[0].at[point];
  if (program->noise_known && program->in_noise)
    return;
  const struct found at = find_in(comparison, point, HD_FINDING_LEAST), base = find_in(comparison, 0, 0);
  const struct hd_model *model = comparison->runs[at.run].model;
  const bool alone = comparison->options.mode == HD_COMPARE_SCALING;
  for (size_t i = 0; i < at.findings->count; i++) {
    struct hd_finding finding = at.findings->items[i];
    const struct hd_finding *before = has_losses(comparison) ? find_same(comparison, &base, &finding, at.run) : NULL;
    if (before)
      take_off(comparison, &finding, before, &at, &base);
    if (finding.gain_ticks >= hd_compared_finding_least(model, alone || program->noise_known))
      hd_compared_finding_add(findings, &finding, model, point);
  }
  hd_findings_free(at.findings);
  hd_findings_free(base.findings);
}

/* ---- all ---- */

static double share_of(const struct hd_compared_finding *finding) {
  return finding->finding.gain_ticks / (double)finding->model->elapsed_ticks;
}

static int compare_shares(const void *a, const void *b) {
  const struct hd_compared_finding *left = a, *right = b;
  const double left_share = share_of(left), right_share = share_of(right);
  if (left_share != right_share)
    return left_share > right_share ? -1 : 1;
  return left->point != right->point ? (left->point > right->point) - (left->point < right->point)
                                     : (int)left->finding.cause - (int)right->finding.cause;
}

struct hd_compared_findings hd_compared_findings_new(const struct hd_comparison *comparison) {
  struct hd_compared_findings findings = {0};
  const bool scaling = comparison->options.mode == HD_COMPARE_SCALING;
  for (uint32_t point = scaling ? comparison->point_count - 1 : 1; point < comparison->point_count; point++) {
    if (comparison->points[0].cut_short > 0 || comparison->points[point].cut_short > 0)
      continue; /* what the rest would have been is not known */
    find_losses(comparison, point, &findings);
    hd_inflation_find(comparison, point, &findings);
  }
  if (findings.count > 0)
    qsort(findings.items, findings.count, sizeof *findings.items, compare_shares);
  return findings;
}

void hd_compared_findings_free(struct hd_compared_findings *findings) {
  free(findings->items);
  *findings = (struct hd_compared_findings){0};
}
