/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file calls.h
 * What the wrappers of MPI's functions and libheddle.so know of each other.
 *
 * A thread in MPI mostly waits: for a message, for other ranks. OMPT tells nothing of that. libheddle-openmpi.so and
 * libheddle-mpich.so, the same source compiled for one MPI library each, stand in front of it, as MPI's profiling
 * interface (PMPI) provides: they tell libheddle.so before and after each call that communicates, synchronizes, or does
 * input and output. `heddle run` preloads the one that the program needs. libheddle.so itself knows nothing of MPI.
 */
#ifndef HEDDLE_MPI_CALLS_H
#define HEDDLE_MPI_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a call is for. Append only. */
enum heddle_mpi_kind {
  HEDDLE_MPI_POINT_TO_POINT, /* also waits for requests, whatever has begun them */
  HEDDLE_MPI_COLLECTIVE,
  HEDDLE_MPI_ONE_SIDED,
  HEDDLE_MPI_IO,
  HEDDLE_MPI_OTHER /* initialisation, end, communicators, windows, ... */
};

/** The thread goes into a function of MPI, whose name must stay where it is. `caller`: where the function returns to.
 *  Returns what the end is to say; 0: the call is not observed, or it is part of another one. */
typedef uint32_t heddle_mpi_begin(enum heddle_mpi_kind kind, const char *function, const void *caller);

/** It is back. `bytes`: of the buffers that the call's arguments named. Not called if the begin returned 0. */
typedef void heddle_mpi_end(uint32_t begun, uint64_t bytes);

/** This rank's part in the one file of a job (reduction.h). What it points to stays. */
struct heddle_mpi_job {
  const char *command; /* the `heddle` that reads profiles */
  const char *profile; /* this process's, as it is now; NULL: it has none, or must not start or write anything */
  uint64_t wait_s;     /* that a rank waits for the others */
  bool all_ranks;      /* the file has each rank's time in each place */
  /** Saves what is in an open file under the job's name, or a free one like it, which `path` gets. False: errno. */
  bool (*save)(int file, char *path, size_t bytes);
  /** The job's file, which rank 0 knows by that name, has this process's part: its own profile is not needed. */
  void (*settle)(const char *path);
  void (*say)(const char *text); /* on stderr */
};

/** NULL: nobody asked for one file. */
typedef const struct heddle_mpi_job *heddle_mpi_find_job(void);

/** Exported by the wrappers under HEDDLE_MPI_CALLS. All NULL until libheddle.so, which measures, sets them: `begin`
 *  last. */
struct heddle_mpi_calls {
  heddle_mpi_begin *begin;
  heddle_mpi_end *end;
  heddle_mpi_find_job *find_job;
};

/** Ends with the number of this interface: a libheddle.so of another one finds nothing, and goes on without. */
#define HEDDLE_MPI_CALLS "heddle_mpi_calls_2"

#endif
