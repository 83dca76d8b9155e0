/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/construct/refused_region.h"

#include "ompt/construct/region.h"
#include "ompt/construct/region_callers.h"
#include "ompt/thread/event.h"
#include "ompt/thread/refuse.h"
#include "ompt/thread/unresolved.h"
#include "ompt/thread/watch.h"

/* ---- where instances are counted ---- */

static struct hd_row_cell *cell_of(struct hd_thread *thread, const struct hd_row_record *row) {
  struct hd_refused_regions *refused = &thread->refused;
  if (refused->row != row) {
    refused->cell = hd_thread_known_cell(thread, row, HD_CELL_REFUSED);
    refused->row = refused->cell ? row : NULL;
  }
  return refused->cell;
}

/* NULL: it is not known at once. */
static struct hd_row_cell *find_cell(struct hd_thread *thread, enum hd_kind kind, const void *address) {
  struct hd_row_record *from = hd_callers_known_row(thread, address);
  const uint64_t site = hd_edge_site(kind, (uint64_t)(uintptr_t)address);
  const struct hd_edge *edge = from ? hd_edges_find(&thread->edges, from, site) : NULL;
  const struct hd_way way = edge ? hd_edge_way(edge) : (struct hd_way){0};
  return way.counter ? cell_of(thread, way.to) : NULL;
}

/* A signal's handler that interrupts this must not change what is looked through. */
static struct hd_row_cell *find_cell_at_work(struct hd_thread *thread, enum hd_kind kind, const void *address) {
  if (thread != hd_thread_current) /* a test's */
    return find_cell(thread, kind, address);
  if (!hd_event_open_at_once())
    return NULL;
  struct hd_row_cell *cell = find_cell(thread, kind, address);
  __atomic_store_n(&thread->expected_alarms, thread->known_alarms, __ATOMIC_RELEASE);
  return cell;
}

void hd_refused_prepare(struct hd_thread *primary) {
  const struct hd_frame *base = primary->base;
  const bool is_outermost = base->base.below == 0 && base->kind == HD_KIND_PARALLEL;
  if (is_outermost && base->base.region && !base->base.region->is_folded && !base->base.region->of_helpers)
    hd_thread_cell(primary, base->row, HD_CELL_REFUSED);
}

/* ---- on the primary ---- */

static bool is_outside(const struct hd_thread *thread) {
  return thread->base == thread->frames && thread->unseen_tasks == 0;
}

static bool refuse(struct hd_thread *thread, enum hd_kind kind, const void *address) {
  struct hd_row_cell *cell = find_cell_at_work(thread, kind, address);
  if (!cell)
    hd_watch_begin_region(thread);
  if (!cell || !hd_refuse(HD_CLASS_REGION)) /* not at once: a region may last, so each looks at the clock */
    return false;
  cell->ticks++;
  return true;
}

bool hd_refused_begin(enum hd_kind kind, const void *address) {
  struct hd_thread *thread = hd_thread_known_soon();
  if (!thread)
    return false;
  const bool is_inside = hd_thread_is_refused(thread);
  if (!is_inside &&
      (!is_outside(thread) || hd_thread_is_at_work(thread) || hd_clock_is_paused() || !hd_budget_watches_regions() ||
       !hd_budget_may_refuse_regions(thread) || !refuse(thread, kind, address)))
    return false;
  thread->refused.led++;
  thread->instruments |= HD_INSTRUMENT_REFUSED;
  return true;
}

bool hd_refused_end(void) {
  struct hd_thread *thread = hd_thread_known_soon();
  if (!thread || thread->refused.led == 0)
    return false;
  thread->refused.led--;
  return true;
}

/* ---- on its team ---- */

/* The first since it was heard of: it leaves what it was in, and idles. */
static void idle(struct hd_thread *thread, uint64_t now) {
  hd_region_leave_earlier(thread, now);
  thread->height = 0;
  hd_thread_switch(thread, now, thread->frames->row, thread->frames->state);
  thread->refused.works_in = true;
  hd_unresolved_begin_regions(thread, hd_thread_time(thread, now));
}

static bool idles_already(const struct hd_thread *thread) {
  return thread->base == thread->frames && thread->instruments & HD_INSTRUMENT_UNRESOLVED &&
         thread->record->unresolved_as == HD_UNRESOLVED_REGIONS;
}

static void begin_to_idle(void) {
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_IMPLICIT_BEGIN);
  if (event.thread)
    idle(event.thread, event.now);
}

/* A primary enters the region that it has forked, whatever is told. */
bool hd_refused_enter(uint64_t told) {
  struct hd_thread *thread = hd_thread_known_soon();
  if (thread && thread->refused.led > 0)
    return true;
  if (thread)
    thread->refused.works_in = false;
  if (told != HD_TOLD_REFUSED || (thread && hd_region_is_forked(thread)))
    return false;
  if (thread && idles_already(thread)) {
    thread->refused.works_in = true;
    thread->instruments |= HD_INSTRUMENT_REFUSED;
  } else {
    begin_to_idle();
  }
  return true;
}

bool hd_refused_leave(void) {
  struct hd_thread *thread = hd_thread_known_soon();
  if (!thread || !hd_thread_is_refused(thread))
    return false;
  if (thread->refused.led == 0)
    thread->refused.works_in = false;
  return true;
}
