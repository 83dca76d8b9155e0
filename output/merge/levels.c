/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file levels.c
 * Time by level and overlaps of a sum. Left out altogether when one of the runs does not know them: the identities
 * would not hold.
 */
#include <stdlib.h>
#include <string.h>

#include "output/merge/merge_internal.h"
#include "output/model/accumulate.h"
#include "output/model/format_names.h"
#include "output/model/levels.h"

static void add_levels(struct hd_levels *to, const struct hd_levels *from, uint64_t factor) {
  if (from->count > to->count) {
    to->ticks = hd_grow(to->ticks, from->count, sizeof *to->ticks);
    memset(to->ticks + to->count, 0, (from->count - to->count) * sizeof *to->ticks);
    to->count = from->count;
  }
  for (uint32_t k = 0; k < from->count; k++)
    to->ticks[k] += from->ticks[k] * factor;
}

static void add_run(struct hd_merge *merge, size_t run) {
  const struct hd_model *model = merge->models[run];
  const uint64_t factor = merge->factors[run];
  add_levels(&merge->time_at, &model->time_at, factor);
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    struct hd_merged_node *merged = &merge->merged[merge->united->node_of[run][i]];
    merged->active_ticks += node->active_ticks * factor;
    merged->unpaired_ticks += node->unpaired_ticks * factor;
    merged->running_ticks += node->running_ticks * factor;
    add_levels(&merged->busy_at, &node->busy_at, factor);
    if (hd_kind_is_region(node->kind))
      add_levels(&merged->elapsed_at, &node->elapsed_at, factor);
  }
}

void hd_merge_levels(struct hd_merge *merge) {
  for (size_t i = 0; merge->levels_known && i < merge->count; i++)
    add_run(merge, i);
}

/* ---- tallies: what is counted, then its times ---- */

/* Calls `write` for every tally, numbered in order. */
typedef void tally_writer(struct hd_merge *merge, uint32_t index, const struct hd_tally_record *tally,
                          const struct hd_levels *levels);

static void each_tally(struct hd_merge *merge, tally_writer *write) {
  uint32_t index = 0;
  const struct hd_tally_record program = {.what = HD_TALLY_PROGRAM, .count = 1, .since_ticks = merge->header.end_ticks};
  write(merge, index++, &program, &merge->time_at);
  for (uint32_t i = 0; i < merge->united->node_count; i++) {
    const struct hd_merged_node *node = &merge->merged[i];
    const struct hd_tally_record busy = {.profile = i,
                                         .what = HD_TALLY_BUSY,
                                         .active_ticks = node->active_ticks,
                                         .unpaired_ticks = node->unpaired_ticks};
    const struct hd_tally_record elapsed = {
        .profile = i, .what = HD_TALLY_ELAPSED, .active_ticks = node->running_ticks};
    if (node->busy_at.count > 0 || node->active_ticks > 0)
      write(merge, index++, &busy, &node->busy_at);
    if (node->elapsed_at.count > 0)
      write(merge, index++, &elapsed, &node->elapsed_at);
  }
}

static void write_tally(struct hd_merge *merge, uint32_t index, const struct hd_tally_record *tally,
                        const struct hd_levels *levels) {
  (void)index;
  (void)levels;
  hd_writer_add(merge->writer, tally, sizeof *tally);
}

static void write_levels(struct hd_merge *merge, uint32_t index, const struct hd_tally_record *tally,
                         const struct hd_levels *levels) {
  (void)tally;
  for (uint32_t first = 0; first < levels->count; first += HD_LEVELS_PER_RECORD) {
    struct hd_level_record record = {.tally = index, .first = first};
    uint64_t any = 0;
    for (uint32_t k = 0; k < HD_LEVELS_PER_RECORD; k++)
      any |= record.ticks[k] = hd_levels_at(levels, first + k);
    if (any)
      hd_writer_add(merge->writer, &record, sizeof record);
  }
}

/* ---- overlaps ---- */

/* The smaller number of the two comes first, and which that is may have changed. */
static size_t collect_overlaps(const struct hd_merge *merge, struct hd_overlap_record *overlaps) {
  size_t count = 0;
  for (size_t i = 0; i < merge->count; i++)
    for (uint32_t j = 0; j < merge->models[i]->overlap_count; j++) {
      const struct hd_overlap *from = &merge->models[i]->overlaps[j];
      const uint32_t a = merge->united->node_of[i][from->a];
      const uint32_t b = merge->united->node_of[i][from->b];
      if (a != b)
        overlaps[count++] = (struct hd_overlap_record){a < b ? a : b, a < b ? b : a, from->ticks * merge->factors[i]};
    }
  return count;
}

static void write_overlaps(struct hd_merge *merge) {
  size_t most = 1;
  for (size_t i = 0; i < merge->count; i++)
    most += merge->models[i]->overlap_count;
  struct hd_overlap_record *overlaps = hd_new(most, sizeof *overlaps);
  const size_t count = collect_overlaps(merge, overlaps);
  qsort(overlaps, count, sizeof *overlaps, hd_compare_pairs);
  hd_writer_begin_block(merge->writer, HD_BLOCK_OVERLAPS);
  for (size_t i = 0; i < count; i++) {
    if (i + 1 < count && hd_compare_pairs(&overlaps[i], &overlaps[i + 1]) == 0)
      overlaps[i + 1].ticks += overlaps[i].ticks;
    else
      hd_writer_add(merge->writer, &overlaps[i], sizeof overlaps[i]);
  }
  free(overlaps);
}

void hd_merge_write_levels(struct hd_merge *merge) {
  if (!merge->levels_known)
    return;
  hd_writer_begin_block(merge->writer, HD_BLOCK_TALLIES);
  each_tally(merge, write_tally);
  hd_writer_begin_block(merge->writer, HD_BLOCK_LEVELS);
  each_tally(merge, write_levels);
  write_overlaps(merge);
}
