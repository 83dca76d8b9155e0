/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file chain.h
 * Chains of busy time that ran one after the other: how long each is, in which profiles it was spent, and how often it
 * went on from one profile in another.
 *
 * A chain is a piece that goes on where its parent ends. Chains that have a past in common share it, so a fork, a
 * barrier or a lock's hand-over copies nothing. A piece that only one chain still goes on from becomes one with it: so
 * there are at most twice as many pieces as there are holders, however long the program runs. Putting two pieces
 * together adds the smaller one's profiles to the larger one's.
 *
 * Slack: where a holder goes on from the longer of two chains, the shorter one could have been longer by the
 * difference. That holds for all pieces that lead there alone; what more could be done for a piece, because the longer
 * one is itself not the longest in the end, is not known. A piece that becomes one with another has the smaller slack
 * of the two. So what is noted of a profile is never more than it really had.
 *
 * Not thread-safe: the caller has the sweep's lock. Memory comes from the heap.
 */
#ifndef HEDDLE_SWEEP_PATH_CHAIN_H
#define HEDDLE_SWEEP_PATH_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

/** Time in a profile, in which the chain came from another one. */
struct hd_chain_part {
  uint32_t profile; /* + 1; 0: free */
  uint32_t from;    /* HD_NONE: the chain begins with it */
  uint64_t ticks;
  uint64_t count;   /* so often */
  uint64_t changes; /* of them, from another thread */
};

struct hd_chain {
  struct hd_chain *parent;      /* NULL: it is the first piece */
  struct hd_chain *first;       /* of those that go on from it */
  struct hd_chain *next, *back; /* that go on from the same one */
  uint64_t ticks;               /* from the chain's begin to its end */
  uint32_t from, last, thread;  /* where it has come to: the last profile, the one before it, and who ran it; HD_NONE */
  struct hd_chain_part *parts;  /* a hash table with open addressing; NULL: empty */
  uint32_t part_limit;
  uint32_t part_count;
  uint32_t holders; /* other than pieces that go on from it */
  uint64_t slack;   /* by so much at least it could have been longer without any other chain's being so. HD_NO_SLACK */
};

/** No longer chain has gone on without it so far. */
#define HD_NO_SLACK UINT64_MAX

/** Begins as {0}. */
struct hd_chain_pool {
  bool has_failed; /* there was no memory for all of it */
  /* By profile: the least slack + 1 of pieces that are gone; 0: there was none that a longer chain went on without. */
  uint64_t *slacks;
  uint32_t slack_limit;
};

/** A new chain of no length, for one holder. NULL: no memory. */
struct hd_chain *hd_chain_begin(struct hd_chain_pool *pool);

/** Another holder; NULL is one of no length. Returns `chain`. */
struct hd_chain *hd_chain_hold(struct hd_chain *chain);
void hd_chain_release(struct hd_chain_pool *pool, struct hd_chain *chain);

/** The holder's chain goes on for so long in this profile, on this thread: as a piece of its own, if others know it as
 *  it was. */
void hd_chain_add(struct hd_chain_pool *pool, struct hd_chain **own, uint32_t profile, uint32_t thread, uint64_t ticks);

/** A chain of one piece that has all parts of this one, for one holder. NULL: no memory. */
struct hd_chain *hd_chain_whole(struct hd_chain_pool *pool, const struct hd_chain *chain);

/** The holder goes on from the other chain, if that is longer. The shorter one has slack. */
void hd_chain_take_longer(struct hd_chain_pool *pool, struct hd_chain **own, struct hd_chain *other);

/** The same where the shorter one's holder will compare it with the longest of all. */
void hd_chain_keep_longer(struct hd_chain_pool *pool, struct hd_chain **own, struct hd_chain *other);

/** The chain could have been longer by so much. NULL is one of no length. */
void hd_chain_note_slack(struct hd_chain *chain, uint64_t ticks);

/** What is noted of a profile. HD_NO_SLACK: nothing. */
uint64_t hd_chain_slack_of(const struct hd_chain_pool *pool, uint32_t profile);

static inline uint64_t hd_chain_ticks(const struct hd_chain *chain) {
  return chain ? chain->ticks : 0;
}

#endif
