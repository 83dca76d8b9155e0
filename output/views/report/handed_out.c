/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file handed_out.c
 * --loops: the chunks that loops were handed out in, and what a chunk works and costs. --tasks: how many tasks each
 * construct created, and how many of them another thread ran. One line for each construct, most busy time first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/format_names.h"
#include "output/model/lengths.h"
#include "output/model/loops.h"
#include "output/model/tasks.h"
#include "output/views/render/column_names.h"
#include "output/views/render/level_bars.h"
#include "output/views/report/listing.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"

#define NS_EACH(title, id, rank, help)                                                                                 \
  { id, title, HD_NUMBER, 0, rank, "\n" help }

/* ---- loops ---- */

enum {
  CHUNKS,
  ITERATIONS,
  PER_CHUNK,
  LOOP_BUSY,
  CHUNK_NS,
  SCHEDULING,
  CHUNK_COST_NS,
  LOOP_COST,
  LONGEST,
  SPACE,
  LOOP_ID,
  LOOP_COLUMNS
};

static const struct hd_column loop_columns[LOOP_COLUMNS] = {
    [CHUNKS] = HD_COLUMN(CHUNKS, 0, 0, "\nthat all threads got, of loops whose runtime hands them out"),
    [ITERATIONS] = HD_COLUMN(ITERATIONS, 0, 0, "\nof those chunks"),
    [PER_CHUNK] = {"iterations_per_chunk", "Iter/chunk", HD_NUMBER, 0, 4, NULL},
    [LOOP_BUSY] = HD_COLUMN(BUSY, 0, 0, "\n" HD_MEANS_SUM),
    [CHUNK_NS] = NS_EACH("ns/chunk", "chunk_ns", 3, "Busy per chunk, in nanoseconds"),
    [SCHEDULING] = {"runtime_scheduling_s", "scheduling", HD_SECONDS, 0, 0, "\n" HD_MEANS_SUM},
    [CHUNK_COST_NS] = NS_EACH("ns to get", "chunk_scheduling_ns", 3, "scheduling per chunk, in nanoseconds"),
    [LOOP_COST] = {"scheduling_share", "Sched%", HD_SHARE, 0, 0, "scheduling as part of Busy and scheduling"},
    [LONGEST] = {"chunk_max_s", "Longest", HD_SECONDS, 0, 2, "\nthe chunk that took a thread longest"},
    [SPACE] = {NULL, "Cost by iteration", HD_TEXT, 0, 0,
               "time of an iteration, from the loop's first to its last, against the dearest\n"
               ".: no time, or no chunk there was observed"},
    [LOOP_ID] = {NULL, "Id", HD_COUNT, 0, 1, "\n" HD_MEANS_ID},
};

const struct hd_report_columns hd_report_loops_columns = {"loops", loop_columns, LOOP_COLUMNS, -1};

/* Of a number of things that may be 0. */
static double each(const struct hd_model *model, double ticks, uint64_t count) {
  return count > 0 ? 1e9 * ticks * model->seconds_per_tick / (double)count : NAN;
}

static const char *text_against(struct hd_bounds a, struct hd_bounds b) {
  return hd_bounds_text(hd_bounds_against(a, b));
}

static void mark_loop(struct hd_value *values, uint32_t marks) {
  const struct hd_bounds chunks = hd_bounds_of_visits(marks), busy = hd_bounds_of_busy(marks);
  const struct hd_bounds cost = hd_bounds_of_runtime(marks);
  values[CHUNKS].mark = values[ITERATIONS].mark = hd_bounds_text(chunks);
  values[PER_CHUNK].mark = text_against(chunks, chunks);
  values[LOOP_BUSY].mark = hd_bounds_text(busy);
  values[CHUNK_NS].mark = text_against(busy, chunks);
  values[SCHEDULING].mark = hd_bounds_text(cost);
  values[CHUNK_COST_NS].mark = text_against(cost, chunks);
  values[LOOP_COST].mark = text_against(cost, busy);
  values[LONGEST].mark = hd_bounds_text(chunks);
}

/* What is known of the chunks of all nodes that a line stands for. */
static struct hd_model_loop loop_of(const struct hd_lines *view, uint32_t line) {
  struct hd_model_loop loop = {.node = view->lines[line].node->id};
  for (uint32_t i = 0; i < view->model->loop_count; i++)
    if (view->line_of_node[view->model->loops[i].node] == line)
      hd_loop_add(&loop, &view->model->loops[i]);
  return loop;
}

