/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/compare/fail_if.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/losses/causes.h"
#include "output/metrics/formula.h"
#include "output/model/format_names.h"
#include "output/views/compare/compare_internal.h"
#include "support/command/memory.h"

/* Of the program and of a region; the causes follow in their order. */
enum { TIME, SECONDS, SPEEDUP, EFFICIENCY, LOST, CAUSES, NAME_COUNT = CAUSES + HD_LOSS_COUNT };
enum { OF_PROGRAM, OF_REGION, OWNER_COUNT };
enum { VARIABLE_COUNT = OWNER_COUNT * NAME_COUNT, VARIABLE_BYTES = 40 };

static const char *const owners[OWNER_COUNT] = {"program", "region"};

struct hd_fail_if {
  char *expression;
  void *formula;
  bool by_region;
  double values[OWNER_COUNT][NAME_COUNT]; /* the formula's variables */
  char names[OWNER_COUNT][NAME_COUNT][VARIABLE_BYTES];
};

/* ---- what can be asked ---- */

static const char *name_of(int name) {
  static const char *const first[CAUSES] = {"time", "seconds", "speedup", "efficiency", "lost"};
  return name < CAUSES ? first[name] : hd_loss_id((enum hd_loss)(name - CAUSES));
}

static bool uses(const struct hd_fail_if *condition, int owner, int name) {
  return hd_formula_uses(condition->formula, &condition->values[owner][name]);
}

static bool uses_any(const struct hd_fail_if *condition, int owner) {
  for (int name = 0; name < NAME_COUNT; name++)
    if (uses(condition, owner, name))
      return true;
  return false;
}

/* In characters, from 1. */
static int column_of(const char *expression, int position) {
  int column = 1;
  for (int i = 0; i < position; i++)
    column += (expression[i] & 0xC0) != 0x80;
  return column;
}

#define AND_CAUSE(name, id, ...) ", " id

static bool compile(struct hd_fail_if *condition, struct hd_formula_error *error) {
  struct hd_formula_variable variables[VARIABLE_COUNT];
  for (int owner = 0; owner < OWNER_COUNT; owner++)
    for (int name = 0; name < NAME_COUNT; name++) {
      snprintf(condition->names[owner][name], VARIABLE_BYTES, "%s.%s", owners[owner], name_of(name));
      variables[owner * NAME_COUNT + name] =
          (struct hd_formula_variable){condition->names[owner][name], &condition->values[owner][name]};
    }
  const struct hd_formula_scope scope = {.variables = variables,
                                         .count = VARIABLE_COUNT,
                                         .dotted = true,
                                         .what = "quantity of a comparison",
                                         .otherwise = "; they are program.NAME and region.NAME, where NAME is one of "
                                                      "time, seconds, speedup, efficiency, lost" HD_LOSSES(AND_CAUSE)};
  condition->formula = hd_formula_new(condition->expression, &scope, error);
  return condition->formula != NULL;
}

/* Only what can be shown on one line. */
static bool is_one_line(const char *expression) {
  for (const char *c = expression; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127)
      return false;
  return true;
}

/* Without one it would hold wherever a value is not 0: hardly what was meant. */
static bool has_comparison(const char *expression) {
  return strpbrk(expression, "<>") || strstr(expression, "==") || strstr(expression, "!=");
}

