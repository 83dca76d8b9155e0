/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file counts.c
 * Counts of events of a sum: those of the events that were counted in all runs, at the same places. Exact counts add
 * up, and so does the time in which it was an event's turn when the same events took turns with it in all runs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "output/merge/merge_internal.h"
#include "output/metrics/group.h"
#include "output/model/accumulate.h"
#include "output/model/count_sums.h"
#include "output/model/counts.h"

/* ---- which events ---- */

/* For the file's texts: they come after those of the runs. */
#define note(merge, ...) add_note(&(merge)->counts.notes, hd_print(__VA_ARGS__))

static void add_note(struct hd_strings *notes, char *text) {
  notes->items = hd_grow_by_one(notes->items, notes->count, sizeof *notes->items);
  notes->items[notes->count++] = text;
}

static uint32_t event_count_of(const struct hd_model *model) {
  return model->events ? model->header.event_count : 0;
}

static const char *place_words(uint32_t at) {
  return at == HD_COUNTERS_AT_REGION ? "regions" : at == HD_COUNTERS_AT_LOOP ? "loops" : "all constructs";
}

/* Whether there are counts to be added: all runs counted, at the same places. Else a note says why not, if any did. */
static bool may_add_counts(struct hd_merge *merge) {
  const struct hd_model *first = merge->models[0];
  const struct hd_model *without = NULL, *elsewhere = NULL;
  bool any = false;
  for (size_t i = merge->count; i-- > 0;) {
    const struct hd_model *model = merge->models[i];
    any = any || event_count_of(model) > 0;
    without = event_count_of(model) == 0 ? model : without;
    elsewhere = model->header.counters_at != first->header.counters_at ? model : elsewhere;
  }
  if (any && without)
    note(merge, "no events were counted in %s: the sum leaves the counters of the other runs out", without->path);
  else if (any && elsewhere)
    note(merge, "counters were read at %s in %s, at %s in %s: the sum leaves them out",
         place_words(first->header.counters_at), first->path, place_words(elsewhere->header.counters_at),
         elsewhere->path);
  return any && !without && !elsewhere;
}

/* Whether an event can be added: all runs counted it, in the same turns. Else a note says why not. */
static bool may_add(struct hd_merge *merge, const char *name) {
  const struct hd_model *first = merge->models[0];
  for (size_t i = 0; i < merge->count; i++)
    if (hd_count_find_event(merge->models[i], name) == HD_NONE) {
      note(merge, "%s was not counted in %s: the sum leaves it out", name, merge->models[i]->path);
      return false;
    }
  const uint32_t slot = first->events[hd_count_find_event(first, name)].slot;
  for (size_t i = 1; i < merge->count; i++) {
    const struct hd_model *model = merge->models[i];
    if (model->events[hd_count_find_event(model, name)].slot == slot &&
        (slot == 0 || model->header.event_slots == first->header.event_slots))
      continue;
    note(merge,
         "%s did not take turns with the same events in %s and %s: such estimates cannot be merged, and the sum leaves "
         "it out",
         name, first->path, model->path);
    return false;
  }
  return true;
}

/* In the order of the first run, which also describes them. */
static void take_event(struct hd_merge *merge, const struct hd_event_record *event) {
  struct hd_merged_counts *counts = &merge->counts;
  struct hd_event_record *record = &counts->events[counts->event_count];
  *record = *event;
  for (size_t i = 0; i < merge->count; i++) {
    const uint32_t index = hd_count_find_event(merge->models[i], event->name);
    const uint64_t cost = merge->models[i]->events[index].cost;
    record->cost = cost > record->cost ? cost : record->cost;
    counts->origins[i][counts->event_count] = index;
  }
  if (event->slot > 0)
    counts->slots = merge->models[0]->header.event_slots;
  counts->event_count++;
}

/* Each event once: in the first run that counted it. */
static void choose_events(struct hd_merge *merge) {
  if (!may_add_counts(merge))
    return;
  merge->counts.origins = hd_new(merge->count, sizeof *merge->counts.origins);
  for (size_t i = 0; i < merge->count; i++)
    for (uint32_t j = 0; j < event_count_of(merge->models[i]); j++) {
      const struct hd_event_record *event = &merge->models[i]->events[j];
      bool seen = false;
      for (size_t before = 0; before < i; before++)
        seen = seen || hd_count_find_event(merge->models[before], event->name) != HD_NONE;
      if (!seen && may_add(merge, event->name))
        take_event(merge, event);
    }
}

