/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file merge_internal.h
 * Between the files of merge only, in the order in which merge.c calls them.
 */
#ifndef HEDDLE_OUTPUT_MERGE_MERGE_INTERNAL_H
#define HEDDLE_OUTPUT_MERGE_MERGE_INTERNAL_H

#include "output/merge/merge.h"
#include "output/unify/unified_tree.h"
#include "support/command/memory.h"

/** Of a callpath of the sum. */
struct hd_merged_node {
  struct hd_levels busy_at;
  struct hd_levels elapsed_at;
  uint64_t active_ticks;
  uint64_t unpaired_ticks;
  uint64_t running_ticks;
};

/** Counts of the sum. */
struct hd_merged_counts {
  struct hd_event_record events[HD_EVENTS_MOST];
  uint32_t event_count; /* 0: the sum has no counts */
  uint32_t slots;
  uint32_t (*origins)[HD_EVENTS_MOST]; /* by model and event of the sum: the model's event */
  char *records;                       /* as in the file: sorted and joined */
  size_t record_count;
  struct hd_strings notes; /* what is left out, and why; hd_merge_write_count_texts() frees each */
};

struct hd_merge {
  struct hd_model *const *models;
  size_t count;
  uint64_t *factors; /* by model: its ticks times this are the sum's */
  bool levels_known; /* in all runs */
  bool cpu_known;    /* likewise */
  struct hd_file_header header;

  struct hd_united *united;      /* the sum's callpaths and modules */
  struct hd_merged_node *merged; /* by callpath */

  struct hd_row *rows; /* sorted and joined; ticks are the sum's */
  size_t row_count;
  struct hd_thread_record *threads;
  uint32_t thread_count;
  uint64_t elapsed_ticks;
  struct hd_levels time_at;
  struct hd_merged_counts counts;

  struct hd_writer *writer;
  char *error;
  size_t error_bytes;
};

/** message.c. Writes the reason into the caller's error text. Always false. */
bool hd_merge_fail(struct hd_merge *merge, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** A note of the sum, unless one of the runs has the same. */
#define hd_merge_note(merge, ...) hd_merge_add_note(merge, hd_print(__VA_ARGS__))
void hd_merge_add_note(struct hd_merge *merge, char *text);

/** Whether one of the first `runs` files has this note. */
bool hd_merge_was_read(const struct hd_merge *merge, size_t runs, const char *text);

/** tree.c: unites modules and callpaths; writes them, and the names of those that have one. */
bool hd_merge_tree(struct hd_merge *merge);
void hd_merge_write_tree(struct hd_merge *merge);
void hd_merge_write_names(struct hd_merge *merge);

/** rows.c: rows with their entries, teams; threads, and with them the header's times. */
void hd_merge_rows(struct hd_merge *merge);
void hd_merge_threads(struct hd_merge *merge);
void hd_merge_write_rows(struct hd_merge *merge);
void hd_merge_write_threads(struct hd_merge *merge);
void hd_merge_write_teams(struct hd_merge *merge);

/** Times of a run as those of the sum. */
static inline int64_t hd_merge_scale(int64_t ticks, uint64_t factor) {
  return (int64_t)((uint64_t)ticks * factor);
}

/** overhead.c: the cost of Heddle's own work in all runs, and the events that were switched off. */
void hd_merge_write_overhead(struct hd_merge *merge);

/** levels.c: time by level, and overlaps. */
void hd_merge_levels(struct hd_merge *merge);
void hd_merge_write_levels(struct hd_merge *merge);

/** counts.c: counts of events; on which threads some were not counted; how often counters were read; notes on events
 * that are left out, and groups. */
void hd_merge_counts(struct hd_merge *merge);
void hd_merge_mark_threads(struct hd_merge *merge);
void hd_merge_write_counts(struct hd_merge *merge);
void hd_merge_write_count_texts(struct hd_merge *merge);

/** samples.c: whether the sum has samples, which needs the header; and these. */
void hd_merge_join_sample_periods(struct hd_merge *merge);
void hd_merge_write_samples(struct hd_merge *merge);

/** loops.c: the chunks of loops. */
void hd_merge_write_loops(struct hd_merge *merge);

/** tasks.c: how long tasks took. */
void hd_merge_write_tasks(struct hd_merge *merge);
void hd_merge_write_watched(struct hd_merge *merge);

/** notes.c: command line and environment; notes on what the sum consists of and lacks. */
void hd_merge_write_texts(struct hd_merge *merge);

#endif
