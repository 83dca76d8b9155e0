/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file json_estimates.c
 * Estimates beside what was observed: that keeps its meaning, and all sums.
 */
#include "output/analysis/resolve/resolve.h"
#include "output/model/format_names.h"
#include "output/views/export/json_internal.h"

static json_t *pair(const struct hd_model *model, struct hd_bracket interval) {
  json_t *array = json_array();
  json_array_append_new(array, hd_json_ticks(model, interval.low));
  json_array_append_new(array, hd_json_ticks(model, interval.high));
  return array;
}

json_t *hd_json_estimates(const struct hd_model *resolved, uint32_t id) {
  const struct hd_node *node = resolved ? &resolved->nodes[id] : NULL;
  if (!node || !(node->marks[HD_MARKS_OF_CALLPATHS] & HD_MARK_ESTIMATED))
    return HD_JSON({"estimated", json_false()}, {"estimate_s", json_null()}, {"interval_s", json_null()});
  const bool region = hd_kind_is_region(node->kind);
  json_t *gain = region ? hd_json_ticks(resolved, node->team.gain_ticks) : json_null();
  return HD_JSON({"estimated", json_true()},
                 {"estimate_s", HD_JSON({HD_KEY(BUSY), hd_json_seconds(resolved, node->ticks[HD_BUSY])},
                                        {HD_KEY(INCLUSIVE), hd_json_seconds(resolved, node->inclusive_ticks[HD_BUSY])},
                                        {HD_KEY(WAIT), hd_json_waits(resolved, node->ticks, region)},
                                        {"wait_inclusive_s", hd_json_waits(resolved, node->inclusive_ticks, region)},
                                        {HD_JSON_MERGE, hd_json_runtime_members(resolved, node->ticks)},
                                        {HD_KEY(GAIN), gain}, {HD_KEY(CALLS), hd_json_count(node->visits)})},
                 {"interval_s", HD_JSON({HD_KEY(INCLUSIVE), pair(resolved, node->busy_interval)},
                                        {HD_KEY(GAIN), region ? pair(resolved, node->gain_interval) : json_null()})});
}

json_t *hd_json_program_estimates(const struct hd_model *resolved) {
  if (!resolved)
    return HD_JSON({"estimated", json_false()}, {"estimate_s", json_null()}, {"interval_s", json_null()});
  return HD_JSON({"estimated", json_true()},
                 {"estimate_s", HD_JSON({HD_KEY(BUSY), hd_json_seconds(resolved, resolved->ticks[HD_BUSY])},
                                        {HD_KEY(WAIT), hd_json_seconds(resolved, hd_ticks_waiting(resolved->ticks))},
                                        {HD_JSON_MERGE, hd_json_runtime_members(resolved, resolved->ticks)},
                                        {HD_KEY(GAIN), hd_json_ticks(resolved, resolved->gain_ticks)})},
                 {"interval_s", HD_JSON({HD_KEY(BUSY), pair(resolved, resolved->nodes[0].busy_interval)},
                                        {HD_KEY(GAIN), pair(resolved, resolved->gain_interval)})});
}
