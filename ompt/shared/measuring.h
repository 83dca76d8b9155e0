/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file measuring.h
 * What the whole tool shares: the profile, and whether and how it is measured. tool.c fills it in at start.
 */
#ifndef HEDDLE_OMPT_SHARED_MEASURING_H
#define HEDDLE_OMPT_SHARED_MEASURING_H

#include <omp-tools.h>
#include <stdbool.h>
#include <stdint.h>

#include "store/store.h"
#include "support/inside.h"

struct hd_measuring {
  ompt_get_thread_data_t get_thread_data;
  ompt_get_task_info_t get_task_info; /* of the calling thread, as the next; both may be NULL */
  ompt_get_state_t get_state;
  void (*start_in_child)(void);  /* in a forked child: starts measuring it, once; else NULL */
  void (*connect_markers)(void); /* set when the library is loaded: hands the program's markers their functions */
  /* when functions with sleds could be measured: measures one more, by its address in the program's file. False: there
   * is none that can be. One thread at a time */
  bool (*measure_routine)(uint64_t address);
  int pid;                       /* of the process that is measured */
  bool started;                  /* it was tried, with or without success */
  bool hears_routines;           /* likewise; and not while the measurement is dormant */
  bool is_on;
  bool is_exiting;      /* the program's exit handlers run */
  bool needs_libgomp;   /* built by GCC, and run on libomp through its GOMP entry points */
  bool has_gcc_regions; /* regions may come through those; likewise in a test's runtime, which nothing is linked to */
  bool has_routines;    /* instrumented routines can tell of their entries and exits */
  bool unwinds;         /* calling routines of regions are looked for */
  bool keeps_order;     /* logs or traces say what must run one after the other (thread/order.h), */
  bool keeps_locks;     /* who gets a lock and gives it back, */
  bool keeps_waits;     /* and who waits for it */
  uint32_t logged_order; /* bits of enum hd_order: of these logs do */
  uint64_t start_ticks; /* what its start took */
};
extern HD_INSIDE struct hd_measuring hd_measuring;

/** `hears_routines`: a dormant measurement begins while threads ask. */
static inline bool hd_measuring_hears_routines(void) {
  return __atomic_load_n(&hd_measuring.hears_routines, __ATOMIC_ACQUIRE);
}
extern HD_INSIDE struct hd_store hd_store; /* the profile */

/** False before initialize, after finalize and in a forked child that has not begun. One system call: cold paths only.
 */
bool hd_measuring_is_on(void);

#endif
