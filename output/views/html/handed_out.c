/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What loops and tasks were handed out in. */
#include <math.h>

#include "output/model/lengths.h"
#include "output/model/loops.h"
#include "output/model/tasks.h"
#include "output/views/html/sections.h"
#include "output/views/html/table.h"
#include "output/views/render/column_names.h"

/* The callpaths for which `is_of` says yes. */
static uint32_t count_of(const struct hd_model *model, bool (*is_of)(const struct hd_node *node), double *largest) {
  uint32_t count = 0;
  *largest = 0;
  for (uint32_t i = 0; i < model->node_count; i++)
    if (is_of(&model->nodes[i])) {
      count++;
      *largest = fmax(*largest, (double)model->nodes[i].inclusive_ticks[HD_BUSY]);
    }
  return count;
}

static void put_table(const struct hd_model *model, const struct hd_html_table *table, const char *title,
                      bool (*is_of)(const struct hd_node *node),
                      void (*fill)(struct hd_value *values, const struct hd_model *model, const struct hd_node *node)) {
  enum { COLUMNS_MOST = 16 };
  double largest;
  if (count_of(model, is_of, &largest) == 0)
    return;
  struct hd_html_table timed = *table;
  timed.columns.unit = hd_unit_for(largest * model->seconds_per_tick);
  hd_html_section(title[0] == 'L' ? "loops" : "tasks", title, table->out);
  fprintf(table->out, "<p class=\"hint\">Times in %s.</p>\n", timed.columns.unit.name);
  hd_html_table_begin(&timed);
  for (uint32_t i = 0; i < model->node_count; i++) {
    struct hd_value values[COLUMNS_MOST] = {0};
    if (!is_of(&model->nodes[i]))
      continue;
    fill(values, model, &model->nodes[i]);
    hd_html_row_begin(&timed, "");
    hd_html_place(model, &model->nodes[i], table->out);
    hd_html_row_values(&timed, values);
  }
  hd_html_table_end(&timed);
  hd_html_legend(&timed, "");
  fputs("</section>\n", table->out);
}

/* Of a number of things that may be 0. */
static struct hd_value each(const struct hd_model *model, double ticks, uint64_t count) {
  return hd_decimals(count > 0 ? 1e9 * ticks * model->seconds_per_tick / (double)count : NAN, 0);
}

/* ---- loops ---- */

enum { CHUNKS, ITERATIONS, LOOP_BUSY, SCHEDULING, CHUNK_NS, LONGEST, LOOP_ID, LOOP_COLUMNS };

static const struct hd_column loop_items[LOOP_COLUMNS] = {
    [CHUNKS] = HD_COLUMN(CHUNKS, 0, 0, "that all threads got, of loops whose runtime hands them out"),
    [ITERATIONS] = HD_COLUMN(ITERATIONS, 0, 0, "of those chunks"),
    [LOOP_BUSY] = HD_COLUMN(BUSY, 0, 0, HD_MEANS_SUM),
    [SCHEDULING] = {NULL, "Scheduling", HD_SECONDS, 0, 0, HD_MEANS_SUM},
    [CHUNK_NS] = {NULL, "ns/chunk", HD_NUMBER, 0, 1, "Busy per chunk, in nanoseconds"},
    [LONGEST] = {NULL, "Longest", HD_SECONDS, 0, 1, "the chunk that took a thread longest"},
    [LOOP_ID] = {NULL, "Id", HD_COUNT, 0, 1, "the callpath's number"},
};

static bool is_chunked_loop(const struct hd_node *node) {
  return node->kind >= HD_KIND_LOOP && node->kind <= HD_KIND_LOOP_GUIDED && node->shares.chunks > 0;
}

static void fill_loop(struct hd_value *values, const struct hd_model *model, const struct hd_node *node) {
  const struct hd_model_loop *loop = hd_loops_find(model, node->id);
  const uint32_t marks = node->marks[HD_MARKS_OF_CALLPATHS];
  const double busy = (double)node->inclusive_ticks[HD_BUSY];
  const struct hd_bounds chunks = hd_bounds_of_visits(marks), bounds = hd_bounds_of_busy(marks);
  values[CHUNKS] = hd_bounded(hd_count(node->shares.chunks, true), chunks);
  values[ITERATIONS] = hd_bounded(hd_count(node->shares.iterations, true), chunks);
  values[LOOP_BUSY] = hd_bounded(hd_ticks(model, busy, true), bounds);
  values[SCHEDULING] = hd_bounded(hd_ticks(model, (double)node->inclusive_ticks[HD_RUNTIME_SCHEDULING], true),
                                  hd_bounds_of_runtime(marks));
  values[CHUNK_NS] = hd_bounded(each(model, busy, node->shares.chunks), hd_bounds_against(bounds, chunks));
  values[LONGEST] = hd_bounded(hd_ticks(model, loop ? (double)loop->lengths.longest_ticks : 0, loop != NULL), chunks);
  values[LOOP_ID] = hd_count(node->id, true);
}

