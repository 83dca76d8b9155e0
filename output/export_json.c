/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file export_json.c
 * The stable machine interface (docs: the JSON page): seconds as numbers, counts as integers, null for what was not
 * measured.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "output/export.h"
#include "output/kinds.h"

enum { JSON_VERSION = 1, LEVELS_PADDED = 65 };

/* jansson takes valid UTF-8 only; file names need not be. Bytes that are not become U+FFFD. */
static json_t *text_or_null(const char *text) {
  if (!text)
    return json_null();
  json_t *value = json_string(text);
  if (value)
    return value;
  char *copy = malloc(3 * strlen(text) + 1);
  if (!copy)
    return NULL;
  char *to = copy;
  for (const char *at = text; *at; at++)
    to = (unsigned char)*at < 0x80 ? memcpy(to, at, 1), to + 1 : stpcpy(to, "\xef\xbf\xbd");
  *to = '\0';
  value = json_string(copy);
  free(copy);
  return value;
}

static json_t *number_or_null(double number) {
  return isfinite(number) ? json_real(number) : json_null();
}

static json_t *seconds(const struct hd_model *model, uint64_t ticks) {
  return json_real(hd_model_seconds(model, ticks));
}

static json_t *count(uint64_t number) {
  return json_integer((json_int_t)number);
}

/* Members are put in the order in which they are written. False: no memory; jansson takes `value` in any case. */
static bool put(json_t *object, const char *key, json_t *value) {
  return json_object_set_new(object, key, value) == 0;
}

static bool put_nulls(json_t *object, const char *const *keys) {
  for (; *keys; keys++)
    if (!put(object, *keys, json_null()))
      return false;
  return true;
}

static json_t *strings(const struct hd_strings *list) {
  json_t *array = json_array();
  for (size_t i = 0; array && i < list->count; i++)
    json_array_append_new(array, text_or_null(list->items[i]));
  return array;
}

static json_t *environment(const struct hd_strings *list) {
  json_t *object = json_object();
  for (size_t i = 0; object && i < list->count; i++) {
    const char *value = strchr(list->items[i], '=');
    char *name = value ? strndup(list->items[i], (size_t)(value - list->items[i])) : NULL;
    if (name)
      put(object, name, text_or_null(value + 1));
    free(name);
  }
  return object;
}

