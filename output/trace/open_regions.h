/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file open_regions.h
 * Finds the instances of regions in a trace: which thread opened which region when, until it ends.
 */
#ifndef HEDDLE_OUTPUT_TRACE_OPEN_REGIONS_H
#define HEDDLE_OUTPUT_TRACE_OPEN_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "output/trace/entry.h"

/** An instance that began and ended in the trace. */
struct hd_region_instance {
  uint32_t node;
  uint32_t thread; /* its primary */
  uint64_t begin_ticks, end_ticks;
};

/** The regions that are open, by thread. Free with hd_open_regions_free(). */
struct hd_open_regions;
struct hd_open_regions *hd_open_regions_new(uint32_t thread_count);
void hd_open_regions_free(struct hd_open_regions *regions);

/** Takes the trace's entries one by one, in their order. True: this one ends an instance, `*ended`. An instance without
 *  an end is dropped when one around it ends, or the thread or the stretch of the trace. */
bool hd_open_regions_take(struct hd_open_regions *regions, const struct hd_trace_entry *entry,
                          struct hd_region_instance *ended);

#endif
