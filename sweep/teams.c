/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/teams.h"

#include "support/inprocess/heap.h"
#include "sweep/teams_internal.h"

/* ---- those who wait ---- */

static struct hd_row_cell *cell_at(const struct hd_team_book *book, uint64_t offset) {
  if (offset == 0)
    return NULL;
  if (book->cell_at)
    return book->cell_at(book->context, offset);
  return book->journal->base ? (struct hd_row_cell *)(uintptr_t)(book->journal->base + offset) : NULL;
}

/* The line belongs to another processor's cache, and its thread writes what else is in it. */
static void write_idle(struct hd_team_book *book, uint64_t offset, uint64_t ticks) {
  struct hd_row_cell *cell = ticks > 0 ? cell_at(book, offset) : NULL;
  if (!cell)
    return;
  hd_journal_keep(book->journal, &cell->ticks, 1);
  __atomic_store_n(&cell->ticks, cell->ticks + ticks, __ATOMIC_RELAXED);
}

static void write_idle_of(struct hd_team_book *book, struct hd_team_ring *known) {
  write_idle(book, known->idle_cell, known->idle_ticks);
  known->idle_ticks = 0;
}

static bool list_idle(struct hd_team_book *book, struct hd_team_ring *known, uint32_t index) {
  if (known->listed)
    return true;
  if (!hd_heap_grow(&book->idle, &book->idle_limit, book->idle_count + 1, sizeof *book->idle))
    return false;
  book->idle[book->idle_count++] = index;
  return known->listed = true;
}

static void add_idle(struct hd_team_book *book, const struct hd_ring_sweep *ring, uint64_t ticks) {
  struct hd_team_ring *known = hd_team_ring(book, ring);
  if (!known || !list_idle(book, known, ring->index)) {
    write_idle(book, ring->idle_cell, ticks);
    return;
  }
  if (known->idle_cell != ring->idle_cell)
    write_idle_of(book, known);
  known->idle_cell = ring->idle_cell;
  known->idle_ticks += ticks;
}

void hd_teams_end_step(struct hd_team_book *book) {
  for (uint32_t i = 0; i < book->idle_count; i++) {
    write_idle_of(book, &book->rings[book->idle[i]]);
    book->rings[book->idle[i]].listed = false;
  }
  book->idle_count = 0;
}

/* ---- ends ---- */

static void give_if_unused(struct hd_team_book *book, struct hd_team *team) {
  if (team->record->flags & HD_TEAM_ADDED && team->record->pending == 0)
    hd_team_give(book, team);
}

/* Of its workers: before they began, all the time until the join if they never did, and after it. */
static uint64_t idle_ticks(const struct hd_team_record *record) {
  const uint64_t workers = hd_team_size(record) - 1;
  return record->begun_ticks - record->begun * record->begin_ticks +
         (workers - record->begun) * (record->join_ticks - record->begin_ticks) +
         workers * (record->end_ticks - record->join_ticks) - record->late_finish_ticks;
}

static void add_to_total(const struct hd_team_record *record, struct hd_total_record *total) {
  const uint64_t elapsed = record->end_ticks - record->begin_ticks;
  total->instances += !(record->flags & HD_LOG_UNASKED);
  if (record->flags & HD_LOG_UNCOUNTED)
    return; /* its time lies inside its ancestor's */
  total->intrusion_ticks = (int64_t)((uint64_t)total->intrusion_ticks + (uint64_t)record->delay);
  total->elapsed_ticks += elapsed;
  total->capacity_ticks += hd_team_size(record) * elapsed;
  total->busy_ticks += record->busy_ticks;
  total->busy_max_ticks += hd_team_size(record) * record->busy_most_ticks;
  total->idle_ticks += idle_ticks(record);
}

