/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/export/chrome_trace.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "output/analysis/losses/causes.h"
#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "output/model/node_text.h"
#include "output/trace/trace.h"
#include "output/views/render/json.h"
#include "support/command/memory.h"

struct writing {
  const struct hd_model *model;
  FILE *out;
  char **names;  /* of nodes, as JSON has them; made when they are first needed */
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

static void begin(const struct writing *writing, uint64_t ticks, uint32_t thread, const char *category,
                  const char *name) {
  fprintf(writing->out,
          ",\n{\"ph\":\"B\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"ts\":%.3f,\"cat\":\"%s\",\"name\":%s}",
          writing->model->header.pid, thread, microseconds(writing, ticks), category, name);
}

static void end(const struct writing *writing, uint64_t ticks, uint32_t thread) {
  fprintf(writing->out, ",\n{\"ph\":\"E\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"ts\":%.3f}",
          writing->model->header.pid, thread, microseconds(writing, ticks));
}

static void count(const struct writing *writing, uint64_t ticks) {
  fprintf(writing->out,
          ",\n{\"ph\":\"C\",\"pid\":%" PRIu32
          ",\"tid\":0,\"ts\":%.3f,\"name\":\"busy threads\",\"args\":{\"threads\":%" PRIu32 "}}",
          writing->model->header.pid, microseconds(writing, ticks), writing->busy);
}

/* ---- slices ---- */

static void begin_down_to(struct writing *writing, const struct hd_trace_entry *entry, uint32_t node, uint32_t above) {
  const struct hd_node *nodes = writing->model->nodes;
  if (node == above || node == 0)
    return;
  begin_down_to(writing, entry, nodes[node].parent, above);
  begin(writing, entry->ticks, entry->thread, hd_kind_id(nodes[node].kind), name_of(writing, node));
}

/* From one node to another: what both are in stays open. */
static void move(struct writing *writing, const struct hd_trace_entry *entry, uint32_t from, uint32_t to) {
  const struct hd_node *nodes = writing->model->nodes;
  uint32_t left = from, right = to;
  while (left != right)
    if (left > right) {
      end(writing, entry->ticks, entry->thread);
      left = nodes[left].parent;
    } else {
      right = nodes[right].parent;
    }
  begin_down_to(writing, entry, to, right);
}

/* It goes from one instance of a construct into the next. */
static bool begins_again(const struct hd_trace_entry *entry) {
  const enum hd_what what = entry->what;
  return entry->before.node == entry->now.node && entry->operand == entry->now.node &&
         (what == HD_WHAT_ENTER || what == HD_WHAT_CALL || what == HD_WHAT_TASK || what == HD_WHAT_REGION_BEGIN ||
          what == HD_WHAT_NESTED_BEGIN);
}

static bool has_slice(uint32_t state) {
  return state != HD_BUSY && state < HD_IDLE;
}

static void change_node(struct writing *writing, const struct hd_trace_entry *entry) {
  const struct hd_trace_place *before = &entry->before, *now = &entry->now;
  const uint32_t from = before->state == HD_STATE_COUNT ? 0 : before->node;
  const uint32_t to = now->state == HD_STATE_COUNT ? 0 : now->node;
  if (from == to && to > 0 && begins_again(entry))
    move(writing, entry, from, writing->model->nodes[to].parent),
        move(writing, entry, writing->model->nodes[to].parent, to);
  else
    move(writing, entry, from, to);
}

static bool write(void *context, const struct hd_trace_entry *entry) {
  struct writing *writing = context;
  const bool was_busy = entry->before.state == HD_BUSY, is_busy = entry->now.state == HD_BUSY;
  if (has_slice(entry->before.state))
    end(writing, entry->ticks, entry->thread);
  change_node(writing, entry);
  if (has_slice(entry->now.state)) {
    char name[HD_CELL_BYTES];
    snprintf(name, sizeof name, "\"%s\"", hd_state_words((enum hd_state)entry->now.state));
    begin(writing, entry->ticks, entry->thread, entry->now.state <= HD_WAIT_LAST ? "wait" : "runtime", name);
  }
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
  return hd_trace_size(model, &size);
}

bool hd_chrome_write_trace(const struct hd_model *model, FILE *out) {
  struct writing writing = {
      .model = model, .out = out, .names = hd_new((size_t)model->node_count + 1, sizeof *writing.names)};
  char error[PATH_MAX + 256];
  name_threads(&writing);
  if (!hd_trace_walk(model, write, &writing, error, sizeof error))
    fprintf(stderr, "heddle: %s\n", error);
  for (uint32_t i = 0; i < model->node_count; i++)
    free(writing.names[i]);
  free(writing.names);
  return !writing.failed;
}
