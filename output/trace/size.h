/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file size.h
 * Whether a profile has a trace, and how much of the run is in it: without reading its entries.
 */
#ifndef HEDDLE_OUTPUT_TRACE_SIZE_H
#define HEDDLE_OUTPUT_TRACE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "output/model/model.h"

struct hd_trace_size {
  uint64_t bytes; /* of all blocks, as far as they are used */
  uint64_t limit_bytes;
  uint64_t from_ticks; /* it is whole from then on, older blocks have been written over; 0: from the begin */
  uint64_t full_ticks; /* it is whole until then; 0: to the end */
  bool begins_late;    /* what is shown of it does not begin with the run */
  bool has_condition;  /* it has stretches (hd_trace_stretches_find()); else it is one */
  uint32_t stretch_count;
  uint64_t stretch_ticks; /* of all together */
  bool only_concurrency;  /* it has only changes of the number of busy threads */
  bool lacked_room;       /* it did not have so many then: the file could not grow */
};

/** False: there is no trace, or none that fits the model's callpaths any more. */
bool hd_trace_size(const struct hd_model *model, struct hd_trace_size *size);

/** Whether there is one; if not, stderr says how to get one. */
bool hd_trace_is_there(const struct hd_model *model);

/** Likewise, and it has all that happens. */
bool hd_trace_is_full(const struct hd_model *model);

#endif
