/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file log.h
 * The entries of one thread, decoded from its blocks one after the other (heddle-trace.h). Nothing in them is trusted.
 */
#ifndef HEDDLE_OUTPUT_TRACE_LOG_H
#define HEDDLE_OUTPUT_TRACE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle-trace.h"
#include "output/trace/blocks.h"
#include "output/trace/entry.h"

/** All logs of a trace share one. */
struct hd_trace_reading {
  const struct hd_model *model;
  char *error;
  size_t error_bytes;
  bool failed; /* damaged: `error` says where */
};

struct hd_trace_log {
  uint32_t thread;
  const struct hd_trace_block *blocks; /* the thread's */
  uint32_t block_count, block;         /* the next one */
  const uint8_t *at, *end;
  uint64_t told_names[HD_TRACE_NAMES];
  uint32_t told_team;   /* HD_TRACE_SAME_TEAM */
  uint32_t next_number; /* of its next block, if none is missing */
  bool has_stay;        /* `next` is what the thread had not told yet, and the last */

  struct hd_trace_entry next;
  bool is_cut;       /* blocks are missing before this one; whoever takes notice of that resets it */
  uint32_t waits_in; /* `next` says only where the thread is after what is missing: hd_trace_record; else HD_NONE */
};

/** A thread without blocks, before its first entry. One that never wrote has been away, if there is a condition. */
void hd_trace_log_start(struct hd_trace_log *log, const struct hd_model *model, uint32_t thread);

/** Goes on to the next entry. False: there is none, or it is damaged. */
bool hd_trace_log_advance(struct hd_trace_reading *reading, struct hd_trace_log *log);

#endif
