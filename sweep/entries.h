/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file entries.h
 * Who was called in which state of the program: takes transitions, in the order of time, for what they say besides of
 * entries, calls and returns.
 *
 * An entry is concurrent when another thread was busy just before it. Only the sweep can tell, which knows what all
 * threads did until then. For routines it also keeps in which state their caller was entered, and for how long a thread
 * was in them: the data of Malony's cprof (1987). Its cases are S-S, S-C and C-S, since a loop of the Alliant FX/8
 * could not turn concurrent inside another; here C-C occurs too.
 *
 * For this every ring has a stack of the routines, explicit tasks and regions that its thread is in. A routine's caller
 * is the innermost routine or task on that stack. A worker's stack is empty when it joins a team: its caller is then
 * the one on the primary's stack when the region began.
 *
 * Used by the library's sweep while the program runs and by the reader for what was left; all numbers live in records
 * of the profile file. Not thread-safe: the caller has the sweep's lock. A routine's call costs one look-up in a hash
 * table, and the return from it another; all entries of another profile in a window cost one.
 */
#ifndef HEDDLE_SWEEP_ENTRIES_H
#define HEDDLE_SWEEP_ENTRIES_H

#include <stdbool.h>

#include "heddle-format.h"
#include "sweep/journal.h"

struct hd_entry_ring {
  const struct hd_ring_sweep *sweep;
  struct hd_stack_record **stack; /* [level / HD_STACK_LENGTH]; NULL: no space */
  uint32_t stack_limit;           /* entries of `stack` */
  struct hd_entry_region {
    uint32_t level;       /* of the stack */
    uint8_t own;          /* enum hd_entry_state: in which its workers' calls have their caller */
  } *regions;             /* that have begun, in order; beyond the open ones, the last that had as many around them */
  uint32_t region_count;  /* that are open */
  uint32_t regions_known; /* entries of `regions` that are in use */
  uint32_t region_limit;  /* entries of `regions` */
  bool restored;          /* the stack is a file's, its regions are not known yet */
};

struct hd_entry_book {
  struct hd_journal *journal;
  struct hd_file_header *header;  /* what could not be kept is counted here */
  struct hd_entry_record **slots; /* hash table by thread and profile; NULL: free */
  uint32_t mask;                  /* slots - 1 */
  uint32_t count;                 /* records */
  struct hd_entry_record *newest; /* that was looked for: often it is the next one, too */
  struct hd_entry_ring *rings;    /* by index */
  uint32_t ring_limit;
};

/** Whether a transition says something of a thread's stack. */
static inline bool hd_entries_concern(uint32_t what) {
  enum {
    KINDS = 1u << HD_WHAT_CALL | 1u << HD_WHAT_TASK | 1u << HD_WHAT_RETURN | 1u << HD_WHAT_TEAM |
            1u << HD_WHAT_REGION_BEGIN | 1u << HD_WHAT_NESTED_BEGIN | 1u << HD_WHAT_REGION_END |
            1u << HD_WHAT_NESTED_END
  };
  return KINDS >> (what >> HD_WHAT_SHIFT) & 1u;
}

/** Takes what the transition says of routines; `concurrent`: another thread was busy just before it. */
void hd_entries_apply(struct hd_entry_book *book, struct hd_ring_sweep *ring, const struct hd_transition *transition,
                      bool concurrent);

/** A profile was entered so many times while others were busy; no routine. */
void hd_entries_count(struct hd_entry_book *book, uint32_t profile, uint64_t times);

/** Ends the open entries of a ring at `now`: nothing of it may be applied afterwards. */
void hd_entries_close(struct hd_entry_book *book, struct hd_ring_sweep *ring, uint64_t now);

/** From a file: a record, a ring's stack. The caller has checked all references. False: no memory. */
bool hd_entries_restore(struct hd_entry_book *book, struct hd_entry_record *record);
bool hd_entries_restore_stack(struct hd_entry_book *book, const struct hd_ring_sweep *ring,
                              struct hd_stack_record *stack);

/** Frees what is not records. */
void hd_entries_free(struct hd_entry_book *book);

#endif