/* ---- the counts ---- */

static uint64_t *values_of(struct hd_counts_record *record) {
  return (uint64_t *)(record + 1);
}

static struct hd_counts_record *record_at(const struct hd_merge *merge, size_t index) {
  return (void *)(merge->counts.records + index * merge->header.counts_record_bytes);
}

static void take_counts(struct hd_merge *merge, size_t run, const struct hd_counts *from,
                        struct hd_counts_record *record) {
  const struct hd_merged_counts *counts = &merge->counts;
  uint64_t *value = values_of(record);
  record->profile = merge->united->node_of[run][from->node];
  record->thread = from->thread;
  for (uint32_t event = 0; event < counts->event_count; event++) {
    const uint32_t origin = counts->origins[run][event];
    for (int c = 0; c < HD_COUNT_CLASSES; c++) {
      *value++ = from->counts[origin * HD_COUNT_CLASSES + (uint32_t)c];
      record->missing[c] |= (from->missing[c] >> origin & 1) << event;
    }
  }
  for (uint32_t i = 0; i < counts->slots * HD_COUNT_CLASSES; i++)
    *value++ = from->slot_ticks[i] * merge->factors[run];
}

/* A sum that is too large for the file is said to be incomplete. */
static void add_record(const struct hd_merge *merge, struct hd_counts_record *to, struct hd_counts_record *from) {
  const uint32_t events = merge->counts.event_count;
  uint64_t *sums = values_of(to);
  const uint64_t *values = values_of(from);
  for (int c = 0; c < HD_COUNT_CLASSES; c++)
    to->missing[c] |= from->missing[c];
  for (uint32_t i = 0; i < (events + merge->counts.slots) * HD_COUNT_CLASSES; i++)
    if (__builtin_add_overflow(sums[i], values[i], &sums[i])) {
      sums[i] = UINT64_MAX;
      if (i < events * HD_COUNT_CLASSES)
        to->missing[i % HD_COUNT_CLASSES] |= UINT64_C(1) << i / HD_COUNT_CLASSES;
    }
}

static void join_records(struct hd_merge *merge, size_t count) {
  const size_t bytes = merge->header.counts_record_bytes;
  struct hd_merged_counts *counts = &merge->counts;
  qsort(counts->records, count, bytes, hd_compare_pairs);
  for (size_t i = 0; i < count; i++) {
    struct hd_counts_record *record = record_at(merge, i);
    if (counts->record_count > 0 && hd_compare_pairs(record_at(merge, counts->record_count - 1), record) == 0)
      add_record(merge, record_at(merge, counts->record_count - 1), record);
    else
      memmove(record_at(merge, counts->record_count++), record, bytes);
  }
}

void hd_merge_counts(struct hd_merge *merge) {
  choose_events(merge);
  struct hd_merged_counts *counts = &merge->counts;
  if (counts->event_count == 0)
    return;
  struct hd_file_header *header = &merge->header;
  header->event_count = counts->event_count;
  header->event_slots = counts->slots;
  header->counters_at = merge->models[0]->header.counters_at;
  header->counts_record_bytes = (uint32_t)HD_COUNTS_BYTES(counts->event_count, counts->slots);
  size_t most = 1;
  for (size_t i = 0; i < merge->count; i++)
    most += merge->models[i]->counts_count;
  counts->records = hd_new(most, header->counts_record_bytes);
  size_t count = 0;
  for (size_t i = 0; i < merge->count; i++)
    for (uint32_t j = 0; j < merge->models[i]->counts_count; j++)
      take_counts(merge, i, &merge->models[i]->counts[j], record_at(merge, count++));
  join_records(merge, count);
}

/* What could not be counted on thread i of any of the runs. */
static uint64_t uncounted_on(const struct hd_merge *merge, uint32_t thread) {
  uint64_t bits = 0;
  for (size_t i = 0; i < merge->count; i++) {
    const struct hd_model *model = merge->models[i];
    for (uint32_t event = 0; thread < model->thread_count && event < merge->counts.event_count; event++)
      bits |= (model->threads[thread].uncounted >> merge->counts.origins[i][event] & 1) << event;
  }
  return bits;
}

