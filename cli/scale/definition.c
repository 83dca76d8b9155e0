/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <string.h>

#include "cli/scale/scale_internal.h"

enum { FORMAT = 1 };

/* One that is not found, or not yet, is left to the run, which says so. */
void hd_scale_programs_find(struct hd_scale_plan *plan) {
  for (uint32_t i = 0; i < plan->set_count; i++) {
    const struct hd_scale_step step = {.set = i, .threads = plan->options->threads.items[0], .repeat = 1};
    struct hd_texts command = {0};
    hd_scale_step_command(plan, &step, &command);
    hd_series_program_find(&plan->sets[i].program, command.items[0]);
    hd_texts_free(&command);
  }
}

static json_t *make_names(const struct hd_scale_options *options) {
  json_t *list = json_array();
  for (size_t i = 0; list && i < options->parameter_count; i++)
    json_array_append_new(list, hd_series_text(options->parameters[i].name));
  return list;
}

/* The counts that were there, and those that are not among them. */
static json_t *make_counts(const struct hd_series_threads *asked, const json_t *there) {
  json_t *list = json_is_array(there) ? json_deep_copy(there) : json_array();
  for (size_t i = 0; i < asked->count; i++) {
    bool known = false;
    for (size_t j = 0; j < json_array_size(list); j++)
      known = known || json_integer_value(json_array_get(list, j)) == asked->items[i];
    if (!known)
      json_array_append_new(list, json_integer(asked->items[i]));
  }
  return list;
}

/* Sets that were there stay. */
static json_t *make_sets(const struct hd_scale_plan *plan, const json_t *before) {
  const json_t *there = json_object_get(before, "sets");
  json_t *sets = json_is_object(there) ? json_deep_copy(there) : json_object();
  for (uint32_t i = 0; i < plan->set_count; i++) {
    const struct hd_scale_set *set = &plan->sets[i];
    json_t *name = hd_series_text(set->name);
    if (name && set->program.path[0])
      json_object_set_new(sets, json_string_value(name), hd_series_program_json(&set->program));
    json_decref(name);
  }
  return sets;
}

json_t *hd_scale_definition_make(const struct hd_scale_plan *plan, const json_t *before) {
  const struct hd_scale_options *options = plan->options;
  const json_int_t repeats = json_integer_value(json_object_get(before, "repeats"));
  json_t *definition = hd_series_definition(&options->series);
  json_t *more = json_pack(
      "{s:i, s:o, s:o, s:o, s:o, s:I, s:o}", "heddle_scale", FORMAT, "options",
      hd_series_texts(options->run_options.items), "bind", options->bind ? hd_series_text(options->bind) : json_null(),
      "parameters", make_names(options), "threads", make_counts(&options->threads, json_object_get(before, "threads")),
      "repeats", repeats > options->series.repeats ? repeats : (json_int_t)options->series.repeats, "sets",
      make_sets(plan, before));
  bool done = definition && more && json_object_update(more, definition) == 0;
  if (done && options->ranks.count)
    done = json_object_set_new(more, "launcher", hd_series_text(options->launcher)) == 0 &&
           json_object_set_new(more, "ranks", make_counts(&options->ranks, json_object_get(before, "ranks"))) == 0;
  json_decref(definition);
  if (done)
    return more;
  json_decref(more);
  return NULL;
}

/* Sets that are new fit. */
static bool set_fits(const struct hd_scale_set *set, const json_t *before, const json_t *asked) {
  json_t *name = hd_series_text(set->name);
  const json_t *was = json_object_get(before, json_string_value(name));
  const json_t *is = json_object_get(asked, json_string_value(name));
  json_decref(name);
  return hd_series_program_fits(&set->program, was, is);
}

bool hd_scale_definition_fits(const struct hd_scale_plan *plan, const json_t *before, const json_t *asked) {
  static const char *const keys[] = {"heddle_scale", "options", "bind", "parameters", "launcher", NULL};
  bool fits = hd_series_definition_fits(keys, before, asked);
  for (uint32_t i = 0; i < plan->set_count; i++)
    fits = set_fits(&plan->sets[i], json_object_get(before, "sets"), json_object_get(asked, "sets")) && fits;
  return fits;
}
