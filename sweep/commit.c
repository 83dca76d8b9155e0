/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/commit.h"

#include "sweep/timeline.h"

/* ---- what there was no space for when it began ---- */

static void set_count(struct hd_tallies *tallies, struct hd_tally *tally, uint32_t count) {
  tally->record->count = count;
  if (count > 0 && tally->active_place == HD_NONE)
    hd_tallies_activate(tallies, tally);
  else if (count == 0 && tally->active_place != HD_NONE)
    hd_tallies_deactivate(tallies, tally);
}

/* It counts from the window's begin. */
static void correct_count(struct hd_tallies *tallies, const struct hd_window *window,
                          const struct hd_window_tally *seen) {
  const uint32_t least = seen->what == HD_TALLY_BUSY ? seen->start : (uint32_t)-seen->least;
  struct hd_tally *tally = hd_tallies_find_or_add(tallies, seen->profile, (enum hd_tally_what)seen->what);
  if (!tally || tally->record->count >= least)
    return;
  hd_tallies_keep(tallies, tally);
  if (tally->record->count == 0)
    tally->record->active_since_ticks = window->from;
  set_count(tallies, tally, least);
}

/* ---- time by level ---- */

static void add_own_time(struct hd_tallies *tallies, const struct hd_window_cells *cells) {
  for (uint32_t i = 0; i < tallies->active_count; i++)
    hd_tallies_add_levels(tallies, tallies->active[i], cells->part, cells->ticks, tallies->active[i]->record->count);
}

static void add_time_of(struct hd_tallies *tallies, const struct hd_window_tally *seen,
                        const struct hd_window_cells *cells) {
  struct hd_tally *tally = hd_tallies_find(tallies, seen->profile, (enum hd_tally_what)seen->what);
  if (tally)
    hd_tallies_add_levels(tallies, tally, cells->part, cells->ticks, 1);
}

/* Every tally's count at the begin, for as long as the part lasted; and what changed meanwhile. */
static void add_cells(struct hd_tallies *tallies, const struct hd_window *window) {
  for (uint32_t i = 0; i < window->cells_count; i++) {
    const struct hd_window_cells *cells = &window->cells[i];
    if (cells->tally == HD_NONE)
      add_own_time(tallies, cells);
    else
      add_time_of(tallies, &window->tallies[cells->tally], cells);
  }
}

static void add_pieces(struct hd_tallies *tallies, const struct hd_window *window) {
  for (uint32_t i = 0; i < window->piece_count; i++) {
    const struct hd_window_piece *piece = &window->pieces[i];
    if (piece->level != HD_NONE)
      hd_timeline_add(tallies->timeline, piece->until, piece->level, &tallies->journal);
    else
      hd_timeline_add_to_bucket(tallies->timeline, piece->until, &piece->ticks, &tallies->journal);
  }
}

/* ---- overlaps ---- */

static uint64_t active_since(const struct hd_tallies *tallies, uint32_t profile) {
  const struct hd_tally *tally = hd_tallies_find(tallies, profile, HD_TALLY_BUSY);
  return tally ? tally->record->active_since_ticks : UINT64_MAX;
}

static void add_pairs(struct hd_tallies *tallies, const struct hd_window *window) {
  for (uint32_t i = 0; i < window->pair_count; i++) {
    const struct hd_window_pair *pair = &window->pairs[i];
    const uint64_t a = pair->has_ended ? active_since(tallies, pair->a) : 0;
    const uint64_t b = pair->has_ended ? active_since(tallies, pair->b) : 0;
    const uint64_t since = a > b ? a : b;
    hd_tallies_overlap(tallies, pair->a, pair->b, pair->ticks + (pair->ended > since ? pair->ended - since : 0));
  }
}

/* ---- counts ---- */

static void add_busy(struct hd_tally_record *record, const struct hd_window_tally *seen) {
  if (seen->has_ended) {
    const uint64_t stretch = seen->ended - record->active_since_ticks;
    record->active_ticks += stretch;
    record->unpaired_ticks += seen->was_paired ? 0 : stretch;
  }
  record->active_ticks += seen->active;
  record->unpaired_ticks += seen->unpaired;
  if (seen->count > 0 && !seen->carried)
    record->active_since_ticks = seen->since;
}

/* None ran while the count was at its least, if that leads to 0. */
static void add_instances(struct hd_tally_record *record, const struct hd_window_tally *seen,
                          const struct hd_window *window) {
  const bool ends_at_least = (int32_t)seen->count == seen->least;
  if ((int64_t)record->count + seen->least > 0)
    return;
  const uint64_t until = ends_at_least ? window->at : seen->since;
  const uint64_t idle = seen->active + (ends_at_least ? window->at - seen->since : 0);
  const uint64_t from = record->count > 0 ? record->active_since_ticks : window->from;
  record->active_ticks += until - from - idle;
  if (!ends_at_least)
    record->active_since_ticks = seen->since;
}

static void add_tally(struct hd_tallies *tallies, const struct hd_window *window, const struct hd_window_tally *seen) {
  struct hd_tally *tally = hd_tallies_find(tallies, seen->profile, (enum hd_tally_what)seen->what);
  if (!tally)
    return;
  hd_tallies_keep(tallies, tally);
  if (seen->what == HD_TALLY_BUSY) {
    add_busy(tally->record, seen);
    set_count(tallies, tally, seen->count);
    if (!seen->carried)
      hd_tallies_unpair(tallies, tally);
  } else {
    add_instances(tally->record, seen, window);
    set_count(tallies, tally, tally->record->count + seen->count);
  }
}

