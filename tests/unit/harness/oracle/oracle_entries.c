/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Entries by the state of the program. Nothing is known of it while the script is played: entries are only noted, and
 * told apart when all that every thread ever did is known. */
#include "oracle_levels.h"

uint32_t or_add_entry(struct or_result *result, const struct or_entry *entry) {
  if (result->entry_count == result->entry_limit) {
    result->entry_limit = result->entry_limit ? 2 * result->entry_limit : 256;
    result->entries = or_grown(result->entries, result->entry_limit * sizeof *result->entries);
  }
  result->entries[result->entry_count] = *entry;
  return (uint32_t)result->entry_count++;
}

void or_end_entry(struct or_result *result, uint32_t entry, uint64_t time, size_t event) {
  result->entries[entry].ended = true;
  result->entries[entry].end_time = time;
  result->entries[entry].end_event = event;
}

/* Number of busy threads just before `time`. */
static uint32_t level_before(const struct or_levels *levels, uint64_t time) {
  size_t first = 0, after = levels->segment_count; /* the last that begins before lies before `after` */
  while (first < after) {
    size_t middle = first + (after - first) / 2;
    if (levels->segments[middle].from < time)
      first = middle + 1;
    else
      after = middle;
  }
  return first ? levels->segments[first - 1].level : 0;
}

static bool is_busy_before(const struct or_life *life, uint64_t time) {
  size_t first = 0, after = life->busy_count;
  while (first < after) {
    size_t middle = first + (after - first) / 2;
    if (life->busy[middle].from < time)
      first = middle + 1;
    else
      after = middle;
  }
  return first && life->busy[first - 1].to >= time;
}

static bool is_concurrent(const struct or_result *result, const struct or_entry *entry) {
  uint32_t own = entry->owner_begin < entry->time && is_busy_before(&result->threads[entry->thread], entry->time);
  return level_before(result->levels, entry->time) > own;
}

static enum hd_entry_state state_of(const struct or_result *result, uint32_t entry) {
  return entry != FK_NONE && result->entries[entry].concurrent ? HD_CONCURRENT : HD_SEQUENTIAL;
}

/* A thread's entries of one node lie inside each other or apart: what lies in an outermost one is in its time. */
static void add_time(struct or_row *row, const struct or_entry *entry, enum hd_entry_state caller,
                     enum hd_entry_state own) {
  if (entry->event < row->covered_until)
    return;
  row->covered_until = entry->end_event;
  row->entries.ticks[caller][own] += entry->end_time - entry->time;
}

void or_settle_entries(struct or_result *result) {
  for (size_t i = 0; i < result->entry_count; i++)
    result->entries[i].concurrent = is_concurrent(result, &result->entries[i]);
  for (uint32_t i = 0; i < result->entry_count; i++) {
    const struct or_entry *entry = &result->entries[i];
    const bool routine = entry->to != FK_NONE;
    enum hd_entry_state own = state_of(result, i);
    enum hd_entry_state caller = routine ? state_of(result, entry->caller) : HD_SEQUENTIAL;
    if (entry->counted && (routine || own == HD_CONCURRENT))
      or_row_of(result, entry->node, entry->thread)->entries.visits[caller][own]++;
    if (routine)
      add_time(or_row_of(result, entry->to, entry->thread), entry, caller, own);
  }
}
