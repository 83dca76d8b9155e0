/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file wrap.h
 * What a wrapper does before and after the function behind it.
 *
 * That function is the next one of the same name, as other tools provide it, or else MPI's. It is looked up at its
 * first call (entry/target.h), not linked: the library also gets into processes without MPI, as a shell that starts the
 * program, and interpreters open MPI where only the modules that need it see it.
 */
#ifndef HEDDLE_MPI_WRAP_H
#define HEDDLE_MPI_WRAP_H

#include "entry/target.h"
#include "mpi/bytes.h"
#include "mpi/calls.h"
#include "mpi/reduction.h"

extern struct heddle_mpi_calls heddle_mpi_calls_2;

/** 0: nobody measures, or the call is not observed. */
static inline uint32_t hd_mpi_begin(enum heddle_mpi_kind kind, const char *function, const void *caller) {
  heddle_mpi_begin *const begin = __atomic_load_n(&heddle_mpi_calls_2.begin, __ATOMIC_ACQUIRE);
  return begin ? begin(kind, function, caller) : 0;
}

/** What is to be done in a call before the function behind it: known when this is compiled. */
static inline void hd_mpi_prepare(const char *function, const void *caller) {
  if (__builtin_strcmp(function, "MPI_Finalize") == 0)
    hd_reduction_run(caller);
}

#endif