/* Writes what is wrong; false when something is. */
static bool prepare(struct hd_fail_if *condition, char *error, size_t error_bytes) {
  struct hd_formula_error wrong = {.position = -1};
  if (strlen(condition->expression) > HD_FORMULA_BYTES_MOST)
    snprintf(error, error_bytes, "the condition is longer than %d bytes", HD_FORMULA_BYTES_MOST);
  else if (!is_one_line(condition->expression))
    snprintf(error, error_bytes, "the condition has characters that cannot be shown");
  else if (!hd_formula_open(wrong.why, sizeof wrong.why))
    snprintf(error, error_bytes, "condition '%s': %s", condition->expression, wrong.why);
  else if (!compile(condition, &wrong) && wrong.position >= 0)
    snprintf(error, error_bytes, "condition '%s', column %d: %s", condition->expression,
             column_of(condition->expression, wrong.position), wrong.why);
  else if (!condition->formula)
    snprintf(error, error_bytes, "condition '%s': %s", condition->expression, wrong.why);
  else if (!uses_any(condition, OF_PROGRAM) && !uses_any(condition, OF_REGION))
    snprintf(error, error_bytes, "condition '%s' needs program.NAME or region.NAME", condition->expression);
  else if (!has_comparison(condition->expression))
    snprintf(error, error_bytes, "condition '%s' contains no comparison; for example 'region.time > 1.05'",
             condition->expression);
  else
    return true;
  return false;
}

struct hd_fail_if *hd_fail_if_new(const char *expression, char *error, size_t error_bytes) {
  struct hd_fail_if *condition = hd_new(1, sizeof *condition);
  condition->expression = hd_print("%s", expression);
  if (!prepare(condition, error, error_bytes)) {
    hd_fail_if_free(condition);
    return NULL;
  }
  condition->by_region = uses_any(condition, OF_REGION);
  return condition;
}

void hd_fail_if_free(struct hd_fail_if *condition) {
  if (!condition)
    return;
  hd_formula_free(condition->formula);
  free(condition->expression);
  free(condition);
}

/* ---- values ---- */

static void fill(double values[NAME_COUNT], const struct hd_compared *base, const struct hd_compared *at) {
  values[TIME] = base->time_ticks ? (double)at->time_ticks / (double)base->time_ticks : NAN;
  values[SECONDS] = at->time_s - base->time_s;
  values[SPEEDUP] = at->speedup;
  values[EFFICIENCY] = at->efficiency;
  values[LOST] = at->lost_total_s;
  for (int loss = 0; loss < HD_LOSS_COUNT; loss++)
    values[CAUSES + loss] = at->lost_s[loss];
}

/* What is within the noise is no difference. True: something was. A time that halves with twice the threads differs,
 * though nothing may be lost. */
static bool take_noise_out(double values[NAME_COUNT], const struct hd_compared *at) {
  if (!at->noise_known)
    return false;
  const bool same_time = at->speedup_interval.low <= 1 && at->speedup_interval.high >= 1;
  if (same_time) {
    values[TIME] = values[SPEEDUP] = 1;
    values[SECONDS] = 0;
  }
  if (at->in_noise) {
    values[EFFICIENCY] = 1;
    for (int name = LOST; name < NAME_COUNT; name++)
      values[name] = 0;
  }
  return same_time || at->in_noise;
}

/* ---- trying ---- */

struct trial {
  struct hd_fail_if *condition; /* its values are filled */
  const struct hd_comparison *comparison;
  double least_share;
  FILE *out;
  uint32_t tried;
  bool holds;
};

static void say(const struct trial *trial, const char *what, uint32_t row, uint32_t point) {
  const struct hd_document document = {.out = trial->out};
  char text[HD_PLACE_BYTES], where[HD_PLACE_BYTES], when[HD_PLACE_BYTES];
  hd_row_text(text, trial->comparison, row, false);
  hd_document_clean(&document, text, where, sizeof where);
  hd_point_text(text, trial->comparison, point);
  hd_document_clean(&document, text, when, sizeof when);
  fprintf(trial->out, "'%s' %s: %s, %s", trial->condition->expression, what, where, when);
}

static void say_values(const struct trial *trial, const double values[OWNER_COUNT][NAME_COUNT]) {
  const char *before = ": ";
  for (int owner = 0; owner < OWNER_COUNT; owner++)
    for (int name = 0; name < NAME_COUNT; name++)
      if (uses(trial->condition, owner, name)) {
        fprintf(trial->out, "%s%s = %.4g", before, trial->condition->names[owner][name], values[owner][name]);
        before = ", ";
      }
}