/* Time of an iteration in each of so many parts of the space. */
enum { SPACE_PARTS = 8 };
static void draw_space(char text[HD_CELL_BYTES], const struct hd_model_loop *loop) {
  double costs[SPACE_PARTS], most = 0;
  for (uint32_t part = 0; part < SPACE_PARTS; part++) {
    double ticks = 0, iterations = 0;
    for (uint32_t i = part * HD_SPACE_BUCKETS / SPACE_PARTS; i < (part + 1) * HD_SPACE_BUCKETS / SPACE_PARTS; i++) {
      ticks += (double)loop->ticks[i];
      iterations += (double)loop->iterations[i];
    }
    costs[part] = iterations > 0 ? ticks / iterations : 0;
    most = fmax(most, costs[part]);
  }
  for (uint32_t part = 0; part < SPACE_PARTS; part++)
    text = stpcpy(text, hd_draw_height(most > 0 ? costs[part] / most : 0));
}

static void fill_loop(struct hd_value *values, const struct hd_lines *view, uint32_t index) {
  const struct hd_model *model = view->model;
  const struct hd_line *line = &view->lines[index];
  const struct hd_model_loop loop = loop_of(view, index);
  const struct hd_shares *shares = &line->shares;
  const bool known = shares->chunks > 0;
  const double busy = (double)line->ticks[HD_BUSY], cost = (double)line->ticks[HD_RUNTIME_SCHEDULING];
  values[CHUNKS] = hd_count(shares->chunks, known);
  values[ITERATIONS] = hd_count(shares->iterations, known);
  values[PER_CHUNK] = hd_number(known ? (double)shares->iterations / (double)shares->chunks : NAN);
  values[LOOP_BUSY] = hd_ticks(model, busy, true);
  values[CHUNK_NS] = hd_decimals(each(model, busy, shares->chunks), 0);
  values[SCHEDULING] = hd_ticks(model, cost, known);
  values[CHUNK_COST_NS] = hd_decimals(each(model, cost, shares->chunks), 0);
  values[LOOP_COST] = hd_share(cost, busy + cost, known);
  values[LONGEST] = hd_ticks(model, (double)loop.lengths.longest_ticks, hd_lengths_count(&loop.lengths) > 0);
  values[SPACE].known = loop.lengths.ticks > 0;
  if (values[SPACE].known)
    draw_space(values[SPACE].text, &loop);
  values[LOOP_ID] = hd_count(line->node->id, true);
  mark_loop(values, line->marks);
}

static bool is_loop(enum hd_kind kind) {
  return kind >= HD_KIND_LOOP && kind <= HD_KIND_LOOP_GUIDED;
}

/* ---- tasks ---- */

enum {
  CREATED,
  RUN,
  ELSEWHERE,
  ELSEWHERE_SHARE,
  TASK_BUSY,
  TASK_NS,
  RUN_NS,
  RUN_MAX,
  DELAY_NS,
  DELAY_MAX,
  TIMES,
  TASK_ID,
  TASK_COLUMNS
};

static const struct hd_column task_columns[TASK_COLUMNS] = {
    [CREATED] = HD_COLUMN(CREATED, 0, 4, NULL),
    [RUN] = HD_COLUMN(RUN, 0, 0, "\nhow many began to run"),
    [ELSEWHERE] = HD_COLUMN(ELSEWHERE, 0, 5, "tasks that another thread ran than the one that created them"),
    [ELSEWHERE_SHARE] = {"elsewhere_share", "Else%", HD_SHARE, 0, 0, "\nElsewhere as part of Run"},
    [TASK_BUSY] = HD_COLUMN(BUSY, 0, 0, "\n" HD_MEANS_SUM),
    [TASK_NS] = NS_EACH("ns/task", "task_ns", 7, "Busy per task that ran, in nanoseconds"),
    [RUN_NS] = {"task_own_ns", "ns own", HD_NUMBER, 0, 0,
                "mean busy time of a task, in nanoseconds, without its waits and the tasks that ran meanwhile"},
    [RUN_MAX] = {"task_max_s", "Longest", HD_SECONDS, 0, 6, "\nthe longest of those"},
    [DELAY_NS] = {"task_delay_ns", "ns delay", HD_NUMBER, 0, 0,
                  "mean time from a task's creation to its begin, in nanoseconds"},
    [DELAY_MAX] = {"task_delay_max_s", "Max delay", HD_SECONDS, 0, 8, "\nthe longest of those"},
    [TIMES] = {NULL, "Own times", HD_TEXT, 0, 0,
               "how many tasks took up to 0.25 us, and in each cell 4 times as long, to more than 0.27 s\n"
               ".: none"},
    [TASK_ID] = {NULL, "Id", HD_COUNT, 0, 1, "\n" HD_MEANS_ID},
};

