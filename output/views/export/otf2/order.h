/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file order.h
 * The events of tasks and locks. Between the files of this folder only.
 *
 * Readers follow each task's calls by themselves, so a task is switched to when all slices of the one before have ended
 * and none of its own has begun; likewise a lock is had when the wait for it has ended. The trace tells of both before
 * its change of state, so they are kept until then.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_EXPORT_OTF2_ORDER_H
#define HEDDLE_OUTPUT_VIEWS_EXPORT_OTF2_ORDER_H

#include "output/views/export/otf2/writing.h"

/** Where a thread is. */
struct hd_otf2_place {
  OTF2_EvtWriter *writer;
  uint32_t thread;
  uint32_t team; /* the innermost that it is in; HD_NONE: none */
};

struct hd_otf2_order;

/** Memory grows with the tasks that live at a time, and with the number of locks. */
struct hd_otf2_order *hd_otf2_order_new(struct hd_otf2 *otf2);
void hd_otf2_order_free(struct hd_otf2_order *order);

/** Of an ORDER: writes it, or keeps it. Nothing of the thread may be kept. */
void hd_otf2_order_take(struct hd_otf2_order *order, const struct hd_otf2_place *place,
                        const struct hd_trace_entry *entry, OTF2_TimeStamp time);

/** When what is kept of a thread happened. False: nothing is kept. */
bool hd_otf2_order_keeps(const struct hd_otf2_order *order, uint32_t thread, OTF2_TimeStamp *time);

/** The thread leaves the task that it is in, which has not ended: what follows is its implicit task's. */
void hd_otf2_order_leave(struct hd_otf2_order *order, const struct hd_otf2_place *place, OTF2_TimeStamp time);

/** The thread ends, or the stretch of the trace (`is_bound`): forgets the locks that it has, and tasks of the stretch.
 */
void hd_otf2_order_end(struct hd_otf2_order *order, uint32_t thread, bool is_bound);

/** Writes what is kept, if anything is. */
void hd_otf2_order_write(struct hd_otf2_order *order, const struct hd_otf2_place *place);

#endif
