/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/compare/columns.h"

#include <math.h>
#include <stdio.h>

#include "output/views/compare/compare_internal.h"
#include "output/views/render/json.h"

const struct hd_column hd_compared_columns[HD_COMPARED_COLUMNS] = {
#define COLUMN(name, id, title, kind, key, help, value) {id, title, kind, 0, 0, help},
#define LOSS(name, id, words, ...) {"lost_" id "_s", words, HD_SECONDS, 0, 0, NULL},
    HD_COMPARED_TIMES(COLUMN, HD_COMPARED_NONE) HD_LOSSES(LOSS) HD_COMPARED_RATIOS(COLUMN, HD_COMPARED_NONE)};
#undef COLUMN

/* ---- values ---- */

static struct hd_value interval(struct hd_interval from, bool known, const struct hd_unit *unit) {
  struct hd_value value = hd_interval_value(from, unit ? unit->per_second : 1, unit ? unit->decimals : 2);
  value.known &= known;
  return value;
}

/* In tables "imbalance 61%", "less imbalance 61%"; "-" also where the loss is shown as 0. */
static struct hd_value main_cause(const struct hd_compared *at, bool matched, const struct hd_unit *unit) {
  const bool named = matched && at->main_cause != HD_LOSS_COUNT;
  struct hd_value value = hd_word(named ? hd_loss_id(at->main_cause) : NULL, named);
  double share = NAN;
  const enum hd_loss cause = hd_row_cause(at, &share);
  const bool less = at->lost_total_ticks < 0;
  value.dash = cause == HD_LOSS_COUNT || !hd_unit_shows(unit, fabs(at->lost_total_s));
  if (!value.dash)
    snprintf(value.text, sizeof value.text, "%s%s %.0f%%", less ? "less " : "",
             less && cause == HD_LOSS_INFLATION ? "work" : hd_loss_words(cause), 100 * share);
  return value;
}

/* Residuals are by those points at which the row occurs. */
static double residual(const struct hd_compared_row *row, uint32_t point, enum hd_law law) {
  size_t index = 0;
  if (!row->scaling.fitted || row->at[point].runs == 0)
    return NAN;
  for (uint32_t i = 0; i < point; i++)
    index += row->at[i].runs > 0;
  return row->scaling.residuals[(size_t)law * row->scaling.point_count + index];
}

/* What was not observed counts as work here, at the baseline, or at both. */
static void mark(struct hd_value values[HD_COMPARED_COLUMNS], uint32_t marks, uint32_t base) {
  const struct hd_bounds busy = hd_bounds_of_busy(marks), busy_base = hd_bounds_of_busy(base);
  const struct hd_bounds waits = hd_bounds_against(hd_bounds_of_waits(marks), hd_bounds_of_waits(base));
  values[HD_COMPARED_CALLS].mark = hd_bounds_text(hd_bounds_of_visits(marks));
  values[HD_COMPARED_CONCURRENCY].mark = hd_bounds_text(busy);
  values[HD_COMPARED_WORK].mark = hd_bounds_text(hd_bounds_against(busy_base, busy));
  values[HD_COMPARED_AMDAHL].mark = hd_bounds_text(hd_bounds_of_levels(base & HD_MARKS_OF_LEVELS));
  for (int loss = 0; loss < HD_LOSS_COUNT; loss++)
    values[HD_COMPARED_LOST_FIRST + loss].mark = hd_bounds_text(waits);
  const char *runtime = hd_bounds_text(hd_bounds_against(hd_bounds_of_runtime(marks), hd_bounds_of_runtime(base)));
  values[HD_COMPARED_LOST_SCHEDULING].mark = values[HD_COMPARED_LOST_TASK_CREATION].mark = runtime;
  values[HD_COMPARED_LOST_INFLATION].mark = hd_bounds_text(hd_bounds_against(busy, busy_base));
}

