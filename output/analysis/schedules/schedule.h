/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file schedule.h
 * How long a loop takes under a schedule, from what its iterations cost: threads and chunks as libomp deals them out.
 *
 *     static         blocks of iterations, one for each thread: the first ones have one iteration more
 *     static, c      chunks of c, by turns
 *     dynamic, c     each thread has a block of chunks of c; who has none left takes a quarter of what another has not
 *                    begun, or one chunk if that is 7 or fewer: libomp's "static steal", which is what
 * schedule(dynamic) is when clang compiles it. With fewer chunks than threads, and where order matters (monotonic; also
 * OMP_SCHEDULE=dynamic): one chunk after the other, whoever comes first guided, c      of the r iterations that are
 * left r / (2 threads), whoever comes first; chunks of c once r is less than 2 threads (c + 1), or from the beginning
 * in loops of at most threads (2 c + 1)
 *
 * Times are in any unit, but all in the same.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_SCHEDULE_H
#define HEDDLE_OUTPUT_ANALYSIS_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

/** What a loop's iterations cost: in each part of them all the same. */
struct hd_cost_curve {
  uint32_t parts;
  uint64_t *begin; /* parts + 1, ascending: the first iteration of each; begin[parts]: how many iterations there are */
  double *before;  /* parts + 1: what all iterations before that cost */
};

/** Room for a curve of so many parts, to be filled. */
struct hd_cost_curve hd_curve_new(uint32_t parts);
void hd_curve_free(struct hd_cost_curve *curve);

/** The iterations of one instance of the loop, and what all of them cost. */
uint64_t hd_curve_iterations(const struct hd_cost_curve *curve);
double hd_curve_all(const struct hd_cost_curve *curve);

/** What the iterations before this one cost; it may lie between two. */
double hd_curve_before(const struct hd_cost_curve *curve, double iteration);

enum hd_schedule_kind {
  HD_SCHEDULE_STATIC,
  HD_SCHEDULE_DYNAMIC,   /* with stealing */
  HD_SCHEDULE_MONOTONIC, /* dynamic, in order */
  HD_SCHEDULE_GUIDED
};

struct hd_schedule {
  enum hd_schedule_kind kind;
  uint64_t chunk; /* iterations; 0: static, in blocks */
};

static inline bool hd_schedule_is_dynamic(const struct hd_schedule *schedule) {
  return schedule->kind == HD_SCHEDULE_DYNAMIC || schedule->kind == HD_SCHEDULE_MONOTONIC;
}

enum { HD_SCHEDULE_BYTES = 48 };

/** "static", "dynamic,8", "guided" (in chunks of 1 at least). */
void hd_schedule_text(char text[HD_SCHEDULE_BYTES], const struct hd_schedule *schedule);

/** One instance of a loop. */
struct hd_schedule_run {
  double longest;  /* from the begin to the end of the thread that takes longest */
  double handed;   /* part of all threads' time in which they got chunks */
  uint64_t chunks; /* that were handed out; 0: none is */
};

/** `threads`: 1 or more. `chunk_cost`: the time that a thread takes to get a chunk. */
struct hd_schedule_run hd_schedule_simulate(const struct hd_cost_curve *curve, const struct hd_schedule *schedule,
                                            uint32_t threads, double chunk_cost);

#endif
