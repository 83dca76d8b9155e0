/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file teams.h
 * Which threads worked together: the teams of all regions in a trace, for formats that must name a team when it begins,
 * before its threads have come.
 *
 * Teams of the same threads, in the same order, are one. A first walk through the trace finds them, and notes in an
 * unlinked file which one each region has, and each worker joins, so memory grows with the number of different teams
 * alone. A second walk takes them from there.
 */
#ifndef HEDDLE_OUTPUT_TRACE_TEAMS_H
#define HEDDLE_OUTPUT_TRACE_TEAMS_H

#include "output/trace/entry.h"

struct hd_trace_team {
  const uint32_t *threads; /* by their numbers in the team, the primary first */
  uint32_t count;
};

struct hd_trace_teams;

/** Finds them, in a damaged trace as far as it goes. NULL: the file for them cannot be written, and stderr says why.
 * Free with hd_trace_teams_free(). */
struct hd_trace_teams *hd_trace_teams_find(const struct hd_model *model);
void hd_trace_teams_free(struct hd_trace_teams *teams);

/** Different teams; hd_trace_teams_at() takes their numbers, from 0 on. */
uint32_t hd_trace_teams_count(const struct hd_trace_teams *teams);
struct hd_trace_team hd_trace_teams_at(const struct hd_trace_teams *teams, uint32_t number);

/** To be called with every entry of the second walk. At REGION_BEGIN and NESTED_BEGIN it returns the number of the team
 *  that the region will have, at TEAM of the one that the thread joins; else, and where the trace does not say,
 *  HD_NONE. */
uint32_t hd_trace_teams_take(const struct hd_trace_teams *teams, const struct hd_trace_entry *entry);

#endif
