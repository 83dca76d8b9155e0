/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/unresolved.h"

#include "ompt/thread/barrier.h"
#include "ompt/thread/current.h"
#include "ompt/thread/watch.h"

enum { WAITS_MOST = UINT16_MAX };

/* ---- it begins ---- */

static void begin(struct hd_thread *thread, uint64_t now, bool waits) {
  struct hd_thread_record *record = thread->record;
  if (thread->instruments & HD_INSTRUMENT_UNRESOLVED && (!waits || record->unresolved_wait))
    return;
  thread->instruments |= HD_INSTRUMENT_UNRESOLVED;
  if (thread->instruments & HD_INSTRUMENT_WATCHED)
    hd_watch_end_at(thread, now);
  record->unresolved_wait = waits;
  __atomic_signal_fence(__ATOMIC_SEQ_CST); /* a killed program's reader sees both, or none */
  record->unresolved_ticks = hd_thread_time(thread, now);
}

void hd_unresolved_refuse(struct hd_thread *thread, uint32_t event_class, uint64_t now) {
  thread->refusals += event_class == HD_CLASS_MUTEX;
  hd_budget_mark(thread->row, event_class);
  if (!(thread->instruments & HD_INSTRUMENT_UNRESOLVED))
    begin(thread, now ? now : hd_clock_now(), false);
  else if (thread->instruments & HD_INSTRUMENT_WATCHED)
    hd_watch_end(thread);
}

void hd_unresolved_begin(struct hd_thread *thread, uint64_t now) {
  thread->refusals++;
  begin(thread, now, false);
}

void hd_unresolved_begin_unheard(struct hd_thread *thread, uint64_t now) {
  if (hd_budget_unheard_here(thread))
    begin(thread, now, false);
}

/* ---- refused waits and entry points ---- */

static void begin_wait(struct hd_thread *thread) {
  thread->instruments |= HD_INSTRUMENT_REFUSED;
  if (thread->top->waits < WAITS_MOST)
    thread->top->waits++;
}

void hd_unresolved_begin_wait(struct hd_thread *thread) {
  if (!thread)
    return;
  thread->refusals++;
  begin_wait(thread);
}

/* A loop may begin or end while it is made ready, or a chunk asked for. A task may run while one is created, and what
 * is observed in that is known. */
void hd_unresolved_begin_entry(struct hd_thread *thread, bool of_loop) {
  if (!thread)
    return;
  if (!of_loop) {
    begin_wait(thread);
    return;
  }
  thread->instruments |= HD_INSTRUMENT_REFUSED;
  thread->base->base.refused_entries++;
}

static void end_wait(struct hd_thread *thread) {
  if (thread->top->waits > 0)
    thread->top->waits--;
}

void hd_unresolved_end_wait(void) {
  struct hd_thread *thread = hd_thread_known_soon();
  if (thread)
    end_wait(thread);
}

void hd_unresolved_end_entry(struct hd_thread *thread, bool of_loop) {
  if (!of_loop)
    end_wait(thread);
  else if (thread->base->base.refused_entries > 0)
    thread->base->base.refused_entries--;
}

/* ---- at a region's end ---- */

static struct hd_team_place *place_in_team(const struct hd_thread *thread) {
  return &thread->frames[thread->base->base.team].base.place;
}

static bool waits_for_end(const struct hd_thread *thread) {
  const struct hd_frame *base = thread->base;
  return thread->top == base && base->kind == HD_KIND_PARALLEL && base->state == HD_WAIT_BARRIER_IMPLICIT;
}

bool hd_unresolved_is_known_wait(const struct hd_thread *thread) {
  return waits_for_end(thread) && !thread->base->base.place.is_unresolved;
}

/* 0: there is no room. */
static uint64_t find_idle_cell(struct hd_thread *thread) {
  const struct hd_row_cell *cell = hd_thread_cell(thread, thread->row, HD_CELL_UNRESOLVED_TEAM);
  return cell == &thread->uncounted ? 0 : hd_store_offset(&hd_store, cell);
}

/* Of a worker's wait the sweep takes what comes after the team's join: the log names another cell for that from now on.
 */
static void announce_wait(struct hd_thread *thread, uint64_t now) {
  struct hd_team_place *place = &thread->base->base.place;
  place->unresolved_cell = place->has_finished ? find_idle_cell(thread) : 0;
  place->is_unresolved = !place->has_finished || place->unresolved_cell;
  if (place->has_finished && place->is_unresolved)
    hd_barrier_wait_again(thread, now);
  hd_thread_set_state(thread, now, HD_WAIT_BARRIER_IMPLICIT);
}

void hd_unresolved_begin_task(struct hd_thread *thread, uint64_t now) {
  if (hd_unresolved_is_known_wait(thread))
    announce_wait(thread, now);
  thread->refusals++;
  thread->instruments |= HD_INSTRUMENT_REFUSED;
  begin(thread, now, waits_for_end(thread) && thread->base->base.place.is_unresolved);
}

/* ---- at every change of state, as long as something may be unresolved ---- */

/* It began with an event; the transition that this told of may have been moved to later (ring.h). */
static void charge(struct hd_thread *thread, uint64_t now) {
  struct hd_thread_record *record = thread->record;
  const uint64_t since = record->unresolved_ticks > record->last_ticks ? record->unresolved_ticks : record->last_ticks;
  record->unresolved_ticks = 0;
  thread->budget.refusing = 0;
  thread->instruments &= ~(uint32_t)HD_INSTRUMENT_UNRESOLVED;
  if (now <= since || (!record->unresolved_wait && thread->ring.busy == HD_NONE))
    return;
  struct hd_row_cell *cell = hd_thread_cell(thread, thread->row, HD_CELL_UNRESOLVED);
  cell->ticks += now - since;
  cell->intrusion += record->unresolved_wait ? (int64_t)(now - since) : 0;
}

/* Within what was refused: what is observed in there has ended, and what is refused goes on. */
void hd_unresolved_go_on(struct hd_thread *thread, uint64_t now, uint32_t state) {
  const bool is_outside = thread->base == thread->frames, is_idle = is_outside && state != HD_BUSY;
  if (thread->base->kind == HD_KIND_TASK && thread->unseen_tasks == 0)
    place_in_team(thread)->is_unresolved = false; /* what it waits for again, after this task, it is known to */
  if (is_idle)
    thread->unseen_tasks = 0;
  if (state == HD_BUSY && (thread->top->waits > 0 || thread->base->base.refused_entries > 0))
    begin(thread, now, false);
  else if (waits_for_end(thread) && thread->base->base.place.is_unresolved)
    begin(thread, now, true);
  else if (is_outside && thread->unseen_tasks == 0)
    thread->instruments &= ~(uint32_t)HD_INSTRUMENT_REFUSED;
}

void hd_unresolved_switch(struct hd_thread *thread, uint64_t now, uint32_t state) {
  if (thread->instruments & HD_INSTRUMENT_UNRESOLVED)
    charge(thread, now);
  hd_unresolved_begin_unheard(thread, now);
  if (thread->instruments & HD_INSTRUMENT_REFUSED)
    hd_unresolved_go_on(thread, now, state);
}
