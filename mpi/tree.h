/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tree.h
 * The binomial tree over the ranks of a job, in which each passes what it has to its parent, and rank 0 gets all; and
 * the pieces of what it passes. A rank's parent lacks its lowest bit: the tree is as deep as a rank has bits.
 */
#ifndef HEDDLE_MPI_TREE_H
#define HEDDLE_MPI_TREE_H

#include <stdint.h>

/** More children than any rank has. */
enum { HD_TREE_CHILDREN = 31 };

/** Of a rank other than 0. */
static inline int hd_tree_parent(int rank) {
  return rank & (rank - 1);
}

/** The first, second, ... child of a rank, by `which` from 0 on: those with fewer ranks below them first. -1: it has no
 *  such child. */
static inline int hd_tree_child(int rank, int ranks, int which) {
  const int64_t step = INT64_C(1) << which;
  const int64_t child = rank + step;
  return rank % (2 * step) == 0 && child < ranks ? (int)child : -1;
}

/** A message has at most so many bytes: MPI counts them in an int. */
#define HD_PIECE_BYTES ((uint64_t)1 << 30)

/** Bytes of the next message, when `done` of `bytes` have been sent. */
static inline int hd_piece_bytes(uint64_t bytes, uint64_t done) {
  const uint64_t left = bytes - done;
  return (int)(left < HD_PIECE_BYTES ? left : HD_PIECE_BYTES);
}

#endif
