/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One instance of a region, thread by thread. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/losses/causes.h"
#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "output/model/node_text.h"
#include "output/trace/entry.h"
#include "output/trace/walk.h"
#include "output/views/render/level_bars.h"
#include "output/views/render/table.h"
#include "output/views/trace/instances.h"
#include "output/views/trace/part_hint.h"
#include "support/command/memory.h"

enum { COLUMNS_MOST = 100, COLUMNS_OTHERWISE = 80, COLUMNS_LEAST = 20, LABEL_WIDTH = 6 };

struct drawing {
  const struct hd_model *model;
  struct hd_instance of;
  uint32_t region;
  unsigned columns;
  double (*ticks)[HD_STATE_COUNT]; /* [thread * columns + column] */
  bool *takes_part;                /* by thread: it is below the region at some time */
};

static bool is_below(const struct hd_model *model, uint32_t node, uint32_t above) {
  while (node > above)
    node = model->nodes[node].parent;
  return node == above;
}

static void add(struct drawing *drawing, const struct hd_trace_entry *entry, double from, double to) {
  const double begin = (double)drawing->of.begin_ticks;
  const double width = (double)hd_instance_ticks(&drawing->of) / drawing->columns;
  for (unsigned i = (unsigned)((from - begin) / width); i < drawing->columns && begin + i * width < to; i++) {
    const double left = begin + i * width > from ? begin + i * width : from;
    const double right = begin + (i + 1) * width < to ? begin + (i + 1) * width : to;
    if (right > left)
      drawing->ticks[(size_t)entry->thread * drawing->columns + i][entry->before.state] += right - left;
  }
}

static bool take(void *context, const struct hd_trace_entry *entry) {
  struct drawing *drawing = context;
  const struct hd_instance *of = &drawing->of;
  const uint64_t from = entry->since_ticks > of->begin_ticks ? entry->since_ticks : of->begin_ticks;
  const uint64_t to = entry->ticks < of->end_ticks ? entry->ticks : of->end_ticks;
  if (entry->before.state < HD_STATE_COUNT && to > from) {
    add(drawing, entry, (double)from, (double)to);
    drawing->takes_part[entry->thread] |=
        is_below(drawing->model, entry->before.node, drawing->region) && entry->before.state != HD_IDLE;
  }
  return true; /* threads are told of when their states end: some long after the instance */
}

/* ---- characters ---- */

static const char characters[HD_STATE_COUNT + 1] = {
    [HD_BUSY] = '#',
    [HD_WAIT_BARRIER_IMPLICIT] = '.',
    [HD_WAIT_BARRIER_EXPLICIT] = '.',
    [HD_WAIT_TASKWAIT] = 't',
    [HD_WAIT_TASKGROUP] = 't',
    [HD_WAIT_CRITICAL] = 'l',
    [HD_WAIT_LOCK] = 'l',
    [HD_WAIT_ORDERED] = 'l',
    [HD_WAIT_ATOMIC] = 'l',
    [HD_WAIT_REDUCTION] = '.',
    [HD_WAIT_OTHER] = '.',
    [HD_WAIT_MPI_POINT_TO_POINT] = 'm',
    [HD_WAIT_MPI_COLLECTIVE] = 'm',
    [HD_WAIT_MPI_ONE_SIDED] = 'm',
    [HD_WAIT_MPI_IO] = 'm',
    [HD_WAIT_MPI_OTHER] = 'm',
    [HD_RUNTIME_FORK_JOIN] = 'r',
    [HD_RUNTIME_SCHEDULING] = 'r',
    [HD_RUNTIME_TASK_CREATION] = 'r',
    [HD_IDLE] = ' ',
    [HD_STATE_COUNT] = ' ', /* nothing */
};

/* What the thread did most. */
static uint32_t foremost(const double ticks[HD_STATE_COUNT]) {
  uint32_t most = HD_STATE_COUNT;
  for (uint32_t state = 0; state < HD_STATE_COUNT; state++)
    if (ticks[state] > 0 && (most == HD_STATE_COUNT || ticks[state] > ticks[most]))
      most = state;
  return most;
}

static void print_thread(const struct drawing *drawing, uint32_t thread, FILE *out) {
  fprintf(out, "%*" PRIu32 " ", LABEL_WIDTH - 1, thread);
  for (unsigned i = 0; i < drawing->columns; i++)
    fputc(characters[foremost(drawing->ticks[(size_t)thread * drawing->columns + i])], out);
  fputc('\n', out);
}

