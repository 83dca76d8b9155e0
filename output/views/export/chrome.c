/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file chrome.c
 * The trace event format of Chrome's tracing, which Perfetto reads, too: how many threads were busy over the time of
 * the run, as a counter; of a profile with a trace also what each thread was in (chrome_trace.c). Times are in
 * microseconds.
 */
#include "output/model/levels.h"
#include "output/trace/size.h"
#include "output/views/export/chrome_trace.h"
#include "output/views/export/export.h"
#include "output/views/export/json_internal.h"

static json_t *counter(const struct hd_model *model, double at_ticks, const char *name, double value) {
  return HD_JSON({"ph", json_string("C")}, {"pid", hd_json_count(model->header.pid)}, {"tid", hd_json_count(0)},
                 {"ts", hd_json_number(at_ticks * model->seconds_per_tick * 1e6)}, {"name", json_string(name)},
                 {"args", HD_JSON({"threads", hd_json_number(value)})});
}

static json_t *process_name(const struct hd_model *model) {
  return HD_JSON({"ph", json_string("M")}, {"pid", hd_json_count(model->header.pid)},
                 {"name", json_string("process_name")},
                 {"args", HD_JSON({"name", hd_json_text(model->header.program)})});
}

static void add_buckets(const struct hd_model *model, const struct hd_timeline_record *timeline, json_t *to) {
  const double width = (double)timeline->width_ticks;
  for (uint32_t i = 0; i < hd_timeline_buckets_in_use(model); i++) {
    const double begin = (double)model->before_ticks + i * width;
    const double left = (double)model->elapsed_ticks - begin;
    const double busy = (double)timeline->buckets[i].busy_ticks / (left < width ? left : width);
    json_array_append_new(to, counter(model, begin, "busy threads", busy));
  }
}

/* A trace that begins later than the profile does not say what was in between. */
static bool begins_late(const struct hd_model *model) {
  struct hd_trace_size size;
  return hd_trace_size(model, &size) && size.begins_late;
}

/* Before the tool was loaded there was one thread; a part of a trace leaves that out. Without a trace the rest is the
 * timeline. */
static json_t *events(const struct hd_model *model, bool has_trace) {
  json_t *array = json_array();
  json_array_append_new(array, process_name(model));
  if (model->before_ticks > 0 && model->trace_window.from_ticks == 0)
    json_array_append_new(array, counter(model, 0, "busy threads", 1));
  if (has_trace && model->trace_window.from_ticks == 0 && begins_late(model))
    json_array_append_new(array, counter(model, (double)model->before_ticks, "busy threads", 0));
  if (!has_trace && model->timeline)
    add_buckets(model, model->timeline, array);
  if (!has_trace)
    json_array_append_new(array, counter(model, (double)model->elapsed_ticks, "busy threads", 0));
  return array;
}

static bool write_chrome(const struct hd_model *model, enum hd_weight weight, FILE *out) {
  const bool has_trace = hd_chrome_has_trace(model);
  json_t *array = events(model, has_trace), *event;
  size_t i;
  bool done = array;
  (void)weight;
  fputs("{\n\"displayTimeUnit\": \"ms\",\n\"traceEvents\": [", out);
  json_array_foreach(array, i, event) {
    fputs(i > 0 ? ",\n" : "\n", out);
    done = hd_json_write(json_incref(event), out) && done;
  }
  json_decref(array);
  done = done && (!has_trace || hd_chrome_write_trace(model, out));
  fputs("\n]\n}\n", out);
  return done;
}

const struct hd_exporter hd_export_chrome = {
    "chrome",
    "for https://ui.perfetto.dev and chrome://tracing: busy threads over time; with a trace\n"
    "             ('heddle run --trace') also what each thread was in, and what it waited for",
    .write = write_chrome, .parts_of_trace = true};
