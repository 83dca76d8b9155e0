/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file rows.h
 * A thread's rows: those it has, and new ones. Only the thread itself calls these functions.
 */
#ifndef HEDDLE_OMPT_THREAD_ROWS_H
#define HEDDLE_OMPT_THREAD_ROWS_H

#include "ompt/thread/thread.h"

/** The program's row of a new thread, with a cell for everything: there is a place for its time whatever happens.
 *  False: no room. */
bool hd_thread_make_first_row(struct hd_thread *thread);

/** This thread's row for a profile, or, without room for another, for a shortened one that stands for it as well; NULL
 * when there is no room for that either (counted as a folded path: the caller charges the time to a row that exists).
 * Constant time when it exists. */
struct hd_row_record *hd_thread_row(struct hd_thread *thread, uint32_t profile);

/** The cell of a row that has one for this kind, in whatever record; NULL: it has none. Makes nothing. */
struct hd_row_cell *hd_thread_known_cell(struct hd_thread *thread, const struct hd_row_record *row, uint32_t kind);

#endif
