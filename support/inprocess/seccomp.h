/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file seccomp.h
 * Has the program locked itself up since Heddle was loaded? A seccomp filter may end a process that makes a system call
 * its author did not think of, and the author did not think of Heddle's.
 *
 * What Heddle does while the program runs it does with calls that any program with threads makes (docs/run.md lists
 * them). Opening, renaming and removing files are not among them, and whoever wants to asks here first. A filter that
 * was there before Heddle was loaded let it be loaded, which takes the same calls: that is no obstacle.
 */
#ifndef HEDDLE_SUPPORT_INPROCESS_SECCOMP_H
#define HEDDLE_SUPPORT_INPROCESS_SECCOMP_H

#include <stdbool.h>

/** Whether the program, as far as it is loaded, is one that may install a filter: it, or a library of its, imports what
 *  that is done with. Such a program pays a little for calls that are then not made at all. Costs a look at all symbols
 *  that are imported, and no system call. */
bool hd_sandbox_may_come(void);

/** Notes how things are: takes a descriptor, high up, for good. Before threads run. errno may change. */
void hd_sandbox_init(void);

/** Whether calls must be expected to be forbidden that were allowed at hd_sandbox_init: there is a new filter on the
 *  process's main thread, or the program has closed the descriptor and one may have come. Any thread; fstat(2) and
 *  read(2), from the second time on lseek(2), some ten microseconds: for cold paths. errno may change. */
bool hd_sandbox_is_new(void);

/** What hd_sandbox_may_come said at hd_sandbox_init. */
bool hd_sandbox_is_expected(void);

/** Before a fork: looks whether the parent has a new filter, if one may come. errno may change. */
void hd_sandbox_before_fork(void);

/** In the forked child, at once: the descriptor tells of the parent. If a filter may come and has not come yet, it is
 *  replaced by one that tells of the child; else nothing is done. errno may change. */
void hd_sandbox_follow(void);

/** Gives the descriptor back, if it still is Heddle's. */
void hd_sandbox_leave(void);

#endif
