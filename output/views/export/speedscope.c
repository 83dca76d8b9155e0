/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file speedscope.c
 * The file format of speedscope (https://www.speedscope.app/file-format-schema.json): a sampled profile for each
 * weight, in which each callpath is one sample.
 */
#include <stdlib.h>

#include "output/model/node_text.h"
#include "output/views/export/export.h"
#include "output/views/render/json.h"
#include "support/command/memory.h"

/* Callpaths that end in the same place share a frame. */
struct frames {
  json_t *list;
  json_t *by_name; /* the text of a place: its index in the list */
  uint32_t *of;    /* by node */
};

static void add_frame(struct frames *frames, const struct hd_model *model, const struct hd_node *node) {
  char place[HD_PLACE_BYTES];
  hd_node_text(place, model, node, NULL);
  json_t *known = json_object_get(frames->by_name, place);
  if (!known) {
    json_t *frame = HD_JSON({"name", hd_json_text(place)});
    if (node->name.file)
      hd_json_put(frame, "file", hd_json_text(node->name.file));
    if (node->name.line > 0)
      hd_json_put(frame, "line", hd_json_count(node->name.line));
    known = json_integer((json_int_t)json_array_size(frames->list));
    json_object_set_new(frames->by_name, place, known);
    json_array_append_new(frames->list, frame);
  }
  frames->of[node->id] = (uint32_t)json_integer_value(known);
}

static json_t *stack(const struct hd_model *model, const struct frames *frames, uint32_t node) {
  json_t *array = json_array();
  for (;; node = model->nodes[node].parent) {
    json_array_insert_new(array, 0, hd_json_count(frames->of[node]));
    if (node == 0)
      return array;
  }
}

static json_t *profile(const struct hd_model *model, const struct frames *frames, enum hd_weight weight) {
  json_t *samples = json_array(), *weights = json_array();
  uint64_t sum = 0;
  for (uint32_t i = 0; i < model->node_count; i++) {
    const uint64_t ns = hd_weight_ns(model, &model->nodes[i], weight);
    if (ns == 0)
      continue;
    sum += ns;
    json_array_append_new(samples, stack(model, frames, i));
    json_array_append_new(weights, hd_json_count(ns));
  }
  return HD_JSON({"type", json_string("sampled")}, {"name", json_string(hd_weight_words(weight))},
                 {"unit", json_string("nanoseconds")}, {"startValue", hd_json_count(0)},
                 {"endValue", hd_json_count(sum)}, {"samples", samples}, {"weights", weights});
}

/* `active`: which of them shows `first`; the first of all if it is not known. */
static json_t *profiles(const struct hd_model *model, const struct frames *frames, enum hd_weight first,
                        uint64_t *active) {
  json_t *array = json_array();
  *active = 0;
  for (enum hd_weight weight = 0; weight < HD_WEIGHT_COUNT; weight++) {
    if (!hd_weight_is_known(model, weight))
      continue;
    if (weight == first)
      *active = json_array_size(array);
    json_array_append_new(array, profile(model, frames, weight));
  }
  return array;
}

static bool write_speedscope(const struct hd_model *model, enum hd_weight weight, FILE *out) {
  struct frames frames = {json_array(), json_object(), hd_new(model->node_count, sizeof *frames.of)};
  for (uint32_t i = 0; i < model->node_count; i++)
    add_frame(&frames, model, &model->nodes[i]);
  uint64_t active;
  json_t *shown = profiles(model, &frames, weight, &active);
  json_decref(frames.by_name);
  free(frames.of);
  return hd_json_write(HD_JSON({"$schema", json_string("https://www.speedscope.app/file-format-schema.json")},
                               {"exporter", json_string("heddle")}, {"name", hd_json_text(model->header.program)},
                               {"activeProfileIndex", hd_json_count(active)},
                               {"shared", HD_JSON({"frames", frames.list})}, {"profiles", shown}),
                       out);
}

const struct hd_exporter hd_export_speedscope = {
    "speedscope", "flame graphs and tables of all weights, for https://www.speedscope.app", .write = write_speedscope};
