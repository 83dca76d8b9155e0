/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file known_regions.h
 * What the members of a team need to know of their region: the same every time that this thread begins a region at this
 * place of this callpath. So it is written once, and members learn which one it is from what the runtime hands on to
 * them with every region: parallel_data.
 *
 * A thread finds its own in a table, in constant time in the steady state; anybody finds one by its number.
 */
#ifndef HEDDLE_OMPT_CONSTRUCT_KNOWN_REGIONS_H
#define HEDDLE_OMPT_CONSTRUCT_KNOWN_REGIONS_H

#include "ompt/thread/team.h"
#include "ompt/thread/thread.h"

/** The thread's own that equals `wanted`, whose `index` and `primary` need not be set; made if need be. NULL: no
 *  memory; it is scarcer for one with regions around it, of which there may be many at one callpath. */
const struct hd_known_region *hd_known_region_find(struct hd_thread *primary, const struct hd_known_region *wanted);

/** By its number; NULL: there is none. */
const struct hd_known_region *hd_known_region_at(uint32_t index);

/* ---- parallel_data ---- */

/** parallel_data->value: the known region's number, the number that tells this one from the primary's others (HD_TEAM),
 *  and when it began, as far as there is space. Never 0. */
enum { HD_TOLD_TICKS_BITS = 34, HD_TOLD_NUMBER_BITS = 12, HD_TOLD_INDEX_BITS = 18, HD_TOLD_AHEAD_BITS = 20 };
_Static_assert(1u << HD_TOLD_NUMBER_BITS == HD_TEAM_NUMBERS, "teams have numbers of so many bits");

static inline uint64_t hd_told_region(const struct hd_known_region *known, uint32_t number, uint64_t begin_ticks) {
  const uint64_t ticks = begin_ticks & ((1ull << HD_TOLD_TICKS_BITS) - 1);
  return ((uint64_t)known->index << HD_TOLD_NUMBER_BITS | number % HD_TEAM_NUMBERS) << HD_TOLD_TICKS_BITS | ticks;
}

static inline const struct hd_known_region *hd_told_known(uint64_t told) {
  return hd_known_region_at((uint32_t)(told >> (HD_TOLD_TICKS_BITS + HD_TOLD_NUMBER_BITS)));
}

static inline uint32_t hd_told_team(uint64_t told, const struct hd_known_region *known) {
  return HD_TEAM(known->ring, (uint32_t)(told >> HD_TOLD_TICKS_BITS));
}

/** When the region began, if that was some seconds ago at most: else it seems to have begun later. It may be a little
 *  ahead of this processor's clock. */
static inline uint64_t hd_told_begin(uint64_t told, uint64_t now) {
  const uint64_t mask = (1ull << HD_TOLD_TICKS_BITS) - 1;
  const uint64_t ahead = (told - now) & mask;
  return ahead < 1 << HD_TOLD_AHEAD_BITS ? now + ahead : now - ((now - told) & mask);
}

#endif
