/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/trace_lulls.h"

#include <pthread.h>

#include "heddle-trace.h"
#include "ompt/shared/clock.h"
#include "ompt/shared/measuring.h"
#include "store/store.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/memory_budget.h"

enum { LULLS_MOST = 1 << 16 };
#define NONE UINT64_MAX

static uint64_t never = NONE;
static struct {
  bool are_wanted;
  uint32_t most;
  uint64_t least_ticks;
  uint32_t busy;        /* threads */
  uint64_t *since;      /* so few are; NONE: more are. In the file, for a reader of a program that is killed */
  uint64_t ended_since; /* likewise of the last lull, */
  uint64_t ended_at;    /* and when that ended */
  uint64_t lost_until;
  pthread_mutex_t lock; /* of what follows; taken when a lull has ended that was long enough */
  struct hd_store_cursor cursor;
  struct hd_trace_stretch_record *last; /* in the file */
  struct hd_trace_stretch_record *list; /* those that were long enough */
  uint32_t count;
} lulls = {.since = &never, .lock = PTHREAD_MUTEX_INITIALIZER};

static struct hd_trace_stretch_record *add_record(uint64_t begin_ticks, uint64_t end_ticks) {
  if (lulls.cursor.used == lulls.cursor.limit)
    hd_memory_allow(HD_BLOCK_BYTES);
  struct hd_trace_stretch_record *record =
      hd_store_add(&hd_store, &lulls.cursor, HD_BLOCK_TRACE_STRETCHES, HD_NONE, sizeof *record);
  if (!record)
    return NULL;
  *record = (struct hd_trace_stretch_record){.begin_ticks = begin_ticks, .end_ticks = end_ticks};
  hd_store_publish(&lulls.cursor);
  return record;
}

bool hd_trace_lulls_init(const struct hd_few_busy *condition) {
  const double ticks_per_second = 1e3 * (double)hd_clock_ticks_per_ms(hd_store.header->clock_first);
  const uint64_t least_ticks = (uint64_t)(condition->least_seconds * ticks_per_second + 0.5);
  hd_memory_allow(LULLS_MOST * sizeof *lulls.list);
  lulls.list = hd_heap_allocate(LULLS_MOST, sizeof *lulls.list);
  struct hd_trace_stretch_record *present = NULL;
  if (lulls.list && add_record(least_ticks, 0))
    present = add_record(hd_store.header->loaded_ticks, HD_TRACE_MAY_COUNT_TICKS);
  if (!present)
    return false;
  lulls.most = condition->most;
  lulls.least_ticks = least_ticks;
  lulls.since = &present->begin_ticks;
  lulls.ended_at = NONE;
  hd_store.header->flags |= HD_FILE_TRACE_WHEN | HD_FILE_TRACE_LULLS;
  return lulls.are_wanted = true;
}

bool hd_trace_lulls_are_wanted(void) {
  return lulls.are_wanted;
}

/* ---- lulls ---- */

/* It has gone on where another thread took the place of one that stopped: that is one lull. */
static bool goes_on(uint64_t since, uint64_t ticks) {
  const uint32_t count = lulls.count;
  if (count == 0 || lulls.list[count - 1].begin_ticks != since)
    return false;
  __atomic_store_n(&lulls.list[count - 1].end_ticks, ticks, __ATOMIC_RELAXED);
  __atomic_store_n(&lulls.last->end_ticks, ticks, __ATOMIC_RELAXED);
  return true;
}

static bool add(uint64_t since, uint64_t ticks) {
  struct hd_trace_stretch_record *record = lulls.count < LULLS_MOST ? add_record(since, ticks) : NULL;
  if (!record)
    return false;
  lulls.last = record;
  lulls.list[lulls.count] = (struct hd_trace_stretch_record){.begin_ticks = since, .end_ticks = ticks};
  __atomic_store_n(&lulls.count, lulls.count + 1, __ATOMIC_SEQ_CST);
  return true;
}

