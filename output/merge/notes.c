/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file notes.c
 * The texts of a sum: command line, environment, and what it consists of and lacks.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/merge/merge_internal.h"
#include "output/model/format_names.h"

enum { NAMED_MOST = 20 }; /* runs that are listed one by one */

/* ---- what it consists of ---- */

static void note_runs(struct hd_merge *merge) {
  char *list = NULL;
  size_t bytes = 0;
  bool plain = true;
  FILE *out = open_memstream(&list, &bytes);
  hd_need(out != NULL);
  for (size_t i = 0; i < merge->count; i++) {
    const struct hd_model *model = merge->models[i];
    plain = plain && !(model->header.flags & HD_FILE_MERGED);
    if (i < NAMED_MOST)
      fprintf(out, "%s%s (%.3f s)", i > 0 ? ", " : "", model->path, hd_model_seconds(model, model->elapsed_ticks));
  }
  if (merge->count > NAMED_MOST)
    fprintf(out, " and %zu more", merge->count - NAMED_MOST);
  hd_written(out);
  hd_merge_note(merge, "sum of %zu %s%s: %s", merge->count, plain ? "run" : "profile", hd_plural(merge->count), list);
  free(list);
}

/* Those of the inputs, each once. */
static void copy_notes(struct hd_merge *merge) {
  for (size_t i = 0; i < merge->count; i++)
    for (size_t j = 0; j < merge->models[i]->file_note_count; j++) {
      const char *text = merge->models[i]->notes.items[j];
      if (!hd_merge_was_read(merge, i, text))
        hd_writer_add_text(merge->writer, HD_TEXT_NOTE, 0, text, strlen(text));
    }
}

/* ---- how the runs ended ---- */

static void note_end(struct hd_merge *merge, const struct hd_model *model) {
  static const char *const lives[] = {[HD_LIFE_OVER] = "was killed",
                                      [HD_LIFE_RUNNING] = "is still running",
                                      [HD_LIFE_UNKNOWN] = "was killed or is still running"};
  const struct hd_file_header *header = &model->header;
  const int signal = hd_model_signal(model);
  if (header->flags & (HD_FILE_COMPLETE | HD_FILE_MERGED))
    return;
  if (header->flags & HD_FILE_SNAPSHOT)
    hd_merge_note(merge, "%s: a snapshot, taken %.3f s into the run: the program ran on", model->path,
                  hd_model_seconds(model, model->elapsed_ticks));
  else if (!model->ended)
    hd_merge_note(merge, "%s: the program %s: time is counted up to the last event seen, %.3f s after its start",
                  model->path, lives[hd_model_life(model)], hd_model_seconds(model, model->elapsed_ticks));
  else if (signal)
    hd_merge_note(merge, "%s: the program was killed by signal %d (%s); open intervals are counted up to that moment",
                  model->path, signal, strsignal(signal));
  else
    hd_merge_note(merge,
                  "%s: the program ended without closing its profile; open intervals are counted up to that moment",
                  model->path);
}

static void note_dormant(struct hd_merge *merge, const struct hd_model *model) {
  const uint32_t flags = model->header.flags;
  if (!(flags & HD_FILE_DORMANT) || (flags & HD_FILE_MERGED))
    return;
  if (hd_model_never_woke(model))
    hd_merge_note(merge, "%s: nothing was measured: Heddle was dormant", model->path);
  else
    hd_merge_note(merge, "%s: Heddle was dormant for the first %.3f s, which are in no number", model->path,
                  hd_model_dormant_seconds(model));
}

static void note_damage(struct hd_merge *merge, const struct hd_model *model) {
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < model->thread_count; i++)
    wrong += !hd_model_thread_is_whole(model, i);
  if (wrong > 0)
    hd_merge_note(merge, "%s: the times of %u thread%s do not add up to their lifetimes", model->path, wrong,
                  hd_plural(wrong));
}

static void note_start(struct hd_merge *merge, const struct hd_model *model) {
  if ((model->header.flags & HD_FILE_START_COARSE) && model->before_ticks > 0)
    hd_merge_note(merge, "%s: the program's start is known to 10 ms only", model->path);
}

/* ---- what does not fit together ---- */

/* Runs whose clock is not the first one's. */
static void note_clock(struct hd_merge *merge, size_t run) {
  const struct hd_model *first = merge->models[0];
  const struct hd_model *model = merge->models[run];
  const double ratio = model->seconds_per_tick / first->seconds_per_tick;
  const double taken = (double)merge->factors[run] / (double)merge->factors[0];
  if (fabs(ratio - 1) > 1e-3)
    hd_merge_note(
        merge,
        "%s: its clock ticks %.3f million times a second, that of %s %.3f million: its times were scaled, to %.1g",
        model->path, 1e-6 / model->seconds_per_tick, first->path, 1e-6 / first->seconds_per_tick,
        fmax(fabs(taken / ratio - 1), 1e-6));
}

static void note_missing(struct hd_merge *merge, const struct hd_model *model) {
  if (!model->levels_known)
    hd_merge_note(merge, "%s has no record of how many threads were busy: the sum has none either", model->path);
}

