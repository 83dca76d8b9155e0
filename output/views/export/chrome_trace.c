/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/export/chrome_trace.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "output/analysis/losses/causes.h"
#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "output/model/node_text.h"
#include "output/trace/sample.h"
#include "output/trace/size.h"
#include "output/trace/slices.h"
#include "output/trace/walk.h"
#include "output/views/export/chrome_flows.h"
#include "output/views/render/json.h"
#include "support/command/memory.h"

struct writing {
  const struct hd_model *model;
  FILE *out;
  char **names; /* of nodes, as JSON has them; made when they are first needed */
  struct hd_slices slices;
  struct hd_chrome_flows *flows;
  uint64_t last_ticks;
  uint32_t busy; /* threads */
  bool failed;
};

/* ---- events ---- */

static double microseconds(const struct writing *writing, uint64_t ticks) {
  return 1e6 * hd_trace_seconds(writing->model, ticks);
}

static const char *name_of(struct writing *writing, uint32_t node) {
  char place[HD_PLACE_BYTES];
  if (writing->names[node])
    return writing->names[node];
  hd_node_text(place, writing->model, &writing->model->nodes[node], NULL);
  json_t *text = hd_json_text(place);
  writing->names[node] = text ? json_dumps(text, JSON_ENCODE_ANY) : NULL;
  json_decref(text);
  writing->failed |= !writing->names[node];
  return writing->names[node] ? writing->names[node] : "\"\"";
}

/* All is in the program: it has no slice. */
static bool is_shown(const struct hd_slice *slice) {
  return slice->node != 0 || slice->state != HD_BUSY;
}

static const char *category(const struct writing *writing, const struct hd_slice *slice) {
  if (slice->state == HD_BUSY)
    return hd_kind_id(writing->model->nodes[slice->node].kind);
  return slice->state <= HD_WAIT_LAST ? "wait" : "runtime";
}

static void begin(void *context, const struct hd_slice *slice) {
  struct writing *writing = context;
  char state[HD_CELL_BYTES];
  if (!is_shown(slice))
    return;
  snprintf(state, sizeof state, "\"%s\"", hd_state_words((enum hd_state)slice->state));
  fprintf(writing->out,
          ",\n{\"ph\":\"B\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"ts\":%.3f,\"cat\":\"%s\",\"name\":%s}",
          writing->model->header.pid, slice->thread, microseconds(writing, slice->ticks), category(writing, slice),
          slice->state == HD_BUSY ? name_of(writing, slice->node) : state);
}

static void end(void *context, const struct hd_slice *slice) {
  const struct writing *writing = context;
  if (is_shown(slice))
    fprintf(writing->out, ",\n{\"ph\":\"E\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"ts\":%.3f}",
            writing->model->header.pid, slice->thread, microseconds(writing, slice->ticks));
}

static void write_sample(struct writing *writing, const struct hd_trace_entry *entry) {
  char code[HD_PLACE_BYTES];
  hd_trace_sample_text(code, writing->model, entry);
  json_t *text = hd_json_text(code);
  char *name = text ? json_dumps(text, JSON_ENCODE_ANY) : NULL;
  if (name)
    fprintf(writing->out,
            ",\n{\"ph\":\"i\",\"s\":\"t\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
            ",\"ts\":%.3f,\"cat\":\"sample\",\"name\":%s}",
            writing->model->header.pid, entry->thread, microseconds(writing, entry->ticks), name);
  writing->failed |= !name;
  json_decref(text);
  free(name);
}

static void count(const struct writing *writing, uint64_t ticks) {
  fprintf(writing->out,
          ",\n{\"ph\":\"C\",\"pid\":%" PRIu32
          ",\"tid\":0,\"ts\":%.3f,\"name\":\"busy threads\",\"args\":{\"threads\":%" PRIu32 "}}",
          writing->model->header.pid, microseconds(writing, ticks), writing->busy);
}

static bool write(void *context, const struct hd_trace_entry *entry) {
  struct writing *writing = context;
  const bool was_busy = entry->before.state == HD_BUSY, is_busy = entry->now.state == HD_BUSY;
  hd_chrome_flows_take(writing->flows, entry);
  hd_slices_take(&writing->slices, entry);
  if (entry->what == HD_TRACE_SAMPLE)
    write_sample(writing, entry);
  writing->last_ticks = entry->ticks;
  writing->busy += (uint32_t)is_busy - (uint32_t)was_busy;
  if (was_busy != is_busy)
    count(writing, entry->ticks);
  return !writing->failed && !ferror(writing->out);
}

/* ---- all of it ---- */

static void name_threads(const struct writing *writing) {
  const struct hd_model *model = writing->model;
  for (uint32_t i = 0; i < model->thread_count; i++)
    fprintf(writing->out,
            ",\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
            ",\"name\":\"thread_name\",\"args\":{\"name\":\"thread %" PRIu32 " (%s)\"}}",
            model->header.pid, i, i, hd_thread_kind_id(model->threads[i].kind));
}

bool hd_chrome_has_trace(const struct hd_model *model) {
  struct hd_trace_size size;
  return hd_trace_size(model, &size) && !size.only_concurrency;
}

bool hd_chrome_write_trace(const struct hd_model *model, FILE *out) {
  struct writing writing = {
      .model = model, .out = out, .names = hd_new((size_t)model->node_count + 1, sizeof *writing.names)};
  char error[PATH_MAX + 256];
  writing.slices = (struct hd_slices){.model = model, .begin = begin, .end = end, .context = &writing};
  writing.flows = hd_chrome_flows_new(model, out);
  name_threads(&writing);
  hd_slices_start(&writing.slices);
  if (!hd_trace_walk(model, write, &writing, error, sizeof error))
    fprintf(stderr, "heddle: %s\n", error);
  hd_slices_finish(&writing.slices, writing.last_ticks);
  hd_chrome_flows_free(writing.flows);
  for (uint32_t i = 0; i < model->node_count; i++)
    free(writing.names[i]);
  free(writing.names);
  return !writing.failed;
}
