/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/export/paraver_records.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "output/model/format_names.h"
#include "output/trace/entry.h"
#include "output/trace/size.h"
#include "output/trace/walk.h"
#include "support/command/memory.h"

struct thread {
  enum hd_paraver_state state;
  uint64_t since_ns;
  uint64_t ordinal; /* of its state's record, in the order of their begins */
  uint32_t node, region, cause;
  uint64_t task;
};

struct walk {
  struct hd_paraver *paraver;
  FILE *out; /* NULL: the first walk */
  struct thread *threads;
  uint64_t records;
  int error; /* errno of the first write of an end that failed */
};

/* ---- times and states ---- */

/* Since the program's start. */
static uint64_t nanoseconds(const struct hd_model *model, uint64_t ticks) {
  const double ns = 1e9 * hd_trace_seconds(model, ticks);
  return ns > 0 && ns < 0x1p63 ? (uint64_t)llround(ns) : 0;
}

static enum hd_paraver_state state_of(uint32_t state) {
  static const enum hd_paraver_state states[HD_INTRUSION_CLASSES] = {
      [HD_INTRUSION_BUSY] = HD_PARAVER_RUNNING,
      [HD_INTRUSION_WAITING] = HD_PARAVER_WAITING,
      [HD_INTRUSION_RUNTIME] = HD_PARAVER_RUNTIME,
      [HD_INTRUSION_IDLE] = HD_PARAVER_IDLE,
  };
  return state < HD_STATE_COUNT ? states[hd_intrusion_class_of((enum hd_state)state)] : HD_PARAVER_NOT_CREATED;
}

static uint32_t cause_of(uint32_t state) {
  return state < HD_IDLE ? state : HD_BUSY;
}

static uint32_t region_of(const struct hd_model *model, uint32_t node) {
  while (node != 0 && !hd_kind_is_region(model->nodes[node].kind))
    node = model->nodes[node].parent;
  return node;
}

/* ---- records of states ---- */

static void end_state(struct walk *walk, const struct thread *thread, uint64_t ns) {
  const off_t at = (off_t)(thread->ordinal * sizeof ns);
  if (walk->out || walk->error != 0)
    return;
  if (pwrite(fileno(walk->paraver->ends), &ns, sizeof ns, at) != (ssize_t)sizeof ns)
    walk->error = errno ? errno : ENOSPC;
}

/* One without any length is left out. */
static void begin_state(struct walk *walk, uint32_t number, uint64_t ns, enum hd_paraver_state state) {
  struct thread *thread = &walk->threads[number];
  uint64_t end = ns;
  thread->state = state;
  thread->since_ns = ns;
  thread->ordinal = walk->records++;
  if (walk->out && fread(&end, sizeof end, 1, walk->paraver->ends) == 1 && end > ns)
    fprintf(walk->out, "1:0:1:1:%" PRIu32 ":%" PRIu64 ":%" PRIu64 ":%d\n", number + 1, ns, end, (int)state);
}

static void change_state(struct walk *walk, uint32_t number, uint64_t ns, enum hd_paraver_state state) {
  if (walk->threads[number].state == state)
    return;
  end_state(walk, &walk->threads[number], ns);
  begin_state(walk, number, ns, state);
}

/* Before the tool was loaded there was one thread. What was before a trace that begins later is not known. */
static void begin_all(struct walk *walk) {
  const struct hd_model *model = walk->paraver->model;
  struct hd_trace_size size;
  const bool is_whole = hd_trace_size(model, &size) && !size.begins_late;
  walk->threads = hd_new((size_t)model->thread_count + 1, sizeof *walk->threads);
  for (uint32_t i = 0; i < model->thread_count; i++)
    begin_state(walk, i, 0, i == 0 && is_whole ? HD_PARAVER_RUNNING : HD_PARAVER_NOT_CREATED);
}

static void end_all(struct walk *walk) {
  for (uint32_t i = 0; i < walk->paraver->model->thread_count; i++)
    end_state(walk, &walk->threads[i], walk->paraver->last_ns);
  free(walk->threads);
}

/* ---- records of events ---- */

/* Events of one thread at one time are one record. */
struct events {
  const struct walk *walk;
  uint32_t thread;
  uint64_t ns;
  bool has_any;
};

static void put(struct events *events, enum hd_paraver_event type, uint64_t value) {
  FILE *out = events->walk->out;
  if (!events->has_any)
    fprintf(out, "2:0:1:1:%" PRIu32 ":%" PRIu64, events->thread + 1, events->ns);
  events->has_any = true;
  fprintf(out, ":%d:%" PRIu64, (int)type, value);
}

static bool begins_again(const struct hd_trace_entry *entry) {
  const uint32_t what = entry->what;
  return entry->operand == entry->now.node && (what == HD_WHAT_ENTER || what == HD_WHAT_CALL || what == HD_WHAT_TASK ||
                                               what == HD_WHAT_REGION_BEGIN || what == HD_WHAT_NESTED_BEGIN);
}

