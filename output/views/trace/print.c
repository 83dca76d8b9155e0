/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Entries one by one; changes of the number of busy threads. */
#include <inttypes.h>
#include <limits.h>

#include "output/analysis/losses/causes.h"
#include "output/model/format_names.h"
#include "output/model/node_text.h"
#include "output/trace/entry.h"
#include "output/trace/sample.h"
#include "output/trace/walk.h"
#include "output/views/render/csv.h"
#include "output/views/trace/trace_views.h"

struct printing {
  const struct hd_model *model;
  const struct hd_trace_choice *choice;
  FILE *out;
  uint32_t busy; /* threads */
};

static bool ends_task(const struct hd_trace_entry *entry) {
  return entry->operand == HD_ORDER_SWITCH && entry->a > 0;
}

static const char *order_words(const struct hd_trace_entry *entry) {
  static const char *const words[] = {
      [HD_ORDER_ACQUIRED] = "lock_acquired",
      [HD_ORDER_RELEASED] = "lock_released",
      [HD_ORDER_CREATE] = "task_create",
      [HD_ORDER_SWITCH] = "task_switch",
      [HD_ORDER_TASKWAIT] = "taskwait_end",
      [HD_ORDER_GROUP] = "taskgroup_begin",
      [HD_ORDER_GROUP_END] = "taskgroup_end",
      [HD_ORDER_READS] = "task_depends_in",
      [HD_ORDER_WRITES] = "task_depends_out",
      [HD_ORDER_EXCLUDES] = "task_depends_mutexinoutset",
      [HD_ORDER_JOINS] = "task_depends_inoutset",
      [HD_ORDER_WRITES_ALL] = "task_depends_out_all",
      [HD_ORDER_DEPENDS_END] = "task_depends_met",
      [HD_ORDER_WAITS] = "lock_wait",
      [HD_ORDER_TRIES] = "lock_try",
      [HD_ORDER_FAILED] = "lock_failed",
  };
  return ends_task(entry) ? "task_end" : words[entry->operand];
}

/* What happens, in words; a team is named by its region. */
static const char *event_words(const struct hd_trace_entry *entry) {
  static const char *const words[HD_TRACE_KIND_COUNT] = {
      [HD_WHAT_ENTER] = "enter",
      [HD_WHAT_CALL] = "call",
      [HD_WHAT_RETURN] = "return",
      [HD_WHAT_TASK] = "task",
      [HD_WHAT_REGION_BEGIN] = "region_begin",
      [HD_WHAT_REGION_END] = "region_end",
      [HD_WHAT_NESTED_BEGIN] = "region_begin",
      [HD_WHAT_NESTED_END] = "region_end",
      [HD_WHAT_TEAM] = "team_member",
      [HD_WHAT_START] = "team_begin",
      [HD_WHAT_ARRIVE] = "barrier_arrive",
      [HD_WHAT_LEAVE_WORK] = "work_end",
      [HD_WHAT_WORKED] = "work_end",
      [HD_WHAT_FINISH] = "team_arrive",
      [HD_WHAT_FINISH_AGAIN] = "team_arrive",
      [HD_WHAT_JOIN] = "team_join",
      [HD_TRACE_CHUNK] = "chunk",
      [HD_TRACE_SAMPLE] = "sample",
  };
  if (entry->inferred)
    return entry->now.state == HD_IDLE ? "team_joined" : NULL;
  if (entry->now.state == HD_STATE_COUNT)
    return entry->is_bound ? "trace_end" : "thread_end";
  if (entry->before.state == HD_STATE_COUNT)
    return entry->is_bound ? "trace_begin" : "thread_begin";
  return entry->what == HD_WHAT_ORDER ? order_words(entry) : words[entry->what];
}

/* What the event is about. */
struct numbers {
  bool has_first, has_second;
  uint64_t first, second;
};

