/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file notes_overhead.c
 * Where Heddle itself took so much that the numbers mislead, and what it left out so as not to.
 */
#include <stdio.h>

#include "output/model/format_names.h"
#include "output/model/memory.h"
#include "output/model/overhead_notes.h"
#include "output/reader/reader_internal.h"

static void note_class(struct hd_model *model, enum hd_event_class event_class, bool asked) {
  uint64_t times = 0, ticks = 0;
  char why[96] = "that was asked for ('heddle ctl', HEDDLE_ONLY)";
  for (uint32_t i = 0; i < model->switch_count; i++)
    if (model->switches[i].event_class == event_class && model->switches[i].asked == asked) {
      times += model->switches[i].times;
      ticks += model->switches[i].ticks;
    }
  if (!asked && model->header.budget_ppm > 0)
    snprintf(why, sizeof why, "their events exceeded the budget of %.3g %% (HEDDLE_OVERHEAD)",
             (double)model->header.budget_ppm / 1e4);
  else if (!asked)
    snprintf(why, sizeof why, "their events exceeded the budget that there was then");
  if (times > 0)
    hd_model_add_note(model,
                      "%s were not measured for %.3f s (%llu time%s), because %s; their time is %s the enclosing construct",
                      hd_event_class_words(event_class), hd_model_seconds(model, ticks), (unsigned long long)times,
                      hd_plural(times), why, model->unresolved.ticks > 0 ? "unresolved time of" : "counted in");
}

static void note_unresolved(struct hd_model *model) {
  const double share = (double)model->unresolved.ticks / (double)hd_ticks_all(model->ticks);
  if (share < 0.0005) /* it would be "0.0 %" */
    return;
  hd_model_add_note(model,
                    "what threads did for %.3f s, %.1f %% of their time, is not known (unresolved), because events "
                    "were switched off: reports estimate it from windows that saw the same threads there; "
                    "'--no-estimates' leaves it where it was counted, as busy or as waiting for a region's end "
                    "('--overhead off' measures all)",
                    hd_model_seconds(model, model->unresolved.ticks), 100 * share);
}

static void note_switches(struct hd_model *model) {
  const unsigned long long lost = model->header.lost_switches;
  for (int event_class = 0; event_class < HD_CLASS_COUNT; event_class++) {
    note_class(model, (enum hd_event_class)event_class, false);
    note_class(model, (enum hd_event_class)event_class, true);
  }
  if (model->unresolved.ticks > 0)
    note_unresolved(model);
  if (lost > 0)
    hd_model_add_note(model, "where and for how long events were switched off %llu more time%s is unknown", lost,
                      hd_plural(lost));
}

static void note_memory(struct hd_model *model) {
  const unsigned long long shortened = model->header.shortened_paths;
  if (shortened > 0)
    hd_model_add_note(model,
                      "Heddle's memory was near its limit of %.1f MiB: %llu callpath%s of the last two sites stand%s "
                      "for longer ones (HEDDLE_MEMORY raises the limit)",
                      (double)model->header.memory_limit_bytes / 0x1p20, shortened, hd_plural(shortened),
                      shortened == 1 ? "s" : "");
}

static bool has_kind(const struct hd_model *model, enum hd_kind first, enum hd_kind last) {
  uint32_t i = 0;
  while (i < model->node_count && (model->nodes[i].kind < first || model->nodes[i].kind > last))
    i++;
  return i < model->node_count;
}

/* Nothing was ever told of entry points that the program must have called. */
static void note_entries(struct hd_model *model) {
  const bool chunks = has_kind(model, HD_KIND_LOOP_DYNAMIC, HD_KIND_LOOP_GUIDED);
  const bool tasks = has_kind(model, HD_KIND_TASK, HD_KIND_TASK);
  const uint64_t told = model->cost_of[HD_EVENT_SCHEDULING_BEGIN].count + model->cost_of[HD_EVENT_CREATION_BEGIN].count;
  if (told == 0 && model->cost_ticks > 0 && (chunks || tasks))
    hd_model_add_note(model,
                      "how long the runtime took to %s%s%s counts as busy time: libheddle-entry.so was not loaded with "
                      "the program ('heddle run --handout' loads it)",
                      chunks ? "hand out chunks of loops" : "", chunks && tasks ? " and to " : "",
                      tasks ? "create tasks" : "");
}

void hd_reader_note_overhead(struct hd_model *model) {
  hd_model_note_overhead(model);
  note_switches(model);
  note_entries(model);
  note_memory(model);
}
