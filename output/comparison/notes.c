/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file notes.c
 * What cannot be compared, in words. What is true of several runs is one note.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/comparison/comparison_internal.h"
#include "output/model/format_names.h"
#include "support/command/memory.h"

#define OVERHEAD_NOTED 0.03

#define note(comparison, ...) add_note(comparison, hd_print(__VA_ARGS__))

static void add_note(struct hd_comparison *comparison, char *text) {
  struct hd_strings *notes = &comparison->notes;
  notes->items = hd_grow_by_one(notes->items, notes->count, sizeof *notes->items);
  notes->items[notes->count++] = text;
}

bool hd_comparison_was_cut_short(const struct hd_model *model) {
  return !model->ended || !hd_model_is_complete(model) || hd_model_signal(model);
}

/* ---- of points ---- */

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

/* ---- of runs ---- */

/** What is true of some runs: a text in which VALUE stands for a number of each of them. */
struct run_note {
  char *text; /* owned */
  int decimals;
  double low, high;
  uint32_t runs;
  const char *path; /* of the first */
};

struct run_notes {
  struct run_note *items; /* owned */
  size_t count;
};

#define VALUE "{}"

static struct run_note *find(const struct run_notes *notes, const char *text) {
  for (size_t i = 0; i < notes->count; i++)
    if (strcmp(notes->items[i].text, text) == 0)
      return &notes->items[i];
  return NULL;
}

/* Takes `text`. */
static void gather(struct run_notes *notes, const struct hd_model *model, double value, int decimals, char *text) {
  struct run_note *same = find(notes, text);
  if (same) {
    same->low = value < same->low ? value : same->low;
    same->high = value > same->high ? value : same->high;
    same->runs++;
    free(text);
    return;
  }
  notes->items = hd_grow_by_one(notes->items, notes->count, sizeof *notes->items);
  notes->items[notes->count++] = (struct run_note){
      .text = text, .decimals = decimals, .low = value, .high = value, .runs = 1, .path = model->path};
}

#define GATHER(value, decimals, ...) gather(notes, model, value, decimals, hd_print(__VA_ARGS__))
#define GATHER_WORDS(...) GATHER(0, 0, __VA_ARGS__)

static void gather_switched_off(struct run_notes *notes, const struct hd_model *model,
                                enum hd_event_class event_class) {
  uint64_t ticks = 0;
  for (uint32_t i = 0; i < model->switch_count; i++)
    ticks += model->switches[i].event_class == event_class ? model->switches[i].ticks : 0;
  if (model->estimated)
    GATHER(hd_model_seconds(model, ticks), 3,
           "%s were not measured for " VALUE " s (the budget, HEDDLE_OVERHEAD, or 'heddle ctl'): their time is estimated "
           "from short windows",
           hd_event_class_words(event_class));
  else
    GATHER(hd_model_seconds(model, ticks), 3,
           "%s were not measured for " VALUE " s (the budget, HEDDLE_OVERHEAD, or 'heddle ctl'): their time is counted in "
           "the enclosing construct, waits as busy (numbers marked >=, <= or ~); a main cause is named only where that "
           "cannot change it",
           hd_event_class_words(event_class));
}

static void gather_end(struct run_notes *notes, const struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  if (header->flags & HD_FILE_DORMANT)
    GATHER_WORDS("Heddle was dormant at first: this is only a part of the run");
  if (!model->ended && hd_model_life(model) == HD_LIFE_RUNNING)
    GATHER_WORDS("the program still runs");
  else if (header->flags & HD_FILE_SNAPSHOT)
    GATHER_WORDS("this is a snapshot: the program ran on");
  else if (hd_comparison_was_cut_short(model))
    GATHER_WORDS("the program was killed or ended without closing its profile");
  if ((header->flags & HD_FILE_EXIT_KNOWN) && header->exit_status != 0)
    GATHER((int)header->exit_status, 0, "the program's exit status was " VALUE);
}

static void gather_run(struct run_notes *notes, const struct hd_run *run) {
  const struct hd_model *model = run->model;
  gather_end(notes, model);
  if (run->book->alive_threads < run->book->asked_threads)
    GATHER_WORDS("OMP_NUM_THREADS was %u, but only %u thread%s came", run->book->asked_threads,
                 run->book->alive_threads, hd_plural(run->book->alive_threads));
  if (run->book->recursive)
    GATHER_WORDS("regions call routines that are also called outside regions; their time counts as outside");
  for (uint32_t i = 0; i < HD_CLASS_COUNT; i++)
    if (model->off_classes >> i & 1)
      gather_switched_off(notes, model, (enum hd_event_class)i);
  if (model->refused & HD_REFUSED_SINKS)
    GATHER_WORDS(HD_SINKS_WORDS "; they count as busy (numbers marked >=, <= or ~)");
  if (hd_model_overhead(model) > OVERHEAD_NOTED)
    GATHER(100 * hd_model_overhead(model), 1,
           "Heddle's events took " VALUE " %% of the busy time, and are part of what is compared ('heddle report "
           "--overhead')");
  if (model->header.flags & HD_FILE_MERGED)
    GATHER_WORDS("the sum of several runs: compare it with a sum of as many");
}

/* "0.1", or "0.1 to 0.4" */
static void range_text(char *text, size_t bytes, const struct run_note *of) {
  char high[64];
  snprintf(text, bytes, "%.*f", of->decimals, of->low);
  snprintf(high, sizeof high, "%.*f", of->decimals, of->high);
  const size_t used = strlen(text);
  if (strcmp(text, high) != 0)
    snprintf(text + used, bytes - used, " to %s", high);
}

static void note_runs(struct hd_comparison *comparison, const struct run_note *of) {
  char range[160] = "", who[64];
  const char *value = strstr(of->text, VALUE);
  const size_t before = value ? (size_t)(value - of->text) : strlen(of->text);
  snprintf(who, sizeof who, "in %u of %u runs", of->runs, comparison->run_count);
  if (value)
    range_text(range, sizeof range, of);
  note(comparison, "%s: %.*s%s%s", of->runs > 1 ? who : of->path, (int)before, of->text, range,
       value ? value + sizeof VALUE - 1 : "");
}

static void write_run_notes(struct hd_comparison *comparison) {
  struct run_notes notes = {0};
  for (uint32_t i = 0; i < comparison->run_count; i++)
    gather_run(&notes, &comparison->runs[i]);
  for (size_t i = 0; i < notes.count; i++) {
    note_runs(comparison, &notes.items[i]);
    free(notes.items[i].text);
  }
  free(notes.items);
}

/* ---- all ---- */

void hd_comparison_write_notes(struct hd_comparison *comparison) {
  for (uint32_t i = 0; i < comparison->point_count; i++)
    note_point(comparison, &comparison->points[i]);
  note_processors(comparison);
  write_run_notes(comparison);
  if (comparison->by_name)
    note(comparison, "the runs are of different programs or builds: callpaths were matched "
                     "by function, file and line");
  if (comparison->united->moved > 0)
    note(comparison, "%u callpath%s matched though the line differs, by function and order", comparison->united->moved,
         comparison->united->moved == 1 ? " was" : "s were");
}