const struct hd_report_columns hd_report_tasks_columns = {"tasks", task_columns, TASK_COLUMNS, -1};

static void mark_task(struct hd_value *values, uint32_t marks) {
  const struct hd_bounds visits = hd_bounds_of_visits(marks), busy = hd_bounds_of_busy(marks);
  values[CREATED].mark = values[RUN].mark = values[ELSEWHERE].mark = hd_bounds_text(visits);
  values[ELSEWHERE_SHARE].mark = text_against(visits, visits);
  values[TASK_BUSY].mark = hd_bounds_text(busy);
  values[TASK_NS].mark = text_against(busy, visits);
  /* Those that were not observed may have been others. */
  values[RUN_NS].mark = text_against(busy, visits);
  values[RUN_MAX].mark = values[DELAY_MAX].mark = hd_bounds_text(visits);
  values[DELAY_NS].mark = text_against(visits, visits);
}

/* What is known of the tasks of all nodes that a line stands for. */
static struct hd_model_task task_of(const struct hd_lines *view, uint32_t line) {
  struct hd_model_task task = {.node = view->lines[line].node->id};
  for (uint32_t i = 0; i < view->model->task_count; i++)
    if (view->line_of_node[view->model->tasks[i].node] == line)
      hd_task_add(&task, &view->model->tasks[i]);
  return task;
}

/* Two buckets in each cell; the first also has those before, the last those behind. */
enum { TIMES_CELLS = 12, TIMES_FIRST = 6 };
static void draw_times(char text[HD_CELL_BYTES], const struct hd_lengths *lengths) {
  double counts[TIMES_CELLS] = {0}, most = 0;
  for (int i = 0; i < (int)HD_LENGTH_BUCKETS; i++) {
    const int cell = i < TIMES_FIRST ? 0 : (i - TIMES_FIRST) / 2;
    counts[cell < TIMES_CELLS ? cell : TIMES_CELLS - 1] += (double)lengths->counts[i];
  }
  for (int i = 0; i < TIMES_CELLS; i++)
    most = fmax(most, counts[i]);
  for (int i = 0; i < TIMES_CELLS; i++)
    text = stpcpy(text, hd_draw_height(most > 0 ? counts[i] / most : 0));
}

static void fill_times(struct hd_value *values, const struct hd_lines *view, uint32_t index) {
  const struct hd_model *model = view->model;
  const struct hd_model_task task = task_of(view, index);
  const uint64_t runs = hd_lengths_count(&task.run), delays = hd_lengths_count(&task.delay);
  values[RUN_NS] = hd_decimals(each(model, (double)task.run.ticks, runs), 0);
  values[RUN_MAX] = hd_ticks(model, (double)task.run.longest_ticks, runs > 0);
  values[DELAY_NS] = hd_decimals(each(model, (double)task.delay.ticks, delays), 0);
  values[DELAY_MAX] = hd_ticks(model, (double)task.delay.longest_ticks, delays > 0);
  values[TIMES].known = runs > 0;
  if (runs > 0)
    draw_times(values[TIMES].text, &task.run);
}

static void fill_task(struct hd_value *values, const struct hd_lines *view, uint32_t index) {
  const struct hd_model *model = view->model;
  const struct hd_line *line = &view->lines[index];
  const struct hd_shares *shares = &line->shares;
  const double busy = (double)line->ticks[HD_BUSY];
  values[CREATED] = hd_count(shares->created, true);
  values[RUN] = hd_count(line->visits, true);
  values[ELSEWHERE] = hd_count(shares->elsewhere, true);
  values[ELSEWHERE_SHARE] = hd_share((double)shares->elsewhere, (double)line->visits, true);
  values[TASK_BUSY] = hd_ticks(model, busy, true);
  values[TASK_NS] = hd_decimals(each(model, busy, line->visits), 0);
  fill_times(values, view, index);
  values[TASK_ID] = hd_count(line->node->id, true);
  mark_task(values, line->marks);
}