/* What a reading took is the mean of the runs', by their readings; not known of one, it is not known of the sum. */
static void add_readings(struct hd_merge *merge) {
  double readings = 0, ticks = 0;
  bool known = true;
  for (size_t i = 0; i < merge->count; i++) {
    const struct hd_model *model = merge->models[i];
    const double count = (double)hd_model_readings(model);
    known = known && (count == 0 || model->header.reading_ticks > 0);
    readings += count;
    ticks += count * (double)model->header.reading_ticks * (double)merge->factors[i];
    for (uint32_t j = 0; j < model->thread_count; j++)
      merge->threads[j].readings += model->threads[j].readings;
  }
  merge->header.reading_ticks = known && readings > 0 ? (uint64_t)llround(ticks / readings) : 0;
}

void hd_merge_mark_threads(struct hd_merge *merge) {
  if (merge->counts.event_count == 0)
    return;
  for (uint32_t i = 0; i < merge->thread_count; i++)
    merge->threads[i].uncounted = uncounted_on(merge, i);
  add_readings(merge);
}

/* ---- into the file ---- */

void hd_merge_write_counts(struct hd_merge *merge) {
  struct hd_writer *writer = merge->writer;
  const struct hd_merged_counts *counts = &merge->counts;
  if (counts->event_count == 0)
    return;
  hd_writer_begin_block(writer, HD_BLOCK_EVENTS);
  for (uint32_t i = 0; i < counts->event_count; i++)
    hd_writer_add(writer, &counts->events[i], sizeof counts->events[i]);
  hd_writer_begin_block(writer, HD_BLOCK_COUNTS);
  for (size_t i = 0; i < counts->record_count; i++)
    hd_writer_add(writer, record_at(merge, i), merge->header.counts_record_bytes);
}

/* ---- groups ---- */

/* NULL: the sum has all its events. */
static const char *missing_event(const struct hd_merge *merge, const struct hd_group *group) {
  for (uint32_t i = 0; i < group->event_count; i++) {
    bool found = false;
    for (uint32_t j = 0; j < merge->counts.event_count; j++)
      found = found || strcasecmp(merge->counts.events[j].name, group->events[i].event) == 0;
    if (!found)
      return group->events[i].event;
  }
  return NULL;
}

/* The first group of that name; it may be this one itself. `run` says whose it is. */
static const struct hd_group *first_called(const struct hd_merge *merge, const char *name, size_t *run) {
  for (*run = 0; *run < merge->count; (*run)++)
    for (uint32_t i = 0; i < merge->models[*run]->group_count; i++)
      if (strcmp(merge->models[*run]->groups[i]->name, name) == 0)
        return merge->models[*run]->groups[i];
  return NULL;
}

static void write_group(struct hd_merge *merge, const struct hd_group *group) {
  char *text = hd_print("%s\n%s", group->path, group->text);
  hd_writer_add_text(merge->writer, HD_TEXT_GROUP, 0, text, strlen(text));
  free(text);
}

static void take_group(struct hd_merge *merge, const struct hd_group *group) {
  size_t run;
  const struct hd_group *first = first_called(merge, group->name, &run);
  const char *event = missing_event(merge, group);
  if (group != first && strcmp(group->text, first->text) != 0)
    hd_merge_note(merge, "the runs had different groups called %s; the sum shows that of %s", group->name,
                  merge->models[run]->path);
  else if (group == first && event)
    hd_merge_note(merge, "the group %s is left out: the sum has no counts of %s", group->name, event);
  else if (group == first)
    write_group(merge, group);
}

void hd_merge_write_count_texts(struct hd_merge *merge) {
  for (size_t i = 0; i < merge->counts.notes.count; i++)
    hd_merge_add_note(merge, (char *)(uintptr_t)merge->counts.notes.items[i]);
  for (size_t i = 0; i < merge->count && merge->counts.event_count > 0; i++)
    for (uint32_t j = 0; j < merge->models[i]->group_count; j++)
      take_group(merge, merge->models[i]->groups[j]);
}