static struct numbers order_numbers(const struct hd_trace_entry *entry) {
  const struct hd_trace_names kinds = hd_trace_names_of((enum hd_order)entry->operand);
  if (ends_task(entry)) /* and what goes on is told only if it is a task, too */
    return (struct numbers){true, entry->b > 0, entry->a, entry->b};
  if (entry->operand == HD_ORDER_SWITCH)
    return (struct numbers){.has_first = true, .first = entry->b};
  return (struct numbers){kinds.a != HD_TRACE_NO_NAME, kinds.b == HD_TRACE_VARIABLE, entry->a, entry->b};
}

static struct numbers event_numbers(const struct hd_trace_entry *entry) {
  if (entry->what == HD_WHAT_TEAM || entry->what == HD_WHAT_START)
    return (struct numbers){.has_first = true, .first = entry->number};
  if (entry->what == HD_WHAT_ORDER)
    return order_numbers(entry);
  if (entry->what == HD_TRACE_SAMPLE)
    return (struct numbers){.has_first = true, .first = entry->b};
  return entry->what == HD_TRACE_CHUNK ? (struct numbers){true, true, entry->a, entry->b} : (struct numbers){0};
}

/* Parents have smaller numbers than their children. */
static bool is_in(const struct hd_model *model, uint32_t node, uint32_t region) {
  while (node > region)
    node = model->nodes[node].parent;
  return node == region;
}

static bool is_chosen(const struct printing *printing, const struct hd_trace_entry *entry, double seconds) {
  const struct hd_trace_choice *choice = printing->choice;
  return seconds >= choice->from_seconds && seconds <= choice->to_seconds &&
         (choice->thread == HD_NONE || choice->thread == entry->thread) &&
         (choice->region == HD_NONE || is_in(printing->model, entry->before.node, choice->region) ||
          is_in(printing->model, entry->now.node, choice->region));
}

static const char *state_words(const struct hd_trace_entry *entry) {
  const uint32_t state = entry->now.state;
  return state < HD_STATE_COUNT ? hd_state_words((enum hd_state)state) : entry->is_bound ? "not traced" : "ended";
}

static void text_numbers(char *text, size_t bytes, struct numbers numbers) {
  *text = '\0';
  if (numbers.has_second)
    snprintf(text, bytes, "%" PRIu64 ",%" PRIu64, numbers.first, numbers.second);
  else if (numbers.has_first)
    snprintf(text, bytes, "%" PRIu64, numbers.first);
}

/* What a sample has found; "" of other entries. */
static void code_text(char text[HD_PLACE_BYTES], const struct printing *printing, const struct hd_trace_entry *entry) {
  *text = '\0';
  if (entry->what == HD_TRACE_SAMPLE)
    hd_trace_sample_text(text, printing->model, entry);
}

static void print_text(const struct printing *printing, const struct hd_trace_entry *entry, double seconds) {
  char place[HD_PLACE_BYTES], code[HD_PLACE_BYTES];
  char numbers[48];
  const char *event = event_words(entry);
  text_numbers(numbers, sizeof numbers, event_numbers(entry));
  hd_node_text(place, printing->model, &printing->model->nodes[entry->now.node], NULL);
  code_text(code, printing, entry);
  fprintf(printing->out, "%13.9f %4" PRIu32 "  %-12s %-15s %9s  %s%s%s\n", seconds, entry->thread, state_words(entry),
          event ? event : "", numbers, code, *code ? " < " : "", place);
}

static void print_csv(const struct printing *printing, const struct hd_trace_entry *entry, double seconds) {
  FILE *out = printing->out;
  const char *event = event_words(entry);
  const struct numbers numbers = event_numbers(entry);
  char code[HD_PLACE_BYTES];
  code_text(code, printing, entry);
  fprintf(out, "%.9f,%" PRIu32 ",%s,%s,", seconds, entry->thread,
          entry->now.state < HD_STATE_COUNT ? hd_state_id((enum hd_state)entry->now.state) : "", event ? event : "");
  if (numbers.has_first)
    fprintf(out, "%" PRIu64, numbers.first);
  fputc(',', out);
  if (numbers.has_second)
    fprintf(out, "%" PRIu64, numbers.second);
  fprintf(out, ",%" PRIu32 ",", entry->now.node);
  hd_csv_node(printing->model, &printing->model->nodes[entry->now.node], out);
  fputc(',', out);
  hd_csv_text(code, out);
  fputc('\n', out);
}

