/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file mpi_calls.h
 * What threads do in MPI, as wrappers of its functions tell (mpi/calls.h): they wait there, in a profile of the call,
 * below the routines that led to it.
 */
#ifndef HEDDLE_OMPT_MPI_CALLS_H
#define HEDDLE_OMPT_MPI_CALLS_H

#include "mpi/calls.h"

/** `calls` tells this library from now on. NULL: no wrappers are there. */
void hd_mpi_calls_connect(struct heddle_mpi_calls *calls);

#endif
