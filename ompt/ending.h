/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file ending.h
 * The end of the measurement. Each of these does nothing when nothing is measured any more, and keeps errno.
 */
#ifndef HEDDLE_OMPT_ENDING_H
#define HEDDLE_OMPT_ENDING_H

/** The profile ends here, and is saved. */
void hd_ending_finish(void);

/** The program goes on, and what it does then is not measured: for this profile the clock stands still from here on. */
void hd_ending_stop_early(void);

/** The library is unloaded, or the program ends: finishes, also what was stopped early. */
void hd_ending_at_exit(void);

/** A handler of exit(): finishes if other threads may use the runtime just then. libomp frees what they use before it
 *  finalizes the tool, and the longer we take there the likelier one of them crashes. This handler comes before. If
 *  nobody works, the program's end is what libomp says. A forked child that has used no OpenMP uses none any more,
 *  whatever the runtime clears up. */
void hd_ending_before_the_runtime(void);

#endif
