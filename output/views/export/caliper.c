/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file caliper.c
 * Caliper's "json-split" (https://software.llnl.gov/Caliper/OutputFormats.html): the tree of callpaths as nodes, a
 * record of numbers for each. What Hatchet's from_caliper() reads.
 */
#include "output/model/node_text.h"
#include "output/views/export/export.h"
#include "output/views/render/json.h"

/* Caliper's name of the number that its readers show first; Hatchet calls it "time". */
static const char first_column[] = "sum#time.duration";

/* A parent has a smaller index: nodes are in the order of the model. */
static json_t *node_of(const struct hd_model *model, const struct hd_node *node) {
  char place[HD_PLACE_BYTES];
  hd_node_text(place, model, node, NULL);
  json_t *made = HD_JSON({"label", hd_json_text(place)}, {"column", json_string("path")});
  if (node->id != 0)
    hd_json_put(made, "parent", hd_json_count(node->parent));
  return made;
}

static json_t *seconds_of(const struct hd_model *model, const struct hd_node *node, enum hd_weight weight) {
  return json_real((double)hd_weight_ns(model, node, weight) * 1e-9);
}

static json_t *record_of(const struct hd_model *model, const struct hd_node *node, enum hd_weight first) {
  json_t *record = json_array();
  json_array_append_new(record, hd_json_count(node->id));
  json_array_append_new(record, seconds_of(model, node, first));
  for (enum hd_weight weight = 0; weight < HD_WEIGHT_COUNT; weight++)
    if (hd_weight_is_known(model, weight))
      json_array_append_new(record, seconds_of(model, node, weight));
  json_array_append_new(record, hd_json_count(node->visits));
  return record;
}

static void add_column(json_t *columns, json_t *about, const char *name, bool value) {
  json_array_append_new(columns, json_string(name));
  json_array_append_new(about, HD_JSON({"is_value", json_boolean(value)}));
}

static bool write_caliper(const struct hd_model *model, enum hd_weight weight, FILE *out) {
  const enum hd_weight first = hd_weight_is_known(model, weight) ? weight : HD_WEIGHT_BUSY;
  json_t *columns = json_array(), *about = json_array(), *nodes = json_array(), *data = json_array();
  add_column(columns, about, "path", false);
  add_column(columns, about, first_column, true);
  for (enum hd_weight each = 0; each < HD_WEIGHT_COUNT; each++)
    if (hd_weight_is_known(model, each))
      add_column(columns, about, hd_weight_id(each), true);
  add_column(columns, about, "visits", true);
  for (uint32_t i = 0; i < model->node_count; i++) {
    json_array_append_new(nodes, node_of(model, &model->nodes[i]));
    json_array_append_new(data, record_of(model, &model->nodes[i], first));
  }
  return hd_json_write(HD_JSON({"data", data}, {"columns", columns}, {"column_metadata", about}, {"nodes", nodes},
                               {"program", hd_json_text(model->header.program)},
                               {"host", hd_json_text(model->header.host)},
                               {"time is", json_string(hd_weight_words(first))}),
                       out);
}

const struct hd_exporter hd_export_caliper = {"caliper", "Caliper's JSON-split of all weights, in seconds, for Hatchet",
                                              .write = write_caliper};
