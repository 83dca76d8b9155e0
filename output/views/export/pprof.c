/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file pprof.c
 * The format of pprof (profile.proto), for `go tool pprof` and what else reads it: a sample for each callpath, with all
 * weights. Needs libprotobuf-c when Heddle is built.
 */
#include "output/views/export/export.h"

#ifdef HEDDLE_PPROF
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/node_text.h"
#include "profile.pb-c.h"
#include "support/command/memory.h"
#include "support/command/sanitize.h"

/* Their number in the profile's list, from 0. */
struct strings {
  ProtobufCBinaryData *items;
  size_t count;
  json_t *by_text;
};

struct places {
  Pprof__Location *locations; /* one for each text of a place */
  Pprof__Location **location_list;
  Pprof__Function *functions;
  Pprof__Function **function_list;
  Pprof__Line *lines;
  Pprof__Line **line_list;
  size_t count;
  json_t *by_text;
  uint64_t *of; /* by node: its location's number, from 1 */
};

struct samples {
  Pprof__Sample *items;
  Pprof__Sample **list;
  size_t count;
};

static int64_t string(struct strings *strings, const char *text) {
  char *clean = hd_print("%s", text);
  hd_sanitize(clean);
  const json_t *known = json_object_get(strings->by_text, clean);
  if (known) {
    free(clean);
    return json_integer_value(known);
  }
  hd_need(json_object_set_new(strings->by_text, clean, json_integer((json_int_t)strings->count)) == 0);
  strings->items = hd_grow_by_one(strings->items, strings->count, sizeof *strings->items);
  strings->items[strings->count] = (ProtobufCBinaryData){strlen(clean), (uint8_t *)clean};
  return (int64_t)strings->count++;
}

/* ---- places ---- */

static void add_place(struct places *places, struct strings *strings, const struct hd_node *node, int64_t name) {
  const size_t i = places->count++;
  Pprof__Function *function = places->function_list[i] = &places->functions[i];
  Pprof__Location *location = places->location_list[i] = &places->locations[i];
  Pprof__Line *line = places->line_list[i] = &places->lines[i];
  pprof__function__init(function);
  pprof__location__init(location);
  pprof__line__init(line);
  function->id = line->function_id = location->id = i + 1;
  function->name = function->system_name = name;
  function->filename = string(strings, node->name.file ? node->name.file : "");
  function->start_line = line->line = node->name.line;
  location->n_line = 1;
  location->line = &places->line_list[i];
}

static struct places find_places(const struct hd_model *model, struct strings *strings) {
  const size_t count = model->node_count;
  struct places places = {.by_text = json_object(), .of = hd_new(count, sizeof *places.of)};
  places.locations = hd_new(count, sizeof *places.locations);
  places.location_list = hd_new(count, sizeof(Pprof__Location *));
  places.functions = hd_new(count, sizeof *places.functions);
  places.function_list = hd_new(count, sizeof(Pprof__Function *));
  places.lines = hd_new(count, sizeof *places.lines);
  places.line_list = hd_new(count, sizeof(Pprof__Line *));
  for (size_t i = 0; i < count; i++) {
    char text[HD_PLACE_BYTES], key[24];
    hd_node_text(text, model, &model->nodes[i], NULL);
    const int64_t name = string(strings, text);
    snprintf(key, sizeof key, "%lld", (long long)name);
    const json_t *known = json_object_get(places.by_text, key);
    places.of[i] = known ? (uint64_t)json_integer_value(known) : places.count + 1;
    if (known)
      continue;
    add_place(&places, strings, &model->nodes[i], name);
    hd_need(json_object_set_new(places.by_text, key, json_integer((json_int_t)places.of[i])) == 0);
  }
  return places;
}

static void free_places(struct places *places) {
  free(places->locations);
  free(places->location_list);
  free(places->functions);
  free(places->function_list);
  free(places->lines);
  free(places->line_list);
  free(places->of);
  json_decref(places->by_text);
}

/* ---- samples ---- */

static bool weigh(const struct hd_model *model, const struct hd_node *node, Pprof__Sample *sample) {
  bool any = false;
  for (enum hd_weight weight = 0; weight < HD_WEIGHT_COUNT; weight++)
    if (hd_weight_is_known(model, weight)) {
      const uint64_t ns = hd_weight_ns(model, node, weight);
      sample->value[sample->n_value++] = (int64_t)ns;
      any |= ns > 0;
    }
  return any;
}

