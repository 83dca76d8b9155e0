/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file accumulate.h
 * Adding up parts of a model: for views that join callpaths, and for models that are made from others.
 */
#ifndef HEDDLE_OUTPUT_MODEL_ACCUMULATE_H
#define HEDDLE_OUTPUT_MODEL_ACCUMULATE_H

#include "output/model/model.h"

/** Adds the numbers of a cell of HD_CELL_CHUNKS, HD_CELL_TASKS or HD_CELL_STATIC; nothing of another one. */
void hd_accumulate_cell(struct hd_shares *to, const struct hd_row_cell *cell, uint32_t kind);
void hd_accumulate_shares(struct hd_shares *to, const struct hd_shares *from);
void hd_accumulate_ticks(uint64_t to[HD_STATE_COUNT], const uint64_t from[HD_STATE_COUNT]);
void hd_accumulate_intrusion(struct hd_intrusion *to, const struct hd_intrusion *from);
void hd_accumulate_unresolved(struct hd_unresolved *to, const struct hd_unresolved *from);
void hd_accumulate_team(struct hd_team_totals *to, const struct hd_team_totals *from);

/** Adds instances of one team size (hd_team_part): `gain_ticks` and `mean_ticks` come of it, without any limit. */
void hd_accumulate_team_part(struct hd_team_totals *to, const struct hd_team_totals *part);
void hd_accumulate_entries(struct hd_entries *to, const struct hd_entries *from);

/** Adds a row of the same node and thread. */
void hd_accumulate_row(struct hd_row *to, const struct hd_row *from);

/** Adds a cell of HD_CELL_UNRESOLVED, HD_CELL_UNRESOLVED_TEAM or HD_CELL_UNRESOLVED_REGIONS; nothing of another one. */
void hd_accumulate_unresolved_cell(struct hd_unresolved *to, const struct hd_row_cell *cell, uint32_t kind);

/** For qsort() of what begins with two 32-bit numbers: rows, counts and their records (node, thread), overlaps. */
int hd_compare_pairs(const void *a, const void *b);

/** `to` must have room for all levels of `from`: hd_widen_levels() makes its count that large. */
void hd_accumulate_levels(struct hd_levels *to, const struct hd_levels *from);
void hd_widen_levels(struct hd_levels *to, const struct hd_levels *from);

/** The ticks from entry to exit, of all states. */
uint64_t hd_entries_ticks(const struct hd_entries *entries);

#endif
