/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file counts.c
 * Events, counts and groups into the model. What is not in the counts is found out here: threads that could not count,
 * the end of threads that a kill took by surprise, time for which there is no record at all.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "output/metrics/group.h"
#include "output/model/accumulate.h"
#include "output/model/counts.h"
#include "output/model/lazy_rows.h"
#include "output/model/memory.h"
#include "output/reader/reader_internal.h"
#include "support/command/memory.h"
#include "support/command/sanitize.h"

/* A file that counts nothing may hold anything in the other fields. */
bool hd_reader_check_counters(struct hd_reader *reader) {
  struct hd_file_header *header = &reader->model->header;
  if (header->event_count == 0) {
    header->event_slots = 0;
    header->counts_record_bytes = HD_COUNTS_BYTES(0, 0);
    return true;
  }
  if (header->event_count > HD_EVENTS_MOST || header->event_slots > HD_EVENTS_MOST)
    return hd_reader_fail(reader, "damaged: %u events in %u turns", header->event_count, header->event_slots);
  if (header->counts_record_bytes != HD_COUNTS_BYTES(header->event_count, header->event_slots))
    return hd_reader_fail(reader, "damaged: counts of %u events do not take %u bytes", header->event_count,
                          header->counts_record_bytes);
  if (header->counters_at < HD_COUNTERS_AT_REGION || header->counters_at > HD_COUNTERS_AT_ALL)
    return hd_reader_fail(reader, "damaged: counters were read at %u", header->counters_at);
  return true;
}

/* ---- groups ---- */

/* "PATH\nTEXT". */
void hd_reader_take_group(struct hd_model *model, const char *text, size_t bytes) {
  char error[512] = "";
  char *path = hd_model_copy(model, text, bytes);
  char *content = strchrnul(path, '\n');
  if (*content)
    *content++ = '\0';
  hd_sanitize(path);
  struct hd_group *group = hd_group_parse(path, content, error, sizeof error);
  if (!group) { /* the parser's message names the group's file and line */
    hd_model_add_note(model, "%s: the group is left out", error);
    return;
  }
  model->groups = hd_grow_by_one(model->groups, model->group_count, sizeof *model->groups);
  model->groups[model->group_count++] = group;
}

/* ---- events ---- */

/* Ends the text within its field. Events' names are keys in other formats: nothing but what any terminal can show. */
static void clean(char *text, size_t bytes) {
  text[bytes - 1] = '\0';
  for (; *text; text++)
    if (!isascii((unsigned char)*text) || iscntrl((unsigned char)*text))
      *text = '?';
}

static bool take_event(struct hd_reader *reader, const void *record, uint32_t index) {
  struct hd_event_record *event = &reader->model->events[index];
  memcpy(event, record, sizeof *event);
  clean(event->name, sizeof event->name);
  clean(event->source, sizeof event->source);
  clean(event->unit, sizeof event->unit);
  clean(event->description, sizeof event->description);
  if (!event->name[0] || event->slot > reader->model->header.event_slots)
    return hd_reader_fail(reader, "damaged: event %u is not valid", index);
  return true;
}

static bool take_events(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  const uint64_t known = reader->record_count[HD_BLOCK_EVENTS];
  if (known != model->header.event_count)
    return hd_reader_fail(reader, "damaged: %u events were counted, %llu are described", model->header.event_count,
                          (unsigned long long)known);
  model->events = hd_model_allocate(model, known * sizeof *model->events);
  return hd_reader_each(reader, HD_BLOCK_EVENTS, take_event);
}

/* ---- counts ---- */

static uint64_t all_events(const struct hd_model *model) {
  return (UINT64_C(1) << model->header.event_count) - 1;
}

/* What the thread could not count is missing wherever it was. */
static void judge(const struct hd_model *model, struct hd_counts *counts) {
  const uint64_t uncounted = model->threads[counts->thread].uncounted;
  for (int c = 0; c < HD_COUNT_CLASSES; c++) {
    counts->missing[c] = (counts->missing[c] | uncounted) & all_events(model);
    counts->counted[c] = all_events(model) & ~counts->missing[c];
    for (uint32_t e = 0; e < model->header.event_count; e++)
      if (counts->counts[e * HD_COUNT_CLASSES + (uint32_t)c] > 0)
        counts->counted[c] |= UINT64_C(1) << e;
  }
}

static bool take_counts(struct hd_reader *reader, const void *bytes, uint32_t index) {
  struct hd_model *model = reader->model;
  const struct hd_file_header *header = &model->header;
  const struct hd_counts_record *record = bytes;
  struct hd_counts *counts = &model->counts[index];
  if (record->profile >= model->node_count || record->thread >= model->thread_count)
    return hd_reader_fail(reader, "damaged: counts %u belong to no callpath or thread", index);
  counts->node = record->profile;
  counts->thread = record->thread;
  memcpy(counts->missing, record->missing, sizeof counts->missing);
  uint64_t *values = (uint64_t *)counts->counts; /* room for them */
  memcpy(values, record + 1, header->counts_record_bytes - sizeof *record);
  counts->slot_ticks = counts->counts + (size_t)header->event_count * HD_COUNT_CLASSES;
  judge(model, counts);
  model->nodes[record->profile].told_apart = true;
  return true;
}

/* Room for all records' values, and for one of zeros that comes first. */
static uint64_t *make_value_room(struct hd_model *model, size_t records) {
  const size_t each = ((size_t)model->header.event_count + model->header.event_slots) * HD_COUNT_CLASSES;
  uint64_t *values = hd_model_allocate(model, (records + 1) * each * sizeof *values);
  for (size_t i = 0; i < records; i++)
    model->counts[i].counts = values + (i + 1) * each;
  return values;
}

