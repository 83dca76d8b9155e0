/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file rows.c
 * Rows, entries, teams and threads of a sum: collected from all runs, sorted, those of the same key joined.
 */
#include <stdlib.h>
#include <string.h>

#include "output/merge/merge_internal.h"
#include "output/model/accumulate.h"
#include "output/model/lazy_rows.h"

/* ---- rows ---- */

static struct hd_row scaled_row(const struct hd_merge *merge, size_t run, const struct hd_row *from) {
  struct hd_row row = *from;
  const uint64_t factor = merge->factors[run];
  row.node = merge->united->node_of[run][from->node];
  row.cpu_ns = merge->cpu_known ? from->cpu_ns : 0;
  for (int state = 0; state < HD_STATE_COUNT; state++)
    row.ticks[state] *= factor;
  for (int class = 0; class < HD_INTRUSION_CLASSES; class ++)
    row.intrusion.ticks[class] = hd_merge_scale(row.intrusion.ticks[class], factor);
  row.intrusion.merged = hd_merge_scale(row.intrusion.merged, factor);
  row.unresolved.ticks *= factor;
  row.unresolved.waiting *= factor;
  row.unresolved.regions *= factor;
  row.unresolved.idle *= factor;
  for (int i = 0; i < HD_ENTRY_STATES * HD_ENTRY_STATES; i++)
    row.entries.ticks[i / HD_ENTRY_STATES][i % HD_ENTRY_STATES] *= factor;
  return row;
}

void hd_merge_rows(struct hd_merge *merge) {
  size_t most = 1;
  for (size_t i = 0; i < merge->count; i++) {
    hd_model_need_rows(merge->models[i]);
    most += merge->models[i]->row_count;
  }
  struct hd_row *rows = merge->rows = hd_new(most, sizeof *rows);
  size_t count = 0;
  for (size_t i = 0; i < merge->count; i++)
    for (uint32_t j = 0; j < merge->models[i]->row_count; j++)
      rows[count++] = scaled_row(merge, i, &merge->models[i]->rows[j]);
  qsort(rows, count, sizeof *rows, hd_compare_pairs);
  for (size_t i = 0; i < count; i++) {
    if (merge->row_count > 0 && hd_compare_pairs(&rows[merge->row_count - 1], &rows[i]) == 0)
      hd_accumulate_row(&rows[merge->row_count - 1], &rows[i]);
    else
      rows[merge->row_count++] = rows[i];
  }
}

static bool has_entries(const struct hd_row *row) {
  static const struct hd_entries none;
  return memcmp(&row->entries, &none, sizeof none) != 0;
}

/* What no thread's rows have: entries that were counted for all threads together. */
static void write_common_entries(const struct hd_merge *merge) {
  const uint32_t count = merge->united->node_count;
  uint64_t *concurrent = hd_new(count, sizeof *concurrent);
  for (size_t run = 0; run < merge->count; run++)
    for (uint32_t i = 0; i < merge->models[run]->node_count; i++)
      concurrent[merge->united->node_of[run][i]] +=
          merge->models[run]->nodes[i].entries.visits[HD_SEQUENTIAL][HD_CONCURRENT];
  for (size_t i = 0; i < merge->row_count; i++)
    concurrent[merge->rows[i].node] -= merge->rows[i].entries.visits[HD_SEQUENTIAL][HD_CONCURRENT];
  for (uint32_t i = 0; i < count; i++) {
    struct hd_entry_record record = {.profile = i, .thread = HD_NONE};
    record.visits[HD_SEQUENTIAL][HD_CONCURRENT] = concurrent[i];
    if (concurrent[i] > 0)
      hd_writer_add(merge->writer, &record, sizeof record);
  }
  free(concurrent);
}

void hd_merge_write_rows(struct hd_merge *merge) {
  hd_writer_begin_block(merge->writer, HD_BLOCK_ROWS);
  for (size_t i = 0; i < merge->row_count; i++)
    hd_writer_add_row(merge->writer, &merge->rows[i]);
  if (!merge->levels_known)
    return;
  hd_writer_begin_block(merge->writer, HD_BLOCK_ENTRIES);
  for (size_t i = 0; i < merge->row_count; i++) {
    const struct hd_row *row = &merge->rows[i];
    struct hd_entry_record record = {.profile = row->node, .thread = row->thread};
    memcpy(record.visits, row->entries.visits, sizeof record.visits);
    memcpy(record.ticks, row->entries.ticks, sizeof record.ticks);
    if (has_entries(row))
      hd_writer_add(merge->writer, &record, sizeof record);
  }
  write_common_entries(merge);
}

/* ---- teams ---- */

static int by_team(const void *a, const void *b) {
  const struct hd_team_part *left = a, *right = b;
  const uint32_t first = left->totals.team_min, second = right->totals.team_min;
  const int order = hd_compare_pairs(a, b);
  return order != 0 ? order : (first > second) - (first < second);
}

static struct hd_team_part scaled_part(const struct hd_merge *merge, size_t run, const struct hd_team_part *from) {
  const uint64_t factor = merge->factors[run];
  struct hd_team_part part = *from;
  part.node = merge->united->node_of[run][from->node];
  part.totals.elapsed_ticks *= factor;
  part.totals.busy_ticks *= factor;
  part.totals.busy_max_ticks *= factor;
  part.totals.idle_ticks *= factor;
  part.totals.capacity_ticks *= factor;
  part.totals.intrusion_ticks = hd_merge_scale(part.totals.intrusion_ticks, factor);
  return part;
}

