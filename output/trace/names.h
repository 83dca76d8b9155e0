/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file names.h
 * Numbers for what a trace names by addresses: tasks, locks, and the variables that tasks depend on. Each kind is
 * counted from 1, in the order in which they appear. A task has its number from its creation to its end; another one
 * with that address gets another. There is room for what is alive at a time.
 */
#ifndef HEDDLE_OUTPUT_TRACE_NAMES_H
#define HEDDLE_OUTPUT_TRACE_NAMES_H

#include "output/trace/entry.h"

struct hd_names;

struct hd_names *hd_names_new(void);
void hd_names_free(struct hd_names *names);

/** The trace has a gap: a task after it is another one than any before, whatever its address. */
void hd_names_forget_tasks(struct hd_names *names);

/** Puts numbers in place of the names of an ORDER, which is the next one in time. 0: it has none, as implicit tasks,
 * and tasks that the trace has not seen created. */
void hd_names_number(struct hd_names *names, struct hd_trace_entry *entry);

#endif
