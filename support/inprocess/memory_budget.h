/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file memory_budget.h
 * How much memory Heddle takes inside the program: the profile's file, its own heap (heap.h) and the copy of its
 * variables (pristine.h), counted to the byte as the system hands it out, against a limit that grows with every thread.
 *
 * Beyond the limit heap and store refuse. To keep away from it, code that can do without a thing asks first whether
 * there is room for it: the nearer the limit, the fewer kinds of things get room (enum hd_memory_use). The rest is kept
 * for what complete numbers need: every callpath will need its tallies, every row its entries (hd_memory_promise),
 * every thread a row to charge its time to.
 *
 * Any thread, no locks. Nothing is limited before hd_memory_limit, and in the command never.
 */
#ifndef HEDDLE_SUPPORT_INPROCESS_MEMORY_BUDGET_H
#define HEDDLE_SUPPORT_INPROCESS_MEMORY_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/settings.h"

enum {
  HD_MEMORY_LEAST = 320 << 10, /* what is always there: smaller limits count as this */
  HD_MEMORY_THREAD = 64 << 10
};

/** What room is for, the most dispensable first. */
enum hd_memory_use {
  HD_MEMORY_ORDER,      /* what has to wait for what (sweep/path/path.h) */
  HD_MEMORY_PATH,       /* a callpath of more than two sites; the calling routines of one */
  HD_MEMORY_PATH_ROW,   /* a thread's numbers for one that is there; whatever makes it faster to find them */
  HD_MEMORY_SHORT_PATH, /* a callpath of two sites and a thread's numbers for it */
  HD_MEMORY_SITE,       /* likewise of one */
  HD_MEMORY_USES
};

/** What becomes due later, when transitions are swept. */
enum hd_memory_due {
  HD_MEMORY_TALLY,  /* of a callpath */
  HD_MEMORY_TOTAL,  /* of a region, a worksharing construct or a barrier, for one team size */
  HD_MEMORY_LEVELS, /* of a tally, for a few levels; as many as there are threads may come */
  HD_MEMORY_ENTRY,  /* of a thread into a callpath */
  HD_MEMORY_COUNTS, /* of a thread in a callpath */
  HD_MEMORY_STACK,  /* of a thread that is in routines */
  HD_MEMORY_DUES
};

/** From now on `bytes` and HD_MEMORY_THREAD for each thread are the limit. Before there are threads. */
void hd_memory_limit(uint64_t bytes);

/** Keeps these up to date: the profile's header. Without a limit that is 0. */
void hd_memory_show(uint64_t *limit, uint64_t *used);

/** Another thread is measured. */
void hd_memory_add_thread(void);

/** Counts memory that the system is about to give, or got back. False: it is too much, and was not counted. */
bool hd_memory_take(size_t bytes);
void hd_memory_take_surely(size_t bytes); /* even if it is */
void hd_memory_give(size_t bytes);

/** Memory of so many bytes that the limit does not bound: it grows by them, or shrinks when they are taken back. */
void hd_memory_grant(size_t bytes);
void hd_memory_take_back(size_t bytes);

/** Only the limit grows, for who takes them later; or shrinks again. */
void hd_memory_allow(size_t bytes);
void hd_memory_disallow(size_t bytes);

/** Whether there is room for so many bytes of this use. What is then taken may be a little more. */
bool hd_memory_has_room(enum hd_memory_use use, size_t bytes);

/** Promises room for `count` of these; or takes one promise back, because the thing is there now. */
void hd_memory_promise(enum hd_memory_due what, uint32_t count);
void hd_memory_keep_promise(enum hd_memory_due what);

/** What one set of counts takes; 0 while nothing is counted. */
void hd_memory_set_counts_bytes(size_t bytes);

#endif