static void print_all(const struct drawing *drawing, const struct hd_instances *instances, FILE *out) {
  const struct hd_model *model = drawing->model;
  char place[HD_PLACE_BYTES];
  hd_node_text(place, model, &model->nodes[drawing->region], NULL);
  char *words = hd_print("instance %" PRIu32 " of %" PRIu32 ": from %.6f s, for %s", drawing->of.number + 1,
                         instances->count, hd_trace_seconds(model, drawing->of.begin_ticks),
                         hd_duration_of(model, hd_instance_ticks(&drawing->of)).text);
  fprintf(out, "id %" PRIu32 "  %s\n%*s%s\n\n", drawing->region, place, LABEL_WIDTH, "", words);
  free(words);
  for (uint32_t i = 0; i < model->thread_count; i++)
    if (drawing->takes_part[i])
      print_thread(drawing, i, out);
  hd_print_sentences(
      out,
      "\n#: busy; .: waits at a barrier; l: for a lock or a critical section; t: for tasks; m: in MPI; r: the "
      "runtime works; a space: idle, or not yet there. A character stands for %s: what the thread "
      "did most of it.",
      hd_duration(hd_model_seconds(model, hd_instance_ticks(&drawing->of)) / drawing->columns).text);
  fputc('\n', out);
  hd_trace_print_part_hint(model, "this instance", drawing->of.begin_ticks, drawing->of.end_ticks, out);
}

/* ---- which ---- */

/* NULL: there are not so many. */
static const struct hd_instance *with_number(const struct hd_instances *of, uint32_t number) {
  for (uint32_t i = 0; i < of->count; i++)
    if (of->items[i].number == number)
      return &of->items[i];
  return NULL;
}

static const struct hd_instance *choose(const struct hd_instances *of, uint32_t which) {
  if (which >= HD_TRACE_NUMBERED)
    return with_number(of, which - HD_TRACE_NUMBERED);
  const struct hd_instance *found = &of->items[which == HD_TRACE_SLOWEST  ? of->count - 1
                                               : which == HD_TRACE_MEDIAN ? (of->count - 1) / 2
                                                                          : 0];
  for (uint32_t i = 0; i < of->count && (which == HD_TRACE_FIRST || which == HD_TRACE_LAST); i++)
    if ((of->items[i].number < found->number) == (which == HD_TRACE_FIRST))
      found = &of->items[i];
  return found;
}

static bool draw(const struct hd_model *model, uint32_t region, const struct hd_instances *instances,
                 const struct hd_instance *chosen, FILE *out) {
  const unsigned width = hd_draw_width(out, COLUMNS_MOST, COLUMNS_OTHERWISE);
  struct drawing drawing = {.model = model,
                            .of = *chosen,
                            .region = region,
                            .columns = width > LABEL_WIDTH + COLUMNS_LEAST ? width - LABEL_WIDTH : COLUMNS_LEAST};
  char error[PATH_MAX + 256];
  drawing.ticks = hd_new((size_t)model->thread_count * drawing.columns + 1, sizeof *drawing.ticks);
  drawing.takes_part = hd_new((size_t)model->thread_count + 1, sizeof *drawing.takes_part);
  const bool read = hd_trace_walk(model, take, &drawing, error, sizeof error);
  if (!read)
    fprintf(stderr, "heddle: %s\n", error);
  print_all(&drawing, instances, out);
  free(drawing.ticks);
  free(drawing.takes_part);
  return read;
}

bool hd_trace_print_instance(const struct hd_model *model, uint32_t region, uint32_t which, FILE *out) {
  bool read = false;
  struct hd_instances *instances = hd_instances_find(model, &read);
  const struct hd_instance *chosen = instances[region].count > 0 ? choose(&instances[region], which) : NULL;
  if (chosen)
    read &= draw(model, region, &instances[region], chosen, out);
  else if (instances[region].count > 0)
    fprintf(stderr, "heddle: %s: of callpath %" PRIu32 " there are %" PRIu32 " instances in the trace\n", model->path,
            region, instances[region].count);
  else
    fprintf(stderr, "heddle: %s: no instance of callpath %" PRIu32 " began and ended in the trace\n", model->path,
            region);
  read &= chosen != NULL;
  hd_instances_free(model, instances);
  return read;
}