static void complete(struct hd_team_book *book, struct hd_team *team) {
  struct hd_team_record *record = team->record;
  hd_team_keep(book, record);
  const uint32_t says_nothing = HD_LOG_UNASKED | HD_LOG_UNCOUNTED;
  const bool counts = !(record->flags & HD_TEAM_ADDED) && (record->flags & says_nothing) != says_nothing;
  struct hd_total_record *total = counts ? hd_team_total(book, record, record->profile) : NULL;
  if (total)
    add_to_total(record, total);
  record->flags |= HD_TEAM_ADDED;
  give_if_unused(book, team);
}

static void complete_if_finished(struct hd_team_book *book, struct hd_team *team) {
  if (team->record->finished >= team->record->begun)
    complete(book, team);
}

/* ---- teams that have ended at this instant ---- */

/* Of what happens at one instant the end may be taken before what some workers tell. */

static void end_oldest(struct hd_team_book *book) {
  struct hd_team *team = &book->teams[book->lingering[book->lingering_first]];
  book->lingering_first = (book->lingering_first + 1) % HD_TEAMS_LINGERING;
  book->lingering_count--;
  team->is_lingering = false;
  complete_if_finished(book, team);
}

static void linger(struct hd_team_book *book, struct hd_team *team) {
  if (book->lingering_count == HD_TEAMS_LINGERING)
    end_oldest(book);
  book->lingering[(book->lingering_first + book->lingering_count++) % HD_TEAMS_LINGERING] =
      (uint32_t)(team - book->teams);
  team->is_lingering = true;
}

/* Time goes on. */
static void end_those_before(struct hd_team_book *book, uint64_t now) {
  while (book->lingering_count > 0 && book->teams[book->lingering[book->lingering_first]].record->end_ticks < now)
    end_oldest(book);
}

static void check_end(struct hd_team_book *book, struct hd_team *team) {
  const uint32_t flags = team->record->flags;
  if (flags & HD_TEAM_ENDED && !(flags & HD_TEAM_ADDED) && !team->is_lingering)
    complete_if_finished(book, team);
}

/* ---- what the primary tells ---- */

/* A number comes again after many others: nothing more will be told of the one that had it. But who waits for it knows
 * it by its record. */
static void forget(struct hd_team_book *book, struct hd_team *team) {
  hd_team_keep(book, team->record);
  hd_team_hide(book, team);
  if (!(team->record->flags & HD_TEAM_ENDED))
    team->record->flags |= HD_LOG_UNASKED | HD_LOG_UNCOUNTED;
  if (!team->is_lingering)
    complete(book, team);
}

static void begin(struct hd_team_book *book, const struct hd_team_entry *entry) {
  const struct hd_log_begin *begun = (const struct hd_log_begin *)(const void *)(entry->transition + 1);
  struct hd_team *old = hd_team_find(book, begun->team);
  if (old)
    forget(book, old);
  struct hd_team *team = hd_team_take(book, begun->team);
  if (!team) {
    __atomic_fetch_or(&book->header->flags, HD_FILE_FULL, __ATOMIC_RELAXED);
    return;
  }
  struct hd_team_record *record = team->record;
  record->profile = hd_team_operand(entry);
  record->primary = entry->ring->thread;
  record->flags |= begun->flags & (HD_LOG_UNCOUNTED | HD_LOG_UNASKED);
  record->begin_ticks = entry->transition->ticks;
  hd_team_delay_begin(book, record, entry->ring);
}

static void start(struct hd_team_book *book, struct hd_team_record *record, const struct hd_team_entry *entry) {
  record->team_size = hd_log_member_of(entry->transition)->number;
  hd_team_delay_add(book, record, entry->ring);
}

static void add_busy(struct hd_team_record *record, uint64_t busy_ticks, uint64_t told) {
  record->busy_ticks += busy_ticks - told;
  if (record->busy_most_ticks < busy_ticks)
    record->busy_most_ticks = busy_ticks;
}

