/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/trace/lulls_json.h"

#include "output/analysis/losses/causes.h"
#include "output/model/node_text.h"
#include "output/trace/size.h"
#include "output/views/render/json.h"

enum { VERSION = 1 };

struct of {
  const struct hd_model *model;
  const struct hd_lull *lulls; /* or one of them */
};

static json_t *share_members(const void *of, size_t index) {
  const struct hd_model *model = ((const struct of *)of)->model;
  const struct hd_lull_share *share = &((const struct of *)of)->lulls->shares[index];
  char place[HD_PLACE_BYTES];
  hd_node_text(place, model, &model->nodes[share->place.node], NULL);
  return HD_JSON({"thread", hd_json_count(share->thread)},
                 {"state", hd_json_text(hd_state_id((enum hd_state)share->place.state))},
                 {"id", hd_json_count(share->place.node)}, {"place", hd_json_text(place)},
                 {"time_s", hd_json_seconds(model, share->ticks)});
}

static json_t *lull_members(const void *of, size_t index) {
  const struct hd_model *model = ((const struct of *)of)->model;
  const struct hd_lull *lull = &((const struct of *)of)->lulls[index];
  const uint64_t ticks = hd_lull_ticks(lull);
  const struct of one = {model, lull};
  return HD_JSON({"from_s", hd_json_number(hd_trace_seconds(model, lull->from_ticks))},
                 {"to_s", hd_json_number(hd_trace_seconds(model, lull->to_ticks))},
                 {"length_s", hd_json_seconds(model, ticks)},
                 {"busy_threads", hd_json_number((double)lull->busy_ticks / (double)ticks)},
                 {"threads", hd_json_array(&one, lull->share_count, share_members)});
}

bool hd_trace_lulls_json(const struct hd_model *model, const struct hd_lull_choice *choice,
                         const struct hd_lulls *lulls, FILE *out) {
  struct hd_trace_size size;
  hd_trace_size(model, &size);
  const struct of all = {model, lulls->items};
  json_t *value = HD_JSON({"heddle", hd_json_count(VERSION)}, {"busy_most", hd_json_count(choice->busy_most)},
                          {"least_s", hd_json_number(choice->least_seconds)},
                          {"traced_s", hd_json_seconds(model, size.stretch_ticks)},
                          {"found", hd_json_count(lulls->found)}, {"found_s", hd_json_seconds(model, lulls->ticks)},
                          {"stretches", hd_json_array(&all, lulls->count, lull_members)});
  const bool made = hd_json_write(value, out);
  fputc('\n', out);
  return made;
}
