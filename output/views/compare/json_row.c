/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file json_row.c
 * A row of a comparison as JSON: its place, what it is at each point, counts and laws. What is not known is null.
 */
#include <math.h>

#include "output/model/format_names.h"
#include "output/views/compare/compare_internal.h"
#include "output/views/render/json.h"

static json_t *count_value(struct hd_count count) {
  if (!count.known)
    return json_null();
  const bool estimate = count.fraction < 1;
  return json_pack("{s:o,s:b,s:f}", "count",
                   estimate ? hd_json_number(count.value) : json_integer((json_int_t)count.value), "at_least",
                   count.partial, "fraction", count.fraction);
}

static json_t *counters(const struct hd_compared_counts *counts, uint32_t row, uint32_t point) {
  struct hd_count_sum *sums = hd_compared_count(counts, row, point);
  json_t *values = json_object();
  for (uint32_t i = 0; values && i < counts->event_count; i++)
    hd_json_put(values, counts->comparison->runs[0].model->events[i].name,
                count_value(hd_compared_count_of(counts, sums, row, point, i)));
  free(sums);
  return values;
}

static json_t *compared(const struct hd_compared_counts *counts, uint32_t row, uint32_t point) {
  if (counts->comparison->rows[row].at[point].runs == 0)
    return json_null();
  json_t *object = hd_compared_json(counts->comparison, row, point);
  return hd_json_finish(object,
                        counts->event_count == 0 || hd_json_put(object, "counters", counters(counts, row, point)));
}

/* ---- laws ---- */

static json_t *fit(const struct hd_scaling *scaling, enum hd_law law) {
  const struct hd_law_fit *from = &scaling->laws[law];
  return HD_JSON(
      {"time_one_s", hd_json_number(from->time_one)},
      {"time_one_interval_s", hd_json_interval(from->time_one_interval)}, {"serial", hd_json_number(from->serial)},
      {"serial_interval", hd_json_interval(from->serial_interval)}, {"coherence", hd_json_number(from->coherence)},
      {"coherence_interval", hd_json_interval(from->coherence_interval)}, {"residual", hd_json_number(from->residual)},
      {"residuals", hd_json_numbers(scaling->residuals + (size_t)law * scaling->point_count, scaling->point_count)},
      {"peak_threads", hd_json_number(from->peak)});
}

static json_t *prediction(const struct hd_scaling *scaling, uint32_t threads) {
  struct hd_prediction told;
  hd_scaling_predict(scaling, threads, &told);
  return HD_JSON({"threads", hd_json_count(threads)}, {"amdahl_s", hd_json_number(told.seconds[HD_LAW_AMDAHL])},
                 {"amdahl_interval_s", hd_json_interval(told.interval[HD_LAW_AMDAHL])},
                 {"usl_s", hd_json_number(told.seconds[HD_LAW_USL])},
                 {"usl_interval_s", hd_json_interval(told.interval[HD_LAW_USL])}, {"told", json_boolean(told.told)},
                 {"why", hd_json_text(told.why)});
}

static json_t *laws(const struct hd_scaling *scaling, const struct hd_compare_view_options *options) {
  json_t *threads = json_array(), *told = json_array();
  for (size_t i = 0; scaling->fitted && i < scaling->point_count; i++)
    json_array_append_new(threads, hd_json_count(scaling->points[i].threads));
  for (size_t i = 0; scaling->fitted && i < options->predict_count; i++)
    json_array_append_new(told, prediction(scaling, options->predict[i]));
  return HD_JSON(
      {"fitted", json_boolean(scaling->fitted)}, {"why", scaling->fitted ? json_null() : hd_json_text(scaling->why)},
      {"threads", threads}, {"amdahl", scaling->fitted ? fit(scaling, HD_LAW_AMDAHL) : json_null()},
      {"usl", scaling->fitted ? fit(scaling, HD_LAW_USL) : json_null()},
      {"amdahl_refuted", scaling->fitted ? json_boolean(scaling->amdahl_refuted) : json_null()}, {"predictions", told});
}

/* ---- the row ---- */

/* Who calls it, from the program down; its own place is not among them. */
static json_t *callpath(const struct hd_comparison *comparison, uint32_t united) {
  char place[HD_PLACE_BYTES];
  json_t *array = json_array();
  while (united != 0) {
    united = comparison->united->nodes[united].parent;
    const struct hd_node node = hd_row_node(comparison, united);
    hd_node_text(place, comparison->united->nodes[united].model, &node, NULL);
    json_array_insert_new(array, 0, hd_json_text(place));
  }
  return array;
}

static json_t *place_members(const struct hd_comparison *comparison, uint32_t index) {
  const struct hd_compared_row *row = &comparison->rows[index];
  const struct hd_model *model = comparison->united->nodes[row->united].model;
  const struct hd_node node = hd_row_node(comparison, row->united);
  const bool placed = node.module != HD_NONE;
  return HD_JSON_IF(index >= 2, {"construct", json_string(hd_kind_id(node.kind))},
                    {"name", hd_json_text(node.name.function)}, {"file", hd_json_text(node.name.file)},
                    {"line", node.name.line > 0 ? hd_json_count(node.name.line) : json_null()},
                    {"module_path", hd_json_text(placed ? model->modules[node.module].path : NULL)},
                    {"offset", placed ? hd_json_count(node.offset) : json_null()},
                    {"callpath", callpath(comparison, row->united)});
}

json_t *hd_compare_json_row(const struct hd_compared_counts *counts, uint32_t index,
                            const struct hd_compare_view_options *options) {
  const struct hd_comparison *comparison = counts->comparison;
  const struct hd_compared_row *row = &comparison->rows[index];
  const bool scaling = comparison->options.mode == HD_COMPARE_SCALING;
  char text[HD_PLACE_BYTES];
  json_t *at = json_array();
  hd_row_text(text, comparison, index, false);
  bool done = at;
  for (uint32_t point = 0; done && point < comparison->point_count; point++)
    done = json_array_append_new(at, compared(counts, index, point)) == 0;
  return hd_json_finish(HD_JSON({"row", hd_json_count(index)},
                                {"parent", row->parent == HD_NONE ? json_null() : hd_json_count(row->parent)},
                                {"kind", json_string(hd_compared_kind_id(row->kind))}, {"text", hd_json_text(text)},
                                {HD_JSON_MERGE, place_members(comparison, index)},
                                {"weight_s", hd_json_number(row->weight_s)}, {"at", at},
                                {"laws", scaling ? laws(&row->scaling, options) : json_null()}),
                        done);
}