static void join(struct hd_team_book *book, struct hd_team_record *record, const struct hd_team_entry *entry) {
  const struct hd_log_join *joined = (const struct hd_log_join *)(const void *)(entry->transition + 1);
  if (record->flags & HD_TEAM_JOINED)
    return;
  if (!hd_team_leave_all(book, record)) /* alone, or its arrival was not told */
    hd_team_delay_add(book, record, entry->ring);
  add_busy(record, joined->busy_ticks, 0);
  record->join_ticks = entry->transition->ticks;
  record->flags |= HD_TEAM_JOINED;
}

static void set_end(struct hd_team_record *record, uint64_t ticks) {
  if (!(record->flags & HD_TEAM_JOINED))
    record->join_ticks = ticks;
  record->end_ticks = ticks;
  record->flags |= HD_TEAM_JOINED | HD_TEAM_ENDED;
}

static void end(struct hd_team_book *book, struct hd_team *team, const struct hd_team_entry *entry) {
  const struct hd_log_end *ended = (const struct hd_log_end *)(const void *)(entry->transition + 1);
  const struct hd_log_alone *alone = (const struct hd_log_alone *)(const void *)(ended + 1);
  struct hd_team_record *record = team->record;
  if (record->flags & HD_TEAM_ENDED)
    return;
  if (record->team_size == 0)
    record->team_size = ended->team_size;
  if (!(record->flags & HD_TEAM_JOINED))
    add_busy(record, alone->busy_ticks, 0);
  set_end(record, entry->transition->ticks);
  hd_team_delay_end(book, record, entry->ring);
  record->delay = (int64_t)((uint64_t)record->delay + (uint64_t)ended->delay);
  linger(book, team);
}

/* ---- what workers tell ---- */

/* It may be heard of late, when the clock stands still. */
static void begin_member(struct hd_team_record *record, uint64_t now) {
  const bool is_late = record->flags & HD_TEAM_JOINED && record->join_ticks < now;
  record->begun++;
  record->begun_ticks += is_late ? record->join_ticks : now;
}

/* How long after the join, but not after the end. */
static uint64_t lateness(const struct hd_team_record *record, uint64_t ticks) {
  const uint64_t until = record->flags & HD_TEAM_ENDED && record->end_ticks < ticks ? record->end_ticks : ticks;
  return record->flags & HD_TEAM_JOINED && until > record->join_ticks ? until - record->join_ticks : 0;
}

static void release(struct hd_team_book *book, struct hd_ring_sweep *ring, uint64_t now, uint64_t idle_since) {
  if (ring->waits_in == 0)
    return;
  struct hd_team *team = ring->waits_in <= book->team_count ? &book->teams[ring->waits_in - 1] : NULL;
  struct hd_team_record *record = team ? team->record : NULL;
  hd_journal_keep_ring(book->journal, ring);
  ring->waits_in = 0;
  if (!record || !(record->flags & HD_TEAM_OPEN) || record->pending == 0)
    return; /* a damaged file */
  const uint64_t since = record->join_ticks > idle_since ? record->join_ticks : idle_since;
  if (record->flags & HD_TEAM_JOINED && now > since)
    add_idle(book, ring, now - since);
  hd_team_keep(book, record);
  record->pending--;
  give_if_unused(book, team);
}

/* Whoever waits for another team's end has not been heard of at all. */
static void wait_for_end(struct hd_team_book *book, struct hd_team *team, struct hd_ring_sweep *ring, uint64_t now) {
  const uint32_t waits_in = (uint32_t)(team - book->teams) + 1;
  if (ring->waits_in == waits_in)
    return;
  release(book, ring, now, now);
  team->record->pending++;
  ring->waits_in = waits_in;
}

