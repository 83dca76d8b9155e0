/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file paraver_records.h
 * The three files of Paraver's trace format. Between the files of this folder only.
 *
 * Records are in the order of their times, but a state's says how long it lasts. So the trace is read twice: first for
 * the ends of states, which lie in an unlinked file meanwhile, in the order of their begins. Memory does not grow with
 * the trace.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_EXPORT_PARAVER_RECORDS_H
#define HEDDLE_OUTPUT_VIEWS_EXPORT_PARAVER_RECORDS_H

#include <stdbool.h>
#include <stdio.h>

#include "output/model/model.h"
#include "output/views/export/paraver_functions.h"

/** Of a state's record: Paraver's own, for which it has colours. */
enum hd_paraver_state {
  HD_PARAVER_IDLE = 0,
  HD_PARAVER_RUNNING = 1,
  HD_PARAVER_NOT_CREATED = 2, /* or it has ended; or the trace has not begun */
  HD_PARAVER_WAITING = 5,     /* "Synchronization" */
  HD_PARAVER_RUNTIME = 7      /* "Scheduling and Fork/Join" */
};

/** Types of events, and their values. */
enum hd_paraver_event {
  HD_PARAVER_CALLPATH = 9300001, /* the innermost one that the thread is in, by its id; 0: the program */
  HD_PARAVER_REGION,             /* likewise of the innermost region; 0: none */
  HD_PARAVER_CAUSE,              /* what it waits for or the runtime does: enum hd_state; 0: neither */
  HD_PARAVER_TASK,               /* the explicit task that it runs; 0: none */
  HD_PARAVER_CREATED,            /* a task that it has created */
  HD_PARAVER_ACQUIRED,           /* a lock that it has got */
  HD_PARAVER_RELEASED,           /* likewise given back */
  HD_PARAVER_FUNCTION,           /* in which a sample has found it: paraver_functions.h */
};

struct hd_paraver {
  const struct hd_model *model;
  FILE *ends;       /* of states, in ns, 64 bits each */
  uint64_t last_ns; /* the end of the trace */
  struct hd_paraver_functions functions;
};

/** Finds the ends of states, in a damaged trace as far as it goes. False: there is no room for them; stderr says so. */
bool hd_paraver_start(struct hd_paraver *paraver, const struct hd_model *model);
void hd_paraver_finish(struct hd_paraver *paraver);

/** Each writes one of the files: NAME.prv, NAME.pcf, NAME.row. False: the trace is damaged, as stderr says; what comes
 *  before is written. Write errors are left to `out`. */
bool hd_paraver_write_records(struct hd_paraver *paraver, FILE *out);
bool hd_paraver_write_labels(struct hd_paraver *paraver, FILE *out);
bool hd_paraver_write_rows(struct hd_paraver *paraver, FILE *out);

#endif
