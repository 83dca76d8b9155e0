/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file json_path.c
 * The critical path, in the JSON: of the run and of callpaths.
 */
#include <math.h>

#include "output/analysis/lines/critical_path.h"
#include "output/model/paths.h"
#include "output/views/export/json_internal.h"

static json_t *per_span(uint64_t work, uint64_t span) {
  return hd_json_number(span > 0 ? (double)work / (double)span : NAN);
}

json_t *hd_json_program_path(const struct hd_model *model) {
  const uint64_t span = hd_paths_span(model);
  return HD_JSON_IF(model->path_known, {HD_KEY(SPAN), hd_json_seconds(model, span)},
                    {HD_KEY(PARALLELISM), per_span(model->ticks[HD_BUSY], span)},
                    {"critical_path_at_least", json_boolean(hd_path_lack(model, 0) != NULL)});
}

static json_t *step(const void *of, size_t index) {
  const struct hd_model *model = of;
  const struct hd_model_step *step = &model->steps[index];
  return HD_JSON({"from", step->from == HD_NONE ? json_null() : hd_json_count(step->from)},
                 {"to", hd_json_count(step->to)}, {"count", hd_json_count(step->count)},
                 {"thread_changes", hd_json_count(step->changes)}, {"seconds", hd_json_seconds(model, step->ticks)});
}

json_t *hd_json_path_steps(const struct hd_model *model) {
  return model->path_known ? hd_json_array(model, model->step_count, step) : json_null();
}

static json_t *span_members(const struct hd_model *model, const struct hd_model_path *path) {
  const struct hd_model_path none = {0};
  const bool known = path && path->instances > 0;
  path = known ? path : &none;
  return HD_JSON_IF(known, {HD_KEY(WORK), hd_json_seconds(model, path->work_ticks)},
                    {HD_KEY(SPAN), hd_json_seconds(model, path->span_ticks)},
                    {HD_KEY(PARALLELISM), per_span(path->work_ticks, path->span_ticks)},
                    {HD_KEY(SPAN_INSTANCES), hd_json_count(path->instances)});
}

static json_t *seconds_if_known(const struct hd_model *model, uint64_t ticks) {
  return ticks == HD_PATH_NEVER ? json_null() : hd_json_seconds(model, ticks);
}

json_t *hd_json_node_path(const struct hd_model *model, const struct hd_node *node) {
  const struct hd_model_path *path = hd_paths_find(model, node->id);
  return HD_JSON(
      {HD_JSON_MERGE, HD_JSON_IF(model->path_known, {HD_KEY(PATH), hd_json_seconds(model, node->path_inclusive_ticks)},
                                 {HD_KEY(PATH_SELF), hd_json_seconds(model, path ? path->own_ticks : 0)},
                                 {"earliest_s", seconds_if_known(model, path ? path->earliest_ticks : HD_PATH_NEVER)},
                                 {"slack_s", seconds_if_known(model, path ? path->slack_ticks : HD_PATH_NEVER)})},
      {HD_JSON_MERGE, span_members(model, path)});
}