static void put_place(struct events *events, struct thread *thread, const struct hd_trace_entry *entry) {
  const uint32_t node = entry->now.state == HD_STATE_COUNT ? 0 : entry->now.node, cause = cause_of(entry->now.state),
                 region = region_of(events->walk->paraver->model, node);
  const bool again = node != 0 && begins_again(entry);
  if (node != thread->node || again)
    put(events, HD_PARAVER_CALLPATH, node);
  if (region != thread->region || (again && region == node))
    put(events, HD_PARAVER_REGION, region);
  if (cause != thread->cause)
    put(events, HD_PARAVER_CAUSE, cause);
  thread->node = node;
  thread->region = region;
  thread->cause = cause;
}

static void put_task(struct events *events, struct thread *thread, uint64_t task) {
  put(events, HD_PARAVER_TASK, task);
  thread->task = task;
}

static void put_order(struct events *events, struct thread *thread, const struct hd_trace_entry *entry) {
  if (entry->operand == HD_ORDER_SWITCH)
    put_task(events, thread, entry->b);
  else if (entry->operand == HD_ORDER_CREATE && !(entry->b & HD_ORDER_ONLY_WAITS))
    put(events, HD_PARAVER_CREATED, entry->a);
  else if (entry->operand == HD_ORDER_ACQUIRED)
    put(events, HD_PARAVER_ACQUIRED, entry->a);
  else if (entry->operand == HD_ORDER_RELEASED)
    put(events, HD_PARAVER_RELEASED, entry->a);
}

static void put_events(const struct walk *walk, const struct hd_trace_entry *entry, uint64_t ns) {
  struct events events = {.walk = walk, .thread = entry->thread, .ns = ns};
  struct thread *thread = &walk->threads[entry->thread];
  if (entry->what == HD_WHAT_ORDER)
    put_order(&events, thread, entry);
  else if (entry->what == HD_TRACE_SAMPLE)
    put(&events, HD_PARAVER_FUNCTION,
        hd_paraver_function_of(&walk->paraver->functions, walk->paraver->model, entry));
  else if (hd_trace_is_change(entry->what))
    put_place(&events, thread, entry);
  if (entry->now.state == HD_STATE_COUNT && thread->task > 0) /* nor does it run a task where it is not seen */
    put_task(&events, thread, 0);
  if (events.has_any)
    fputc('\n', walk->out);
}

/* ---- both walks ---- */

static bool take(void *context, const struct hd_trace_entry *entry) {
  struct walk *walk = context;
  const uint64_t ns = nanoseconds(walk->paraver->model, entry->ticks);
  if (ns > walk->paraver->last_ns)
    walk->paraver->last_ns = ns;
  change_state(walk, entry->thread, ns, state_of(entry->now.state));
  if (walk->out)
    put_events(walk, entry, ns);
  return walk->error == 0 && !(walk->out && ferror(walk->out));
}

bool hd_paraver_start(struct hd_paraver *paraver, const struct hd_model *model) {
  char error[8]; /* the second walk says what is wrong with the trace */
  *paraver = (struct hd_paraver){.model = model, .ends = tmpfile(), .functions = hd_paraver_functions_new(model)};
  struct walk walk = {.paraver = paraver, .error = paraver->ends ? 0 : errno};
  if (paraver->ends) {
    begin_all(&walk);
    hd_trace_walk(model, take, &walk, error, sizeof error);
    end_all(&walk);
  }
  if (walk.error == 0)
    return true;
  fprintf(stderr, "heddle: a temporary file for the states of the trace: %s\n", strerror(walk.error));
  hd_paraver_finish(paraver);
  return false;
}

void hd_paraver_finish(struct hd_paraver *paraver) {
  if (paraver->ends)
    fclose(paraver->ends);
  hd_paraver_functions_free(&paraver->functions);
}

/* The processors are not known that threads ran on: there are none. */
static void write_header(const struct hd_paraver *paraver, FILE *out) {
  const time_t begun = (time_t)(paraver->model->header.begin_epoch_ns / 1000000000);
  struct tm date;
  char text[64] = "01/01/70 at 00:00";
  if (localtime_r(&begun, &date))
    strftime(text, sizeof text, "%d/%m/%y at %H:%M", &date);
  fprintf(out, "#Paraver (%s):%" PRIu64 "_ns:0:1:1(%" PRIu32 ":1)\n", text, paraver->last_ns,
          paraver->model->thread_count);
}

bool hd_paraver_write_records(struct hd_paraver *paraver, FILE *out) {
  struct walk walk = {.paraver = paraver, .out = out};
  char error[PATH_MAX + 256];
  write_header(paraver, out);
  begin_all(&walk);
  const bool is_whole = hd_trace_walk(paraver->model, take, &walk, error, sizeof error);
  if (!is_whole)
    fprintf(stderr, "heddle: %s\n", error);
  end_all(&walk);
  return is_whole;
}
