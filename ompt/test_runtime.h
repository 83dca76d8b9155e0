/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_runtime.h
 * The only place that knows of the tests' runtime (fake_ompt.c in tests/unit/harness). It offers entry points that
 * no other runtime has. Through them a test keeps a clock of its own, so its numbers are exact.
 */
#ifndef HEDDLE_OMPT_TEST_RUNTIME_H
#define HEDDLE_OMPT_TEST_RUNTIME_H

#include <omp-tools.h>
#include <stdbool.h>
#include <stdint.h>

#include "counters/sample_ring.h"
#include "entry/entries.h"
#include "mpi/calls.h"

struct hd_test_runtime {
  const uint64_t *clock;           /* NULL, as all that follows: this is no test */
  void (*advance)(uint64_t ticks); /* lets the clock's time pass */
  struct heddle_entries *entries;  /* its entry points, as libheddle-entry.so tells of a real one's */
  struct heddle_mpi_calls *mpi_calls; /* likewise of wrappers of MPI */
  const bool *is_exiting;          /* the runtime ends with its program */
  bool has_gcc_regions;            /* it plays GCC-built code */
  hd_sample_opener *open_samples;  /* it plays the kernel that samples */
};
extern struct hd_test_runtime hd_test_runtime;

/** Asks the runtime; without one (NULL) the program, which then has the clock. */
void hd_test_runtime_find(ompt_function_lookup_t lookup);

#endif
