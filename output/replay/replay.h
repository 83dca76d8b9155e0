/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file replay.h
 * A run again, up to a time, from its trace: what threads told is put into logs as they had them, the same sweep takes
 * it out of these (sweep/batch.h), and the time that they spent is added up in rows. Nothing else is known of how
 * profiles are made.
 *
 * Memory grows with the threads and callpaths of the profile, not with the trace.
 */
#ifndef HEDDLE_OUTPUT_REPLAY_REPLAY_H
#define HEDDLE_OUTPUT_REPLAY_REPLAY_H

#include "output/model/model.h"
#include "sweep/tallies.h"

/** A parallel region that a thread is in: as its primary, or as a worker. */
struct hd_replay_place {
  uint32_t node;
  uint32_t team;                       /* as in hd_trace_entry */
  uint32_t size;                       /* a primary's; 0: alone */
  bool leads;                          /* it is the primary */
  bool has_begun;                      /* its implicit task */
  uint64_t begin_ticks, busy_at_begin; /* of that */
};

struct hd_replay_thread {
  struct hd_ring_record *log;
  struct hd_replay_place *places; /* innermost last; at most the first is a worker's */
  uint32_t place_count, place_limit;
  uint32_t node, state;          /* HD_STATE_COUNT: it does not live */
  uint64_t since_ticks;          /* in that state; when it ended */
  uint64_t begin_ticks;          /* of the first that had the record */
  uint64_t apart_ticks, threads; /* as in hd_thread_record */
  uint64_t busy_ticks;
};

/** Records that the sweep has made, by type, in their order. */
struct hd_replay_records {
  void **items;
  uint32_t count, limit;
  size_t bytes; /* of one */
};

/** As a model has them (output/model/samples.h), but some keys may be there several times. */
struct hd_replay_samples {
  struct hd_model_sample *items;
  uint32_t count, limit;
};

struct hd_replay {
  const struct hd_model *model; /* the whole run's */
  uint64_t until_ticks;
  struct hd_file_header header; /* in which the sweep counts what it had no room for */
  struct hd_tallies tallies;
  struct hd_batch *batch;
  void *window;
  struct hd_ring_record **logs; /* by thread */
  struct hd_replay_thread *threads;
  struct hd_row *rows; /* as the model's, with the times and visits until then */
  struct hd_replay_records records[HD_BLOCK_TYPE_LAST + 1];
  struct hd_replay_samples samples;
  bool lacks_stacks;   /* threads had called routines where the trace's window begins: calls are not known */
  const char *problem; /* NULL: none */
};

/** Takes what is not later than `until_ticks`. False: the trace is damaged, or does not begin with the run; `error`
 * says it. Either way hd_replay_free() frees what it holds. */
bool hd_replay_run(struct hd_replay *replay, const struct hd_model *model, uint64_t until_ticks, char *error,
                   size_t error_bytes);

void hd_replay_free(struct hd_replay *replay);

#endif
