/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file embed.h
 * A trace as data of a page: JSON with a string of base64 for each thread (data.js reads it).
 *
 * A thread's bytes are its changes, one behind the other. A change is two numbers of 7 bits a byte, the least
 * significant first (LEB128): the ticks since the change before (at first: since the trace's begin), and the place from
 * then on, counted from 1 in `places`. Place 0 stands before a stretch that stands for several: then follow the place
 * in which the thread was longest, how many they are, a number with a bit for each state that occurs, and a byte for
 * each of these, from the first: its part of the whole, 255 at most. The place "no state" ends a thread.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_HTML_TRACE_EMBED_H
#define HEDDLE_OUTPUT_VIEWS_HTML_TRACE_EMBED_H

#include <stdio.h>

#include "output/model/model.h"

/** The trace as it is embedded. Memory grows with that, not with the trace. */
struct hd_embedded_trace;

/** At most `limit` changes, by weight (fold.h): if there are more, short ones are folded. NULL: the profile has no
 *  trace of all that happens, or is a part of a run. If the trace is damaged stderr says so. */
struct hd_embedded_trace *hd_trace_embed(const struct hd_model *model, uint64_t limit);
void hd_embedded_trace_free(struct hd_embedded_trace *trace);

/** What there is to say about it. */
struct hd_embedded_facts {
  uint64_t changes; /* of the trace, folded or not */
  uint64_t limit;   /* that was asked for */
  uint32_t thread_count;
  double begin_seconds, end_seconds; /* since the program's start */
  double resolution_seconds;         /* 0: nothing is folded */
  bool damaged;                      /* what follows its end could not be read */
};
struct hd_embedded_facts hd_embedded_trace_facts(const struct hd_embedded_trace *trace);

/** Writes the JSON; it has nothing that HTML could take for something else. */
void hd_embedded_trace_write(const struct hd_embedded_trace *trace, FILE *out);

#endif