/* When those whose stretches have ended have left, there is place for those that have begun. */
static void pair(struct hd_tallies *tallies, const struct hd_window_tally *seen) {
  struct hd_tally *tally = hd_tallies_find(tallies, seen->profile, HD_TALLY_BUSY);
  if (tally && tally->paired_place == HD_NONE)
    hd_tallies_pair(tallies, tally);
}

static void add_tallies(struct hd_tallies *tallies, const struct hd_window *window) {
  for (uint32_t i = 0; i < window->listed_count; i++)
    add_tally(tallies, window, window->listed[i]);
  for (uint32_t i = 0; i < window->paired_count; i++)
    if (!window->paired[i]->carried)
      pair(tallies, window->paired[i]);
}

/* ---- entries ---- */

static void add_entries(struct hd_tallies *tallies, const struct hd_window *window) {
  for (uint32_t i = 0; i < window->tally_count; i++)
    if (window->tallies[i].concurrent > 0)
      hd_entries_count(&tallies->entries, window->tallies[i].profile, window->tallies[i].concurrent);
  for (uint32_t i = 0; i < window->entry_count; i++) {
    const struct hd_window_entry *seen = &window->entries[i];
    if (window->span.keeps_calls && hd_entries_concern(seen->entry->what))
      hd_entries_apply(&tallies->entries, &seen->ring->sweep, seen->entry, seen->concurrent);
    if (hd_teams_concern(seen->entry->what))
      hd_teams_apply(&tallies->teams, &seen->ring->sweep, seen->entry, seen->idle_since);
    if (__builtin_expect(tallies->path.is_kept, false) && hd_path_concerns(seen->entry->what))
      hd_path_take(&tallies->path, seen->ring, seen->entry);
    if (__builtin_expect(tallies->locks.is_kept, false) && hd_what_of(seen->entry) == HD_WHAT_ORDER)
      hd_locks_take(&tallies->locks, &seen->ring->sweep, seen->entry);
  }
  hd_teams_end_step(&tallies->teams);
}

/* ---- logs ---- */

static void keep(struct hd_tallies *tallies, const struct hd_ring_sweep *sweep) {
  enum { WORDS = offsetof(struct hd_ring_sweep, height) / sizeof(uint64_t) };
  hd_journal_keep(&tallies->journal, sweep, WORDS);
}

/* Owners may write over what lies before the tail. */
static void follow_path(struct hd_tallies *tallies, struct hd_ring_record *ring, uint64_t tail) {
  if (__builtin_expect(tallies->path.is_kept, false))
    hd_path_advance(&tallies->path, ring, tail);
}

static void move_log(struct hd_tallies *tallies, const struct hd_window_log *log) {
  struct hd_ring_sweep *sweep = &log->ring->sweep;
  if (sweep->tail == log->place)
    return;
  follow_path(tallies, log->ring, log->place);
  keep(tallies, sweep);
  sweep->tail = log->place;
  sweep->tick = log->tick;
  sweep->busy = log->busy;
  sweep->busy_before = log->busy_before;
}

void hd_commit_move(struct hd_tallies *tallies, struct hd_ring_record *ring, uint64_t tail, uint64_t tick,
                    uint32_t busy) {
  if (ring->sweep.tail >= tail)
    return;
  follow_path(tallies, ring, tail);
  keep(tallies, &ring->sweep);
  ring->sweep.tail = tail;
  ring->sweep.tick = tick;
  ring->sweep.busy = ring->sweep.busy_before = busy;
}

void hd_commit_catch_up(const struct hd_tallies *tallies, struct hd_ring_record *ring) {
  struct hd_ring_sweep *sweep = &ring->sweep;
  while (sweep->tail != ring->head && hd_log_at(ring, sweep->tail)->ticks < tallies->instant->since_ticks) {
    const struct hd_transition *entry = hd_log_at(ring, sweep->tail);
    if (sweep->tick < entry->ticks) {
      sweep->tick = entry->ticks;
      sweep->busy_before = sweep->busy;
    }
    sweep->busy = entry->busy;
    sweep->tail += hd_what_slots(entry->what);
  }
}

/* ---- all of it ---- */

void hd_commit(struct hd_tallies *tallies, const struct hd_window *window) {
  hd_tallies_keep(tallies, tallies->whole);
  for (uint32_t i = 0; i < window->listed_count; i++)
    correct_count(tallies, window, window->listed[i]);
  add_cells(tallies, window);
  add_pieces(tallies, window);
  add_pairs(tallies, window);
  add_tallies(tallies, window);
  add_entries(tallies, window);
  tallies->at = tallies->instant->since_ticks = window->at;
  tallies->level = window->level;
  tallies->instant->tick = window->tick;
  tallies->instant->level_before = window->level_before;
  for (uint32_t i = 0; window->moves_logs && i < window->log_count; i++)
    move_log(tallies, &window->logs[i]);
  hd_journal_end_step(&tallies->journal);
  if (__builtin_expect(tallies->at >= tallies->histories.end_ticks, false))
    hd_histories_take(tallies);
}
