/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file wording.c
 * What points, rows and causes are called, and which of them are worth a word.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/model/format_names.h"
#include "output/views/compare/compare_internal.h"

void hd_point_text(char text[HD_PLACE_BYTES], const struct hd_comparison *comparison, uint32_t point) {
  const struct hd_point *from = &comparison->points[point];
  if (comparison->options.mode == HD_COMPARE_SIDES)
    snprintf(text, HD_PLACE_BYTES, "%s", from->label);
  else
    snprintf(text, HD_PLACE_BYTES, "%s thread%s", from->label, strcmp(from->label, "1") == 0 ? "" : "s");
}

struct hd_node hd_row_node(const struct hd_comparison *comparison, uint32_t united) {
  const struct hd_united_node *from = &comparison->united->nodes[united];
  struct hd_node node = *from->node;
  node.name = from->named->name;
  return node;
}

static void add_callers(char text[HD_PLACE_BYTES], const struct hd_comparison *comparison, uint32_t united) {
  char place[HD_PLACE_BYTES];
  size_t used = strlen(text);
  for (uint32_t at = comparison->united->nodes[united].parent; at != 0; at = comparison->united->nodes[at].parent) {
    const struct hd_node node = hd_row_node(comparison, at);
    hd_node_text(place, comparison->united->nodes[at].model, &node, NULL);
    if (used + strlen(place) + 8 > HD_PLACE_BYTES) {
      strcpy(text + used, " < ..");
      return;
    }
    used += (size_t)snprintf(text + used, HD_PLACE_BYTES - used, " < %s", place);
  }
}

void hd_row_text(char text[HD_PLACE_BYTES], const struct hd_comparison *comparison, uint32_t index, bool alone) {
  const struct hd_compared_row *row = &comparison->rows[index];
  const struct hd_node node = hd_row_node(comparison, row->united);
  const bool within = row->parent != HD_NONE && !alone;
  struct hd_node outer;
  if (row->kind == HD_COMPARED_OUTSIDE) {
    strcpy(text, "outside all regions");
    return;
  }
  if (within)
    outer = hd_row_node(comparison, comparison->rows[row->parent].united);
  hd_node_text(text, comparison->united->nodes[row->united].model, &node, within ? &outer : NULL);
  if (comparison->options.callpaths && row->parent == HD_NONE && row->kind == HD_COMPARED_REGION)
    add_callers(text, comparison, row->united);
}

const char *hd_compared_kind_id(enum hd_compared_kind kind) {
  static const char *const ids[] = {"program", "outside", "region", "nested", "construct"};
  return ids[kind];
}

bool hd_compared_is_noise(const struct hd_compared *at) {
  return at->noise_known && at->in_noise;
}

enum hd_loss hd_row_cause(const struct hd_compared *at, double *share) {
  *share = NAN;
  if (at->runs == 0 || !at->matched || at->main_cause == HD_LOSS_COUNT || hd_compared_is_noise(at))
    return HD_LOSS_COUNT;
  const double sign = at->lost_total_ticks > 0 ? 1 : -1;
  double all = 0;
  for (int cause = 0; cause < HD_LOSS_COUNT; cause++)
    all += fmax(sign * (double)at->lost_ticks[cause], 0);
  *share = sign * (double)at->lost_ticks[at->main_cause] / all;
  return at->main_cause;
}

const char *hd_noise_mark(const struct hd_comparison *comparison, const struct hd_compared *at) {
  if (hd_compared_is_noise(at))
    return "~";
  return at->matched && !at->noise_known && hd_noise_is_known_anywhere(comparison) ? "?" : "";
}

void hd_duration_in(char cell[HD_CELL_BYTES], const struct hd_unit *unit, double seconds) {
  const char *name = unit->per_second > 1e3 ? "us" : unit->per_second > 1 ? "ms" : "s";
  if (hd_unit_shows(unit, seconds))
    snprintf(cell, HD_CELL_BYTES, "%.*f %s", unit->decimals, seconds * unit->per_second, name);
  else
    hd_cell_duration(cell, seconds);
}

/* A share of the whole is only said where nothing goes the other way: it would be one of more than the whole. */
void hd_cause_phrase(char *text, size_t bytes, const struct hd_compared *at, const struct hd_unit *unit,
                     const char *where) {
  char mine[HD_CELL_BYTES], others[HD_CELL_BYTES];
  double share = NAN;
  const enum hd_loss cause = hd_row_cause(at, &share);
  text[0] = '\0';
  if (cause == HD_LOSS_COUNT)
    return;
  const bool gained = at->lost_total_ticks < 0;
  const char *to = gained ? "from" : "to", *words = hd_loss_reason(cause, gained);
  const double all = fabs(at->lost_s[cause]) / share;
  const double opposite = all - fabs(at->lost_total_s);
  hd_duration_in(mine, unit, fabs(at->lost_s[cause]));
  hd_duration_in(others, unit, opposite);
  if (opposite < 0.005 * all)
    snprintf(text, bytes, "; %.0f %% of it %s %s%s", 100 * share, to, words, where);
  else
    snprintf(text, bytes, "; %s %s %s%s (partly offset by %s %s to other causes)", mine, to, words, where, others,
             gained ? "lost" : "gained");
}

bool hd_point_noise_is_known(const struct hd_comparison *comparison, uint32_t point) {
  return comparison->points[0].run_count >= HD_REPEATS_LEAST && comparison->points[point].run_count >= HD_REPEATS_LEAST;
}

bool hd_noise_is_known_anywhere(const struct hd_comparison *comparison) {
  for (uint32_t point = 1; point < comparison->point_count; point++)
    if (hd_point_noise_is_known(comparison, point))
      return true;
  return false;
}

bool hd_row_is_partial(const struct hd_comparison *comparison, const struct hd_compared_row *row) {
  for (uint32_t point = 0; point < comparison->point_count; point++)
    if (row->at[point].runs == 0)
      return true;
  return false;
}

/* Regions in regions are opened by each thread, so their number grows with the threads. */
bool hd_row_calls_differ(const struct hd_comparison *comparison, const struct hd_compared_row *row) {
  const struct hd_compared *first = NULL;
  const struct hd_compared_row *outer = row->parent == HD_NONE ? row : &comparison->rows[row->parent];
  if (outer->kind != HD_COMPARED_REGION || row->kind == HD_COMPARED_NESTED)
    return false;
  for (uint32_t point = 0; point < comparison->point_count; point++) {
    if (row->at[point].runs == 0)
      continue;
    if (!first)
      first = &row->at[point];
    if (row->at[point].calls != first->calls)
      return true;
  }
  return false;
}

struct hd_unit hd_comparison_unit(const struct hd_comparison *comparison) {
  double largest = 0;
  for (uint32_t point = 0; point < comparison->point_count; point++) {
    largest = fmax(largest, comparison->rows[0].at[point].time_s);
    largest = fmax(largest, fabs(comparison->rows[0].at[point].lost_total_s));
  }
  return hd_unit_for(largest);
}

struct hd_value hd_interval_value(struct hd_interval interval, double factor, int decimals) {
  struct hd_value value = {.number = interval.low, .whole = interval.high};
  const double low = interval.low * factor, high = interval.high * factor;
  value.known = isfinite(low) || isfinite(high);
  value.dash = !isfinite(low) || isnan(high);
  if (isfinite(high))
    snprintf(value.text, sizeof value.text, "%.*f%s%.*f", decimals, low, low < 0 || high < 0 ? ".." : "-", decimals,
             high);
  else
    snprintf(value.text, sizeof value.text, ">%.*f", decimals, low);
  return value;
}