static void finish(struct hd_team_book *book, struct hd_team *team, const struct hd_team_entry *entry, bool again) {
  const struct hd_log_arrival *arrival = (const struct hd_log_arrival *)(const void *)(entry->transition + 1);
  const struct hd_log_finish *finished = (const struct hd_log_finish *)(const void *)(arrival + 1);
  struct hd_team_record *record = team->record;
  struct hd_ring_sweep *ring = entry->ring;
  const uint64_t now = entry->transition->ticks;
  if (entry->is_primary)
    return;
  hd_journal_keep_ring(book->journal, ring);
  if (!(arrival->flags & HD_LOG_UNTOLD))
    hd_team_arrive(book, record, entry, again);
  wait_for_end(book, team, ring, now);
  record->finished += !again;
  record->late_finish_ticks += again ? 0 : lateness(record, now);
  add_busy(record, finished->busy_ticks, again ? ring->busy_told : 0);
  ring->busy_told = finished->busy_ticks;
  ring->idle_cell = finished->idle_cell;
  check_end(book, team);
}

/* ---- all of it ---- */

static void apply_to(struct hd_team_book *book, struct hd_team *team, const struct hd_team_entry *entry) {
  const enum hd_what what = hd_what_of(entry->transition);
  struct hd_team_record *record = team->record;
  hd_team_keep(book, record);
  if (what == HD_WHAT_TEAM && !entry->is_primary)
    begin_member(record, entry->transition->ticks);
  else if (what == HD_WHAT_ARRIVE)
    hd_team_arrive(book, record, entry,
                   ((const struct hd_log_arrival *)(const void *)(entry->transition + 1))->flags & HD_LOG_AGAIN);
  else if (what == (entry->is_primary ? HD_WHAT_LEAVE_WORK : HD_WHAT_WORKED))
    hd_team_leave_work(book, record, entry);
  else if (what == HD_WHAT_FINISH || what == HD_WHAT_FINISH_AGAIN)
    finish(book, team, entry, what == HD_WHAT_FINISH_AGAIN);
  else if (!entry->is_primary)
    return;
  else if (what == HD_WHAT_START)
    start(book, record, entry);
  else if (what == HD_WHAT_JOIN)
    join(book, record, entry);
  else if (what == HD_WHAT_REGION_END || what == HD_WHAT_NESTED_END)
    end(book, team, entry);
}

/* All payload begins with the team's number. */
void hd_teams_apply(struct hd_team_book *book, struct hd_ring_sweep *ring, const struct hd_transition *transition,
                    uint64_t idle_since) {
  const enum hd_what what = hd_what_of(transition);
  if (book->lingering_count > 0)
    end_those_before(book, transition->ticks);
  if (what == HD_WHAT_TEAM || what == HD_WHAT_LEFT)
    release(book, ring, transition->ticks, idle_since);
  if (!HD_WHAT_CARRIES(transition->what) || what == HD_WHAT_ORDER)
    return;
  const uint32_t number = hd_log_member_of(transition)->team;
  const struct hd_team_entry entry = {ring, transition, HD_TEAM_RING(number) == ring->index};
  if (what == HD_WHAT_TEAM && book->delays)
    hd_team_delay_start(book, ring);
  if ((what == HD_WHAT_REGION_BEGIN || what == HD_WHAT_NESTED_BEGIN) && entry.is_primary) {
    begin(book, &entry);
    return;
  }
  struct hd_team *team = hd_team_find(book, number);
  if (team)
    apply_to(book, team, &entry);
}

void hd_teams_release(struct hd_team_book *book, struct hd_ring_sweep *ring, uint64_t now) {
  release(book, ring, now, ring->busy == HD_NONE ? ring->tick : now);
}

void hd_teams_close(struct hd_team_book *book, uint32_t index, uint64_t now) {
  struct hd_team *team = index < book->team_count ? &book->teams[index] : NULL;
  if (!team || !(team->record->flags & HD_TEAM_OPEN) || team->record->flags & HD_TEAM_ADDED)
    return;
  hd_team_keep(book, team->record);
  if (!(team->record->flags & HD_TEAM_ENDED))
    set_end(team->record, now);
  complete(book, team);
}

bool hd_teams_restore_total(struct hd_team_book *book, struct hd_total_record *record) {
  return hd_totals_restore(&book->totals, record);
}
