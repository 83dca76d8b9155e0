/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file json_overhead.c
 * What Heddle itself cost in the JSON: the run's events, what was switched off, memory, and corrected times: estimates
 * of what would have been measured without it; null where the estimate is impossible.
 */
#include <math.h>

#include "output/model/format_names.h"
#include "output/model/node_text.h"
#include "output/views/export/json_internal.h"

static json_t *corrected(const struct hd_model *model, uint64_t ticks, int64_t intrusion) {
  return hd_json_ticks(model, hd_corrected(ticks, intrusion));
}

/* ---- the run ---- */

static json_t *event(const void *of, size_t kind) {
  const struct hd_model *model = of;
  const struct hd_cost *cost = &model->cost_of[kind];
  const double seconds = hd_model_seconds(model, cost->ticks);
  if (cost->count == 0)
    return NULL;
  return HD_JSON({"event", json_string(hd_event_id((enum hd_event_kind)kind))},
                 {HD_KEY(EVENTS), hd_json_count(cost->count)},
                 {HD_KEY(EVENT_NS), hd_json_number(1e9 * seconds / (double)cost->count)},
                 {HD_KEY(EVENT_TIME), hd_json_number(seconds)});
}

/* Null: the file holds no costs. */
static json_t *overhead(const struct hd_model *model) {
  const uint64_t budget = model->header.budget_ppm;
  if (model->cost_count == 0)
    return json_null();
  return HD_JSON({"own_s", hd_json_seconds(model, model->cost_ticks)},
                 {"percent_of_busy", hd_json_number(100 * hd_model_overhead(model))},
                 {"outside_ns", hd_json_number(1e9 * hd_model_seconds(model, model->header.outside_ticks))},
                 {"start_s", hd_json_seconds(model, model->header.start_ticks)},
                 {"budget_percent", budget > 0 ? json_real((double)budget / 1e4) : json_null()},
                 {"events", hd_json_array(model, HD_EVENT_KINDS, event)});
}

static json_t *switched(const void *of, size_t index) {
  const struct hd_model *model = of;
  const struct hd_switch *from = &model->switches[index];
  const bool is_known = !from->asked || from->cost_ppm > 0;
  char place[HD_PLACE_BYTES];
  hd_node_text(place, model, &model->nodes[from->node], NULL);
  return HD_JSON({"class", json_string(hd_event_class_id((enum hd_event_class)from->event_class))},
                 {"seconds", hd_json_seconds(model, from->ticks)}, {"times", hd_json_count(from->times)},
                 {"cost_percent", is_known ? json_real((double)from->cost_ppm / 1e4) : json_null()},
                 {"profile", hd_json_count(from->node)},
                 {"where", from->in_part     ? json_string("some regions")
                           : from->asked     ? json_string("everywhere")
                           : from->node == 0 ? json_string("outside regions")
                                             : hd_json_text(place)},
                 {"by", json_string(from->asked ? "ctl" : "budget")},
                 {HD_KEY(THREAD), from->asked ? json_null() : hd_json_count(from->thread)});
}

static json_t *memory(const struct hd_file_header *header) {
  const uint64_t used = header->memory_bytes, limit = header->memory_limit_bytes;
  return HD_JSON({"used_bytes", used > 0 ? hd_json_count(used) : json_null()},
                 {"limit_bytes", limit > 0 ? hd_json_count(limit) : json_null()},
                 {"shortened_paths", hd_json_count(header->shortened_paths)});
}

json_t *hd_json_run_overhead(const struct hd_model *model) {
  return HD_JSON({"overhead", overhead(model)}, {"switched_off", hd_json_array(model, model->switch_count, switched)},
                 {"memory", memory(&model->header)});
}

/* ---- corrected times ---- */

/* Not of parts of a run that are made from its trace. */
static bool is_known(const struct hd_model *model) {
  return !(model->header.flags & HD_FILE_PART);
}

static json_t *sums_members(const struct hd_model *model, const uint64_t ticks[HD_STATE_COUNT],
                            const struct hd_intrusion *intrusion, const char *const keys[3], bool known) {
  return HD_JSON_IF(known && is_known(model), {keys[0], corrected(model, ticks[HD_BUSY], intrusion->ticks[HD_INTRUSION_BUSY])},
                    {keys[1], hd_json_ticks(model, hd_corrected_waiting(ticks, intrusion))},
                    {keys[2], corrected(model, hd_ticks_runtime(ticks), intrusion->ticks[HD_INTRUSION_RUNTIME])});
}

static json_t *elapsed(const struct hd_model *model, const struct hd_node *node) {
  if (!is_known(model))
    return json_null();
  if (node->id == 0)
    return hd_json_ticks(model, hd_model_corrected_elapsed(model));
  return hd_kind_is_region(node->kind) && node->team.team_max > 0
             ? hd_json_ticks(model, hd_team_corrected_elapsed(&node->team))
             : json_null();
}

static const char *const own_keys[] = {HD_KEY(BUSY), HD_KEY(WAIT), HD_KEY(RUNTIME)};
static const char *const inclusive_keys[] = {HD_KEY(INCLUSIVE), "wait_inclusive_s", "runtime_inclusive_s"};

json_t *hd_json_program_corrected(const struct hd_model *model) {
  json_t *times = HD_JSON({HD_KEY(ELAPSED), elapsed(model, &model->nodes[0])},
                          {HD_JSON_MERGE, sums_members(model, model->ticks, &model->intrusion, own_keys, true)});
  return HD_JSON({"corrected", times});
}

/* What the times contain of Heddle: measured less corrected, idle time left out. */
static json_t *contained(const struct hd_model *model, const uint64_t ticks[HD_STATE_COUNT],
                         const struct hd_intrusion *intrusion, bool known) {
  const double busy = (double)ticks[HD_BUSY] - hd_corrected(ticks[HD_BUSY], intrusion->ticks[HD_INTRUSION_BUSY]);
  const double waiting = (double)hd_ticks_waiting(ticks) - hd_corrected_waiting(ticks, intrusion);
  const double runtime =
      (double)hd_ticks_runtime(ticks) - hd_corrected(hd_ticks_runtime(ticks), intrusion->ticks[HD_INTRUSION_RUNTIME]);
  return known && is_known(model) ? hd_json_ticks(model, busy + waiting + runtime) : json_null();
}

json_t *hd_json_node_corrected(const struct hd_model *model, const struct hd_node *node) {
  const bool own = hd_node_is_measured(node);
  json_t *times = HD_JSON(
      {HD_KEY(ELAPSED), elapsed(model, node)},
      {HD_JSON_MERGE, sums_members(model, node->ticks, &node->intrusion, own_keys, own)},
      {HD_JSON_MERGE, sums_members(model, node->inclusive_ticks, &node->intrusion_inclusive, inclusive_keys, true)});
  return HD_JSON({"corrected", times}, {"overhead_s", contained(model, node->ticks, &node->intrusion, own)},
                 {"overhead_inclusive_s", contained(model, node->inclusive_ticks, &node->intrusion_inclusive, true)});
}

json_t *hd_json_thread_overhead(const struct hd_model *model, const struct hd_model_thread *thread) {
  return HD_JSON_IF(
      is_known(model), {"overhead_s", hd_json_seconds(model, thread->cost_ticks)},
      {"delay_s", hd_json_ticks(model, (double)thread->late_ticks)},
      {"corrected_busy_s", corrected(model, thread->ticks[HD_BUSY], thread->intrusion.ticks[HD_INTRUSION_BUSY])});
}
