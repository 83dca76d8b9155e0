/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file seccomp.h
 * Has the program sandboxed itself since Heddle was loaded? A seccomp filter may end a process that makes a system call
 * which the filter's author did not expect, and the author did not expect Heddle's.
 *
 * While the program runs Heddle makes the calls that any program with threads makes (docs/run.md lists them). To open,
 * rename or remove a file is not among them: code that wants to asks here first. A filter that was there before Heddle
 * was loaded is no obstacle: it has let Heddle be loaded, which takes the same calls.
 */
#ifndef HEDDLE_SUPPORT_INPROCESS_SECCOMP_H
#define HEDDLE_SUPPORT_INPROCESS_SECCOMP_H

#include <stdbool.h>

/** Notes how things are: takes a descriptor, high up, for good, and looks at all symbols that are imported. Before
 *  threads run. errno may change. */
void hd_seccomp_init(void);

/** Whether calls may be forbidden that were allowed at hd_seccomp_init: there is a new filter on the process's main
 *  thread, or the program has closed the descriptor and one may have come. Any thread; fstat(2) and
 *  read(2), from the second time on lseek(2), some ten microseconds: for cold paths. errno may change. */
bool hd_seccomp_is_new(void);

/** Whether the program, as far as it was loaded at hd_seccomp_init, may install a filter: it, or a library of its,
 *  imports a function for that. For such a program Heddle does without some calls, which costs a little. */
bool hd_seccomp_is_expected(void);

/** Whether a filter was there at hd_seccomp_init already. It has let Heddle be loaded; what else it lets pass is not
 *  known. */
bool hd_seccomp_was_there(void);

/** Before a fork: looks whether the parent has a new filter, if one may come. errno may change. */
void hd_seccomp_before_fork(void);

/** In the forked child, at once: the descriptor shows the parent's filters. If a filter may come and has not come yet,
 *  replaces it by one that shows the child's. errno may change. */
void hd_seccomp_follow(void);

/** Closes the descriptor, if it still is Heddle's. */
void hd_seccomp_leave(void);

#endif
