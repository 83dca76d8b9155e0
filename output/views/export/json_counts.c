/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file json_counts.c
 * Counts of events and metrics in the JSON. What is not known, or known in part only, is null: a part has a place of
 * its own, "..._partial".
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/model/counts.h"
#include "output/views/export/json_internal.h"
#include "support/command/memory.h"

enum { KEY_BYTES = 64 };

/* What the numbers of one object are of. */
struct subject {
  const struct hd_model *model;
  const struct hd_count_sum *sum;
  struct hd_count_of of;
  double elapsed_ticks;
};

static json_t *whole_number(double value) {
  return value < 0x1p63 ? json_integer((json_int_t)llround(value)) : json_real(value);
}

/* ---- the run's ---- */

static json_t *event(const void *of, size_t index) {
  const struct hd_event_record *from = &((const struct hd_model *)of)->events[index];
  return HD_JSON({"name", json_string(from->name)}, {"source", json_string(from->source)},
                 {"unit", hd_json_text(from->unit[0] ? from->unit : NULL)},
                 {"description", json_string(from->description)}, {"cost_per_reading", hd_json_count(from->cost)},
                 {"slot", from->slot > 0 ? hd_json_count(from->slot) : json_null()});
}

static json_t *event_of_group(const void *of, size_t index) {
  return hd_json_text(((const struct hd_group *)of)->events[index].event);
}

static json_t *metric(const void *of, size_t index) {
  const struct hd_metric *from = &((const struct hd_group *)of)->metrics[index];
  return HD_JSON({"name", hd_json_text(from->name)},
                 {"unit", hd_json_text(from->unit && from->unit[0] ? from->unit : NULL)},
                 {"formula", hd_json_text(from->formula)});
}

static json_t *group(const void *of, size_t index) {
  const struct hd_group *from = ((const struct hd_model *)of)->groups[index];
  return HD_JSON({"name", hd_json_text(from->name)}, {"path", hd_json_text(from->path)},
                 {"description", hd_json_text(from->short_text)},
                 {"events", hd_json_array(from, from->event_count, event_of_group)},
                 {"metrics", hd_json_array(from, from->metric_count, metric)});
}

json_t *hd_json_run_counters(const struct hd_model *model) {
  static const char *const places[] = {NULL, "region", "loop", "all"};
  if (model->header.event_count == 0)
    return json_null();
  return HD_JSON({"at", json_string(places[model->header.counters_at])},
                 {"multiplexed", json_boolean(model->header.event_slots > 0)},
                 {"readings", hd_json_count(hd_model_readings(model))},
                 {"reading_s", hd_json_number(hd_model_reading_seconds(model))},
                 {"events", hd_json_array(model, model->header.event_count, event)},
                 {"groups", hd_json_array(model, model->group_count, group)});
}

/* ---- counts ---- */

static json_t *number(const void *of, size_t index) {
  return hd_json_count(((const uint32_t *)of)[index]);
}

static json_t *part(const struct subject *subject, uint32_t event_index, double counted) {
  uint32_t *threads = hd_new(subject->model->thread_count, sizeof *threads);
  const uint32_t count = hd_model_uncounted(subject->model, subject->of, event_index, threads);
  json_t *missing = hd_json_array(threads, count, number);
  free(threads);
  return HD_JSON({"counted", whole_number(counted)}, {"threads_missing", missing});
}

/* `key`, and when they are needed `key`_partial and `key`_fraction. */
static json_t *class_members(const struct subject *subject, const char *key, enum hd_count_class class) {
  const struct hd_model *model = subject->model;
  char partial[KEY_BYTES], fraction[KEY_BYTES];
  json_t *values = json_object(), *parts = json_object(), *fractions = json_object();
  bool done = values && parts && fractions;
  for (uint32_t i = 0; done && i < model->header.event_count; i++) {
    const struct hd_count count = hd_count_sum_of(model, subject->sum, i, class);
    const char *name = model->events[i].name;
    done = hd_json_put(values, name, count.known && !count.partial ? whole_number(count.value) : json_null());
    if (count.known && count.partial)
      done = done && hd_json_put(parts, name, part(subject, i, count.value));
    if (count.known && count.fraction < 1)
      done = done && hd_json_put(fractions, name, json_real(count.fraction));
  }
  snprintf(partial, sizeof partial, "%s_partial", key);
  snprintf(fraction, sizeof fraction, "%s_fraction", key);
  json_t *object = HD_JSON({key, values}, {partial, parts}, {fraction, fractions});
  if (parts && json_object_size(parts) == 0)
    json_object_del(object, partial);
  if (fractions && json_object_size(fractions) == 0)
    json_object_del(object, fraction);
  return hd_json_finish(object, done);
}

