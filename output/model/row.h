/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file row.h
 * One thread's numbers for one node of the model (model.h).
 */
#ifndef HEDDLE_OUTPUT_MODEL_ROW_H
#define HEDDLE_OUTPUT_MODEL_ROW_H

#include <stdint.h>

#include "heddle-format.h"

/**
 * Entries by the state of the program (enum hd_entry_state): [that of the caller's entry][their own]; open ones are
 * closed. Routines only; of other kinds visits[HD_SEQUENTIAL][HD_CONCURRENT] alone is filled.
 */
struct hd_entries {
  uint64_t visits[HD_ENTRY_STATES][HD_ENTRY_STATES];
  uint64_t ticks[HD_ENTRY_STATES][HD_ENTRY_STATES]; /* from entry to exit; a thread's outermost entries */
};

/**
 * How much of a thread time Heddle itself caused: time - intrusion is the *corrected* time, an estimate of the time
 * without Heddle (heddle-format.h). It may be negative: what Heddle's events took shortens waits. Sums wrap around, as
 * sums of ticks do.
 */
struct hd_intrusion {
  int64_t ticks[HD_INTRUSION_CLASSES];
  int64_t merged; /* of waiting time, too: what teams were delayed at barriers */
};

/** What a loop's iterations or a construct's tasks were handed out in. */
struct hd_shares {
  uint64_t chunks; /* 0: not known. Loops whose runtime is asked for chunks, where its entry points are observed */
  uint64_t iterations;
  uint64_t created;   /* tasks, by the thread that created them */
  uint64_t elsewhere; /* tasks, by the thread that began to run them, if another had created them */
  uint64_t mpi_bytes; /* that the arguments of calls of MPI have named */
  /* Static loops, by thread, and of no meaning if those of several are added up: HD_CELL_STATIC. */
  uint64_t static_iterations;
  int64_t number;
  uint64_t
      refused; /* outermost regions: instances that were counted, by the thread that began them, and not observed */
};

/** Time in which it is not known what threads did, because events were refused: part of their busy time, and of the
 *  waits at a region's end where tasks were refused. Sums wrap around, as sums of ticks do. */
struct hd_unresolved {
  uint64_t ticks;
  uint64_t waiting; /* those of waits; */
  uint64_t regions; /* those of busy time outside regions in which these were refused, */
  uint64_t idle;    /* and, not in `ticks`, of idle time then */
};

/** One thread's numbers for one node; open intervals are closed. */
struct hd_row {
  uint32_t node;
  uint32_t thread;
  uint64_t visits;
  uint32_t refused; /* as in hd_row_record */
  uint64_t cpu_ns;  /* exclusive; with HD_FILE_CPU_TIME in header.flags */
  struct hd_shares shares;
  struct hd_entries entries;
  uint64_t ticks[HD_STATE_COUNT];  /* exclusive */
  struct hd_intrusion intrusion;   /* contained in them */
  struct hd_unresolved unresolved; /* likewise */
};

#endif