static void note_cpu(struct hd_merge *merge) {
  for (size_t i = 0; !merge->cpu_known && i < merge->count; i++)
    if (merge->models[i]->header.flags & HD_FILE_CPU_TIME) {
      hd_merge_note(merge, "processor time was not measured in all runs: the sum leaves it out");
      return;
    }
}

static void note_samples(struct hd_merge *merge) {
  for (size_t i = 0; merge->header.sample_period_ns == 0 && i < merge->count; i++)
    if (merge->models[i]->header.sample_period_ns > 0) {
      hd_merge_note(merge, "the runs were not sampled at one rate: the sum leaves samples out");
      return;
    }
}

static void note_settings(struct hd_merge *merge) {
  const struct hd_file_header *first = &merge->models[0]->header;
  bool same = true;
  for (size_t i = 1; i < merge->count; i++) {
    const struct hd_file_header *header = &merge->models[i]->header;
    same = same && header->callpath_depth == first->callpath_depth && header->cycle_limit == first->cycle_limit &&
           header->unwind_depth == first->unwind_depth;
  }
  if (!same)
    hd_merge_note(merge,
                  "the runs kept callpaths to different depths: the same place may have longer paths in one than in "
                  "another");
}

static bool has_other_program(const struct hd_model *a, const struct hd_model *b) {
  return strcmp(a->header.program, b->header.program) != 0;
}

static bool has_other_host(const struct hd_model *a, const struct hd_model *b) {
  return strcmp(a->header.host, b->header.host) != 0;
}

static bool has_other_runtime(const struct hd_model *a, const struct hd_model *b) {
  const struct hd_module *const first = hd_model_runtime(a), *const second = hd_model_runtime(b);
  return strcmp(a->header.runtime, b->header.runtime) != 0 || (first && second && !hd_module_is_same(first, second));
}

static bool has_other_arguments(const struct hd_model *a, const struct hd_model *b) {
  bool other = a->arguments.count != b->arguments.count;
  for (size_t i = 0; !other && i < a->arguments.count; i++)
    other = strcmp(a->arguments.items[i], b->arguments.items[i]) != 0;
  return other;
}

static const struct {
  bool (*differ)(const struct hd_model *a, const struct hd_model *b);
  const char *words;
} differences[] = {
    {has_other_program, "the runs are of different programs; the name is that of"},
    {has_other_arguments, "the runs had different arguments; the sum shows those of"},
    {has_other_host, "the runs were made on different hosts; the sum shows that of"},
    {has_other_runtime, "the runs used different OpenMP runtimes; the sum shows that of"},
};

static void note_differences(struct hd_merge *merge) {
  for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
    for (size_t run = 1; run < merge->count; run++)
      if (differences[i].differ(merge->models[0], merge->models[run])) {
        hd_merge_note(merge, "%s %s", differences[i].words, merge->models[0]->path);
        break;
      }
}

/* ---- command line and environment ---- */

static bool has_variable(const struct hd_model *model, const char *setting) {
  for (size_t i = 0; i < model->environment.count; i++)
    if (strcmp(model->environment.items[i], setting) == 0)
      return true;
  return false;
}

/* Not where the tool lay, which `heddle run` finds anew each time, and its own: other notes tell what they change. */
static bool is_setting(const char *text) {
  return strncmp(text, "OMP_TOOL_LIBRARIES=", strlen("OMP_TOOL_LIBRARIES=")) != 0 &&
         strncmp(text, "HEDDLE_", strlen("HEDDLE_")) != 0;
}

static bool is_common(const struct hd_merge *merge, const char *setting) {
  for (size_t i = 0; i < merge->count; i++)
    if (!has_variable(merge->models[i], setting))
      return false;
  return true;
}

/* What all runs agree on. */
static void write_environment(struct hd_merge *merge) {
  bool differ = false;
  for (size_t i = 0; i < merge->count; i++) {
    const struct hd_strings *environment = &merge->models[i]->environment;
    for (size_t j = 0; j < environment->count; j++) {
      const char *setting = environment->items[j];
      const bool common = is_common(merge, setting);
      differ = differ || (!common && is_setting(setting));
      if (common && i == 0)
        hd_writer_add_text(merge->writer, HD_TEXT_ENVIRONMENT, 0, setting, strlen(setting));
    }
  }
  if (differ)
    hd_merge_note(merge, "the runs had different OpenMP settings; the sum shows those common to all");
}

void hd_merge_write_texts(struct hd_merge *merge) {
  const struct hd_strings *arguments = &merge->models[0]->arguments;
  for (size_t i = 0; i < arguments->count; i++)
    hd_writer_add_text(merge->writer, HD_TEXT_ARGUMENT, 0, arguments->items[i], strlen(arguments->items[i]));
  note_runs(merge);
  write_environment(merge);
  note_differences(merge);
  for (size_t i = 0; i < merge->count; i++) {
    const struct hd_model *model = merge->models[i];
    note_dormant(merge, model);
    note_end(merge, model);
    note_damage(merge, model);
    note_start(merge, model);
    note_clock(merge, i);
    note_missing(merge, model);
  }
  note_cpu(merge);
  note_samples(merge);
  note_settings(merge);
  hd_merge_write_count_texts(merge);
  if (merge->levels_known)
    hd_merge_note(merge, "timelines cannot be merged and are left out");
  copy_notes(merge);
}