static bool is_true(double value) {
  return !isnan(value) && fpclassify(value) != FP_ZERO;
}

static void try_at(struct trial *trial, uint32_t row, uint32_t point) {
  const struct hd_compared *program = trial->comparison->rows[0].at, *region = trial->comparison->rows[row].at;
  struct hd_fail_if *condition = trial->condition;
  double measured[OWNER_COUNT][NAME_COUNT];
  trial->tried++;
  fill(condition->values[OF_PROGRAM], &program[0], &program[point]);
  fill(condition->values[OF_REGION], &region[0], &region[point]);
  memcpy(measured, condition->values, sizeof measured);
  const double value = hd_formula_value(condition->formula);
  bool counts = is_true(value);
  const bool would = counts;
  if (would) {
    const bool noisy_program = take_noise_out(condition->values[OF_PROGRAM], &program[point]);
    const bool noisy_region = take_noise_out(condition->values[OF_REGION], &region[point]);
    counts = (!noisy_program && !noisy_region) || is_true(hd_formula_value(condition->formula));
  }
  if (!would && !isnan(value))
    return;
  say(trial, counts ? "holds" : would ? "would be true but for the noise" : "has no value", row, point);
  say_values(trial, (const double(*)[NAME_COUNT])measured);
  fputs(counts && !region[point].noise_known ? " (too few runs to know the noise)\n" : "\n", trial->out);
  trial->holds = trial->holds || counts;
}

static bool is_small(const struct trial *trial, uint32_t row, uint32_t point) {
  const struct hd_compared_row *rows = trial->comparison->rows;
  const uint32_t points[] = {0, point};
  for (size_t i = 0; i < 2; i++) {
    const struct hd_compared *at = &rows[row].at[points[i]];
    if (at->runs > 0 && at->time_s >= trial->least_share * rows[0].at[points[i]].time_s)
      return false;
  }
  return true;
}

/* True: it was too small at a point. */
static bool try_region(struct trial *trial, uint32_t row) {
  const struct hd_compared *at = trial->comparison->rows[row].at;
  bool small = false;
  for (uint32_t point = 1; point < trial->comparison->point_count; point++) {
    if (is_small(trial, row, point)) {
      small = true;
    } else if (at[point].runs > 0 && at[point].matched) {
      try_at(trial, row, point);
    } else {
      say(trial, "is not checked", row, point);
      fputs(at[point].runs > 0 ? ": it is not in the baseline\n" : ": it is not there\n", trial->out);
    }
  }
  return small;
}

static bool is_region(const struct hd_compared_row *row) {
  return row->kind == HD_COMPARED_REGION || row->kind == HD_COMPARED_NESTED || row->kind == HD_COMPARED_CONSTRUCT;
}

static void try_regions(struct trial *trial) {
  uint32_t small = 0;
  for (uint32_t row = 0; row < trial->comparison->row_count; row++)
    if (is_region(&trial->comparison->rows[row]))
      small += try_region(trial, row);
  if (small > 0)
    fprintf(trial->out, "'%s' is not checked: %u region%s with less than %g %% of the program's time\n",
            trial->condition->expression, small, hd_plural(small), 100 * trial->least_share);
}

bool hd_fail_if_holds(struct hd_fail_if *condition, const struct hd_comparison *comparison, double least_share,
                      FILE *out) {
  struct trial trial = {.condition = condition, .comparison = comparison, .least_share = least_share, .out = out};
  if (condition->by_region)
    try_regions(&trial);
  else
    for (uint32_t point = 1; point < comparison->point_count; point++)
      try_at(&trial, 0, point);
  if (!trial.holds)
    fprintf(out, "'%s' is false for everything checked (%u time%s)\n", condition->expression, trial.tried,
            hd_plural(trial.tried));
  return trial.holds;
}
