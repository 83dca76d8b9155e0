/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file notes_counters.c
 * What counts lack, and which of them are estimates.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/counts.h"
#include "output/model/format_names.h"
#include "output/model/memory.h"
#include "output/reader/reader_internal.h"
#include "support/command/memory.h"

enum { NAMES_BYTES = 1024 };

/* Adds a name to a list; one that does not fit any more is left out. */
static void add_name(char names[NAMES_BYTES], const char *between, const char *name) {
  const size_t used = strlen(names);
  snprintf(names + used, NAMES_BYTES - used, "%s%s", used > 0 ? between : "", name);
}

static void note_begin(struct hd_model *model) {
  if (model->before_ticks == 0 || (model->header.flags & HD_FILE_MERGED))
    return;
  hd_model_add_note(model, "counting started %.3f s into the run, when the tool was loaded",
                    hd_model_seconds(model, model->before_ticks));
}

/* "A, B / C": a bar between turns. */
static void note_turns(struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  char names[NAMES_BYTES] = "";
  for (uint32_t slot = 1; slot <= header->event_slots; slot++) {
    bool first = true;
    for (uint32_t e = 0; e < header->event_count; e++)
      if (model->events[e].slot == slot) {
        add_name(names, first ? " / " : ", ", model->events[e].name);
        first = false;
      }
  }
  if (header->event_slots > 0)
    hd_model_add_note(model, "these events took turns, and their counts are estimates: %s", names);
}

static bool is_uncounted(const struct hd_model *model, uint32_t thread, uint32_t event) {
  return model->threads[thread].uncounted >> event & 1;
}

static bool on_same_threads(const struct hd_model *model, uint32_t a, uint32_t b) {
  for (uint32_t i = 0; i < model->thread_count; i++)
    if (is_uncounted(model, i, a) != is_uncounted(model, i, b))
      return false;
  return true;
}

/* Events that are missing on the same threads share a note. */
static void note_threads(struct hd_model *model) {
  uint64_t said = 0;
  for (uint32_t e = 0; e < model->header.event_count; e++) {
    char names[NAMES_BYTES] = "";
    uint32_t missing = 0, events = 0;
    for (uint32_t i = 0; i < model->thread_count; i++)
      missing += is_uncounted(model, i, e);
    if (missing == 0 || (said >> e & 1))
      continue;
    for (uint32_t other = e; other < model->header.event_count; other++)
      if (on_same_threads(model, e, other)) {
        add_name(names, ", ", model->events[other].name);
        said |= UINT64_C(1) << other;
        events++;
      }
    hd_model_add_note(model, "%s %s not counted, or not all the time, on %u of %u threads", names,
                      events == 1 ? "was" : "were", missing, model->thread_count);
  }
}

/* Of a killed or running program. */
static void note_ends(struct hd_model *model) {
  uint32_t alive = 0;
  for (uint32_t i = 0; i < model->thread_count; i++)
    alive += model->threads[i].alive;
  if (!(model->header.flags & (HD_FILE_COMPLETE | HD_FILE_MERGED)) && alive > 0)
    hd_model_add_note(model, "what the %u thread%s then alive had counted since the counters were last read is missing",
                      alive, hd_plural(alive));
}

/* Whether something is missing for a reason that no other note gives. */
static bool is_incomplete(const struct hd_model *model, const struct hd_counts *counts) {
  const struct hd_model_thread *thread = &model->threads[counts->thread];
  const bool killed = thread->alive && !(model->header.flags & (HD_FILE_COMPLETE | HD_FILE_MERGED));
  uint64_t missing = 0;
  for (int c = 0; c < HD_COUNT_CLASSES; c++)
    missing |= counts->missing[c] & ~thread->uncounted;
  return missing != 0 && !killed;
}

/* By thread, for counts are in the order of nodes. */
static void note_gaps(struct hd_model *model) {
  bool *found = hd_new(model->thread_count, sizeof *found);
  uint32_t threads = 0;
  for (uint32_t i = 0; i < model->counts_count; i++)
    if (is_incomplete(model, &model->counts[i]) && !found[model->counts[i].thread]) {
      found[model->counts[i].thread] = true;
      threads++;
    }
  free(found);
  if (threads > 0)
    hd_model_add_note(model,
                      "some counts of %u of %u threads are missing: a reading failed, another thread paused the "
                      "measurement, memory ran out, or the program ended before the next reading",
                      threads, model->thread_count);
}

/* The times are those of a program that was slowed down so much. */
static void note_readings(struct hd_model *model) {
  static const char *const advice[] = {"", "", ": --counters-at region reads less often",
                                       ": --counters-at loop reads less often"};
  const double worth_a_note = 0.05;
  const double taken = hd_model_reading_seconds(model);
  const double busy = hd_model_seconds(model, model->ticks[HD_BUSY]) - hd_model_seconds(model, model->uncounted_ticks);
  if (!(taken > worth_a_note * busy))
    return;
  hd_model_add_note(
      model,
      "counters were read %llu times, about %.3g s in all threads together, as much as %.0f %% of the busy time%s",
      (unsigned long long)hd_model_readings(model), taken, 100 * taken / busy, advice[model->header.counters_at]);
}

static void note_divisions(struct hd_model *model) {
  for (uint32_t i = 0; i < model->group_count; i++)
    for (uint32_t j = 0; j < model->groups[i]->metric_count; j++) {
      const struct hd_group *group = model->groups[i];
      const struct hd_metric *metric = &group->metrics[j];
      const uint32_t count = hd_model_divisions_by_zero(model, group, metric);
      if (count > 0)
        hd_model_add_note(model, "group %s (%s:%u): '%s' divided by zero in %u callpath%s: left empty", group->name,
                          group->path, metric->line, metric->name, count, hd_plural(count));
    }
}

static void note_problems(struct hd_model *model) {
  for (uint32_t i = 0; i < model->group_count; i++)
    for (uint32_t j = 0; j < model->groups[i]->metric_count; j++)
      if (model->groups[i]->metrics[j].problem)
        hd_model_add_note(model, "%s: its column is empty", model->groups[i]->metrics[j].problem);
}

void hd_reader_note_counters(struct hd_model *model) {
  if (model->header.event_count == 0)
    return;
  note_begin(model);
  note_readings(model);
  note_turns(model);
  note_threads(model);
  note_ends(model);
  note_gaps(model);
  note_divisions(model);
  note_problems(model);
}
