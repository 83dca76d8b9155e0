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
  uint64_t waiting;                    /* those of them that count as waits, and not as busy, */
  uint64_t idle;                       /* and as idle */
  const struct hd_window_sums *spread; /* NULL: no window saw it */
  double weight, busy_weight;          /* ticks that windows saw, and busy ones, without Heddle's own */
  double raw, busy_raw;                /* with them */
  double passed;                       /* of the weight, so far, and of `ticks` */
  uint64_t given;
  uint64_t busy; /* all busy ticks of the thread there, once they are resolved */
};

/** What instances of a region that were refused are estimated to have taken. */
struct hd_given {
  uint64_t elapsed; /* of the threads that began them, in the region and below */
  uint64_t busy;    /* of its teams, likewise */
  uint64_t all;     /* of any thread, likewise */
  double seen;      /* how many instances windows saw begin */
};

struct hd_resolution {
  struct hd_model *model;
  uint32_t *place;               /* by node: the innermost region that it is, or lies in; 0: none */
  uint32_t *number;              /* by place: there are fewer than nodes */
  struct hd_unknown *unknown;    /* [number of the place * threads + thread] */
  struct hd_unknown *of_regions; /* [thread]: likewise since regions were refused */
  bool *is_estimated;            /* by place: something of it is resolved */
  int64_t *gained;               /* by node: busy ticks of its own, more than before */
  uint64_t *as_busy;             /* by node: unresolved ticks of its own that count as busy before, */
  uint64_t *as_waits;            /* and as waits */
  uint64_t *visits;              /* by node: entries that are added by resolving */
  struct hd_given *given;        /* by node: of regions that were refused; */
  int64_t *of_refused;           /* busy ticks of its own among `gained` that are of those; */
  double *times; /* and instances that were refused for one that windows saw, of the outermost region around;
                    outside: of all regions */
};

static inline struct hd_unknown *hd_unknown_of(const struct hd_resolution *of, uint32_t node, uint32_t thread) {
  return &of->unknown[(size_t)of->number[of->place[node]] * of->model->thread_count + thread];
}

/** What is unresolved, and what windows saw, of that thread: of regions, or where the node is. */
static inline struct hd_unknown *hd_unknown_by(const struct hd_resolution *of, const struct hd_watched *watched) {
  return watched->of_regions ? &of->of_regions[watched->thread] : hd_unknown_of(of, watched->node, watched->thread);
}

/** resolve_regions.c: makes `times`. */
void hd_resolve_count_regions(struct hd_resolution *of);

/** What stands for one tick, or one entry, that windows saw there: of regions it is known how many were refused, of
 * each callpath; so a mixture of them that happens to be in the windows says nothing of what is outside
 * (poststratification: Cochran, Sampling Techniques, 5A.9). */
static inline double hd_resolve_times(const struct hd_resolution *of, const struct hd_watched *watched) {
  return watched->of_regions ? of->times[watched->node] : 1;
}

/** A thread's time in a node is given back, of instances that were refused; when all is, whether a
 * region has any, and these are added to its totals. */
void hd_resolve_give_region(struct hd_resolution *of, const struct hd_watched *watched, uint32_t state, uint64_t ticks);
bool hd_resolve_has_refused(const struct hd_resolution *of, const struct hd_node *node);
void hd_resolve_add_instances(struct hd_resolution *of, struct hd_node *node);

/** resolve_gains.c: all that a team has taken, but for the number of its instances, so many times. */
void hd_resolve_scale(struct hd_team_totals *team, double factor);

/** resolve_gains.c: what follows from new times: teams' busy times, gains, intervals and marks. Between the two the
 *  inclusive times are to be made. */
void hd_resolve_gains(struct hd_resolution *of);
void hd_resolve_busy_intervals(struct hd_resolution *of);

#endif
