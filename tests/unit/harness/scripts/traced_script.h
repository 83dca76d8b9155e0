/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file traced_script.h
 * A region of two threads, for tests of traces.
 */
#ifndef HEDDLE_TESTS_TRACED_SCRIPT_H
#define HEDDLE_TESTS_TRACED_SCRIPT_H

#include "script.h"

/** A worker arrives first, joins the primary, and idles from the join on. Busy: one thread to 100, none to 110, both to
 *  150, one to 170, none to 190, one to 200. */
static inline void sc_traced_region(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_at(100);
  sc_fork(0x1000, 2, 1, 110);
  sc_thread(1);
  sc_at(150);
  sc_join_begin();
  sc_thread(0);
  sc_at(170);
  sc_join(170, 180, 190);
  sc_at(200);
  sc_finish();
}

#endif
