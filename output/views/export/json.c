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

#include "output/analysis/callpaths/callpath_truncate.h"
#include "output/analysis/resolve/resolve.h"
#include "output/live/interval.h"
#include "output/model/format_names.h"
#include "output/model/levels.h"
#include "output/model/memory.h"
#include "output/reader/children.h"
#include "output/trace/entry.h"
#include "output/trace/size.h"
#include "output/trace/stretches.h"
#include "output/views/export/export.h"
#include "output/views/export/json_internal.h"
#include "support/command/sanitize.h"

enum { JSON_VERSION = 1 };

static json_t *environment(const struct hd_strings *list) {
  json_t *object = json_object();
  for (size_t i = 0; object && i < list->count; i++) {
    const char *value = strchr(list->items[i], '=');
    char *name = value ? strndup(list->items[i], (size_t)(value - list->items[i])) : NULL;
    if (name) {
      hd_sanitize(name);
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

static json_t *child(const void *of, size_t index) {
  char path[PATH_MAX];
  const struct hd_model *model = of;
  const uint32_t pid = model->header.child_pids[index];
  const bool found = hd_children_find(model, pid, path, sizeof path);
  return HD_JSON({"pid", hd_json_count(pid)}, {"profile", hd_json_text(found ? path : NULL)});
}

static json_t *family_members(const struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  return HD_JSON({"parent", header->parent_pid ? hd_json_count(header->parent_pid) : json_null()},
                 {"children", hd_json_array(model, hd_children_named(model), child)},
                 {"children_measured", hd_json_count(header->children)},
                 {"children_not_measured", hd_json_count(header->unmeasured_children)});
}

static json_t *notes(const struct hd_model *model) {
  json_t *array = hd_json_strings(&model->notes);
  if (array && !model->levels_known)
    json_array_append_new(
        array, json_string("sequential and concurrent time per level of concurrency is not measured by this version"));
  return array;
}

/* Which file the runtime is, and which build of it. */
static json_t *runtime_members(const struct hd_model *model) {
  const struct hd_module *module = hd_model_runtime(model);
  char build_id[HD_BUILD_ID_TEXT_BYTES] = "";
  if (module)
    hd_module_build_id(module, sizeof build_id, build_id);
  return HD_JSON({"runtime", hd_json_text(model->header.runtime)},
                 {"runtime_path", hd_json_text(module ? module->path : NULL)},
                 {"runtime_build_id", hd_json_text(*build_id ? build_id : NULL)});
}

static json_t *run(const struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  const int signal = hd_model_signal(model);
  return HD_JSON(
      {"program", hd_json_text(header->program)}, {"command", hd_json_strings(&model->arguments)},
      {"host", hd_json_text(header->host)}, {"pid", hd_json_count(header->pid)}, {HD_JSON_MERGE, family_members(model)},
      {"rank", header->rank >= 0 ? json_integer(header->rank) : json_null()},
      {"ranks", header->ranks > 0 ? hd_json_count(header->ranks) : json_null()},
      {"start", start(header->begin_epoch_ns)}, {HD_JSON_MERGE, runtime_members(model)},
      {"max_threads", hd_json_count(header->max_threads)},
      {"online_processors", header->online_processors ? hd_json_count(header->online_processors) : json_null()},
      {"ticks_per_s", json_real(1 / model->seconds_per_tick)}, {"env", environment(&model->environment)},
      {"complete", json_boolean(hd_model_is_complete(model))},
      {"exit", header->flags & HD_FILE_EXIT_KNOWN ? json_integer(header->exit_status) : json_null()},
      {"signal", signal ? json_integer(signal) : json_null()}, {"counters", hd_json_run_counters(model)},
      {HD_JSON_MERGE, hd_json_run_overhead(model)}, {"notes", notes(model)});
}

static json_t *level_members(const struct hd_model *model) {
  return HD_JSON_IF(model->levels_known, {"serial_s", hd_json_seconds(model, hd_levels_up_to(&model->time_at, 1))},
                    {"time_at_k_s", hd_json_levels(model, &model->time_at)});
}

static json_t *account_members(const struct hd_account *account) {
  return HD_JSON_IF(account->known, {HD_KEY(PROCESSOR), hd_json_number(hd_account_share(account))},
                    {"processor_s", json_real((double)account->ran_ns / 1e9)},
                    {"processor_wait_s", json_real((double)account->queued_ns / 1e9)},
                    {"preemptions", hd_json_count(account->preemptions)});
}

/* Null: never, or not the same in all runs of a sum. */
static json_t *measured_from(const struct hd_model *model) {
  const uint32_t flags = model->header.flags;
  const bool is_dormant = flags & HD_FILE_DORMANT;
  return hd_model_never_woke(model) || (is_dormant && (flags & HD_FILE_MERGED))
             ? json_null()
             : json_real(hd_model_from_seconds(model));
}

static json_t *stretches(const struct hd_model *model) {
  struct hd_trace_stretches found = hd_trace_stretches_find(model);
  json_t *list = json_array();
  for (uint32_t i = 0; i < found.count; i++)
    json_array_append_new(list, json_pack("[ff]", hd_trace_seconds(model, found.items[i].from_ticks),
                                          hd_trace_seconds(model, found.items[i].to_ticks)));
  hd_trace_stretches_free(&found);
  return list;
}

static json_t *trace(const struct hd_model *model) {
  struct hd_trace_size size;
  return hd_trace_size(model, &size)
             ? HD_JSON({"bytes", hd_json_count(size.bytes)}, {"limit_bytes", hd_json_count(size.limit_bytes)},
                       {"only_concurrency", json_boolean(size.only_concurrency)},
                       {"stretches_s", size.has_condition ? stretches(model) : json_null()},
                       {"whole_from_s",
                        size.from_ticks > 0 ? json_real(hd_trace_seconds(model, size.from_ticks)) : json_null()},
                       {"whole_until_s",
                        size.full_ticks > 0 ? json_real(hd_trace_seconds(model, size.full_ticks)) : json_null()})
             : json_null();
}

static json_t *program(const struct hd_loss_book *book, const struct hd_model *resolved) {
  const struct hd_model *model = book->model;
  const double elapsed = (double)model->elapsed_ticks;
  const uint64_t unmeasured = hd_model_unmeasured_ticks(model);
  const uint64_t outside = model->elapsed_ticks > model->inside_ticks ? model->elapsed_ticks - model->inside_ticks : 0;
  const struct hd_account account = hd_account_of_program(model);
  return HD_JSON({HD_KEY(ELAPSED), hd_json_seconds(model, model->elapsed_ticks + unmeasured)},
                 {"unmeasured_s", hd_json_seconds(model, unmeasured)}, {"measured_from_s", measured_from(model)},
                 {HD_KEY(BUSY), hd_json_seconds(model, model->ticks[HD_BUSY])},
                 {HD_KEY(WAIT), hd_json_seconds(model, hd_ticks_waiting(model->ticks))},
                 {HD_JSON_MERGE, hd_json_runtime_members(model, model->ticks)},
                 {HD_KEY(IDLE), hd_json_seconds(model, model->ticks[HD_IDLE])},
                 {HD_KEY(UNRESOLVED), hd_json_seconds(model, model->unresolved.ticks)},
                 {HD_KEY(CONCURRENCY), hd_json_number(elapsed > 0 ? (double)model->ticks[HD_BUSY] / elapsed : NAN)},
                 {"inside_regions_s", hd_json_seconds(model, model->inside_ticks)},
                 {"outside_regions_s", hd_json_seconds(model, outside)},
                 {HD_JSON_MERGE, hd_json_marks(model->nodes[0].marks[HD_MARKS_OF_CALLPATHS])},
                 {HD_KEY(GAIN), hd_json_ticks(model, model->gain_ticks)}, {HD_JSON_MERGE, level_members(model)},
                 {"efficiency", hd_json_efficiency(&book->program, model->nodes[0].marks[HD_MARKS_OF_CALLPATHS])},
                 {"trace", trace(model)}, {HD_JSON_MERGE, hd_json_program_path(model)},
                 {HD_JSON_MERGE, hd_json_program_locks(model)}, {HD_JSON_MERGE, account_members(&account)},
                 {"threads_ever", hd_json_count(hd_model_threads_ever(model))},
                 {"pauses", hd_json_count(model->header.pauses)},
                 {"paused_s", hd_json_seconds(model, hd_model_paused_ticks(model))},
                 {HD_JSON_MERGE, hd_json_program_estimates(resolved)}, {HD_JSON_MERGE, hd_json_program_samples(model)},
                 {HD_JSON_MERGE, hd_json_program_corrected(model)}, {HD_JSON_MERGE, hd_json_program_counts(model)});
}

static json_t *thread(const void *of, size_t index) {
  const struct hd_model *model = of;
  const struct hd_model_thread *from = &model->threads[index];
  return HD_JSON(
      {HD_KEY(THREAD), hd_json_count(from->id)}, {HD_KEY(THREAD_KIND), json_string(hd_thread_kind_id(from->kind))},
      {"threads", hd_json_count(from->threads)}, {"lifetime_s", hd_json_seconds(model, from->lifetime_ticks)},
      {HD_KEY(BUSY), hd_json_seconds(model, from->ticks[HD_BUSY])},
      {HD_KEY(IDLE), hd_json_seconds(model, from->ticks[HD_IDLE])},
      {HD_KEY(UNRESOLVED), hd_json_seconds(model, from->unresolved.ticks)},
      {HD_KEY(WAIT), hd_json_seconds(model, hd_ticks_waiting(from->ticks))},
      {"wait_by_cause_s", hd_json_waits(model, from->ticks, false)},
      {HD_JSON_MERGE, hd_json_runtime_members(model, from->ticks)},
      {"busy_at_most", json_boolean(hd_model_thread_marks(model, (uint32_t)index) & HD_MARK_NO_WORK)},
      {"wait_at_most", json_boolean(hd_model_thread_marks(model, (uint32_t)index) & HD_MARK_WORK)},
      {HD_JSON_MERGE, account_members(&from->account)}, {HD_JSON_MERGE, hd_json_thread_overhead(model, from)},
      {HD_JSON_MERGE, hd_json_thread_counts(model, from->id)});
}

static json_t *overlap(const void *of, size_t index) {
  const struct hd_model *model = of;
  const struct hd_overlap *from = &model->overlaps[index];
  return HD_JSON(
      {"a", hd_json_count(from->a)}, {"b", hd_json_count(from->b)},
      {HD_KEY(OVERLAP), from->ticks == HD_TICKS_UNKNOWN ? json_null() : hd_json_seconds(model, from->ticks)});
}

static json_t *timeline(const struct hd_model *model) {
  const struct hd_timeline_record *from = model->timeline;
  if (!from || from->width_ticks == 0 || model->elapsed_ticks < model->before_ticks)
    return json_null();
  json_t *none = json_array(), *sequential = json_array(), *busy = json_array();
  for (uint32_t i = 0; i < hd_timeline_buckets_in_use(model); i++) {
    json_array_append_new(none, hd_json_seconds(model, from->buckets[i].none_ticks));
    json_array_append_new(sequential, hd_json_seconds(model, from->buckets[i].sequential_ticks));
    json_array_append_new(busy, hd_json_seconds(model, from->buckets[i].busy_ticks));
  }
  return HD_JSON({"begin_s", hd_json_seconds(model, model->before_ticks)},
                 {"width_s", hd_json_seconds(model, from->width_ticks)}, {"none_s", none}, {"sequential_s", sequential},
                 {HD_KEY(BUSY), busy});
}

/* One at a time: all of them together would take gigabytes. */
static json_t *profile(const struct hd_loss_book *book, const struct hd_model *resolved, uint32_t node) {
  return HD_JSON({HD_JSON_MERGE, hd_json_profile(book, &book->model->nodes[node])},
                 {HD_JSON_MERGE, hd_json_estimates(resolved, node)});
}

static bool write_profiles(const struct hd_loss_book *book, const struct hd_model *resolved, FILE *out) {
  const struct hd_model *model = book->model;
  bool done = true;
  fputs(",\n\"profiles\": [", out);
  for (uint32_t i = 0; done && i < model->node_count; i++) {
    fputs(i == 0 ? "\n" : ",\n", out);
    done = hd_json_write(profile(book, resolved, i), out);
  }
  fputs("\n]", out);
  return done;
}

/* The same profile, in which what windows saw stands for what they did not. NULL: there is nothing of either, or
 * callpaths are cut. The caller frees. */
static struct hd_model *resolve(const struct hd_model *model) {
  struct hd_model *resolved = NULL;
  char error[256];
  if (model->unresolved.ticks == 0 || model->watched_count == 0 ||
      !hd_interval_open(model->path, model->since, &resolved, error, sizeof error))
    return NULL;
  hd_resolve(resolved);
  if (resolved->estimated && resolved->node_count == model->node_count)
    return resolved;
  hd_model_free(resolved);
  return NULL;
}

static bool write_json(const struct hd_model *model, enum hd_weight weight, FILE *out) {
  (void)weight;
  struct hd_model *resolved = resolve(model);
  struct hd_loss_book *book = hd_loss_book_new(model);
  fprintf(out, "{\n\"heddle\": %d", JSON_VERSION);
  json_t *overlaps = model->levels_known ? hd_json_array(model, model->overlap_count, overlap) : json_null();
  const bool made =
      hd_json_write_member("run", run(model), out) && hd_json_write_member("program", program(book, resolved), out) &&
      write_profiles(book, resolved, out) &&
      hd_json_write_member("threads", hd_json_array(model, model->thread_count, thread), out) &&
      hd_json_write_member("overlaps", overlaps, out) && hd_json_write_member("timeline", timeline(model), out) &&
      hd_json_write_member("critical_path_steps", hd_json_path_steps(model), out);
  fputs("\n}\n", out);
  hd_loss_book_free(book);
  hd_model_free(resolved);
  return made;
}

const struct hd_exporter hd_export_json = {
    "json",
    "the stable machine interface: seconds and counts; null was not measured. What was\n"
    "             counted is in \"counters\" of the run, the program, each thread and callpath",
    .write = write_json};
