/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file lazy_rows.h
 * Rows of a model, which are made when somebody asks for them.
 *
 * A profile has as many rows as threads times callpaths, ten million for a large team; most reports show sums only.
 * So the sums are found in one pass over the records of the file, and the file stays mapped. What the reader itself
 * adds, open intervals that it closed and entries that were still in the rings, is a short list of rows beside them.
 */
#ifndef HEDDLE_OUTPUT_MODEL_LAZY_ROWS_H
#define HEDDLE_OUTPUT_MODEL_LAZY_ROWS_H

#include "output/model/model.h"

/**
 * Makes the rows, unless they are there. For a large profile this takes longer than all else and a lot of memory: use
 * the sums over threads where they are enough.
 */
void hd_model_need_rows(const struct hd_model *model);

/** Calls `visit` for the times of all rows, in no order; there may be several of one node and thread. */
typedef void hd_times_visitor(void *context, const struct hd_row *times);
void hd_model_each_times(const struct hd_model *model, hd_times_visitor *visit, void *context);

/** The row of a node and thread; NULL when the thread never came there. */
const struct hd_row *hd_model_row(const struct hd_model *model, uint32_t node, uint32_t thread);

/* ---- for the reader ---- */

struct hd_reader_block {
  const struct hd_block_header *header;
  uint64_t content; /* file offset */
  uint32_t first;   /* index of its first record among those of its type */
  uint32_t record_bytes;
};

struct hd_row_source {
  void *memory; /* what `bytes` lie in, which the model frees; NULL: somebody else's */
  size_t memory_bytes;
  bool mapped; /* munmap; else free */
  const char *bytes;
  struct hd_reader_block *blocks; /* the model's memory, as `in_extra` */
  uint32_t block_count;
  struct hd_row *extra; /* in no order */
  uint32_t extra_count;
  uint32_t extra_limit;
  bool *in_extra; /* by thread: its entries are in `extra`, those of the file are older */
  bool rows_made;
};

/** Goes through the records of a type in the order of the file: hd_records_of(), then hd_records_next() until false. */
struct hd_records {
  const void *record;
  uint32_t index; /* among those of its type */
  const struct hd_row_source *source;
  enum hd_block_type type;
  uint32_t block, within; /* of the next one */
};

static inline struct hd_records hd_records_of(const struct hd_row_source *source, enum hd_block_type type) {
  return (struct hd_records){.source = source, .type = type};
}

static inline bool hd_records_next(struct hd_records *at) {
  for (; at->block < at->source->block_count; at->block++, at->within = 0) {
    const struct hd_reader_block *block = &at->source->blocks[at->block];
    if (block->header->type != at->type || at->within >= block->header->count)
      continue;
    at->record = at->source->bytes + block->content + (size_t)at->within * block->record_bytes;
    at->index = block->first + at->within++;
    return true;
  }
  return false;
}

/** What a record of totals says; whether it says nothing of instances. */
static inline struct hd_team_totals hd_team_totals_of(const struct hd_total_record *record) {
  return (struct hd_team_totals){
      .instances = record->instances,
      .open_instances = record->open,
      .elapsed_ticks = record->elapsed_ticks,
      .capacity_ticks = record->capacity_ticks,
      .busy_ticks = record->busy_ticks,
      .busy_max_ticks = record->busy_max_ticks,
      .idle_ticks = record->idle_ticks,
      .intrusion_ticks = record->intrusion_ticks,
      .team_min = record->team_size,
  };
}
static inline bool hd_total_is_empty(const struct hd_total_record *record) {
  return record->instances == 0 && record->open == 0 && record->elapsed_ticks == 0 && record->capacity_ticks == 0;
}

/** What a record adds to its row. */
struct hd_row hd_row_of_record(const struct hd_row_record *record);
struct hd_row hd_row_of_entries(const struct hd_entry_record *record);

/** Whether entries of a thread, or of all together (HD_NONE), are not rows' as they are in the file. */
static inline bool hd_row_source_may_change(const struct hd_row_source *source, uint32_t thread) {
  return thread == HD_NONE || source->in_extra[thread];
}

/** One more extra row, all zero. Valid until the next one is added. */
struct hd_row *hd_row_source_add(struct hd_row_source *source);

/** Bytes of a mapped file that will not be read again soon need not stay in memory. Nothing of files that are copies.
 */
void hd_row_source_drop(const struct hd_row_source *source, uint64_t offset, size_t bytes);

/** Frees what it holds. */
void hd_row_source_clear(struct hd_row_source *source);

#endif
