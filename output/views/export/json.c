/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file json.c
 * The stable machine interface (docs: the JSON page): seconds as numbers, counts as integers, null for what was not
 * measured.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "output/analysis/callpath_truncate.h"
#include "output/model/children.h"
#include "output/model/format_names.h"
#include "output/model/levels.h"
#include "output/views/export/export.h"
#include "output/views/export/json_internal.h"
#include "support/command/sanitize.h"

enum { JSON_VERSION = 1 };

static json_t *strings(const struct hd_strings *list) {
  json_t *array = json_array();
  for (size_t i = 0; array && i < list->count; i++)
    json_array_append_new(array, hd_json_text(list->items[i]));
  return array;
}

static json_t *environment(const struct hd_strings *list) {
  json_t *object = json_object();
  for (size_t i = 0; object && i < list->count; i++) {
    const char *value = strchr(list->items[i], '=');
    char *name = value ? strndup(list->items[i], (size_t)(value - list->items[i])) : NULL;
    if (name) {
      hd_plain(name);
      hd_json_put(object, name, hd_json_text(value + 1));
    }
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

static json_t *child(const struct hd_model *model, uint32_t pid) {
  char path[PATH_MAX];
  json_t *object = json_object();
  const bool found = hd_children_find(model, pid, path, sizeof path);
  if (object && hd_json_put(object, "pid", hd_json_count(pid)) &&
      hd_json_put(object, "profile", found ? hd_json_text(path) : json_null()))
    return object;
  json_decref(object);
  return NULL;
}

static json_t *children(const struct hd_model *model) {
  json_t *array = json_array();
  for (uint32_t i = 0; array && i < hd_children_named(model); i++)
    json_array_append_new(array, child(model, model->header.child_pids[i]));
  return array;
}

static bool put_family(json_t *object, const struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  return hd_json_put(object, "parent", header->parent_pid ? hd_json_count(header->parent_pid) : json_null()) &&
         hd_json_put(object, "children", children(model)) &&
         hd_json_put(object, "children_measured", hd_json_count(header->children)) &&
         hd_json_put(object, "children_not_measured", hd_json_count(header->unmeasured_children));
}

static json_t *notes(const struct hd_model *model) {
  json_t *array = strings(&model->notes);
  if (array && !model->levels_known)
    json_array_append_new(
        array, json_string("sequential and concurrent time per level of concurrency is not measured by this version"));
  return array;
}

/* Which file the runtime is, and which build of it. */
static bool put_runtime(json_t *object, const struct hd_model *model) {
  const struct hd_module *module = hd_model_runtime(model);
  char build_id[HD_BUILD_ID_TEXT_BYTES] = "";
  if (module)
    hd_module_build_id(module, sizeof build_id, build_id);
  return hd_json_put(object, "runtime", hd_json_text(model->header.runtime)) &&
         hd_json_put(object, "runtime_path", hd_json_text(module ? module->path : NULL)) &&
         hd_json_put(object, "runtime_build_id", hd_json_text(*build_id ? build_id : NULL));
}

static json_t *run(const struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  const int signal = hd_model_signal(model);
  json_t *object = json_object();
  const bool done = object && hd_json_put(object, "program", hd_json_text(header->program)) &&
                    hd_json_put(object, "command", strings(&model->arguments)) &&
                    hd_json_put(object, "host", hd_json_text(header->host)) &&
                    hd_json_put(object, "pid", hd_json_count(header->pid)) && put_family(object, model) &&
                    hd_json_put(object, "rank", header->rank >= 0 ? json_integer(header->rank) : json_null()) &&
                    hd_json_put(object, "start", start(header->begin_epoch_ns)) && put_runtime(object, model) &&
                    hd_json_put(object, "max_threads", hd_json_count(header->max_threads)) &&
                    hd_json_put(object, "ticks_per_s", json_real(1 / model->seconds_per_tick)) &&
                    hd_json_put(object, "env", environment(&model->environment)) &&
                    hd_json_put(object, "complete", json_boolean(hd_model_is_complete(model))) &&
                    hd_json_put(object, "exit",
                                header->flags & HD_FILE_EXIT_KNOWN ? json_integer(header->exit_status) : json_null()) &&
                    hd_json_put(object, "signal", signal ? json_integer(signal) : json_null()) &&
                    hd_json_put(object, "counters", hd_json_run_counters(model)) &&
                    hd_json_put_run_overhead(object, model) && hd_json_put(object, "notes", notes(model));
  if (done)
    return object;
  json_decref(object);
  return NULL;
}

static bool put_program_levels(json_t *object, const struct hd_model *model) {
  static const char *const keys[] = {"serial_s", "time_at_k_s", NULL};
  if (!model->levels_known)
    return hd_json_put_nulls(object, keys);
  return hd_json_put(object, keys[0], hd_json_seconds(model, hd_levels_up_to(&model->time_at, 1))) &&
         hd_json_put(object, keys[1], hd_json_levels(model, &model->time_at));
}

static bool put_account(json_t *object, const struct hd_account *account) {
  static const char *const keys[] = {"processor_share", "processor_s", "processor_wait_s", "preemptions", NULL};
  if (!account->known)
    return hd_json_put_nulls(object, keys);
  return hd_json_put(object, keys[0], hd_json_number(hd_account_share(account))) &&
         hd_json_put(object, keys[1], json_real((double)account->ran_ns / 1e9)) &&
         hd_json_put(object, keys[2], json_real((double)account->queued_ns / 1e9)) &&
         hd_json_put(object, keys[3], hd_json_count(account->preemptions));
}

static json_t *program(const struct hd_model *model) {
  const double elapsed = (double)model->elapsed_ticks;
  const uint64_t unmeasured = hd_model_unmeasured_ticks(model);
  const uint64_t outside = model->elapsed_ticks > model->inside_ticks ? model->elapsed_ticks - model->inside_ticks : 0;
  const struct hd_account account = hd_account_of_program(model);
  json_t *object = json_object();
  const bool done = object &&
                    hd_json_put(object, "elapsed_s", hd_json_seconds(model, model->elapsed_ticks + unmeasured)) &&
                    hd_json_put(object, "unmeasured_s", hd_json_seconds(model, unmeasured)) &&
                    hd_json_put(object, "busy_s", hd_json_seconds(model, model->ticks[HD_BUSY])) &&
                    hd_json_put(object, "wait_s", hd_json_seconds(model, hd_ticks_waiting(model->ticks))) &&
                    hd_json_put(object, "runtime_s", hd_json_seconds(model, model->ticks[HD_RUNTIME])) &&
                    hd_json_put(object, "idle_s", hd_json_seconds(model, model->ticks[HD_IDLE])) &&
                    hd_json_put(object, "mean_concurrency",
                                hd_json_number(elapsed > 0 ? (double)model->ticks[HD_BUSY] / elapsed : NAN)) &&
                    hd_json_put(object, "inside_regions_s", hd_json_seconds(model, model->inside_ticks)) &&
                    hd_json_put(object, "outside_regions_s", hd_json_seconds(model, outside)) &&
                    hd_json_put(object, "potential_gain_s", json_real(model->gain_ticks * model->seconds_per_tick)) &&
                    put_program_levels(object, model) && put_account(object, &account) &&
                    hd_json_put(object, "threads_ever", hd_json_count(hd_model_threads_ever(model))) &&
                    hd_json_put(object, "pauses", hd_json_count(model->header.pauses)) &&
                    hd_json_put(object, "paused_s", hd_json_seconds(model, hd_model_paused_ticks(model))) &&
                    hd_json_put_program_corrected(object, model) && hd_json_put_program_counts(object, model);
  if (done)
    return object;
  json_decref(object);
  return NULL;
}

static json_t *thread(const struct hd_model *model, const struct hd_thread *from) {
  json_t *object = json_object();
  const bool done = object && hd_json_put(object, "thread", hd_json_count(from->id)) &&
                    hd_json_put(object, "kind", json_string(hd_thread_kind_id(from->kind))) &&
                    hd_json_put(object, "threads", hd_json_count(from->threads)) &&
                    hd_json_put(object, "lifetime_s", hd_json_seconds(model, from->lifetime_ticks)) &&
                    hd_json_put(object, "busy_s", hd_json_seconds(model, from->ticks[HD_BUSY])) &&
                    hd_json_put(object, "idle_s", hd_json_seconds(model, from->ticks[HD_IDLE])) &&
                    hd_json_put(object, "wait_s", hd_json_seconds(model, hd_ticks_waiting(from->ticks))) &&
                    hd_json_put(object, "wait_by_cause_s", hd_json_waits(model, from->ticks, false)) &&
                    hd_json_put(object, "runtime_s", hd_json_seconds(model, from->ticks[HD_RUNTIME])) &&
                    put_account(object, &from->account) && hd_json_put_thread_overhead(object, model, from) &&
                    hd_json_put_thread_counts(object, model, from->id);
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
  if (object && hd_json_put(object, "a", hd_json_count(from->a)) && hd_json_put(object, "b", hd_json_count(from->b)) &&
      hd_json_put(object, "elapsed_s",
                  from->ticks == HD_TICKS_UNKNOWN ? json_null() : hd_json_seconds(model, from->ticks)))
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
    json_array_append_new(none, hd_json_seconds(model, from->buckets[i].none_ticks));
    json_array_append_new(sequential, hd_json_seconds(model, from->buckets[i].sequential_ticks));
    json_array_append_new(busy, hd_json_seconds(model, from->buckets[i].busy_ticks));
  }
  bool done = hd_json_put(object, "begin_s", hd_json_seconds(model, model->before_ticks));
  done &= hd_json_put(object, "width_s", hd_json_seconds(model, from->width_ticks));
  done &= hd_json_put(object, "none_s", none);
  done &= hd_json_put(object, "sequential_s", sequential);
  done &= hd_json_put(object, "busy_s", busy);
  if (done)
    return object;
  json_decref(object);
  return NULL;
}

/* One at a time: all of them together would take gigabytes. */
static bool write_profiles(const struct hd_model *model, FILE *out) {
  bool done = true;
  fputs(",\n\"profiles\": [", out);
  for (uint32_t i = 0; done && i < model->node_count; i++) {
    fputs(i == 0 ? "\n" : ",\n", out);
    done = hd_json_write(hd_json_profile(model, &model->nodes[i]), out);
  }
  fputs("\n]", out);
  return done;
}

static bool write_json(const struct hd_model *model, FILE *out) {
  fprintf(out, "{\n\"heddle\": %d", JSON_VERSION);
  const bool made =
      hd_json_write_member("run", run(model), out) && hd_json_write_member("program", program(model), out) &&
      write_profiles(model, out) && hd_json_write_member("threads", threads(model), out) &&
      hd_json_write_member("overlaps", overlaps(model), out) && hd_json_write_member("timeline", timeline(model), out);
  fputs("\n}\n", out);
  return made;
}

const struct hd_exporter hd_export_json = {"json", "the stable machine interface", write_json};
