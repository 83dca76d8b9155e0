/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file blocks.h
 * The blocks of a trace in a profile's file (struct hd_trace_record), and from when on they are all there.
 */
#ifndef HEDDLE_OUTPUT_TRACE_BLOCKS_H
#define HEDDLE_OUTPUT_TRACE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-trace.h"
#include "output/model/lazy_rows.h"
#include "output/model/model.h"

struct hd_trace_block {
  const struct hd_reader_block *block;
  uint32_t owner;  /* its thread */
  uint32_t number; /* of the thread's blocks */
};

/** Thread by thread, each in the order in which it had them. */
struct hd_trace_blocks {
  struct hd_trace_block *items;
  uint32_t count;
};

/** Free with hd_trace_blocks_free(). */
struct hd_trace_blocks hd_trace_blocks_find(const struct hd_model *model);
void hd_trace_blocks_free(struct hd_trace_blocks *blocks);

/** What a block begins with. */
struct hd_trace_record hd_trace_block_record(const struct hd_model *model, const struct hd_reader_block *block);

/** A time from which no thread's block is missing; 0: from the begin. */
uint64_t hd_trace_blocks_from(const struct hd_model *model, const struct hd_trace_blocks *blocks);

/** In the file, used or not. */
uint64_t hd_trace_blocks_bytes(const struct hd_trace_blocks *blocks);

/** Threads wrote only while a condition held. */
static inline bool hd_trace_has_condition(const struct hd_model *model) {
  return model->header.flags & HD_FILE_TRACE_WHEN;
}

#endif
