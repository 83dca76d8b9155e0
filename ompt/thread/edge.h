/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file edge.h
 * The callpath steps that a thread remembers: step.h.
 */
#ifndef HEDDLE_OMPT_THREAD_EDGE_H
#define HEDDLE_OMPT_THREAD_EDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-format.h"

/** A remembered callpath step of this thread: (row it starts from, site) -> row it leads to. */
struct hd_edge {
  const void *from; /* NULL: empty slot */
  uint64_t site;
  void *to;                      /* NULL: a routine that is no routine of the user's (routine.h) */
  struct hd_row_record *counter; /* the row that counts entries: `to`, but for recursive routines */
  const void *entered_from;      /* routines: the place in the code for which this holds: */
  int32_t slot_offset;           /* bytes from the hook's frame to the slot; 0: not known */
  bool in_runtime;               /* see struct hd_step */
};

/** Kinds of edges that are no construct's. Six bits of a site are the kind. */
enum hd_edge_kind {
  HD_EDGE_CALL = 61,    /* of an instrumented routine */
  HD_EDGE_TOTALS = 62,  /* of a row, by team size */
  HD_EDGE_CALLERS = 63, /* to the innermost of a chain of calling routines */
};
_Static_assert((int)HD_KIND_COUNT <= (int)HD_EDGE_CALL, "kinds of constructs and of other edges differ");

#endif
