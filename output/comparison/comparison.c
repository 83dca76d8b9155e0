/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/comparison/comparison.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/comparison/comparison_internal.h"
#include "output/model/format_names.h"
#include "output/unify/clock_scale.h"
#include "output/unify/same_build.h"
#include "support/command/memory.h"

#define OVERHEAD_NOTED 0.03

#define note(comparison, ...) add_note(comparison, hd_print(__VA_ARGS__))

static void add_note(struct hd_comparison *comparison, char *text) {
  struct hd_strings *notes = &comparison->notes;
  notes->items = hd_grow(notes->items, notes->count + 1, sizeof *notes->items);
  notes->items[notes->count++] = text;
}

/* ---- may they be compared? ---- */

/** The caller's text for the reason why not. */
struct refusal {
  char *error;
  size_t error_bytes;
};

/* Writes the reason into the caller's error text. Always false. */
__attribute__((format(printf, 2, 3))) static bool refuse(const struct refusal *refusal, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(refusal->error, refusal->error_bytes, format, arguments);
  va_end(arguments);
  return false;
}

static bool may_compare(struct hd_comparison *comparison, size_t count, const struct refusal *refusal) {
  size_t a = 0, b = 0;
  const struct hd_module *module = NULL;
  const enum hd_same_program same = hd_same_program(comparison->models, count, &a, &b, &module);
  const struct hd_model *left = comparison->models[a], *right = comparison->models[b];
  comparison->by_name = same != HD_SAME_PROGRAM;
  if (same == HD_SAME_PROGRAM || comparison->options.force)
    return true;
  if (same == HD_OTHER_PROGRAM)
    return refuse(refusal, "%s is a run of %s, %s one of %s; --force compares them by name", left->path,
                  left->header.program, right->path, right->header.program);
  return refuse(refusal, "%s and %s are runs of different builds of %s; --force compares them by name", left->path,
                right->path, module ? hd_base_name(module->path) : left->header.program);
}

/* The times of a sum of runs are theirs added up. */
static bool are_all_sums_or_none(const struct hd_comparison *comparison, size_t count, const struct refusal *refusal) {
  const struct hd_model *a = comparison->models[0];
  for (size_t i = 1; i < count && !comparison->options.force; i++) {
    const struct hd_model *b = comparison->models[i];
    const bool first = a->header.flags & HD_FILE_MERGED;
    if ((a->header.flags ^ b->header.flags) & HD_FILE_MERGED)
      return refuse(refusal, "%s is a sum of several runs, %s a single run; --force compares them anyway",
                    first ? a->path : b->path, first ? b->path : a->path);
  }
  return true;
}

/* ---- runs and points ---- */

/* What tells points apart. Where all runs were asked for a number of threads it is that: how many came may differ. */
static uint32_t key_of(const struct hd_comparison *comparison, const struct hd_run *run, uint32_t side, bool asked) {
  if (comparison->options.mode == HD_COMPARE_SIDES)
    return side;
  return asked ? run->book->asked_threads : run->book->threads;
}

static int compare_runs(const void *a, const void *b) {
  const struct hd_run *left = a;
  const struct hd_run *right = b;
  if (left->point != right->point)
    return left->point < right->point ? -1 : 1;
  return (left->order > right->order) - (left->order < right->order);
}

static void make_runs(struct hd_comparison *comparison, const struct hd_compare_input *inputs, size_t count,
                      const uint64_t *factors) {
  bool asked = true;
  comparison->runs = hd_new(count, sizeof *comparison->runs);
  comparison->run_count = (uint32_t)count;
  for (uint32_t i = 0; i < count; i++) {
    struct hd_run *run = &comparison->runs[i];
    *run = (struct hd_run){.model = inputs[i].model, .order = i, .factor = factors[i]};
    run->book = hd_loss_book_new(run->model);
    asked = asked && run->book->asked_threads > 0;
  }
  for (uint32_t i = 0; i < count; i++) /* keys, for now */
    comparison->runs[i].point = key_of(comparison, &comparison->runs[i], inputs[i].side, asked);
  qsort(comparison->runs, count, sizeof *comparison->runs, compare_runs);
}

static bool was_cut_short(const struct hd_model *model) {
  return !model->ended || !hd_model_is_complete(model) || hd_model_signal(model);
}

static void join_point(struct hd_point *point, const struct hd_run *run) {
  const uint32_t processors = run->model->header.max_threads;
  const bool first = point->run_count++ == 0;
  point->cut_short += was_cut_short(run->model);
  if (first || run->book->threads > point->threads)
    point->threads = run->book->threads;
  if (first || run->book->threads < point->least_threads)
    point->least_threads = run->book->threads;
  if (first || processors < point->processors)
    point->processors = processors;
  if (first)
    point->asked_threads = run->book->asked_threads;
  else if (point->asked_threads != run->book->asked_threads)
    point->asked_threads = 0;
}