void hd_html_loops(const struct hd_model *model, FILE *out) {
  const struct hd_html_table table = {"loop-table", "Loop", {.items = loop_items, .count = LOOP_COLUMNS}, out};
  put_table(model, &table, "Loops", is_chunked_loop, fill_loop);
}

/* ---- tasks ---- */

enum { CREATED, RUN, ELSEWHERE, TASK_BUSY, TASK_NS, RUN_NS, RUN_MAX, DELAY_NS, DELAY_MAX, TASK_ID, TASK_COLUMNS };

static const struct hd_column task_items[TASK_COLUMNS] = {
    [CREATED] = HD_COLUMN(CREATED, 0, 0, NULL),
    [RUN] = HD_COLUMN(RUN, 0, 0, "how many began to run"),
    [ELSEWHERE] = HD_COLUMN(ELSEWHERE, 0, 0, "tasks that another thread ran than the one that created them"),
    [TASK_BUSY] = HD_COLUMN(BUSY, 0, 0, HD_MEANS_SUM),
    [TASK_NS] = {NULL, "ns/task", HD_NUMBER, 0, 1, "Busy per task that ran, in nanoseconds"},
    [RUN_NS] = {NULL, "ns own", HD_NUMBER, 0, 1,
                "mean busy time of a task, without its waits and the tasks that ran meanwhile"},
    [RUN_MAX] = {NULL, "Longest", HD_SECONDS, 0, 1, "the longest of those"},
    [DELAY_NS] = {NULL, "ns delay", HD_NUMBER, 0, 1, "mean time from a task's creation to its begin"},
    [DELAY_MAX] = {NULL, "Max delay", HD_SECONDS, 0, 1, "the longest of those"},
    [TASK_ID] = {NULL, "Id", HD_COUNT, 0, 1, "the callpath's number"},
};

static bool is_task(const struct hd_node *node) {
  return node->kind == HD_KIND_TASK;
}

static void fill_times(struct hd_value *values, const struct hd_model *model, const struct hd_node *node) {
  static const struct hd_model_task none;
  const struct hd_model_task *found = hd_tasks_find(model, node->id), *times = found ? found : &none;
  const uint32_t marks = node->marks[HD_MARKS_OF_CALLPATHS];
  const struct hd_bounds visits = hd_bounds_of_visits(marks);
  const struct hd_bounds own = hd_bounds_against(hd_bounds_of_busy(marks), visits);
  const struct hd_bounds each_delay = hd_bounds_against(visits, visits);
  const uint64_t runs = hd_lengths_count(&times->run), delays = hd_lengths_count(&times->delay);
  values[RUN_NS] = hd_bounded(each(model, (double)times->run.ticks, runs), own);
  values[RUN_MAX] = hd_bounded(hd_ticks(model, (double)times->run.longest_ticks, runs > 0), visits);
  values[DELAY_NS] = hd_bounded(each(model, (double)times->delay.ticks, delays), each_delay);
  values[DELAY_MAX] = hd_bounded(hd_ticks(model, (double)times->delay.longest_ticks, delays > 0), visits);
}

static void fill_task(struct hd_value *values, const struct hd_model *model, const struct hd_node *node) {
  const uint32_t marks = node->marks[HD_MARKS_OF_CALLPATHS];
  const double busy = (double)node->inclusive_ticks[HD_BUSY];
  const struct hd_bounds visits = hd_bounds_of_visits(marks), bounds = hd_bounds_of_busy(marks);
  values[CREATED] = hd_bounded(hd_count(node->shares.created, true), visits);
  values[RUN] = hd_bounded(hd_count(node->visits, true), visits);
  values[ELSEWHERE] = hd_bounded(hd_count(node->shares.elsewhere, true), visits);
  values[TASK_BUSY] = hd_bounded(hd_ticks(model, busy, true), bounds);
  values[TASK_NS] = hd_bounded(each(model, busy, node->visits), hd_bounds_against(bounds, visits));
  fill_times(values, model, node);
  values[TASK_ID] = hd_count(node->id, true);
}

void hd_html_tasks(const struct hd_model *model, FILE *out) {
  const struct hd_html_table table = {"task-table", "Task", {.items = task_items, .count = TASK_COLUMNS}, out};
  put_table(model, &table, "Tasks", is_task, fill_task);
}
