/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-locks.h
 * Who held what others waited for: critical sections, locks, ordered and atomic. Part of heddle-format.h.
 *
 * The sweep sees all waits, acquisitions and releases in the order of time, if that was asked for, and divides each
 * wait: a thread held the lock meanwhile, and had got it in some callpath; or nobody held it, between a release and the
 * next acquisition (hand-over); or nobody held it, and nobody waited when it was last released (free: what the runtime
 * takes to give it). What is left of the time of a callpath's waits is not known. Written when the profile is closed:
 * nothing of it outlives a program that is killed.
 */
#ifndef HEDDLE_LOCKS_H
#define HEDDLE_LOCKS_H

#include <stdint.h>

/** `hd_file_header.lock_flags`. */
enum hd_lock_flag {
  HD_LOCKS_ASKED = 1u << 0, /* the sweep follows them */
  HD_LOCKS_KNOWN = 1u << 1  /* their records are written */
};

/** Of a callpath: what its threads waited for, and what they held. Ticks of its waits are thread time. */
struct hd_lock_record {
  uint32_t profile;
  uint32_t reserved;
  uint64_t waits;          /* begun; a test that failed is none */
  uint64_t handover_ticks; /* of its waits: between a release while somebody waited and the next acquisition */
  uint64_t free_ticks;     /* of its waits: nobody held it, nor waited for it when it was last released */
  uint64_t handovers;      /* of its waits: so many ended with a hand-over */
  uint64_t delay_ticks;    /* from the release to the acquisition, of those */
  uint64_t hold_ticks;     /* from acquisition in this callpath to release, or to the next one's acquisition */
  uint64_t holds;          /* acquisitions */
  uint64_t elsewhere;      /* of them, another thread released it */
};

/** Of its waits: the lock was held, and its holder had got it in callpath `holder`. */
struct hd_lock_pair_record {
  uint32_t profile;
  uint32_t holder;
  uint64_t ticks;
  uint64_t count; /* holds that were waited for, once for each wait */
};

#endif
