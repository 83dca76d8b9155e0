/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file comparison.h
 * Several runs of a program, compared: what more threads gained, and where the rest of their time went.
 *
 * *Points* are what is compared: thread counts (scaling), or sides such as two builds (difference). The first is the
 * baseline. A point has one or more *runs*, its repeats. A time is the median of its repeats, which is always one of
 * them (bootstrap.h), and all losses shown with it are those of the same run, so that they add up.
 *
 * A *row* is the program, what is outside all regions, a region, or a worksharing construct in one; callpaths that end
 * at one place in the source are one row; the loop of a `parallel for` has none but the region's. For every row, with
 * capacity as in losses.h,
 *
 *     capacity(point) - capacity(baseline) = sum over causes of lost(point) - lost(baseline)
 *                                            + busy(point) - busy(baseline)
 *
 * to the tick; the last line is work inflation. For the program the left side is p * T(p) - T(1) when the baseline has
 * one thread. Divided by p they are lost wall seconds.
 *
 * All ticks are those of one clock common to all runs (clock_scale.h).
 */
#ifndef HEDDLE_OUTPUT_COMPARISON_COMPARISON_H
#define HEDDLE_OUTPUT_COMPARISON_COMPARISON_H

#include <stdint.h>

#include "output/analysis/losses/losses.h"
#include "output/comparison/bootstrap.h"
#include "output/comparison/scaling_law.h"
#include "output/unify/unified_tree.h"

enum hd_comparison_mode { HD_COMPARE_SCALING, HD_COMPARE_SIDES };

struct hd_compare_options {
  enum hd_comparison_mode mode;
  bool force;     /* runs of different programs and builds, too: matched by name */
  bool callpaths; /* calling routines tell rows apart */
};

/** A run that is compared. Names should have been resolved (resolve_names.h). */
struct hd_compare_input {
  struct hd_model *model; /* the caller's; must outlive the comparison */
  uint32_t side;          /* HD_COMPARE_SIDES: 0, 1, ...; else not used */
  const char *label;      /* of the side, likewise; the caller's */
};

struct hd_run {
  const struct hd_model *model;
  struct hd_loss_book *book;
  uint64_t factor; /* to the common clock */
  uint32_t point;
  uint32_t order; /* index of its input */
};

struct hd_point {
  char label[64];         /* "4" threads, or the side's name */
  uint32_t threads;       /* p: the largest of its runs' */
  uint32_t least_threads; /* the smallest; differs when a run had fewer threads alive */
  uint32_t asked_threads; /* OMP_NUM_THREADS; 0: not set, or not alike in all runs */
  uint32_t processors;    /* that the program could use; the fewest of its runs */
  uint32_t run_first;     /* runs[run_first .. run_first + run_count - 1] */
  uint32_t run_count;
  uint32_t cut_short; /* of these, how many were killed or still go on: their times say little */
};

/** A row at a point. */
struct hd_compared {
  uint32_t runs;      /* repeats in which it occurs; 0: in none, and nothing below is filled */
  uint32_t run;       /* the median one: index into the comparison's runs */
  uint64_t calls;     /* in that run: a region's instances; how often one thread came to a construct, at most */
  double *seconds;    /* by repeat in which it occurs; `runs` of them */
  int64_t time_ticks; /* elapsed; a construct's: thread time spent in it / threads, rounded down */
  double time_s;
  struct hd_interval time_interval;
  struct hd_losses losses; /* of that run, in common ticks */
  double busy_concurrency; /* busy / elapsed */

  /* Against the baseline; only if `matched`: the row occurs there, too. */
  bool matched;
  int64_t lost_ticks[HD_LOSS_COUNT]; /* thread ticks, more than in the baseline; add up to lost_total_ticks */
  int64_t lost_total_ticks;
  double lost_s[HD_LOSS_COUNT]; /* the same / threads: wall seconds */
  double lost_total_s;
  struct hd_interval lost_total_interval;
  /* Thread time here, at most, in which waits may count as work or as other waits: the events that would tell were
   * switched off (the budget). `causes_unknown`: here or at the baseline for so long that another cause may be the
   * largest. */
  uint64_t untold_ticks;
  uint32_t marks; /* enum hd_mark: of the numbers here */
  bool causes_unknown;
  enum hd_loss main_cause; /* the largest; HD_LOSS_COUNT: nothing was lost, or causes_unknown */
  double speedup;          /* time at the baseline / time here */
  struct hd_interval speedup_interval;
  double efficiency; /* capacity of the baseline / capacity here */
  struct hd_interval efficiency_interval;
  double work_efficiency; /* busy time of the baseline / busy time here */
  bool noise_known;       /* there are enough repeats here and in the baseline */
  bool in_noise;          /* then: lost_total_interval has 0 in it */
};

enum hd_compared_kind {
  HD_COMPARED_PROGRAM,
  HD_COMPARED_OUTSIDE,  /* outside all regions */
  HD_COMPARED_REGION,   /* in no other */
  HD_COMPARED_NESTED,   /* region in another */
  HD_COMPARED_CONSTRUCT /* worksharing in a region */
};

struct hd_compared_row {
  enum hd_compared_kind kind;
  uint32_t parent;        /* row; the region it is in; HD_NONE: in none */
  uint32_t united;        /* the first of its callpaths: for its name and place; the program and what is outside: 0 */
  struct hd_compared *at; /* by point */
  struct hd_scaling scaling; /* HD_COMPARE_SCALING; points are in `at` */
  struct hd_scaling_point *scaling_points;
  double weight_s; /* what rows are sorted by, largest first: the most wall seconds lost (or gained) at any point */
};

struct hd_comparison {
  struct hd_compare_options options;
  struct hd_model **models; /* of the runs, in their order */
  struct hd_united *united;
  double seconds_per_tick; /* of the common clock */
  struct hd_run *runs;     /* in the order of points */
  uint32_t run_count;
  struct hd_point *points;
  uint32_t point_count;
  struct hd_compared_row *rows; /* 0: the program; 1: outside; then regions, each followed by what is in it */
  uint32_t row_count;
  uint32_t *row_of; /* by united node: the row whose time it is, itself or as part; HD_NONE: the program's own */
  bool *heads;  /* by united node: its inclusive numbers are part of the row's; false: they are in those of one above */
  bool by_name; /* callpaths were matched by name */
  /* Serial time of the baseline: outside regions and in `single` and `masked`, ticks; what Amdahl's bound is made of.
   */
  int64_t serial_ticks;
  struct hd_strings notes; /* what cannot be compared, in words */
};

/**
 * Compares at least two runs; with HD_COMPARE_SCALING of at least two thread counts, with HD_COMPARE_SIDES of at least
 * two sides. NULL: `error` holds one line that says why not, without a newline. Free with hd_comparison_free().
 */
struct hd_comparison *hd_comparison_new(const struct hd_compare_input *inputs, size_t count,
                                        const struct hd_compare_options *options, char *error, size_t error_bytes);
void hd_comparison_free(struct hd_comparison *comparison);

/** Whether a run's node is one whose inclusive numbers a row is the sum of. */
bool hd_comparison_is_of_row(const struct hd_comparison *comparison, uint32_t run, uint32_t node, uint32_t row);

/** Karp and Flatt's serial fraction from a speedup with p threads against one; NaN: not defined. */
double hd_karp_flatt(double speedup, uint32_t threads, uint32_t baseline_threads);

/** Amdahl's bound: the largest speedup with p threads (0: any number) if the serial time stays and the rest is divided.
 */
double hd_amdahl_bound(const struct hd_comparison *comparison, uint32_t threads);

#endif