static void label_point(struct hd_comparison *comparison, struct hd_point *point, const char *label, uint32_t key) {
  if (comparison->options.mode == HD_COMPARE_SIDES && label)
    snprintf(point->label, sizeof point->label, "%s", label);
  else
    snprintf(point->label, sizeof point->label, "%u", key);
}

static void make_points(struct hd_comparison *comparison, const struct hd_compare_input *inputs) {
  comparison->points = hd_new(comparison->run_count, sizeof *comparison->points);
  uint32_t key = 0;
  for (uint32_t i = 0; i < comparison->run_count; i++) {
    struct hd_run *run = &comparison->runs[i];
    if (i == 0 || run->point != key) {
      struct hd_point *point = &comparison->points[comparison->point_count++];
      key = run->point;
      point->run_first = i;
      label_point(comparison, point, inputs[run->order].label, key);
    }
    run->point = comparison->point_count - 1;
    join_point(&comparison->points[run->point], run);
  }
}

static bool has_points(const struct hd_comparison *comparison, const struct refusal *refusal) {
  const uint32_t threads = comparison->points[0].threads;
  if (comparison->point_count > 1)
    return true;
  if (comparison->options.mode == HD_COMPARE_SIDES)
    return refuse(refusal, "a comparison needs at least two sides");
  return refuse(refusal, "all runs had %u thread%s: there is nothing to compare", threads, hd_plural(threads));
}

/* ---- what cannot be compared ---- */

static void note_point(struct hd_comparison *comparison, const struct hd_point *point) {
  if (point->least_threads != point->threads)
    note(comparison, "%s: between %u and %u threads were alive, by the run", point->label, point->least_threads,
         point->threads);
  if (point->asked_threads > 0 && point->threads > point->asked_threads)
    note(comparison, "%s: %u threads were alive though OMP_NUM_THREADS was %u", point->label, point->threads,
         point->asked_threads);
}

static bool shares_processors(const struct hd_point *point) {
  return point->processors > 0 && point->threads > point->processors;
}

/* One note for all of them. */
static void note_processors(struct hd_comparison *comparison) {
  char labels[256] = "";
  uint32_t processors = 0;
  for (uint32_t i = 0; i < comparison->point_count; i++) {
    const struct hd_point *point = &comparison->points[i];
    if (!shares_processors(point))
      continue;
    const size_t used = strlen(labels);
    snprintf(labels + used, sizeof labels - used, "%s%s", used > 0 ? ", " : "", point->label);
    processors = processors == 0 || point->processors < processors ? point->processors : processors;
  }
  if (processors > 0)
    note(comparison,
         "%s: more threads than the %u processor%s; a thread without a processor counts as busy, or as what it was "
         "about to do",
         labels, processors, hd_plural(processors));
}

static void note_switched_off(struct hd_comparison *comparison, const struct hd_model *model,
                              enum hd_event_class event_class) {
  uint64_t ticks = 0;
  for (uint32_t i = 0; i < model->switch_count; i++)
    ticks += model->switches[i].event_class == event_class ? model->switches[i].ticks : 0;
  note(comparison,
       "%s: %s were not measured for %.3f s (the budget, HEDDLE_OVERHEAD): their "
       "time is counted in the enclosing construct, waits as busy (numbers marked >=, <= or ~); a main cause is named "
       "only where that cannot change it",
       model->path, hd_event_class_words(event_class), hd_model_seconds(model, ticks));
}

static void note_run(struct hd_comparison *comparison, const struct hd_run *run) {
  const struct hd_model *model = run->model;
  const struct hd_file_header *header = &model->header;
  if (!model->ended && hd_model_life(model) == HD_LIFE_RUNNING)
    note(comparison, "%s: the program still runs", model->path);
  else if (was_cut_short(model))
    note(comparison, "%s: the program was killed or ended without closing its profile", model->path);
  if ((header->flags & HD_FILE_EXIT_KNOWN) && header->exit_status != 0)
    note(comparison, "%s: the program's exit status was %d", model->path, (int)header->exit_status);
  if (run->book->alive_threads < run->book->asked_threads)
    note(comparison, "%s: OMP_NUM_THREADS was %u, but only %u thread%s came", model->path, run->book->asked_threads,
         run->book->alive_threads, hd_plural(run->book->alive_threads));
  if (run->book->recursive)
    note(comparison, "%s: regions call routines that are also called outside regions; their time counts as outside",
         model->path);
  for (uint32_t i = 0; i < HD_CLASS_COUNT; i++)
    if (model->off_classes >> i & 1)
      note_switched_off(comparison, model, (enum hd_event_class)i);
  if (hd_model_overhead(model) > OVERHEAD_NOTED)
    note(comparison,
         "%s: Heddle's own work is %.1f %% of the busy time, and is part of what is compared ('heddle report "
         "--overhead')",
         model->path, 100 * hd_model_overhead(model));
  if (header->flags & HD_FILE_MERGED)
    note(comparison, "%s: the sum of several runs: compare it with a sum of as many", model->path);
}

