/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file primaries.h
 * What the primaries of teams say in a trace, which their workers do not: the teams that each thread leads, and those
 * that have joined.
 */
#ifndef HEDDLE_OUTPUT_TRACE_PRIMARIES_H
#define HEDDLE_OUTPUT_TRACE_PRIMARIES_H

#include <stdbool.h>
#include <stdint.h>

#include "output/trace/entry.h"

struct hd_trace_leader;
struct hd_trace_joined;
struct hd_trace_primaries {
  struct hd_trace_leader *leaders; /* by thread */
  uint32_t thread_count;
  struct hd_trace_joined *joined; /* by ring, which is the primary's thread if the trace is right */
  uint32_t ring_limit;
};

void hd_trace_primaries_start(struct hd_trace_primaries *primaries, uint32_t thread_count);
void hd_trace_primaries_free(struct hd_trace_primaries *primaries);

/** Takes note of the teams that the entry's thread leads from then on. `begins`: the thread does; `is_cut`: entries are
 *  missing before this one. */
void hd_trace_primaries_note_led(struct hd_trace_primaries *primaries, const struct hd_trace_entry *entry, bool begins,
                                 bool is_cut);

/** Whether the team's primary leads it and has not joined it. `otherwise`: that is not known. */
bool hd_trace_primaries_lead(const struct hd_trace_primaries *primaries, uint32_t team, bool otherwise);

/** The team has joined. Of each primary's only the last ones are kept. */
void hd_trace_primaries_note_joined(struct hd_trace_primaries *primaries, uint32_t team);
bool hd_trace_primaries_have_joined(const struct hd_trace_primaries *primaries, uint32_t team);

#endif