/* Of a lull that was seen late blocks may have been used again: whoever does that looks at the list after it has told
 * so, and here it is the other way round. */
static void leave_out_lost(uint64_t since, uint64_t ticks) {
  const uint64_t lost = __atomic_load_n(&lulls.lost_until, __ATOMIC_SEQ_CST);
  if (lost <= since)
    return;
  const uint64_t from = lost < ticks ? lost : ticks;
  __atomic_store_n(&lulls.list[lulls.count - 1].begin_ticks, from, __ATOMIC_RELAXED);
  __atomic_store_n(&lulls.last->begin_ticks, from, __ATOMIC_RELAXED);
}

static void list(uint64_t since, uint64_t ticks) {
  pthread_mutex_lock(&lulls.lock);
  if (!goes_on(since, ticks) && add(since, ticks))
    leave_out_lost(since, ticks);
  pthread_mutex_unlock(&lulls.lock);
}

static void begin(uint64_t ticks) {
  const bool goes_on_here = __atomic_load_n(&lulls.ended_at, __ATOMIC_RELAXED) == ticks;
  uint64_t since = goes_on_here ? __atomic_load_n(&lulls.ended_since, __ATOMIC_RELAXED) : ticks;
  __atomic_store_n(lulls.since, since, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&lulls.busy, __ATOMIC_SEQ_CST) > lulls.most) /* it is over, and who ended it did not see it */
    __atomic_compare_exchange_n(lulls.since, &since, NONE, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Listed before it is no longer the present one: its blocks are kept all the time. */
static void end(uint64_t ticks) {
  uint64_t since = __atomic_load_n(lulls.since, __ATOMIC_SEQ_CST);
  if (since == NONE)
    return;
  __atomic_store_n(&lulls.ended_since, since, __ATOMIC_RELAXED);
  __atomic_store_n(&lulls.ended_at, ticks, __ATOMIC_RELAXED);
  if (ticks > since && ticks - since >= lulls.least_ticks)
    list(since, ticks);
  __atomic_compare_exchange_n(lulls.since, &since, NONE, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void hd_trace_lulls_count(bool is_busy, uint64_t ticks) {
  const uint32_t before = __atomic_fetch_add(&lulls.busy, is_busy ? 1u : UINT32_MAX, __ATOMIC_SEQ_CST);
  if (is_busy && before == lulls.most)
    end(ticks);
  else if (!is_busy && before == lulls.most + 1)
    begin(ticks);
}

/* ---- what is kept ---- */

/* The last that begins no later than that. */
static bool is_in_one(uint64_t from_ticks, uint64_t to_ticks) {
  uint32_t low = 0, high = __atomic_load_n(&lulls.count, __ATOMIC_ACQUIRE);
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (__atomic_load_n(&lulls.list[middle].begin_ticks, __ATOMIC_RELAXED) <= to_ticks)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && __atomic_load_n(&lulls.list[low - 1].end_ticks, __ATOMIC_RELAXED) >= from_ticks;
}

enum hd_trace_need hd_trace_lulls_need(uint64_t from_ticks, uint64_t to_ticks) {
  if (!lulls.are_wanted)
    return HD_TRACE_NOT_NEEDED;
  const uint64_t since = __atomic_load_n(lulls.since, __ATOMIC_ACQUIRE);
  if (is_in_one(from_ticks, to_ticks))
    return HD_TRACE_NEEDED;
  return since != NONE && to_ticks >= since ? HD_TRACE_MAY_BE_NEEDED : HD_TRACE_NOT_NEEDED;
}

void hd_trace_lulls_lose(uint64_t until_ticks) {
  uint64_t before = __atomic_load_n(&lulls.lost_until, __ATOMIC_RELAXED);
  while (before < until_ticks && !__atomic_compare_exchange_n(&lulls.lost_until, &before, until_ticks, true,
                                                              __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
    continue;
}