static bool is_task(enum hd_kind kind) {
  return kind == HD_KIND_TASK;
}

/* ---- a table of either ---- */

struct subject {
  bool (*is_of)(enum hd_kind kind);
  void (*fill)(struct hd_value *values, const struct hd_lines *view, uint32_t line);
  const struct hd_report_columns *columns;
  const char *title, *none, *more;
};

enum { COLUMNS_MOST = (int)LOOP_COLUMNS > (int)TASK_COLUMNS ? (int)LOOP_COLUMNS : (int)TASK_COLUMNS };

/* Most time first: what was worked, and for loops what it took to get it. */
static int compare_lines(const void *a, const void *b) {
  const struct hd_line *left = *(const struct hd_line *const *)a, *right = *(const struct hd_line *const *)b;
  const uint64_t of_left = left->ticks[HD_BUSY] + left->ticks[HD_RUNTIME_SCHEDULING];
  const uint64_t of_right = right->ticks[HD_BUSY] + right->ticks[HD_RUNTIME_SCHEDULING];
  if (of_left != of_right)
    return of_left > of_right ? -1 : 1;
  return left < right ? -1 : 1;
}

static uint32_t choose(const struct hd_lines *view, const struct subject *subject, const struct hd_line **chosen) {
  uint32_t count = 0;
  for (uint32_t i = 1; i < view->count; i++)
    if (subject->is_of(view->lines[i].node->kind))
      chosen[count++] = &view->lines[i];
  qsort(chosen, count, sizeof *chosen, compare_lines);
  return count;
}

static void put_rows(const struct hd_lines *view, const struct subject *subject, struct hd_listing *listing,
                     const struct hd_line *const *chosen, uint32_t shown, uint32_t count) {
  hd_listing_begin(listing, HD_LINE_FIRST, subject->title, false);
  for (uint32_t i = 0; i < shown; i++) {
    struct hd_value values[COLUMNS_MOST] = {0};
    const uint32_t line = (uint32_t)(chosen[i] - view->lines);
    struct hd_listed row = hd_listed_line(view, line);
    hd_place_text(row.place, view->model, chosen[i], NULL);
    subject->fill(values, view, line);
    hd_listing_put(listing, &row, values);
  }
  hd_listing_end(listing, count - shown);
}

static void report(struct hd_lines *view, const struct hd_report_options *options, const struct subject *subject,
                   FILE *out) {
  const struct hd_line **chosen = hd_new(view->count, sizeof *chosen);
  const uint32_t count = choose(view, subject, chosen);
  const uint32_t shown = hd_at_most(count, hd_limit_of(options));
  const uint64_t largest = count > 0 ? chosen[0]->ticks[HD_BUSY] + chosen[0]->ticks[HD_RUNTIME_SCHEDULING] : 0;
  struct hd_listing listing = {.model = view->model,
                               .columns = {subject->columns->items, subject->columns->count, 0,
                                           hd_unit_for(hd_model_seconds(view->model, largest))},
                               .csv = options->csv,
                               .asked = options,
                               .out = out};
  if (!options->csv) {
    hd_report_heading(view->model, hd_heading_of(options), out);
    hd_report_scope(view->model, options, out);
  }
  if (count == 0 && !options->csv)
    fprintf(out, "\n%s\n", subject->none);
  else
    put_rows(view, subject, &listing, chosen, shown, count);
  if (count > 0 && !options->csv) {
    fputc('\n', out);
    hd_columns_legend(&listing.columns, subject->more, out);
    hd_report_visits_mark(view->model, out);
  }
  free(chosen);
}

void hd_report_loops(struct hd_lines *view, const struct hd_report_options *options, FILE *out) {
  static const struct subject loops = {
      is_loop,
      fill_loop,
      &hd_report_loops_columns,
      "Loop",
      "No loop was observed.",
      "Times are summed over threads, with the lines below. '-': not known, or the loop was not handed out in chunks "
      "(schedule(static))."};
  report(view, options, &loops, out);
}

void hd_report_tasks(struct hd_lines *view, const struct hd_report_options *options, FILE *out) {
  static const struct subject tasks = {is_task,
                                       fill_task,
                                       &hd_report_tasks_columns,
                                       "Task",
                                       "No explicit task was observed.",
                                       "Times are summed over threads, with the lines below. '-': not known."};
  report(view, options, &tasks, out);
}
