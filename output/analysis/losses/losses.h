/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file losses.h
 * Where a run's thread time went: what was work, and why the rest was not.
 *
 * A run with p threads has p * elapsed of thread time at hand, its *capacity*. p is the largest number of OpenMP
 * threads that were alive at the same time, or the number that OMP_NUM_THREADS asked for if that is more: threads that
 * were asked for and never came are lost, too. Capacity = busy + the sum of all losses, to the tick, because what no
 * event accounts for is one of them (HD_LOSS_SERIAL). All numbers are ticks of the run's clock.
 *
 * While the process waits in MPI outside all regions, its other threads lose that time to MPI, too.
 *
 * How waits at implicit barriers are divided: losses_barriers.c.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_LOSSES_H
#define HEDDLE_OUTPUT_ANALYSIS_LOSSES_H

#include "output/analysis/losses/causes.h"
#include "output/model/model.h"

/** Thread ticks: capacity == busy + sum of lost. A loss is negative only where clocks of processors differ by ticks. */
struct hd_losses {
  int64_t capacity;
  int64_t busy;
  int64_t lost[HD_LOSS_COUNT];
};

struct hd_loss_book {
  const struct hd_model *model;
  uint32_t threads;       /* p */
  uint32_t asked_threads; /* OMP_NUM_THREADS, its first number; 0: not set */
  uint32_t alive_threads; /* the most at once */
  struct hd_losses program;
  struct hd_losses *inclusive; /* by node, with those below. Regions that are in no other: capacity is p * elapsed;
                                  everything else: the thread time spent there, idle threads of nested teams included */
  struct hd_losses *own;       /* by node, without those below, and without what nothing accounts for */
  uint8_t *place;              /* by node, enum hd_loss_place */
  bool recursive;              /* callpaths lead from regions back to routines outside of them: what ran there counts as
                                  outside, and regions of these routines as nested */
};

enum hd_loss_place {
  HD_PLACE_OUTSIDE, /* in no region: the program, phases, routines */
  HD_PLACE_REGION,  /* a region that is in no other */
  HD_PLACE_NESTED,  /* a region in another */
  HD_PLACE_INSIDE   /* anything else in a region */
};

/** Of a node, from its parent's place. */
enum hd_loss_place hd_loss_place_of(enum hd_kind kind, enum hd_loss_place above);

/** How many threads were alive at the same time, at most; those that never did anything do not count. */
uint32_t hd_losses_count_alive(const struct hd_model *model);

/** Whether they were more than the processors. False of a sum of runs, in which all threads end together: it does not
 *  say which lived at the same time. */
bool hd_losses_have_too_many_threads(const struct hd_model *model);

/** The model must outlive the book. */
struct hd_loss_book *hd_loss_book_new(const struct hd_model *model);
void hd_loss_book_free(struct hd_loss_book *book);

/** Thread time in MPI outside all regions. */
uint64_t hd_losses_mpi_outside(const struct hd_loss_book *book);

/** to += factor * from. */
void hd_losses_add(struct hd_losses *to, const struct hd_losses *from, int64_t factor);

/** += : damaged files may hold any numbers, sums wrap around. */
static inline void hd_losses_plus(int64_t *to, uint64_t ticks) {
  *to = (int64_t)((uint64_t)*to + ticks);
}

/** losses_barriers.c: divides every node's wait at implicit barriers among the causes, into book->inclusive. */
void hd_losses_divide_barriers(struct hd_loss_book *book);

#endif
