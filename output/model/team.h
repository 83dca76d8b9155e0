/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file team.h
 * Totals of the teams of a node of the model (model.h).
 */
#ifndef HEDDLE_OUTPUT_MODEL_TEAM_H
#define HEDDLE_OUTPUT_MODEL_TEAM_H

#include <stdint.h>

/** Finished and open instances of a region or of a worksharing construct with its own barrier, all team sizes. */
struct hd_team_totals {
  uint64_t instances; /* 0: the fields below were not measured */
  uint64_t open_instances;
  uint64_t elapsed_ticks;  /* constructs: on thread number 0 */
  uint64_t capacity_ticks; /* thread time at hand; regions: sum of p * elapsed */
  uint64_t busy_ticks;
  uint64_t busy_max_ticks; /* sum of p * the largest busy time of a thread */
  uint64_t idle_ticks;     /* of the team's workers, before they arrived and after the join; 0 for worksharing */
  uint32_t team_min;
  uint32_t team_max;
  int64_t intrusion_ticks; /* regions: contained in elapsed_ticks; without that of open instances */
  double gain_ticks;       /* sum over team sizes of (capacity - busy) / p, as far as the run could gain it (gains.c);
                              never negative, never more than hd_model.gain_limit_ticks */
  double mean_ticks;       /* sum over team sizes of capacity / p: see hd_team_elapsed() */
};

/** Part of a node's team totals: instances of one team size that one thread opened (constructs: entered). */
struct hd_team_part {
  uint32_t node;
  uint32_t thread;
  struct hd_team_totals
      totals; /* team_min is the size, 0: it was never known; team_max and the doubles are not filled */
};

/** A team's elapsed ticks: regions, from begin to end. A construct's threads come and go at different times: the time
 * of one in it, on average. So capacity = p * elapsed for both. */
double hd_team_elapsed(const struct hd_team_totals *team);

/** The threads of a team, on average. 0: not known. */
double hd_team_threads(const struct hd_team_totals *team);

/** Mean concurrency of a team: busy / elapsed; imbalance: largest / mean busy time of a thread. NaN: not known. */
double hd_team_concurrency(const struct hd_team_totals *team);
double hd_team_imbalance(const struct hd_team_totals *team);

/** A region's, or a team's. NaN: not known; only regions have it. */
double hd_team_corrected_elapsed(const struct hd_team_totals *team);

#endif