/* What a thread that was alive has counted since its last reading, nobody knows. */
static bool miss_end(struct hd_reader *reader, const void *bytes, uint32_t index) {
  struct hd_model *model = reader->model;
  const struct hd_thread_record *record = bytes;
  uint32_t counts, class;
  if (record->counting == 0 || !model->threads[index].alive ||
      (model->header.flags & (HD_FILE_COMPLETE | HD_FILE_MERGED)))
    return true;
  if (!hd_reader_find_counts(reader, record->counting, &counts, &class))
    return hd_reader_fail(reader, "damaged: thread %u counts for nothing", index);
  model->counts[counts].missing[class] = all_events(model);
  judge(model, &model->counts[counts]);
  model->counts[counts].counted[class] = all_events(model) & ~model->threads[index].uncounted;
  return true;
}

/* ---- what there is no record of ---- */

/* By thread and node: where a thread spends time there ought to be counts. */
struct lack {
  const uint64_t *zeros;
  uint32_t *owner; /* by node: the one whose counts hold its own */
  size_t count;    /* of counts, those made here included */
};

static struct hd_counts *add_lack(struct hd_model *model, struct lack *lack, uint32_t node, uint32_t thread,
                                  const uint64_t missing[HD_COUNT_CLASSES]) {
  struct hd_counts *counts = &model->counts[lack->count++];
  *counts = (struct hd_counts){.node = node, .thread = thread, .counts = lack->zeros};
  counts->slot_ticks = lack->zeros + (size_t)model->header.event_count * HD_COUNT_CLASSES;
  memcpy(counts->missing, missing, sizeof counts->missing);
  return counts;
}

static struct hd_counts *find_counts(const struct hd_model *model, uint32_t node, uint32_t thread) {
  const struct hd_node *at = &model->nodes[node];
  const uint32_t wanted[] = {node, thread};
  return bsearch(wanted, model->counts + at->counts_first, at->counts_count, sizeof *model->counts, hd_compare_pairs);
}

/* The time of counts, and counts that are missing. Idling is counted with the wait before it, wherever its row is. The
 * time before the load was never counted: a note says so. */
static void take_rows(struct hd_model *model, struct lack *lack) {
  for (uint32_t i = 0; i < model->row_count; i++) {
    const struct hd_row *row = &model->rows[i];
    const uint32_t node = lack->owner[row->node];
    uint64_t missing[HD_COUNT_CLASSES] = {0};
    uint64_t busy = 0;
    bool any = false;
    for (int state = 0; state < HD_STATE_COUNT; state++) {
      const uint64_t before = state == HD_BUSY && row->node == 0 && row->thread == 0 ? model->uncounted_ticks : 0;
      if (state == HD_IDLE || row->ticks[state] <= before)
        continue;
      const enum hd_count_class class = hd_count_class_of((uint32_t)state, model->header.counters_at);
      busy += class == HD_COUNT_BUSY ? row->ticks[state] - before : 0;
      missing[class] = all_events(model);
      any = true;
    }
    if (!any)
      continue;
    struct hd_counts *counts = find_counts(model, node, row->thread);
    if (!counts)
      counts = add_lack(model, lack, node, row->thread, missing);
    counts->busy_ticks += busy;
  }
}

/* ---- where counts belong ---- */

static void find_owners(struct hd_model *model, uint32_t *owner) {
  for (uint32_t i = 0; i < model->node_count; i++) {
    struct hd_node *node = &model->nodes[i];
    node->told_apart |= hd_kind_is_told_apart(node->kind, model->header.counters_at) != 0;
    node->counts_reach = INT32_MAX;
    owner[i] = node->told_apart ? i : owner[node->parent];
  }
}

static void find_reach(struct hd_model *model, const uint32_t *owner) {
  for (uint32_t i = 0; i < model->row_count; i++) {
    const struct hd_row *row = &model->rows[i];
    if (hd_ticks_all(row->ticks) > 0)
      model->nodes[row->node].counts_reach = (int32_t)model->nodes[owner[row->node]].depth;
  }
}

static void add_lacks(struct hd_model *model, const uint64_t *zeros) {
  struct lack lack = {zeros, hd_new(model->node_count, sizeof *lack.owner), model->counts_count};
  find_owners(model, lack.owner);
  find_reach(model, lack.owner);
  take_rows(model, &lack);
  model->counts_count = (uint32_t)lack.count;
  free(lack.owner);
  hd_model_sort_counts(model);
}

static void take_threads(struct hd_model *model) {
  for (struct hd_records at = hd_records_of(model->source, HD_BLOCK_THREADS); hd_records_next(&at);) {
    const struct hd_thread_record *record = at.record;
    model->threads[at.index].uncounted = record->uncounted & all_events(model);
    model->threads[at.index].readings = record->readings;
  }
}

bool hd_reader_take_counts(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  const uint64_t records = reader->record_count[HD_BLOCK_COUNTS];
  if (!take_events(reader))
    return false;
  if (model->header.event_count == 0)
    return records == 0 || hd_reader_fail(reader, "damaged: counts of no event");
  hd_model_need_rows(model);
  const uint64_t most = records + model->row_count;
  if (most >= HD_NONE)
    return hd_reader_fail(reader, "damaged: too many records");
  take_threads(model);
  model->counts = hd_model_allocate(model, most * sizeof *model->counts);
  const uint64_t *zeros = make_value_room(model, records);
  if (!hd_reader_each(reader, HD_BLOCK_COUNTS, take_counts) || !hd_reader_each(reader, HD_BLOCK_THREADS, miss_end))
    return false;
  model->counts_count = (uint32_t)records;
  hd_model_sort_counts(model);
  add_lacks(model, zeros);
  return true;
}
