/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file json_samples.c
 * What threads were executing in the JSON: by function and line, for each callpath and state.
 */
#include <stdio.h>

#include "output/analysis/losses/causes.h"
#include "output/analysis/lines/hot_places.h"
#include "output/views/export/json_internal.h"

struct list {
  const struct hd_model *model;
  struct hd_hot_places places;
};

static json_t *sample(const void *of, size_t index) {
  const struct list *list = of;
  const struct hd_model_sample *from = &list->places.items[index];
  const bool is_known = from->module != HD_NONE;
  char offset[32];
  snprintf(offset, sizeof offset, "0x%llx", (unsigned long long)from->offset);
  return HD_JSON({"function", hd_json_text(from->name.function)}, {"inlined_into", hd_json_text(from->inlined_into)},
                 {"file", hd_json_text(from->name.file)},
                 {"line", from->name.line > 0 ? hd_json_count(from->name.line) : json_null()},
                 {"module", hd_json_text(is_known ? hd_base_name(list->model->modules[from->module].path) : NULL)},
                 {"offset", from->name.function ? json_null() : json_string(offset)},
                 {"state", json_string(hd_state_id((enum hd_state)from->state))},
                 {"count", hd_json_count(from->count)});
}

json_t *hd_json_node_samples(const struct hd_model *model, const struct hd_node *node) {
  uint32_t count;
  if (model->header.sample_period_ns == 0)
    return json_object();
  const struct hd_model_sample *first = hd_samples_of(model, node->id, &count);
  struct list list = {model, hd_hot_places_new(first, count, HD_HOT_CALLPATHS | HD_HOT_STATES | HD_HOT_LINES)};
  json_t *members = HD_JSON({"samples", hd_json_array(&list, list.places.count, sample)});
  hd_hot_places_free(&list.places);
  return members;
}

json_t *hd_json_program_samples(const struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  const bool is_known = header->sample_period_ns > 0;
  uint64_t count = 0;
  for (uint32_t i = 0; i < model->sample_count; i++)
    count += model->samples[i].count;
  return HD_JSON_IF(is_known, {"samples_hz", json_real(1e9 / (double)(is_known ? header->sample_period_ns : 1))},
                    {"samples", hd_json_count(count)}, {"samples_lost", hd_json_count(header->lost_samples)},
                    {"samples_not_kept", hd_json_count(header->unplaced_samples)});
}
