/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file callpath.h
 * Whose time it is: (parent profile, site) -> profile.
 *
 * A site is (construct kind, return address). The key holds the *profile* of the parent, so it stands for the whole
 * path and a step costs the same at any depth (the idea of TAU's callpath mapping: hash the address of the parent's
 * profile; Shende et al. 2003). Threads keep the result of every step in an edge cache of their own (thread.h); these
 * functions are its miss path: once per new edge and thread. They take no lock (profiles.h) unless their comment
 * says so.
 *
 * With a bounded depth k a step leads to the profile of the last k sites (TAU's k-level callpaths).
 *
 * Unbounded, a path folds when its last n sites (the cycle limit) are also the last n of a path above it: the step
 * leads back there. So a recursive program has finitely many profiles, and the last n sites of every path stay true:
 * for k <= n, folding the profiles to k sites when they are read gives what a depth of k collects. With n = 1, the
 * default, a site that is already on the path leads back to its ancestor, as gprof does with cycles. And a task whose
 * function has created one that is on the path lies beside that one: the function has been called again, and there are
 * as many paths as sites, not as orders in which they may follow one another. (Its calls need not be on the path: what
 * lies in one function the unwinder's tables say. What GCC makes of tasks are functions of their own: there only sites
 * that repeat themselves fold.)
 *
 * When the memory's limit is near (support/inprocess/memory_budget.h), a path of more than two sites that has no
 * profile yet gets none: the step leads to one that stands for all such paths that end in the same two sites
 * (HD_PROFILE_SHORTENED). It is a separate profile, below one for paths that end in the first of the two. So the
 * profiles of whole paths stay exact, and folding all to two sites when they are read gives what it gives without the
 * limit (for n > 1, above). If not even that finds room, one for all that ends in the last site serves; if that does
 * not either, the time is the parent's.
 *
 * A routine's recursive entries are counted in a profile of their own, a leaf below the caller (HD_PROFILE_BACK): the
 * arc from caller to callee keeps its count, and the time is the ancestor's.
 */
#ifndef HEDDLE_CALLPATH_CALLPATH_H
#define HEDDLE_CALLPATH_CALLPATH_H

#include <stdbool.h>
#include <stdint.h>

#include "callpath/known_steps.h"
#include "store/store.h"

#define HD_PROGRAM_PROFILE 0u /* the root's id */

/** Prepares the table and makes the program's profile (id 0). `depth` 0: unbounded, then `cycle_limit` (at least 1)
 *  counts. False: no memory. */
bool hd_callpath_init(struct hd_store *store, uint64_t depth, uint64_t cycle_limit);

/** The profile of the site (`kind`, `address`) below profile `parent`, or a shortened one. Never fails: when memory or
 *  the file is full it is the parent itself (the time is charged there and the profile marked as folded). Any thread.
 *  May allocate, and ask the dynamic linker, where no thread has made the step before (known_steps.h): not for the
 *  steady state. A new phase's name takes a lock. */
struct hd_step hd_callpath_step(uint32_t parent, enum hd_kind kind, const void *address);

/** Likewise for the call of an instrumented routine. Its recursive calls are counted in a leaf of their own, `counter`.
 */
struct hd_step hd_callpath_call(uint32_t parent, const void *function);

/** The shortened profile that serves a thread without room for a row of this one; HD_NONE: there is none. Any thread.
 */
uint32_t hd_callpath_shorter(uint32_t profile);

/** A profile's record, in the store. Any thread that knows the profile's id; takes no lock. */
const struct hd_profile_record *hd_callpath_record(uint32_t profile);

/** Of a record's fields these two may change at any time: flags are added, and a loop's schedule becomes any. */
static inline unsigned hd_callpath_flags(const struct hd_profile_record *record) {
  return __atomic_load_n(&record->flags, __ATOMIC_RELAXED);
}

static inline unsigned hd_callpath_kind(const struct hd_profile_record *record) {
  return __atomic_load_n(&record->kind, __ATOMIC_RELAXED);
}

/** The word of its record that says which classes of events are off in regions of this profile: the budget's own
 *  (ompt/thread/budget.h). Any thread that knows the profile's id; takes no lock. */
uint32_t *hd_callpath_off(uint32_t profile);

/** Classes of events (bits) are spared from now on, at `now`, in regions of this profile and of all below it, also of
 *  those that are made later; or are spared no longer: hd_profile_record.spared. The profile's number is known to be
 * one (hd_callpath_count). One thread at a time; takes no lock, and some nanoseconds for each profile. */
void hd_callpath_spare(uint32_t profile, uint32_t classes, bool is_spared, uint64_t now);

/** Is this profile, or one above it, that other one? */
bool hd_callpath_is_under(uint32_t profile, uint32_t ancestor);

/** How many profiles there are; they are numbered from 0. Any thread. */
uint32_t hd_callpath_count(void);

/** Of these classes (bits) the runtime sends no events now, while a region of this profile runs. Any thread. */
void hd_callpath_mark_unheard(uint32_t profile, uint32_t classes);

/** The profile's site is that of a tail call (HD_PROFILE_TAIL_CALL). Any thread. */
void hd_callpath_mark_tail_call(uint32_t profile);

/** In it a doacross loop has waited (HD_PROFILE_SINKS). Any thread. */
void hd_callpath_mark_sinks(uint32_t profile);

/** A task with dependences was created there (HD_PROFILE_DEPENDS). Any thread. */
void hd_callpath_mark_depends(uint32_t profile);

/** Keeps the name of the function of MPI that is called in the profile, once: the first one that is told. Any thread;
 *  takes a lock then. */
void hd_callpath_name_mpi(uint32_t profile, const char *function);

/** The address that stands for a phase's name in hd_callpath_step: the same for equal names. Without room for a new
 *  name it is hd_callpath_other_phases. Any thread; takes a lock. */
const char *hd_callpath_phase(const char *name);
extern const char hd_callpath_other_phases[];

#endif
