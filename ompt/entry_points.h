/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file entry_points.h
 * The runtime's own work: what a thread does in entry points for loops and tasks, between the begin and the end that
 * libheddle-entry.so tells (entry/entries.h). What would be busy time of its task meanwhile is the runtime's, whatever
 * constructs begin and end there: a loop's initialisation begins the loop, asking for a chunk that is not there ends
 * it. Tasks that run inside, and waits, are what they are.
 */
#ifndef HEDDLE_OMPT_ENTRY_POINTS_H
#define HEDDLE_OMPT_ENTRY_POINTS_H

#include "entry/entries.h"

/** Once, when the measurement has started: `entries` tells this library from now on. NULL: it is not there. */
void hd_entry_points_connect(struct heddle_entries *entries);

#endif
