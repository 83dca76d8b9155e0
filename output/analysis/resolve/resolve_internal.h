/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file resolve_internal.h
 * Between the files that resolve only.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_RESOLVE_INTERNAL_H
#define HEDDLE_OUTPUT_ANALYSIS_RESOLVE_INTERNAL_H

#include "output/analysis/resolve/resolve.h"
#include "output/model/watched.h"

/** What is unresolved of a thread in the regions of a node, or outside all regions; and what windows saw of it there.
 */
struct hd_unknown {
  uint64_t ticks;
  uint64_t waiting;                    /* those of them that count as waits, and not as busy */
  const struct hd_window_sums *spread; /* NULL: no window saw it */
  double weight, busy_weight;          /* ticks that windows saw, and busy ones, without Heddle's own */
  double raw, busy_raw;                /* with them */
  double passed;                       /* of the weight, so far, and of `ticks` */
  uint64_t given;
  uint64_t busy; /* all busy ticks of the thread there, once they are resolved */
};

struct hd_resolution {
  struct hd_model *model;
  uint32_t *place;            /* by node: the innermost region that it is, or lies in; 0: none */
  uint32_t *number;           /* by place: there are fewer than nodes */
  struct hd_unknown *unknown; /* [number of the place * threads + thread] */
  bool *is_estimated;         /* by place: something of it is resolved */
  int64_t *gained;            /* by node: busy ticks of its own, more than before */
  uint64_t *as_busy;          /* by node: unresolved ticks of its own that count as busy before, */
  uint64_t *as_waits;         /* and as waits */
  uint64_t *visits;           /* by node: entries that are added by resolving */
};

static inline struct hd_unknown *hd_unknown_of(const struct hd_resolution *of, uint32_t node, uint32_t thread) {
  return &of->unknown[(size_t)of->number[of->place[node]] * of->model->thread_count + thread];
}

/** resolve_gains.c: what follows from new times: teams' busy times, gains, intervals and marks. Between the two the
 *  inclusive times are to be made. */
void hd_resolve_gains(struct hd_resolution *of);
void hd_resolve_busy_intervals(struct hd_resolution *of);

#endif
