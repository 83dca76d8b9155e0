/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file seat.h
 * What the library and the program that plays its threads have in common. The library comes as one of two shared
 * objects: `played`, libheddle.so's own objects, and `traced`, the same sources with every access to memory reported
 * (the compiler's -fsanitize=thread, with traced.c in the place of the sanitizer), and with a clock of their own: the
 * time of the thread that is played, which goes on with what the library does.
 *
 * Both export simulation_seat. The other objects below are exported by `traced` alone.
 */
#ifndef HEDDLE_BENCHMARKS_SIMULATION_SEAT_H
#define HEDDLE_BENCHMARKS_SIMULATION_SEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PS_OF_NS 1000

enum { PS_OF_TICK_BITS = 8, LINE_BYTES = 64, FEW_LINES = 8, PRIVATE_RANGES = 4, RUNTIME_RANGES = 4 };

/** What one callback has done. */
struct act {
  uint64_t begin_ps;      /* time of its thread */
  uint64_t accesses;      /* to memory other than the stack; a look at the clock counts as one */
  uint64_t lines;         /* that another thread had written last */
  uint64_t runtime_lines; /* of these, the runtime's: the words that it keeps for the tool */
  uint64_t takes;         /* lines of its own that others had read since */
  uint64_t interrupts;    /* of all other threads: membarrier(2) */
  uint64_t waited_ps;     /* for a lock that another thread holds */
};

/** What that costs. */
struct costs {
  uint64_t access_ps; /* each of the first `usual` accesses, what the callback does as a rule */
  uint64_t usual;
  uint64_t further_ps;   /* each of the others: what it does for many events or threads */
  uint64_t line_ps;      /* each of the first FEW_LINES: one has to come before the next is asked for */
  uint64_t lines_ps;     /* each of the others: of many in a row several are on their way at once */
  uint64_t interrupt_ps; /* for the thread that causes it */
};

static inline uint64_t act_cost_ps(const struct act *act, const struct costs *costs) {
  const uint64_t usual = act->accesses < costs->usual ? act->accesses : costs->usual;
  const uint64_t few = act->lines < FEW_LINES ? act->lines : FEW_LINES;
  return usual * costs->access_ps + (act->accesses - usual) * costs->further_ps + few * costs->line_ps +
         (act->lines - few) * costs->lines_ps + act->interrupts * costs->interrupt_ps + act->waited_ps;
}

struct range {
  uintptr_t begin, end;
};

struct traced {
  uint32_t thread; /* the one that is played */
  struct act act;
  struct costs costs;
  struct range own[PRIVATE_RANGES];     /* each thread has its own of these, but here they share one: the stack */
  struct range runtime[RUNTIME_RANGES]; /* the runtime's words */
  /** Another thread had written `address`, and now `place` in the code reads (or writes) it. May be NULL. */
  void (*on_line)(const void *address, const void *place, bool is_runtimes);
};

/** `traced`: extern struct traced simulation_traced. */

/** Where the library keeps the calling thread's record: the player changes threads by exchanging what is there. */
void **simulation_seat(void);

#endif
