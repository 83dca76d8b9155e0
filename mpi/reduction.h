/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file reduction.h
 * One file of a job, made by its ranks when they end.
 *
 * In MPI_Finalize, before MPI's own: each rank makes a part of the job's file from its own profile (part.h). When all
 * ranks have come, they pass the parts up a tree (tree.h), each joining its children's with its own, and rank 0 saves
 * what has become of them. Then it tells all, which give up their profiles.
 *
 * A rank may have no wrappers, or never come: nobody waits without a limit. Up to the moment in which all are known to
 * have come, there is nothing but one non-blocking collective call on MPI_COMM_WORLD. It is the last there of those who
 * make it, and so meets none of the program's; and no message of a program that still runs can be mistaken for one of
 * ours. What follows has a communicator of its own. Every wait ends at a deadline; who gives up goes on to MPI's end,
 * and keeps its profile.
 */
#ifndef HEDDLE_MPI_REDUCTION_H
#define HEDDLE_MPI_REDUCTION_H

/** In the thread that called MPI_Finalize, from `caller`. Once; nothing if nobody asked for one file. */
void hd_reduction_run(const void *caller);

#endif
