/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/shared/sweeper.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "ompt/shared/measuring.h"
#include "ompt/shared/ring_pool.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/memory_budget.h"
#include "sweep/batch.h"

enum { CLOSE_TRIES = 1000 };

/* All below is the sweep's, under its lock. */
static pthread_mutex_t sweep_lock = PTHREAD_MUTEX_INITIALIZER;
static struct hd_tallies tallies;
static struct hd_ring_set set;
static struct hd_batch batch;

/* ---- records ---- */

static struct hd_store_cursor cursors[HD_BLOCK_TYPE_LAST + 1];

static void *allocate(void *context, enum hd_block_type type, size_t bytes) {
  static const uint8_t dues[HD_BLOCK_TYPE_LAST + 1] = {
      [HD_BLOCK_TALLIES] = 1 + HD_MEMORY_TALLY,
      [HD_BLOCK_LEVELS] = 1 + HD_MEMORY_LEVELS,
      [HD_BLOCK_ENTRIES] = 1 + HD_MEMORY_ENTRY,
      [HD_BLOCK_TOTALS] = 1 + HD_MEMORY_TOTAL,
  };
  static bool full[HD_BLOCK_TYPE_LAST + 1]; /* asking again at every transition would cost too much */
  (void)context;
  if (type == HD_BLOCK_STACK)
    hd_memory_keep_promise(HD_MEMORY_STACK);
  if (type == HD_BLOCK_JOURNAL && tallies.journal.record && !hd_memory_has_room(HD_MEMORY_PATH_ROW, bytes))
    return NULL; /* a larger one, which can be done without */
  if (type == HD_BLOCK_TIMELINE || type == HD_BLOCK_STACK || type == HD_BLOCK_JOURNAL)
    return hd_store_add_block(&hd_store, type, HD_NONE, bytes);
  if (type == HD_BLOCK_HISTORIES && !hd_memory_has_room(HD_MEMORY_PATH_ROW, bytes))
    return NULL;
  struct hd_store_cursor *cursor = &cursors[type];
  if (full[type])
    return NULL;
  void *record = hd_store_add(&hd_store, cursor, type, HD_NONE, bytes);
  if (record && dues[type])
    hd_memory_keep_promise(dues[type] - 1u);
  if (record)
    hd_store_publish(cursor); /* the reader takes a record that is still all zero for none */
  full[type] = !record;
  return record;
}

/* A first block of each, so that the file's size does not depend on what happened to be busy at once. */
static bool reserve(enum hd_block_type type, size_t bytes, uint32_t count) {
  return hd_store_reserve(&hd_store, &cursors[type], type, HD_NONE, bytes, count);
}

/* "SLOTS,ENTRIES,SPARES,ORDER": struct hd_batch_habits. */
static void read_habits(const char *text, struct hd_batch_habits *habits) {
  uint32_t *const numbers[] = {&habits->window_slots, &habits->part_entries, &habits->spare_windows, &habits->order};
  for (size_t i = 0; text && *text && i < sizeof numbers / sizeof *numbers; i++) {
    char *end;
    *numbers[i] = (uint32_t)strtoul(text, &end, 10);
    text = end + (*end == ',');
  }
}

bool hd_sweeper_init(uint64_t begin_ticks, const char *test_windows) {
  HD_KEEP_ERRNO;
  hd_frontier_init();
  hd_tallies_init(&tallies, allocate, NULL, hd_store.header);
  hd_batch_init(&batch, &tallies);
  read_habits(test_windows, &batch.habits);
  bool begun = reserve(HD_BLOCK_TALLIES, sizeof(struct hd_tally_record), 1) &&
               reserve(HD_BLOCK_ENTRIES, sizeof(struct hd_entry_record), 200) &&
               reserve(HD_BLOCK_LEVELS, sizeof(struct hd_level_record), 1) &&
               reserve(HD_BLOCK_OVERLAPS, sizeof(struct hd_overlap_record), 500) &&
               reserve(HD_BLOCK_HISTORIES, sizeof(struct hd_history_record), 1) &&
               reserve(HD_BLOCK_TOTALS, sizeof(struct hd_total_record), 1) &&
               reserve(HD_BLOCK_TEAMS, sizeof(struct hd_team_record), 8) && hd_tallies_begin(&tallies, begin_ticks) &&
               hd_journal_begin(&tallies.journal, hd_store.base);
  return begun;
}

void hd_sweeper_follow_path(void) {
  hd_path_begin(&tallies.path, hd_store.header);
}

void hd_sweeper_follow_locks(void) {
  hd_locks_begin(&tallies.locks, hd_store.header);
}

static void *add_at_close(void *context, enum hd_block_type type) {
  const size_t bytes = type == HD_BLOCK_PATHS        ? sizeof(struct hd_path_record)
                       : type == HD_BLOCK_PATH_STEPS ? sizeof(struct hd_path_step_record)
                       : type == HD_BLOCK_LOCKS      ? sizeof(struct hd_lock_record)
                                                     : sizeof(struct hd_lock_pair_record);
  return allocate(context, type, bytes);
}

