/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/inprocess/memory_budget.h"

/* What a promise takes, with its share of the tables that lead to it: sweep/tallies.h, sweep/entries.h. */
static uint64_t due_bytes[HD_MEMORY_DUES] = {[HD_MEMORY_TALLY] = 192,
                                             [HD_MEMORY_TOTAL] = 112,
                                             [HD_MEMORY_LEVELS] = 80,
                                             [HD_MEMORY_ENTRY] = 112,
                                             [HD_MEMORY_STACK] = 16896};
enum { LEVELS_PER_RECORD = 7 };

/* So much must be left: a part of the limit, at least so many bytes of it, and so many of each thread's part, of which
 * a thread's first needs take about half. */
static const struct keep {
  uint32_t eighths;
  uint32_t least_bytes;
  uint32_t thread_bytes;
} keep[HD_MEMORY_USES] = {[HD_MEMORY_ORDER] = {5, 176 << 10, 13 << 10},
                          [HD_MEMORY_PATH] = {4, 160 << 10, 12 << 10},
                          [HD_MEMORY_PATH_ROW] = {3, 144 << 10, 10 << 10},
                          [HD_MEMORY_SHORT_PATH] = {1, 80 << 10, 4 << 10},
                          [HD_MEMORY_SITE] = {0, 24 << 10, 2 << 10}};

static struct {
  uint64_t used;
  uint64_t bytes; /* asked for; HD_MEMORY_UNLIMITED: no limit */
  uint64_t threads;
  uint64_t granted;             /* beyond the limit */
  uint64_t due[HD_MEMORY_DUES]; /* promised and not there yet; below zero what came unasked */
  uint64_t tallies;
  uint64_t *limit_shown;
  uint64_t *used_shown;
} memory = {.bytes = HD_MEMORY_UNLIMITED};

static uint64_t limit(void) {
  const uint64_t threads = __atomic_load_n(&memory.threads, __ATOMIC_RELAXED);
  const uint64_t granted = __atomic_load_n(&memory.granted, __ATOMIC_RELAXED);
  return memory.bytes == HD_MEMORY_UNLIMITED ? HD_MEMORY_UNLIMITED
                                             : memory.bytes + granted + threads * HD_MEMORY_THREAD;
}

static void show_limit(void) {
  if (memory.limit_shown)
    __atomic_store_n(memory.limit_shown, memory.bytes == HD_MEMORY_UNLIMITED ? 0 : limit(), __ATOMIC_RELAXED);
}

static void show_used(uint64_t used) {
  if (memory.used_shown)
    __atomic_store_n(memory.used_shown, used, __ATOMIC_RELAXED);
}

void hd_memory_limit(uint64_t bytes) {
  memory.bytes = bytes < HD_MEMORY_LEAST ? HD_MEMORY_LEAST : bytes;
}

void hd_memory_show(uint64_t *limit_shown, uint64_t *used_shown) {
  memory.limit_shown = limit_shown;
  memory.used_shown = used_shown;
  show_limit();
  show_used(__atomic_load_n(&memory.used, __ATOMIC_RELAXED));
}

void hd_memory_add_thread(void) {
  __atomic_fetch_add(&memory.threads, 1, __ATOMIC_RELAXED);
  show_limit();
}

bool hd_memory_take(size_t bytes) {
  const uint64_t used = __atomic_add_fetch(&memory.used, bytes, __ATOMIC_RELAXED);
  if (used > limit()) {
    __atomic_fetch_sub(&memory.used, bytes, __ATOMIC_RELAXED);
    return false;
  }
  show_used(used);
  return true;
}

void hd_memory_take_surely(size_t bytes) {
  show_used(__atomic_add_fetch(&memory.used, bytes, __ATOMIC_RELAXED));
}

void hd_memory_give(size_t bytes) {
  show_used(__atomic_sub_fetch(&memory.used, bytes, __ATOMIC_RELAXED));
}

void hd_memory_allow(size_t bytes) {
  __atomic_fetch_add(&memory.granted, bytes, __ATOMIC_RELAXED);
  show_limit();
}

void hd_memory_disallow(size_t bytes) {
  __atomic_fetch_sub(&memory.granted, bytes, __ATOMIC_RELAXED);
  show_limit();
}

void hd_memory_grant(size_t bytes) {
  hd_memory_allow(bytes);
  hd_memory_take_surely(bytes);
}

void hd_memory_take_back(size_t bytes) {
  hd_memory_give(bytes);
  hd_memory_disallow(bytes);
}

/* Levels are promised with their tally; how many, depends on the threads by now. Those that are there were counted in
 * due[HD_MEMORY_LEVELS] as below zero. */
static uint64_t all_due_bytes(void) {
  const uint64_t per_tally = __atomic_load_n(&memory.threads, __ATOMIC_RELAXED) / LEVELS_PER_RECORD + 1;
  uint64_t bytes = 0;
  for (size_t what = 0; what < HD_MEMORY_DUES; what++) {
    uint64_t count = __atomic_load_n(&memory.due[what], __ATOMIC_RELAXED);
    if (what == HD_MEMORY_LEVELS)
      count += __atomic_load_n(&memory.tallies, __ATOMIC_RELAXED) * per_tally;
    bytes += (int64_t)count > 0 ? count * due_bytes[what] : 0;
  }
  return bytes;
}

static uint64_t kept_for_others(enum hd_memory_use use) {
  const uint64_t part = memory.bytes / 8 * keep[use].eighths;
  const uint64_t threads = __atomic_load_n(&memory.threads, __ATOMIC_RELAXED);
  return (part > keep[use].least_bytes ? part : keep[use].least_bytes) + threads * keep[use].thread_bytes;
}

bool hd_memory_has_room(enum hd_memory_use use, size_t bytes) {
  if (memory.bytes == HD_MEMORY_UNLIMITED)
    return true;
  return __atomic_load_n(&memory.used, __ATOMIC_RELAXED) + all_due_bytes() + kept_for_others(use) + bytes <= limit();
}

void hd_memory_promise(enum hd_memory_due what, uint32_t count) {
  if (what == HD_MEMORY_TALLY)
    __atomic_fetch_add(&memory.tallies, count, __ATOMIC_RELAXED);
  __atomic_fetch_add(&memory.due[what], count, __ATOMIC_RELAXED);
}

void hd_memory_keep_promise(enum hd_memory_due what) {
  __atomic_fetch_sub(&memory.due[what], 1, __ATOMIC_RELAXED);
}

void hd_memory_set_counts_bytes(size_t bytes) {
  due_bytes[HD_MEMORY_COUNTS] = bytes;
}