void hd_compared_values(struct hd_value values[HD_COMPARED_COLUMNS], const struct hd_comparison *comparison,
                        uint32_t row, uint32_t point, const struct hd_unit *unit) {
  const struct hd_compared *at = &comparison->rows[row].at[point], *base = &comparison->rows[row].at[0];
  const struct hd_point *of = &comparison->points[point];
  const bool there = at->runs > 0, matched = there && at->matched;
  const bool scaling = comparison->options.mode == HD_COMPARE_SCALING;
  const struct hd_value cause = main_cause(at, matched, unit);
  const struct hd_efficiency used = hd_efficiency_of(&at->losses);
#define COLUMN(name, id, title, kind, key, help, value) values[HD_COMPARED_##name] = value;
  HD_COMPARED_TIMES(COLUMN, HD_COMPARED_NONE)
  HD_COMPARED_RATIOS(COLUMN, HD_COMPARED_NONE)
#undef COLUMN
  for (int loss = 0; loss < HD_LOSS_COUNT; loss++)
    values[HD_COMPARED_LOST_FIRST + loss] = hd_number(matched ? at->lost_s[loss] : NAN);
  values[HD_COMPARED_AMDAHL].dash = point == 0;
  values[HD_COMPARED_LOST].mark = values[HD_COMPARED_DIFFERENCE].mark = hd_noise_mark(comparison, at);
  mark(values, at->marks, base->marks);
}

/* ---- JSON ---- */

json_t *hd_json_interval(struct hd_interval interval) {
  if (!isfinite(interval.low) && !isfinite(interval.high))
    return json_null();
  return json_pack("[o,o]", hd_json_number(interval.low), hd_json_number(interval.high));
}

json_t *hd_json_numbers(const double *from, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; array && i < count; i++)
    json_array_append_new(array, hd_json_number(from[i]));
  return array;
}

static json_t *ticks_by_cause(const int64_t ticks[HD_LOSS_COUNT]) {
  json_t *object = json_object();
  for (int cause = 0; object && cause < HD_LOSS_COUNT; cause++)
    hd_json_put(object, hd_loss_id((enum hd_loss)cause), json_integer(ticks[cause]));
  return object;
}

static json_t *seconds_by_cause(const double seconds[HD_LOSS_COUNT]) {
  json_t *object = json_object();
  for (int cause = 0; object && cause < HD_LOSS_COUNT; cause++)
    hd_json_put(object, hd_loss_id((enum hd_loss)cause), hd_json_number(seconds[cause]));
  return object;
}

static json_t *value_json(enum hd_column_kind kind, const struct hd_value *value) {
  if (!value->known)
    return json_null();
  switch (kind) {
  case HD_COUNT:
  case HD_TICKS:
    return json_integer((json_int_t)value->count);
  case HD_FLAG:
    return json_boolean(value->count);
  case HD_WORD:
    return hd_json_text(value->word);
  case HD_INTERVAL:
    return hd_json_interval((struct hd_interval){value->number, value->whole});
  default:
    return hd_json_number(value->number); /* shares are of 1 */
  }
}

/* A column without a key is not in the JSON. */
static bool put_member(json_t *object, const char *key, json_t *value) {
  if (key)
    return hd_json_put(object, key, value);
  json_decref(value);
  return true;
}

json_t *hd_compared_json(const struct hd_comparison *comparison, uint32_t row, uint32_t point) {
  const struct hd_compared *at = &comparison->rows[row].at[point];
  const bool matched = at->matched;
  struct hd_value values[HD_COMPARED_COLUMNS];
  json_t *object = json_object();
  bool done = object;
  hd_compared_values(values, comparison, row, point, &(struct hd_unit){.per_second = 1});
#define COLUMN(name, id, title, kind, key, help, value)                                                                \
  done = done && put_member(object, key, value_json(kind, &values[HD_COMPARED_##name]));
#define OBJECT(key, known, value) done = done && hd_json_put(object, key, (known) ? (value) : json_null());
  HD_COMPARED_TIMES(COLUMN, OBJECT)
  HD_COMPARED_RATIOS(COLUMN, OBJECT)
  return hd_json_finish(object, done);
}