static json_t *start(uint64_t epoch_ns) {
  char text[64];
  struct tm utc;
  const time_t at = (time_t)(epoch_ns / 1000000000u);
  if (epoch_ns == 0 || !gmtime_r(&at, &utc) || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
    return json_null();
  return json_string(text);
}

/* Seconds by level, from 0 to the highest that occurs. */
/* Seconds by level. All arrays are equally long, so that a script need not ask; but beyond 64 each ends with the
 * highest level that occurs in it, for the size's sake. */
static json_t *levels(const struct hd_model *model, const struct hd_levels *from) {
  const uint32_t common = model->level_count < LEVELS_PADDED ? model->level_count : LEVELS_PADDED;
  json_t *array = json_array();
  for (uint32_t k = 0; array && (k < from->count || k < common); k++)
    json_array_append_new(array, seconds(model, hd_levels_at(from, k)));
  return array;
}

static json_t *notes(const struct hd_model *model) {
  json_t *array = strings(&model->notes);
  if (array && !model->levels_known)
    json_array_append_new(
        array, json_string("sequential and concurrent time per level of concurrency is not measured by this version"));
  return array;
}

static json_t *run(const struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  json_t *object = json_object();
  const bool done =
      object && put(object, "program", text_or_null(header->program)) &&
      put(object, "command", strings(&model->arguments)) && put(object, "host", text_or_null(header->host)) &&
      put(object, "pid", count(header->pid)) &&
      put(object, "rank", header->rank >= 0 ? json_integer(header->rank) : json_null()) &&
      put(object, "start", start(header->begin_epoch_ns)) && put(object, "runtime", text_or_null(header->runtime)) &&
      put(object, "max_threads", count(header->max_threads)) && put(object, "env", environment(&model->environment)) &&
      put(object, "complete", json_boolean(header->flags & HD_FILE_COMPLETE)) &&
      put(object, "exit", header->flags & HD_FILE_EXIT_KNOWN ? json_integer(header->exit_status) : json_null()) &&
      put(object, "notes", notes(model));
  if (done)
    return object;
  json_decref(object);
  return NULL;
}

static bool put_program_levels(json_t *object, const struct hd_model *model) {
  static const char *const keys[] = {"serial_s", "time_at_k_s", NULL};
  if (!model->levels_known)
    return put_nulls(object, keys);
  return put(object, keys[0], seconds(model, hd_levels_up_to(&model->time_at, 1))) &&
         put(object, keys[1], levels(model, &model->time_at));
}

static json_t *program(const struct hd_model *model) {
  const double elapsed = (double)model->elapsed_ticks;
  const uint64_t outside = model->elapsed_ticks > model->inside_ticks ? model->elapsed_ticks - model->inside_ticks : 0;
  json_t *object = json_object();
  const bool done =
      object && put(object, "elapsed_s", seconds(model, model->elapsed_ticks)) &&
      put(object, "busy_s", seconds(model, model->ticks[HD_BUSY])) &&
      put(object, "wait_s", seconds(model, hd_ticks_waiting(model->ticks))) &&
      put(object, "runtime_s", seconds(model, model->ticks[HD_RUNTIME])) &&
      put(object, "idle_s", seconds(model, model->ticks[HD_IDLE])) &&
      put(object, "mean_concurrency", number_or_null(elapsed > 0 ? (double)model->ticks[HD_BUSY] / elapsed : NAN)) &&
      put(object, "inside_regions_s", seconds(model, model->inside_ticks)) &&
      put(object, "outside_regions_s", seconds(model, outside)) &&
      put(object, "potential_gain_s", json_real(model->gain_ticks * model->seconds_per_tick)) &&
      put_program_levels(object, model);
  if (done)
    return object;
  json_decref(object);
  return NULL;
}

/* Causes that occur; barrier_implicit also at 0 where every visit ends in one. */
static json_t *waits(const struct hd_model *model, const uint64_t ticks[HD_STATE_COUNT], bool always_barrier) {
  json_t *object = json_object();
  for (int state = HD_WAIT_FIRST; object && state <= HD_WAIT_LAST; state++)
    if (ticks[state] > 0 || (always_barrier && state == HD_WAIT_BARRIER_IMPLICIT))
      put(object, hd_state_id((enum hd_state)state), seconds(model, ticks[state]));
  return object;
}

static bool put_place(json_t *object, const struct hd_model *model, const struct hd_node *node) {
  char offset[32];
  const bool known = node->module != HD_NONE;
  snprintf(offset, sizeof offset, "0x%llx", (unsigned long long)node->offset);
  return put(object, "id", count(node->id)) &&
         put(object, "parent", node->id == 0 ? json_null() : count(node->parent)) &&
         put(object, "kind", json_string(hd_kind_id(node->kind))) &&
         put(object, "name", text_or_null(node->name.function)) && put(object, "file", text_or_null(node->name.file)) &&
         put(object, "line", node->name.line > 0 ? count(node->name.line) : json_null()) &&
         put(object, "module", text_or_null(known ? hd_base_name(model->modules[node->module].path) : NULL)) &&
         put(object, "module_path", text_or_null(known ? model->modules[node->module].path : NULL)) &&
         put(object, "offset", known ? json_string(offset) : json_null());
}

static bool put_times(json_t *object, const struct hd_model *model, const struct hd_node *node) {
  const uint64_t *inclusive = node->inclusive_ticks;
  const bool region = hd_kind_is_region(node->kind);
  return put(object, "busy_s", seconds(model, node->ticks[HD_BUSY])) &&
         put(object, "busy_inclusive_s", seconds(model, inclusive[HD_BUSY])) &&
         put(object, "wait_s", waits(model, node->ticks, region)) &&
         put(object, "wait_inclusive_s", waits(model, inclusive, region)) &&
         put(object, "runtime_s", seconds(model, node->ticks[HD_RUNTIME])) &&
         put(object, "runtime_inclusive_s", seconds(model, inclusive[HD_RUNTIME])) &&
         put(object, "idle_s", seconds(model, node->ticks[HD_IDLE]));
}

static json_t *team_size(const struct hd_team_totals *team) {
  json_t *object = json_object();
  if (object && put(object, "min", count(team->team_min)) && put(object, "max", count(team->team_max)))
    return object;
  json_decref(object);
  return NULL;
}

static json_t *real_ticks(const struct hd_model *model, double ticks) {
  return json_real(ticks * model->seconds_per_tick);
}

static bool put_team(json_t *object, const struct hd_model *model, const struct hd_node *node) {
  static const char *const keys[] = {"instances",   "open_instances",   "elapsed_s", "capacity_s",
                                     "team_size",   "mean_concurrency", "imbalance", "potential_gain_s",
                                     "team_busy_s", "team_idle_s",      NULL};
  const struct hd_team_totals *team = &node->team;
  if (team->team_max == 0)
    return put_nulls(object, keys);
  return put(object, keys[0], count(team->instances)) && put(object, keys[1], count(team->open_instances)) &&
         put(object, keys[2], real_ticks(model, hd_team_elapsed(team))) &&
         put(object, keys[3], seconds(model, team->capacity_ticks)) && put(object, keys[4], team_size(team)) &&
         put(object, keys[5], number_or_null(hd_team_concurrency(team))) &&
         put(object, keys[6], number_or_null(hd_team_imbalance(team))) &&
         put(object, keys[7], real_ticks(model, team->gain_ticks)) &&
         put(object, keys[8], seconds(model, team->busy_ticks)) &&
         put(object, keys[9], seconds(model, team->idle_ticks));
}

/* The program has no team, but it does have an elapsed time. */
static bool put_program_team(json_t *object, const struct hd_model *model) {
  return put(object, "elapsed_s", seconds(model, model->elapsed_ticks)) &&
         put(object, "mean_concurrency",
             number_or_null(model->elapsed_ticks > 0 ? (double)model->ticks[HD_BUSY] / (double)model->elapsed_ticks
                                                     : NAN));
}

static json_t *row(const struct hd_model *model, const struct hd_row *from, bool region) {
  json_t *object = json_object();
  const bool done = object && put(object, "thread", count(from->thread)) &&
                    put(object, "visits", count(from->visits)) &&
                    put(object, "busy_s", seconds(model, from->ticks[HD_BUSY])) &&
                    put(object, "wait_s", waits(model, from->ticks, region)) &&
                    put(object, "runtime_s", seconds(model, from->ticks[HD_RUNTIME])) &&
                    put(object, "idle_s", seconds(model, from->ticks[HD_IDLE])) && put(object, "counters", json_null());
  if (done)
    return object;
  json_decref(object);
  return NULL;
}

static json_t *rows(const struct hd_model *model, const struct hd_node *node) {
  json_t *array = json_array();
  for (uint32_t i = 0; array && i < node->row_count; i++)
    json_array_append_new(array, row(model, &model->rows[node->row_first + i], hd_kind_is_region(node->kind)));
  return array;
}

static json_t *elapsed_levels(const struct hd_model *model, const struct hd_node *node) {
  if (!model->levels_known || (node->id != 0 && node->team.team_max == 0) ||
      (node->id != 0 && !hd_kind_is_region(node->kind)))
    return json_null();
  if (node->id != 0 && node->elapsed_at.count == 0 && node->team.elapsed_ticks > 0)
    return json_null(); /* there was no space */
  return levels(model, node->id == 0 ? &model->time_at : &node->elapsed_at);
}

static bool put_levels(json_t *object, const struct hd_model *model, const struct hd_node *node) {
  static const char *const keys[] = {"thread_time_at_k_s",
                                     "thread_time_at_k_inclusive_s",
                                     "wall_share_s",
                                     "wall_share_inclusive_s",
                                     "active_s",
                                     "unpaired_s",
                                     NULL};
  const bool no_space = node->busy_at.count == 0 && node->ticks[HD_BUSY] > 0;
  if (!put(object, "elapsed_at_k_s", elapsed_levels(model, node)))
    return false;
  if (!model->levels_known || no_space)
    return put_nulls(object, keys);
  return put(object, keys[0], levels(model, &node->busy_at)) &&
         put(object, keys[1], levels(model, &node->busy_at_inclusive)) &&
         put(object, keys[2], real_ticks(model, node->wall_share_ticks)) &&
         put(object, keys[3], real_ticks(model, node->wall_share_inclusive_ticks)) &&
         put(object, keys[4], seconds(model, node->active_ticks)) &&
         put(object, keys[5], seconds(model, node->unpaired_ticks));
}

static json_t *profile(const struct hd_model *model, const struct hd_node *node) {
  static const char *const unmeasured[] = {"visits_concurrent", "counters", NULL};
  json_t *object = json_object();
  const bool done = object && put_place(object, model, node) && put(object, "visits", count(node->visits)) &&
                    put_team(object, model, node) && (node->id != 0 || put_program_team(object, model)) &&
                    put_times(object, model, node) && put_levels(object, model, node) &&
                    put_nulls(object, unmeasured) &&
                    put(object, "folded", json_boolean(node->flags & HD_PROFILE_FOLDED)) &&
                    put(object, "recursive", json_boolean(node->flags & HD_PROFILE_RECURSIVE)) &&
                    put(object, "threads", rows(model, node));
  if (done)
    return object;
  json_decref(object);
  return NULL;
}

static json_t *profiles(const struct hd_model *model) {
  json_t *array = json_array();
  for (uint32_t i = 0; array && i < model->node_count; i++)
    if (json_array_append_new(array, profile(model, &model->nodes[i])) != 0) {
      json_decref(array);
      return NULL;
    }
  return array;
}

static json_t *thread(const struct hd_model *model, const struct hd_thread *from) {
  json_t *object = json_object();
  const bool done = object && put(object, "thread", count(from->id)) &&
                    put(object, "kind", json_string(hd_thread_kind_id(from->kind))) &&
                    put(object, "lifetime_s", seconds(model, from->lifetime_ticks)) &&
                    put(object, "busy_s", seconds(model, from->ticks[HD_BUSY])) &&
                    put(object, "idle_s", seconds(model, from->ticks[HD_IDLE])) &&
                    put(object, "wait_s", seconds(model, hd_ticks_waiting(from->ticks))) &&
                    put(object, "wait_by_cause_s", waits(model, from->ticks, false)) &&
                    put(object, "runtime_s", seconds(model, from->ticks[HD_RUNTIME]));
  if (done)
    return object;
  json_decref(object);
  return NULL;
}

static json_t *threads(const struct hd_model *model) {
  json_t *array = json_array();
  for (uint32_t i = 0; array && i < model->thread_count; i++)
    json_array_append_new(array, thread(model, &model->threads[i]));
  return array;
}

static json_t *overlap(const struct hd_model *model, const struct hd_overlap *from) {
  json_t *object = json_object();
  if (object && put(object, "a", count(from->a)) && put(object, "b", count(from->b)) &&
      put(object, "elapsed_s", seconds(model, from->ticks)))
    return object;
  json_decref(object);
  return NULL;
}

static json_t *overlaps(const struct hd_model *model) {
  if (!model->levels_known)
    return json_null();
  json_t *array = json_array();
  for (uint32_t i = 0; array && i < model->overlap_count; i++)
    json_array_append_new(array, overlap(model, &model->overlaps[i]));
  return array;
}

static uint32_t buckets_in_use(const struct hd_model *model) {
  const uint64_t width = model->timeline->width_ticks;
  const uint64_t span = model->elapsed_ticks - model->before_ticks;
  return span / width < HD_TIMELINE_BUCKETS ? (uint32_t)((span + width - 1) / width) : HD_TIMELINE_BUCKETS;
}

static json_t *timeline(const struct hd_model *model) {
  const struct hd_timeline_record *from = model->timeline;
  if (!from || from->width_ticks == 0 || model->elapsed_ticks < model->before_ticks)
    return json_null();
  json_t *object = json_object(), *none = json_array(), *sequential = json_array(), *busy = json_array();
  for (uint32_t i = 0; i < buckets_in_use(model); i++) {
    json_array_append_new(none, seconds(model, from->buckets[i].none_ticks));
    json_array_append_new(sequential, seconds(model, from->buckets[i].sequential_ticks));
    json_array_append_new(busy, seconds(model, from->buckets[i].busy_ticks));
  }
  bool done = put(object, "begin_s", seconds(model, model->before_ticks));
  done &= put(object, "width_s", seconds(model, from->width_ticks));
  done &= put(object, "none_s", none);
  done &= put(object, "sequential_s", sequential);
  done &= put(object, "busy_s", busy);
  if (done)
    return object;
  json_decref(object);
  return NULL;
}

static bool write_json(const struct hd_model *model, FILE *out) {
  json_t *root = json_object();
  const bool made = root && put(root, "heddle", json_integer(JSON_VERSION)) && put(root, "run", run(model)) &&
                    put(root, "program", program(model)) && put(root, "profiles", profiles(model)) &&
                    put(root, "threads", threads(model)) && put(root, "overlaps", overlaps(model)) &&
                    put(root, "timeline", timeline(model));
  if (made && json_dumpf(root, out, JSON_INDENT(1)) == 0)
    fputc('\n', out);
  json_decref(root);
  return made;
}

const struct hd_exporter hd_export_json = {"json", "the stable machine interface", write_json};
