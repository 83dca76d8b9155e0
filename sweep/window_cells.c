/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "sweep/timeline.h"
#include "sweep/window_internal.h"

enum {
  CELLS_SLOTS = sizeof(((struct hd_window *)0)->cells_slots) / sizeof(uint16_t),
  PIECES_AT_ONCE = HD_WINDOW_PIECES - 5 /* one transition needs two, and the end of the part two and one more */
};

/* ---- cells ---- */

static uint64_t *cells_of(struct hd_window *window, uint32_t tally, uint32_t part) {
  uint32_t i = (tally * 7 + part) % CELLS_SLOTS;
  for (; window->cells_slots[i]; i = (i + 1) % CELLS_SLOTS) {
    struct hd_window_cells *cells = &window->cells[window->cells_slots[i] - 1];
    if (cells->tally == tally && cells->part == part)
      return cells->ticks;
  }
  struct hd_window_cells *cells = &window->cells[window->cells_count++];
  *cells = (struct hd_window_cells){.tally = tally, .part = part};
  window->cells_slots[i] = (uint16_t)window->cells_count;
  return cells->ticks;
}

/* To levels that lie in one part. */
static void add_to_part(struct hd_window *window, uint32_t tally, uint32_t level, const uint64_t *ticks,
                        uint32_t count) {
  uint64_t any = 0;
  for (uint32_t i = 0; i < count; i++)
    any |= ticks[i];
  if (any == 0)
    return;
  uint64_t *cells = cells_of(window, tally, level / HD_LEVELS_PER_RECORD) + level % HD_LEVELS_PER_RECORD;
  for (uint32_t i = 0; i < count; i++)
    cells[i] += ticks[i];
}

/* The levels that are kept lie in two parts. */
static void add(struct hd_window *window, uint32_t tally, const uint64_t *ticks) {
  const uint32_t first = window->first_level;
  const uint32_t split = HD_LEVELS_PER_RECORD - first % HD_LEVELS_PER_RECORD;
  add_to_part(window, tally, first, ticks, split);
  add_to_part(window, tally, first + split, ticks + split, HD_WINDOW_LEVELS - split);
}

static void settle(struct hd_window *window, struct hd_window_tally *tally) {
  const uint64_t more = (uint64_t)(int64_t)(int32_t)(tally->count - tally->start);
  for (uint32_t i = 0; i < HD_WINDOW_LEVELS; i++)
    tally->owed[i] += more * window->spent[i];
  add(window, (uint32_t)(tally - window->tallies), tally->owed);
  memset(tally->owed, 0, sizeof tally->owed);
}

/* Each that has changed may need two more at the next settling, and at the one after that, which ends the part; so may
 * the few that one transition adds. */
void hd_window_check_cells(struct hd_window *window) {
  const uint32_t left = HD_WINDOW_CELLS - window->cells_count;
  if (left < 4 * (window->listed_count + 4))
    hd_window_end_at_once(window);
  else if (left < 5 * (window->listed_count + 8))
    hd_window_end_soon(window);
}

void hd_window_settle(struct hd_window *window) {
  hd_window_show(window);
  add(window, HD_NONE, window->spent);
  for (uint32_t i = 0; i < window->listed_count; i++)
    settle(window, window->listed[i]);
  memset(window->spent, 0, sizeof window->spent);
  memset(window->shown, 0, sizeof window->shown);
  hd_window_check_cells(window);
}

/* ---- the timeline ---- */

static struct hd_window_piece *add_piece(struct hd_window *window, uint64_t until, uint32_t level) {
  struct hd_window_piece *piece = &window->pieces[window->piece_count++];
  *piece = (struct hd_window_piece){.until = until, .level = level};
  if (window->piece_count > PIECES_AT_ONCE)
    hd_window_end_at_once(window);
  return piece;
}

/* All that was spent since the last piece was spent in one bucket. */
void hd_window_show(struct hd_window *window) {
  struct hd_window_piece *piece = window->piece_count > 0 ? &window->pieces[window->piece_count - 1] : NULL;
  if (window->at <= (piece ? piece->until : window->from))
    return;
  if (!piece || piece->level != HD_NONE || !window->piece_is_open)
    piece = add_piece(window, window->at, HD_NONE);
  for (uint32_t i = 0; i < HD_WINDOW_LEVELS; i++) {
    hd_timeline_count(&piece->ticks, window->first_level + i, window->spent[i] - window->shown[i]);
    window->shown[i] = window->spent[i];
  }
  piece->until = window->at;
  window->piece_is_open = true;
}

/* The time up to `now` does not lie in one bucket. */
void hd_window_cross(struct hd_window *window, uint64_t now) {
  const uint32_t place = window->level - window->first_level;
  hd_window_show(window);
  window->piece_is_open = false;
  window->spent[place] += now - window->at;
  window->shown[place] = window->spent[place];
  window->at = now;
  add_piece(window, now, window->level);
  window->bucket_end = hd_window_bucket_end(window, now);
}