static void locate(const struct hd_model *model, uint32_t node, const struct places *places, Pprof__Sample *sample) {
  size_t depth = 1;
  for (uint32_t at = node; at != 0; at = model->nodes[at].parent)
    depth++;
  sample->location_id = hd_new(depth, sizeof *sample->location_id);
  for (uint32_t at = node; sample->n_location_id < depth; at = model->nodes[at].parent)
    sample->location_id[sample->n_location_id++] = places->of[at];
}

static struct samples find_samples(const struct hd_model *model, const struct places *places) {
  struct samples samples = {.items = hd_new(model->node_count, sizeof *samples.items),
                            .list = hd_new(model->node_count, sizeof(Pprof__Sample *))};
  for (uint32_t i = 0; i < model->node_count; i++) {
    Pprof__Sample *sample = &samples.items[samples.count];
    pprof__sample__init(sample);
    sample->value = hd_new(HD_WEIGHT_COUNT, sizeof *sample->value);
    if (!weigh(model, &model->nodes[i], sample)) {
      free(sample->value);
      continue;
    }
    locate(model, i, places, sample);
    samples.list[samples.count++] = sample;
  }
  return samples;
}

static void free_samples(struct samples *samples) {
  for (size_t i = 0; i < samples->count; i++) {
    free(samples->items[i].value);
    free(samples->items[i].location_id);
  }
  free(samples->items);
  free(samples->list);
}

/* ---- the profile ---- */

static void pack(const Pprof__Profile *profile, FILE *out) {
  const size_t bytes = pprof__profile__get_packed_size(profile);
  uint8_t *packed = hd_new(bytes, 1);
  fwrite(packed, 1, pprof__profile__pack(profile, packed), out);
  free(packed);
}

static void name_weights(const struct hd_model *model, struct strings *strings, Pprof__ValueType *types,
                         Pprof__Profile *profile) {
  for (enum hd_weight weight = 0; weight < HD_WEIGHT_COUNT; weight++)
    if (hd_weight_is_known(model, weight)) {
      Pprof__ValueType *type = profile->sample_type[profile->n_sample_type] = &types[profile->n_sample_type];
      pprof__value_type__init(type);
      type->type = string(strings, hd_weight_id(weight));
      type->unit = string(strings, "nanoseconds");
      profile->n_sample_type++;
    }
}

/* 0, not known, where a damaged profile says what no number of nanoseconds can be. */
static int64_t duration_of(const struct hd_model *model) {
  const double ns = 1e9 * hd_model_seconds(model, model->elapsed_ticks);
  return ns > 0 && ns < (double)INT64_MAX ? (int64_t)ns : 0;
}

static bool write_pprof(const struct hd_model *model, enum hd_weight weight, FILE *out) {
  struct strings strings = {.by_text = json_object()};
  Pprof__ValueType types[HD_WEIGHT_COUNT], *type_list[HD_WEIGHT_COUNT];
  Pprof__Profile profile;
  pprof__profile__init(&profile);
  profile.sample_type = type_list;
  string(&strings, "");
  name_weights(model, &strings, types, &profile);
  struct places places = find_places(model, &strings);
  struct samples samples = find_samples(model, &places);
  profile.n_sample = samples.count;
  profile.sample = samples.list;
  profile.n_location = profile.n_function = places.count;
  profile.location = places.location_list;
  profile.function = places.function_list;
  profile.time_nanos = (int64_t)model->header.begin_epoch_ns;
  profile.duration_nanos = duration_of(model);
  profile.default_sample_type = hd_weight_is_known(model, weight) ? string(&strings, hd_weight_id(weight)) : 0;
  profile.n_string_table = strings.count;
  profile.string_table = strings.items;
  pack(&profile, out);
  free_samples(&samples);
  free_places(&places);
  for (size_t i = 0; i < strings.count; i++)
    free(strings.items[i].data);
  free(strings.items);
  json_decref(strings.by_text);
  return true;
}

#define MISSING NULL
#else
static bool write_pprof(const struct hd_model *model, enum hd_weight weight, FILE *out) {
  (void)model, (void)weight, (void)out;
  return true;
}
#define MISSING "was left out of this build, which found no libprotobuf-c"
#endif

const struct hd_exporter hd_export_pprof = {"pprof", "all weights, for 'go tool pprof' and other readers of its format",
                                            .write = write_pprof, .binary = true, .missing = MISSING};