static bool print_entry(void *context, const struct hd_trace_entry *entry) {
  const struct printing *printing = context;
  const double seconds = hd_trace_seconds(printing->model, entry->ticks);
  if (is_chosen(printing, entry, seconds))
    (printing->choice->csv ? print_csv : print_text)(printing, entry, seconds);
  return seconds <= printing->choice->to_seconds && !ferror(printing->out);
}

static bool walk(struct printing *printing, hd_trace_visitor *visit) {
  char error[PATH_MAX + 256];
  if (hd_trace_walk(printing->model, visit, printing, error, sizeof error))
    return true;
  fprintf(stderr, "heddle: %s\n", error);
  return false;
}

bool hd_trace_print(const struct hd_model *model, const struct hd_trace_choice *choice, FILE *out) {
  struct printing printing = {.model = model, .choice = choice, .out = out};
  if (choice->csv) {
    fputs("time_s,thread,state,event,number,second,id,", out);
    hd_csv_node_names(out);
    fputs(",code\n", out);
  } else {
    fprintf(out, "%13s %4s  %-12s %-15s %9s  %s\n", "seconds", "thr", "state", "event", "of", "where");
  }
  return walk(&printing, print_entry);
}

/* ---- concurrency ---- */

/* Where the trace begins or ends threads need not change. */
static void print_change(const struct printing *printing, const struct hd_trace_entry *entry, double seconds,
                         bool is_busy) {
  const char *change = entry->is_bound ? event_words(entry) : is_busy ? "busy" : "";
  char place[HD_PLACE_BYTES];
  const struct hd_node *node = &printing->model->nodes[is_busy ? entry->now.node : entry->before.node];
  if (printing->choice->csv) {
    fprintf(printing->out, "%.9f,%" PRIu32 ",%" PRIu32 ",%s,%" PRIu32 ",", seconds, printing->busy, entry->thread,
            change, node->id);
    hd_csv_node(printing->model, node, printing->out);
    fputc('\n', printing->out);
    return;
  }
  hd_node_text(place, printing->model, node, NULL);
  fprintf(printing->out, "%13.9f %4" PRIu32 "  %c%" PRIu32 " %s%s\n", seconds, printing->busy, is_busy ? '+' : '-',
          entry->thread, place,
          !entry->is_bound ? ""
          : is_busy        ? " (the trace begins)"
                           : " (the trace ends)");
}

static bool count(void *context, const struct hd_trace_entry *entry) {
  struct printing *printing = context;
  const double seconds = hd_trace_seconds(printing->model, entry->ticks);
  const bool was_busy = entry->before.state == HD_BUSY, is_busy = entry->now.state == HD_BUSY;
  printing->busy += (uint32_t)is_busy - (uint32_t)was_busy;
  if (was_busy != is_busy && is_chosen(printing, entry, seconds))
    print_change(printing, entry, seconds, is_busy);
  return seconds <= printing->choice->to_seconds && !ferror(printing->out);
}

bool hd_trace_print_concurrency(const struct hd_model *model, const struct hd_trace_choice *choice, FILE *out) {
  struct printing printing = {.model = model, .choice = choice, .out = out};
  if (choice->csv) {
    fputs("time_s,busy_threads,thread,change,id,", out);
    hd_csv_node_names(out);
    fputc('\n', out);
  } else {
    fprintf(out, "%13s %4s  %s\n", "seconds", "busy", "which thread became busy (+) or no longer is (-), and where");
  }
  return walk(&printing, count);
}
