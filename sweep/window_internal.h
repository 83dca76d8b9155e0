/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file window_internal.h
 * What the parts of a window share: window.c takes transitions, window_tallies.c counts, window_cells.c adds up what
 * was counted. For no other file.
 */
#ifndef HEDDLE_SWEEP_WINDOW_INTERNAL_H
#define HEDDLE_SWEEP_WINDOW_INTERNAL_H

#include "sweep/window.h"

/* ---- window.c ---- */

/** The memory is used up: this part ends with the present instant; or at once. */
void hd_window_end_soon(struct hd_window *window);
void hd_window_end_at_once(struct hd_window *window);

/* ---- window_cells.c ---- */

/** Adds all that is owed to the cells. */
void hd_window_settle(struct hd_window *window);

/** Ends the part if the next settlings might not find room. */
void hd_window_check_cells(struct hd_window *window);

/** The end of the timeline's bucket in which `ticks` lies. */
static inline uint64_t hd_window_bucket_end(const struct hd_window *window, uint64_t ticks) {
  return (((ticks - window->span.origin) >> window->span.width_bits) + 1) * (1ull << window->span.width_bits) +
         window->span.origin;
}

/** Advances to `now`, which does not lie in the timeline's present bucket. */
void hd_window_cross(struct hd_window *window, uint64_t now);

/** What was spent since the last piece of the timeline becomes one. */
void hd_window_show(struct hd_window *window);

/** In the middle of the levels that are kept, so that the level does not leave them again soon. */
static inline void hd_window_place_levels(struct hd_window *window) {
  window->first_level = window->level < HD_WINDOW_LEVELS / 2 ? 0 : window->level - HD_WINDOW_LEVELS / 2;
}

static inline void hd_window_advance(struct hd_window *window, uint64_t now) {
  if (now <= window->at)
    return;
  if (__builtin_expect(now >= window->bucket_end, false)) {
    hd_window_cross(window, now);
    return;
  }
  window->spent[window->level - window->first_level] += now - window->at;
  window->at = now;
}

/* ---- window_tallies.c ---- */

/** Restores what a part begins with: no tallies but those that are busy and paired. */
void hd_window_begin_tallies(struct hd_window *window);

/** The window's tally of a profile, which may be a new one. */
struct hd_window_tally *hd_window_tally(struct hd_window *window, uint32_t profile, enum hd_tally_what what);

/** At `at` one more thread is busy in the profile; or one less. */
void hd_window_activate(struct hd_window *window, struct hd_window_tally *tally);
void hd_window_deactivate(struct hd_window *window, struct hd_window_tally *tally);

/** Likewise one instance more, or less, of a region. */
void hd_window_begin_region(struct hd_window *window, uint32_t profile);
void hd_window_end_region(struct hd_window *window, uint32_t profile);

void hd_window_list(struct hd_window *window, struct hd_window_tally *tally);

static inline void hd_window_enter(struct hd_window *window, struct hd_window_tally *tally) {
  const uint64_t *restrict spent = window->spent;
  uint64_t *restrict owed = tally->owed;
  if (__builtin_expect(!tally->listed, false))
    hd_window_list(window, tally);
  for (uint32_t i = 0; i < HD_WINDOW_LEVELS; i++)
    owed[i] -= spent[i];
  if (tally->count++ == 0)
    hd_window_activate(window, tally);
}

static inline void hd_window_leave(struct hd_window *window, struct hd_window_tally *tally) {
  const uint64_t *restrict spent = window->spent;
  uint64_t *restrict owed = tally->owed;
  if (tally->count == 0) /* there was no space when it was entered */
    return;
  if (__builtin_expect(!tally->listed, false))
    hd_window_list(window, tally);
  for (uint32_t i = 0; i < HD_WINDOW_LEVELS; i++)
    owed[i] += spent[i];
  if (--tally->count == 0)
    hd_window_deactivate(window, tally);
}

#endif
