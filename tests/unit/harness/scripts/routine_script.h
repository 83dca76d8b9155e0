/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file routine_script.h
 * Scripts with routines on libomp 19: what the tests of routines, their entries and recursion say again and again.
 */
#ifndef HEDDLE_TESTS_ROUTINE_SCRIPT_H
#define HEDDLE_TESTS_ROUTINE_SCRIPT_H

#include "expect.h"
#include "script.h"

#define MAIN SITE(ROUTINE, 0x1000)
#define A SITE(ROUTINE, 0x1100)
#define B SITE(ROUTINE, 0x1200)
#define REGION SITE(PARALLEL, 0x100)
#define TASK SITE(TASK, 0x500)

/* Of the thread whose turn it is. */
static inline void rs_enter(uint64_t function, uint64_t time) {
  sc_at(time);
  sc_routine_enter(function);
}

static inline void rs_leave(uint64_t function, uint64_t time) {
  sc_at(time);
  sc_routine_exit(function);
}

/* The initial thread, in no routine. */
static inline void rs_begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
}

static inline struct hd_model *rs_play(const struct fk_options *options) {
  fk_sort(sc_script());
  return ex_play_exact(options);
}

/* The program ends; the model. */
static inline struct hd_model *rs_finish(uint64_t time, const struct fk_options *options) {
  sc_at(time);
  sc_thread(0);
  sc_finish();
  return rs_play(options);
}

/* The same in main, from 1 on. */
static inline void rs_begin_in_main(void) {
  rs_begin();
  rs_enter(0x1000, 1);
}

static inline void rs_finish_in_main(uint64_t time) {
  sc_at(time);
  sc_thread(0);
  sc_routine_exit(0x1000);
  sc_finish();
}

/* A team of threads 0 and 1, both busy from `time` on; and its end. */
static inline void rs_fork_two(uint64_t time) {
  sc_thread(0);
  sc_at(time);
  sc_fork(0x100, 2, 1, time);
}

static inline void rs_join_two(uint64_t worker_arrives, uint64_t time) {
  sc_thread(1);
  sc_at(worker_arrives);
  sc_join_begin();
  sc_thread(0);
  sc_join(time, time, time);
}

#endif
