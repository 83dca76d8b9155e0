/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/watch.h"

#include "callpath/callpath.h"
#include "ompt/thread/budget_internal.h"
#include "ompt/thread/budget_window.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/memory_budget.h"

enum { CLASSES = (1 << (HD_WINDOW_SHIFT - HD_OPEN_SHIFT)) - 1, IS_WINDOW = 1 << (32 - HD_WINDOW_SHIFT) };

static void begin(struct hd_thread *thread, uint32_t off, bool of_regions) {
  thread->instruments |= HD_INSTRUMENT_WATCHED;
  thread->special |= HD_SPECIAL_WATCHED;
  thread->watch.classes = off >> HD_OPEN_SHIFT & CLASSES;
  thread->watch.next_window = off >> HD_WINDOW_SHIFT | IS_WINDOW;
  thread->watch.of_regions = of_regions;
}

static bool is_outside(const struct hd_thread *thread) {
  return thread->base == thread->frames;
}

/* A window of regions goes on to the next outermost one. */
void hd_watch_begin(struct hd_thread *thread, uint32_t off) {
  const bool goes_on = thread->instruments & HD_INSTRUMENT_WATCHED && thread->watch.of_regions;
  if (is_outside(thread))
    begin(thread, off, hd_budget_watches_regions());
  else if (!goes_on)
    begin(thread, off, false);
}

void hd_watch_begin_region(struct hd_thread *thread) {
  begin(thread, hd_budget_outside(), true);
}

/* ---- records ---- */

static uint64_t key_of(const struct hd_thread_watch *watch, uint32_t profile) {
  return (uint64_t)watch->sees_regions << 32 | profile;
}

static struct hd_watched_record *make(struct hd_thread *thread, uint32_t profile) {
  struct hd_thread_watch *mine = &thread->watch;
  const size_t bytes = sizeof(struct hd_watched_record) + hd_index_growth_bytes(&mine->index);
  if (!hd_memory_has_room(HD_MEMORY_PATH, bytes))
    return NULL;
  HD_KEEP_ERRNO;
  if ((!mine->index.slots && !hd_index_init(&mine->index)) || !hd_index_make_room(&mine->index))
    return NULL;
  struct hd_watched_record *record =
      hd_store_add(&hd_store, &mine->cursor, HD_BLOCK_WATCHED, thread->record->id, sizeof *record);
  if (!record)
    return NULL;
  record->profile = profile;
  record->thread = thread->record->id;
  record->of_regions = mine->sees_regions;
  hd_index_add(&mine->index, key_of(mine, profile), record);
  hd_store_publish(&mine->cursor);
  return record;
}

/* NULL: there is no room for one. */
static struct hd_watched_record *find(struct hd_thread *thread, uint32_t profile) {
  const struct hd_thread_watch *mine = &thread->watch;
  struct hd_watched_record *found = mine->index.slots ? hd_index_find(&mine->index, key_of(mine, profile)) : NULL;
  if (found)
    return found;
  hd_thread_leave_program(thread);
  return make(thread, profile);
}

static void charge_window(struct hd_thread *thread, uint64_t ticks, bool is_busy) {
  struct hd_watched_record *to = find(thread, thread->watch.place);
  if (!to)
    return;
  if (to->window != thread->watch.window) {
    hd_watched_end_window(to);
    to->window = thread->watch.window;
  }
  to->last[0] += ticks;
  to->last[1] += is_busy ? ticks : 0;
}

static void charge(struct hd_thread *thread, uint64_t now) {
  const struct hd_thread_record *from = thread->record;
  struct hd_watched_record *to = find(thread, thread->row->profile);
  const uint32_t state = hd_thread_state(thread);
  if (!to || state >= HD_STATE_COUNT)
    return;
  const uint64_t ticks = now > from->last_ticks ? now - from->last_ticks : 0;
  const int64_t intrusion = from->intrusion - from->intrusion_charged;
  to->ticks[state] += ticks;
  to->intrusion[hd_intrusion_class_of(state)] += intrusion;
  charge_window(thread, intrusion < (int64_t)ticks ? ticks - (uint64_t)intrusion : 0, state == HD_BUSY);
}

static bool is_restricted(struct hd_thread *thread) {
  return thread->watch.of_regions ? hd_budget_watches_regions()
                                  : hd_budget_is_restricted(thread, thread->watch.classes);
}

void hd_watch_switch(struct hd_thread *thread, uint64_t now) {
  if (thread->watch.has_begun)
    charge(thread, now);
  if (!is_restricted(thread)) { /* all is observed again */
    hd_watch_end(thread);
    return;
  }
  thread->watch.sees_regions = thread->watch.of_regions;
  thread->watch.place = thread->watch.of_regions ? HD_PROGRAM_PROFILE : hd_budget_place(thread);
  struct hd_watched_record *entered = thread->entered ? find(thread, thread->entered->profile) : NULL;
  if (entered)
    entered->visits++;
  thread->watch.has_begun = true;
  thread->watch.window = thread->watch.next_window;
}

/* ---- its end ---- */

void hd_watch_end_at(struct hd_thread *thread, uint64_t now) {
  if (thread->watch.has_begun)
    charge(thread, now);
  hd_watch_end(thread);
}

/* The region's last barrier is the region's. */
static bool is_of_region(const struct hd_thread *thread, enum hd_event_kind kind) {
  return (kind == HD_EVENT_WAIT_BEGIN || kind == HD_EVENT_WAIT_END) && thread->base->state != HD_BUSY;
}

void hd_watch_end_event(struct hd_thread *thread, enum hd_event_kind kind) {
  if (!(thread->special & HD_SPECIAL_WATCHED))
    return;
  const bool is_of_class = thread->watch.classes >> hd_budget_class_of(kind) & 1;
  const bool goes_on = thread->watch.of_regions
                           ? !is_outside(thread) || is_of_class || hd_budget_class_of(kind) == HD_CLASS_REGION
                           : is_of_class && !is_of_region(thread, kind);
  if (!goes_on)
    hd_watch_end(thread);
}

uint64_t hd_watch_idle_cell(struct hd_thread *thread) {
  const uint32_t kind = thread->watch.of_regions ? HD_CELL_REGIONS_TEAM : HD_CELL_WATCHED_TEAM;
  const struct hd_row_cell *cell = hd_thread_cell(thread, thread->row, kind);
  return cell == &thread->uncounted ? 0 : hd_store_offset(&hd_store, cell);
}