static void write_notes(struct hd_comparison *comparison) {
  for (uint32_t i = 0; i < comparison->point_count; i++)
    note_point(comparison, &comparison->points[i]);
  note_processors(comparison);
  for (uint32_t i = 0; i < comparison->run_count; i++)
    note_run(comparison, &comparison->runs[i]);
  if (comparison->by_name)
    note(comparison, "the runs are of different programs or builds: callpaths were matched "
                     "by function, file and line");
  if (comparison->united->moved > 0)
    note(comparison, "%u callpath%s matched though the line differs, by function and order", comparison->united->moved,
         comparison->united->moved == 1 ? " was" : "s were");
}

/* ---- the comparison ---- */

static bool build(struct hd_comparison *comparison, const struct hd_compare_input *inputs, size_t count,
                  const struct refusal *refusal) {
  if (!may_compare(comparison, count, refusal) || !are_all_sums_or_none(comparison, count, refusal))
    return false;
  uint64_t *factors = hd_new(count, sizeof *factors);
  const bool joined = hd_clocks_join(comparison->models, count, factors, &comparison->seconds_per_tick);
  if (joined) {
    make_runs(comparison, inputs, count, factors);
    make_points(comparison, inputs);
  }
  free(factors);
  if (!joined)
    return refuse(refusal, "the runs' clocks are too different");
  if (!has_points(comparison, refusal))
    return false;
  for (uint32_t i = 0; i < comparison->run_count; i++) /* united in the order of runs */
    comparison->models[i] = inputs[comparison->runs[i].order].model;
  comparison->united =
      hd_united_new(comparison->models, count, comparison->by_name ? HD_UNITE_BY_NAME : HD_UNITE_BY_ADDRESS);
  hd_comparison_make_rows(comparison);
  hd_comparison_fill_rows(comparison);
  write_notes(comparison);
  return true;
}

struct hd_comparison *hd_comparison_new(const struct hd_compare_input *inputs, size_t count,
                                        const struct hd_compare_options *options, char *error, size_t error_bytes) {
  const struct refusal refusal = {error, error_bytes};
  if (count < 2) {
    refuse(&refusal, "a comparison needs at least two runs");
    return NULL;
  }
  struct hd_comparison *comparison = hd_new(1, sizeof *comparison);
  comparison->options = *options;
  comparison->models = hd_new(count, sizeof *comparison->models);
  for (size_t i = 0; i < count; i++)
    comparison->models[i] = inputs[i].model;
  if (build(comparison, inputs, count, &refusal))
    return comparison;
  hd_comparison_free(comparison);
  return NULL;
}

static void free_row(struct hd_comparison *comparison, struct hd_compared_row *row) {
  hd_scaling_free(&row->scaling);
  free(row->scaling_points);
  for (uint32_t i = 0; row->at && i < comparison->point_count; i++)
    free(row->at[i].seconds);
  free(row->at);
}

void hd_comparison_free(struct hd_comparison *comparison) {
  if (!comparison)
    return;
  for (uint32_t i = 0; comparison->rows && i < comparison->row_count; i++)
    free_row(comparison, &comparison->rows[i]);
  for (uint32_t i = 0; comparison->runs && i < comparison->run_count; i++)
    hd_loss_book_free(comparison->runs[i].book);
  for (size_t i = 0; i < comparison->notes.count; i++)
    free((char *)(uintptr_t)comparison->notes.items[i]);
  free(comparison->notes.items);
  hd_united_free(comparison->united);
  free(comparison->rows);
  free(comparison->row_of);
  free(comparison->heads);
  free(comparison->runs);
  free(comparison->points);
  free(comparison->models);
  free(comparison);
}

bool hd_comparison_is_of_row(const struct hd_comparison *comparison, uint32_t run, uint32_t node, uint32_t row) {
  const uint32_t united = comparison->united->node_of[run][node];
  return comparison->heads[united] && comparison->row_of[united] == row;
}

/* ---- laws that need no fitting ---- */

/* A program that becomes slower has no serial part: that would be more than all of it.
 * Of the threads that came on top: with a baseline of several threads their number relative to it. */
double hd_karp_flatt(double speedup, uint32_t threads, uint32_t baseline_threads) {
  const double more = (double)threads / baseline_threads;
  return more > 1 && speedup >= 1 ? (1 / speedup - 1 / more) / (1 - 1 / more) : NAN;
}

double hd_amdahl_bound(const struct hd_comparison *comparison, uint32_t threads) {
  const struct hd_compared *base = &comparison->rows[0].at[0];
  const double serial = (double)comparison->serial_ticks;
  const double divided = fmax(0, (double)base->losses.busy - serial);
  const double least = serial + (threads > 0 ? divided / threads : 0);
  return least > 0 ? (double)base->time_ticks / least : INFINITY;
}
