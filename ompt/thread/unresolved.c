/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/unresolved.h"

#include "ompt/thread/barrier.h"
#include "ompt/thread/current.h"
#include "ompt/thread/watch.h"

enum { WAITS_MOST = UINT16_MAX };

/* ---- it begins ---- */

static void charge(struct hd_thread *thread, uint64_t now);

/* What is refused outside all regions while those are off, too, is seen in their windows. */
static enum hd_unresolved_as kind_of(const struct hd_thread *thread, enum hd_unresolved_as as) {
  const bool is_outside = thread->base == thread->frames && as == HD_UNRESOLVED_BUSY;
  return is_outside && hd_budget_watches_regions() ? HD_UNRESOLVED_REGIONS : as;
}

static void begin(struct hd_thread *thread, uint64_t now, enum hd_unresolved_as as) {
  struct hd_thread_record *record = thread->record;
  as = kind_of(thread, as);
  if (thread->instruments & HD_INSTRUMENT_UNRESOLVED) {
    if (as == HD_UNRESOLVED_BUSY || as == record->unresolved_as)
      return;
    charge(thread, now);
  }
  thread->instruments |= HD_INSTRUMENT_UNRESOLVED;
  if (thread->instruments & HD_INSTRUMENT_WATCHED)
    hd_watch_end_at(thread, now);
  record->unresolved_as = as;
  __atomic_signal_fence(__ATOMIC_SEQ_CST); /* a killed program's reader sees both, or none */
  record->unresolved_ticks = hd_thread_time(thread, now);
}

static bool is_known_to_begin(const struct hd_thread *thread, uint32_t event_class) {
  return thread->instruments & HD_INSTRUMENT_UNRESOLVED &&
         (event_class != HD_CLASS_REGION || thread->record->unresolved_as == HD_UNRESOLVED_REGIONS);
}

void hd_unresolved_refuse(struct hd_thread *thread, uint32_t event_class, uint64_t now) {
  thread->refusals += event_class == HD_CLASS_MUTEX;
  if (event_class != HD_CLASS_REGION)
    hd_budget_mark(thread->row, event_class);
  if (!is_known_to_begin(thread, event_class))
    begin(thread, now ? now : hd_clock_now(), HD_UNRESOLVED_BUSY);
  else if (thread->instruments & HD_INSTRUMENT_WATCHED)
    hd_watch_end(thread);
}

void hd_unresolved_begin(struct hd_thread *thread, uint64_t now) {
  thread->refusals++;
  begin(thread, now, HD_UNRESOLVED_BUSY);
}

void hd_unresolved_begin_regions(struct hd_thread *thread, uint64_t now) {
  thread->instruments |= HD_INSTRUMENT_REFUSED;
  begin(thread, now, HD_UNRESOLVED_REGIONS);
}

void hd_unresolved_begin_unheard(struct hd_thread *thread, uint64_t now) {
  if (hd_budget_unheard_here(thread))
    begin(thread, now, HD_UNRESOLVED_BUSY);
}

/* ---- refused waits and entry points ---- */

/* A lock's wait in which the thread goes on was a failed test, and the next event takes its frame away. */
static struct hd_frame *frame_of_wait(const struct hd_thread *thread) {
  return thread->pending & HD_PENDING_LOCK ? thread->top - 1 : thread->top;
}

static void begin_wait(struct hd_thread *thread) {
  struct hd_frame *frame = frame_of_wait(thread);
  thread->instruments |= HD_INSTRUMENT_REFUSED;
  if (frame->waits < WAITS_MOST)
    frame->waits++;
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
  struct hd_frame *frame = frame_of_wait(thread);
  if (frame->waits > 0)
    frame->waits--;
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
  const bool waits = waits_for_end(thread) && thread->base->base.place.is_unresolved;
  begin(thread, now, waits ? HD_UNRESOLVED_WAIT : HD_UNRESOLVED_BUSY);
}

/* ---- at every change of state, as long as something may be unresolved ---- */

/* Whoever idles does so outside all regions. What the thread does that is neither it does itself. */
static void charge_regions(struct hd_thread *thread, uint64_t ticks) {
  const uint32_t state = hd_thread_state(thread);
  if (state != HD_BUSY && state != HD_IDLE)
    return;
  struct hd_row_cell *cell = hd_thread_cell(thread, thread->row, HD_CELL_UNRESOLVED_REGIONS);
  cell->ticks += ticks;
  cell->intrusion += state == HD_IDLE ? (int64_t)ticks : 0;
}

/* It began with an event; the transition that this told of may have been moved to later (ring.h). */
static void charge(struct hd_thread *thread, uint64_t now) {
  struct hd_thread_record *record = thread->record;
  const enum hd_unresolved_as as = (enum hd_unresolved_as)record->unresolved_as;
  const uint64_t since = record->unresolved_ticks > record->last_ticks ? record->unresolved_ticks : record->last_ticks;
  record->unresolved_ticks = 0;
  thread->budget.refusing = 0;
  thread->instruments &= ~(uint32_t)HD_INSTRUMENT_UNRESOLVED;
  if (now > since && as == HD_UNRESOLVED_REGIONS)
    charge_regions(thread, now - since);
  if (now <= since || as == HD_UNRESOLVED_REGIONS || (as == HD_UNRESOLVED_BUSY && thread->ring.busy == HD_NONE))
    return;
  struct hd_row_cell *cell = hd_thread_cell(thread, thread->row, HD_CELL_UNRESOLVED);
  cell->ticks += now - since;
  cell->intrusion += as == HD_UNRESOLVED_WAIT ? (int64_t)(now - since) : 0;
}

/* Within what was refused: what is observed in there has ended, and what is refused goes on. */
void hd_unresolved_go_on(struct hd_thread *thread, uint64_t now, uint32_t state) {
  const bool is_outside = thread->base == thread->frames, is_idle = is_outside && state == HD_IDLE;
  if (thread->base->kind == HD_KIND_TASK && thread->unseen_tasks == 0)
    place_in_team(thread)->is_unresolved = false; /* what it waits for again, after this task, it is known to */
  if (is_idle)
    thread->unseen_tasks = 0;
  if (hd_thread_is_refused(thread))
    begin(thread, now, HD_UNRESOLVED_REGIONS);
  else if (state == HD_BUSY && (thread->top->waits > 0 || thread->base->base.refused_entries > 0))
    begin(thread, now, HD_UNRESOLVED_BUSY);
  else if (waits_for_end(thread) && thread->base->base.place.is_unresolved)
    begin(thread, now, HD_UNRESOLVED_WAIT);
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