static json_t *metrics_members(const struct subject *subject, const char *key) {
  const struct hd_model *model = subject->model;
  json_t *values = json_object();
  for (uint32_t i = 0; i < model->group_count; i++)
    for (uint32_t j = 0; values && j < model->groups[i]->metric_count; j++) {
      const struct hd_group *from = model->groups[i];
      const struct hd_count count =
          hd_count_sum_metric(model, subject->sum, from, &from->metrics[j], subject->elapsed_ticks, NULL);
      char *name = NULL;
      if (asprintf(&name, "%s: %s", from->name, from->metrics[j].name) < 0)
        continue;
      hd_json_put(values, name, count.known ? hd_json_number(count.value) : json_null());
      free(name);
    }
  return HD_JSON({key, values});
}

static json_t *all_members(const struct subject *subject) {
  return HD_JSON({HD_JSON_MERGE, class_members(subject, "counters", HD_COUNT_BUSY)},
                 {HD_JSON_MERGE, class_members(subject, "counters_waiting", HD_COUNT_WAITING)},
                 {HD_JSON_MERGE, class_members(subject, "counters_runtime", HD_COUNT_RUNTIME)},
                 {HD_JSON_MERGE, metrics_members(subject, "metrics")});
}

static json_t *inclusive_members(const struct subject *subject) {
  return HD_JSON({HD_JSON_MERGE, class_members(subject, "counters_inclusive", HD_COUNT_BUSY)},
                 {HD_JSON_MERGE, metrics_members(subject, "metrics_inclusive")});
}

static double elapsed_of(const struct hd_model *model, const struct hd_node *node) {
  return node->id == 0 ? hd_count_elapsed_of_program(model) : hd_count_elapsed(&node->team);
}

/* Without counters. */
static json_t *none(void) {
  return HD_JSON({"counters", json_null()});
}

json_t *hd_json_node_counts(const struct hd_model *model, const struct hd_node *node) {
  struct hd_count_sum *own = model->header.event_count > 0 ? hd_count_sums_new(model, 1) : NULL;
  if (!own)
    return model->header.event_count == 0 ? none() : NULL;
  hd_count_sum_add_own(model, own, node);
  const double elapsed = elapsed_of(model, node);
  const struct subject exclusive = {model, own, {node->id, HD_NONE, false}, elapsed};
  const struct subject inclusive = {model, &model->counts_inclusive[node->id], {node->id, HD_NONE, true}, elapsed};
  json_t *object = HD_JSON({HD_JSON_MERGE, all_members(&exclusive)}, {HD_JSON_MERGE, inclusive_members(&inclusive)});
  free(own);
  return object;
}

json_t *hd_json_row_counts(const struct hd_model *model, const struct hd_node *node, const struct hd_row *row) {
  struct hd_count_sum *own = model->header.event_count > 0 ? hd_count_sums_new(model, 1) : NULL;
  if (!own)
    return model->header.event_count == 0 ? none() : NULL;
  own->incomplete = !hd_node_has_own_counts(node);
  for (uint32_t i = 0; i < node->counts_count; i++)
    if (model->counts[node->counts_first + i].thread == row->thread)
      hd_count_sum_add_counts(model, own, &model->counts[node->counts_first + i]);
  const struct subject subject = {model, own, {node->id, row->thread, false}, NAN};
  json_t *object = all_members(&subject);
  free(own);
  return object;
}

json_t *hd_json_thread_counts(const struct hd_model *model, uint32_t thread) {
  if (model->header.event_count == 0)
    return none();
  return all_members(&(struct subject){
      model, &model->counts_total[thread], {HD_NONE, thread, true}, hd_count_lifetime(model, thread)});
}

json_t *hd_json_program_counts(const struct hd_model *model) {
  if (model->header.event_count == 0)
    return none();
  const struct subject subject = {model, &model->counts_total[model->thread_count], HD_COUNT_OF_PROGRAM,
                                  hd_count_elapsed_of_program(model)};
  return HD_JSON({HD_JSON_MERGE, all_members(&subject)}, {HD_JSON_MERGE, inclusive_members(&subject)});
}