static void write_part(struct hd_merge *merge, const struct hd_team_part *part) {
  const struct hd_team_totals *totals = &part->totals;
  const struct hd_total_record record = {
      .profile = part->node,
      .thread = part->thread,
      .team_size = totals->team_min,
      .open = (uint32_t)totals->open_instances,
      .instances = totals->instances,
      .elapsed_ticks = totals->elapsed_ticks,
      .busy_ticks = totals->busy_ticks,
      .busy_max_ticks = totals->busy_max_ticks,
      .idle_ticks = totals->idle_ticks,
      .capacity_ticks = totals->capacity_ticks,
      .intrusion_ticks = totals->intrusion_ticks,
  };
  hd_writer_add(merge->writer, &record, sizeof record);
}

/* What teams were delayed at barriers, whatever their sizes. */
static void write_merged(struct hd_merge *merge) {
  for (size_t i = 0; i < merge->row_count; i++) {
    const struct hd_row *row = &merge->rows[i];
    const struct hd_total_record record = {
        .profile = row->node, .thread = row->thread, .merged = row->intrusion.merged};
    if (record.merged != 0)
      hd_writer_add(merge->writer, &record, sizeof record);
  }
}

void hd_merge_write_teams(struct hd_merge *merge) {
  size_t most = 1;
  for (size_t i = 0; i < merge->count; i++) {
    most += merge->models[i]->team_part_count;
  }
  struct hd_team_part *parts = hd_new(most, sizeof *parts);
  size_t count = 0;
  for (size_t i = 0; i < merge->count; i++)
    for (uint32_t j = 0; j < merge->models[i]->team_part_count; j++)
      parts[count++] = scaled_part(merge, i, &merge->models[i]->team_parts[j]);
  qsort(parts, count, sizeof *parts, by_team);
  hd_writer_begin_block(merge->writer, HD_BLOCK_TOTALS);
  for (size_t i = 0; i < count; i++) {
    if (i + 1 < count && by_team(&parts[i], &parts[i + 1]) == 0)
      hd_accumulate_team(&parts[i + 1].totals, &parts[i].totals);
    else
      write_part(merge, &parts[i]);
  }
  write_merged(merge);
  free(parts);
}

/* ---- threads ---- */

static uint32_t kind_of(const struct hd_merge *merge, uint32_t thread) {
  for (size_t i = 0; i < merge->count; i++)
    if (thread < merge->models[i]->thread_count)
      return merge->models[i]->threads[thread].kind;
  return HD_THREAD_OTHER;
}

/* Where they begin within the sum has no meaning: all end with it. */
static void place_threads(struct hd_merge *merge) {
  uint64_t longest = merge->elapsed_ticks;
  for (uint32_t i = 0; i < merge->thread_count; i++) /* last_ticks is the lifetime here */
    longest = merge->threads[i].last_ticks > longest ? merge->threads[i].last_ticks : longest;
  const uint64_t end = longest + 1;
  merge->header.loaded_ticks = end - merge->elapsed_ticks;
  merge->header.end_ticks = end;
  for (uint32_t i = 0; i < merge->thread_count; i++) {
    struct hd_thread_record *thread = &merge->threads[i];
    thread->id = i;
    thread->kind = kind_of(merge, i);
    thread->begin_ticks = end - thread->last_ticks;
    thread->last_ticks = thread->end_ticks = end;
  }
}

/* By how much Heddle delayed the runs' threads of one number, all of which is in rows; how many they were in each run.
 */
static void add_delays(struct hd_merge *merge) {
  for (size_t i = 0; i < merge->count; i++)
    for (uint32_t j = 0; j < merge->models[i]->thread_count; j++) {
      const struct hd_model_thread *from = &merge->models[i]->threads[j];
      struct hd_thread_record *to = &merge->threads[j];
      to->intrusion = hd_add_signed(to->intrusion, hd_merge_scale(from->late_ticks, merge->factors[i]));
      to->intrusion_charged = to->intrusion;
      to->threads = to->threads < from->threads ? from->threads : to->threads;
    }
}

/* A run that did not have so many threads says nothing against it. */
static void add_accounts(struct hd_merge *merge) {
  for (uint32_t i = 0; i < merge->thread_count; i++) {
    struct hd_account sum = {.known = true};
    struct hd_thread_record *to = &merge->threads[i];
    for (size_t j = 0; j < merge->count; j++)
      if (i < merge->models[j]->thread_count)
        hd_account_add(&sum, &merge->models[j]->threads[i].account);
    to->ran_ns = sum.ran_ns;
    to->queued_ns = sum.queued_ns;
    to->preemptions = sum.preemptions;
    to->told = sum.known ? to->threads : 0;
  }
}

/* A lifetime is what the rows say: the same as the sum of lifetimes, unless an input is damaged (a note says so). */
void hd_merge_threads(struct hd_merge *merge) {
  for (size_t i = 0; i < merge->count; i++) {
    const struct hd_model *model = merge->models[i];
    merge->thread_count = model->thread_count > merge->thread_count ? model->thread_count : merge->thread_count;
    merge->elapsed_ticks += model->elapsed_ticks * merge->factors[i];
  }
  merge->threads = hd_new(merge->thread_count, sizeof *merge->threads);
  for (size_t i = 0; i < merge->row_count; i++) {
    struct hd_thread_record *thread = &merge->threads[merge->rows[i].thread];
    thread->last_ticks += hd_ticks_all(merge->rows[i].ticks);
    thread->busy_ticks += merge->rows[i].ticks[HD_BUSY];
  }
  place_threads(merge);
  add_delays(merge);
  add_accounts(merge);
}

void hd_merge_write_threads(struct hd_merge *merge) {
  hd_writer_begin_block(merge->writer, HD_BLOCK_THREADS);
  for (uint32_t i = 0; i < merge->thread_count; i++)
    hd_writer_add(merge->writer, &merge->threads[i], sizeof merge->threads[i]);
}