/* All is taken. Regions get their histories however short the run was. */
static void close_books(void) {
  hd_histories_take(&tallies);
  hd_locks_close(&tallies.locks, tallies.at, add_at_close, NULL);
  hd_path_close(&tallies.path, add_at_close, NULL);
}

/* ---- the sweep ---- */

/* Rings that were left and are empty can be used again. */
static void retire(void) {
  for (uint32_t i = set.count; i-- > 0;) {
    struct hd_ring_record *ring = set.rings[i];
    if (!__atomic_load_n(&ring->ended, __ATOMIC_ACQUIRE) ||
        ring->sweep.tail != __atomic_load_n(&ring->head, __ATOMIC_RELAXED))
      continue;
    set.rings[i] = set.rings[--set.count];
    hd_ring_pool_retire(ring);
  }
}

/* Takes what is planned. False: other threads have taken the rest of it, and are not ready. */
static bool take_planned(void) {
  while (hd_batch_help(&batch))
    ;
  if (hd_batch_is_open(&batch))
    return false;
  retire();
  return true;
}

static bool take_up_to(uint64_t bound) {
  if (set.count == 0) /* there may be no memory for a window then */
    return true;
  hd_batch_plan(&batch, set.window, set.rings, set.count, bound);
  return take_planned();
}

static void sweep(struct hd_sweep_aim aim) {
  const uint64_t bound = take_planned() ? hd_frontier_move(&set, aim) : 0;
  if (bound > 0)
    take_up_to(bound);
}

/* ---- for the owners ---- */

static void sweep_if_free(struct hd_sweep_aim aim) {
  HD_KEEP_ERRNO;
  if (pthread_mutex_trylock(&sweep_lock))
    return;
  if (!hd_frontier_is_closed())
    sweep(aim);
  pthread_mutex_unlock(&sweep_lock);
}

void hd_sweeper_flush(void) {
  sweep_if_free((struct hd_sweep_aim){0});
}

void hd_sweeper_empty_left(void) {
  sweep_if_free((struct hd_sweep_aim){.leaving = true});
}

void hd_sweeper_make_room(const struct hd_ring_record *ring) {
  if (pthread_mutex_trylock(&sweep_lock)) {
    hd_sweeper_help();
    return;
  }
  const uint64_t released = __atomic_load_n(&ring->released, __ATOMIC_ACQUIRE);
  if (!hd_frontier_is_closed() && ring->head - released > HD_RING_LENGTH - HD_SLOTS_MOST)
    sweep((struct hd_sweep_aim){.passing = true});
  pthread_mutex_unlock(&sweep_lock);
}

bool hd_sweeper_help(void) {
  return hd_batch_help(&batch);
}

/* As its newest entry says. */
static bool is_busy(struct hd_ring_record *ring) {
  const uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
  uint32_t busy = ring->sweep.busy;
  for (uint64_t n = ring->sweep.tail; n != head; n += hd_what_slots(hd_log_at(ring, n)->what))
    busy = hd_log_at(ring, n)->busy;
  return busy != HD_NONE;
}

bool hd_sweeper_others_are_busy(const struct hd_ring_record *own) {
  if (pthread_mutex_trylock(&sweep_lock))
    return true;
  bool busy = !take_planned();
  if (!busy)
    hd_ring_pool_take_in(&set);
  for (uint32_t i = 0; i < set.count && !busy; i++)
    busy |= set.rings[i] != own && is_busy(set.rings[i]);
  pthread_mutex_unlock(&sweep_lock);
  return busy;
}

/* Other threads may be at windows that they have taken. They may have to get a processor first. */
static bool wait_for_windows(void) {
  for (int i = 0; i < CLOSE_TRIES; i++) {
    if (take_planned())
      return true;
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
  }
  return false;
}

/* Who is in the middle of a transition has charged its row: the transition must be in its ring before the profile is
 * copied. It may have to get a processor first. */
static void wait_for_writers(void) {
  for (int i = 0; i < CLOSE_TRIES; i++) {
    uint32_t writers = 0;
    for (uint32_t ring = 0; ring < set.count; ring++)
      writers += __atomic_load_n(&set.rings[ring]->writing, __ATOMIC_ACQUIRE) != 0;
    if (writers == 0)
      return;
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
  }
}

/* The thread that ends the program may have been interrupted in the middle of a sweep by a signal whose handler calls
 * exit(): then the lock never comes. */
void hd_sweeper_close(void) {
  HD_KEEP_ERRNO;
  bool locked = false;
  for (int i = 0; i < CLOSE_TRIES && !locked; i++) {
    locked = pthread_mutex_trylock(&sweep_lock) == 0;
    if (!locked)
      nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
  }
  hd_frontier_close(); /* its fence is for hd_thread_is_at_work, too (thread_counters_life.c) */
  if (locked && wait_for_windows()) {
    hd_ring_pool_take_in(&set);
    wait_for_writers();
    if (take_up_to(hd_frontier_closed_bound(&set)) || wait_for_windows())
      close_books();
  }
  if (locked)
    pthread_mutex_unlock(&sweep_lock);
}
