/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/findings/what_if.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/format_names.h"

/* ---- reading ---- */

static const char form[] = "expects ID=balanced, 'ID without CAUSE', 'ID*FACTOR' or threads=N";

static bool refuse(char *error, size_t bytes, const char *why) {
  snprintf(error, bytes, "%s%s%s", form, *why ? ": " : "", why);
  return false;
}

static bool read_cause(const char *text, struct hd_what_if *question, char *error, size_t bytes) {
  for (int cause = 0; cause < HD_CAUSE_COUNT; cause++)
    if (strcmp(text, hd_cause_id((enum hd_cause)cause)) == 0) {
      if (!hd_cause_is_of_one_run((enum hd_cause)cause)) {
        snprintf(error, bytes, "cannot be asked without %s: one run does not show it; 'heddle compare' does", text);
        return false;
      }
      question->change = HD_CHANGE_WITHOUT;
      question->cause = (enum hd_cause)cause;
      return true;
    }
  return refuse(error, bytes, "that is no cause; 'heddle explain --json' names those of a run");
}

static bool read_threads(const char *text, struct hd_what_if *question, char *error, size_t bytes) {
  char *end;
  const unsigned long threads = strtoul(text, &end, 10);
  if (*end || text[0] < '0' || text[0] > '9' || threads == 0 || threads > 1000000)
    return refuse(error, bytes, "a number of threads is 1 or more");
  question->change = HD_CHANGE_THREADS;
  question->threads = (uint32_t)threads;
  return true;
}

static bool read_factor(const char *text, struct hd_what_if *question, char *error, size_t bytes) {
  char *end;
  question->change = HD_CHANGE_WORK;
  question->factor = strtod(text, &end);
  return end != text && *end == '\0' && question->factor >= 0 && isfinite(question->factor)
             ? true
             : refuse(error, bytes, "a factor is a number, 0 or more");
}

bool hd_what_if_read(const char *text, struct hd_what_if *question, char *error, size_t error_bytes) {
  static const char threads[] = "threads=", balanced[] = "=balanced", without[] = " without ";
  char *rest;
  *question = (struct hd_what_if){0};
  if (strncmp(text, threads, sizeof threads - 1) == 0)
    return read_threads(text + sizeof threads - 1, question, error, error_bytes);
  const unsigned long node = strtoul(text, &rest, 10);
  if (rest == text || text[0] < '0' || text[0] > '9' || node >= UINT32_MAX)
    return refuse(error, error_bytes, "");
  question->node = (uint32_t)node;
  if (strcmp(rest, balanced) == 0)
    return read_cause(hd_cause_id(HD_CAUSE_IMBALANCE), question, error, error_bytes);
  if (strncmp(rest, without, sizeof without - 1) == 0)
    return read_cause(rest + sizeof without - 1, question, error, error_bytes);
  return *rest == '*' ? read_factor(rest + 1, question, error, error_bytes) : refuse(error, error_bytes, "");
}

/* ---- predicting ---- */

static struct hd_prediction shorter_by(const struct hd_model *model, double gain, double least, double most,
                                       enum hd_basis basis) {
  const double elapsed = (double)model->elapsed_ticks;
  return (struct hd_prediction){elapsed - gain, elapsed - most, elapsed - least, basis};
}

static struct hd_prediction without_cause(const struct hd_model *model, const struct hd_what_if *question) {
  struct hd_findings *findings = hd_findings_below(model, question->cause, question->node);
  double gain = 0, least = 0, most = 0;
  enum hd_basis basis = HD_BASIS_MEASURED;
  for (size_t i = 0; i < findings->count; i++) {
    const struct hd_finding *finding = &findings->items[i];
    gain += finding->gain_ticks;
    least += finding->low_ticks;
    most += finding->high_ticks;
    basis = finding->basis > basis ? finding->basis : basis;
  }
  hd_findings_free(findings);
  return shorter_by(model, gain, least, most, basis);
}

/* The team that a callpath's work is divided among: its own, or that around it. NULL: one thread does it. */
static const struct hd_team_totals *team_of(const struct hd_model *model, uint32_t node) {
  for (; node > 0; node = model->nodes[node].parent)
    if (model->nodes[node].team.team_max > 0 && model->nodes[node].team.busy_ticks > 0)
      return &model->nodes[node].team;
  return NULL;
}

/* The thread that works longest in the team decides, if each is relieved of the same part of its work; in truth others
 * may have had the most of this. */
static struct hd_prediction with_work(const struct hd_model *model, const struct hd_what_if *question) {
  const double changed = (1 - question->factor) * (double)model->nodes[question->node].inclusive_ticks[HD_BUSY];
  const struct hd_team_totals *team = team_of(model, question->node);
  if (!team)
    return shorter_by(model, changed, changed, changed, HD_BASIS_MODEL);
  const double each = hd_team_elapsed(team) * changed / (double)team->capacity_ticks;
  const double imbalance = hd_team_imbalance(team);
  const double longest = isnan(imbalance) || imbalance < 1 ? each : each * imbalance;
  return shorter_by(model, longest, fmin(each, longest), fmax(each, longest), HD_BASIS_MODEL);
}

static double busy_in_regions(const struct hd_model *model) {
  double busy = 0;
  for (uint32_t i = 1; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    bool is_inner = false;
    for (uint32_t above = node->parent; above > 0; above = model->nodes[above].parent)
      is_inner |= hd_kind_is_region(model->nodes[above].kind);
    if (hd_kind_is_region(node->kind) && !is_inner)
      busy += (double)node->inclusive_ticks[HD_BUSY];
  }
  return busy;
}

static double at_most(double threads, uint32_t processors) {
  return processors > 0 && threads > processors ? processors : threads;
}

/* What threads lost in regions for each tick of work: nothing where there is only one. More threads lose as much as
 * these, and at worst bring nothing. */
static struct hd_prediction with_threads(const struct hd_model *model, const struct hd_what_if *question) {
  struct hd_findings *findings = hd_findings_new(model, 1);
  const double now = at_most(findings->threads, model->header.max_threads);
  const double then = at_most(question->threads, model->header.max_threads);
  const double inside = (double)model->inside_ticks, outside = (double)model->elapsed_ticks - inside;
  const double busy = busy_in_regions(model), lost = fmax(inside * now - busy, 0);
  const double part = then < now ? (then - 1) / (now - 1) : 1;
  const double likewise = outside + (busy + lost * part) / then, best = outside + busy / then;
  const double worst = then > now ? (double)model->elapsed_ticks : outside + (busy + lost) / then;
  hd_findings_free(findings);
  return (struct hd_prediction){likewise, best, fmax(likewise, worst), HD_BASIS_MODEL};
}

struct hd_prediction hd_what_if_predict(const struct hd_model *model, const struct hd_what_if *question) {
  static struct hd_prediction (*const predict[])(const struct hd_model *, const struct hd_what_if *) = {
      [HD_CHANGE_WITHOUT] = without_cause, [HD_CHANGE_WORK] = with_work, [HD_CHANGE_THREADS] = with_threads};
  struct hd_prediction prediction = predict[question->change](model, question);
  prediction.low_ticks = fmax(prediction.low_ticks, 0);
  prediction.elapsed_ticks = fmax(prediction.elapsed_ticks, prediction.low_ticks);
  prediction.high_ticks = fmax(prediction.high_ticks, prediction.elapsed_ticks);
  return prediction;
}
