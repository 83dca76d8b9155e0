/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file watched.h
 * What windows saw of threads in nodes.
 */
#ifndef HEDDLE_OUTPUT_MODEL_WATCHED_H
#define HEDDLE_OUTPUT_MODEL_WATCHED_H

#include "output/model/model.h"

/** Sums over windows, of what each saw of a thread in regions of a node: as in hd_watched_record, the last one
 *  included. */
struct hd_window_sums {
  uint64_t windows;
  uint64_t sums[2];
  double products[3];
};

/** What windows saw of a thread in a node: as in hd_watched_record, but idle time is no wait: it is the program's in
 * those of regions, and in no record else. */
struct hd_watched {
  uint32_t node;
  uint32_t thread;
  uint32_t of_regions;
  uint64_t visits;
  uint64_t ticks[HD_STATE_COUNT];
  int64_t intrusion[HD_INTRUSION_CLASSES];
  struct hd_window_sums spread;
};

/** Sorts by node, thread and whether they are of regions, and adds up those of the same. Returns how many are left. */
uint32_t hd_watched_join(struct hd_watched *watched, uint32_t count);

/** One of those, once they are joined. NULL: windows saw nothing of that. */
const struct hd_watched *hd_watched_find(const struct hd_watched *watched, uint32_t count, uint32_t node,
                                         uint32_t thread, bool of_regions);

/** How far the part of the time that was busy may be from that of all windows' together, in 95 of 100 runs; 1: not
 *  known. */
double hd_watched_error(const struct hd_window_sums *spread);

#endif
