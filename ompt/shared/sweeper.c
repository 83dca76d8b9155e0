/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/shared/sweeper.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ompt/shared/clock.h"
#include "ompt/shared/measuring.h"
#include "ompt/shared/ring_pool.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/memory_budget.h"
#include "support/inprocess/seccomp.h"
#include "sweep/rings.h"

enum { SPINS = 1000, CLOSE_TRIES = 1000 };

struct hd_frontier hd_frontier;

/* Up to so many sweeps in so long a time call membarrier(2). */
enum { SWEEPS_MOST = 20, WINDOW_NS = 100000000 };

/* All below is the sweep's, under its lock. */
static pthread_mutex_t sweep_lock = PTHREAD_MUTEX_INITIALIZER;
static struct hd_tallies tallies;
static struct hd_ring_set set;
static bool owners_fence; /* all of them: they have been told before the last membarrier(2) */
static uint64_t window_begin_ns;
static uint32_t window_sweeps;

/* ---- records ---- */

static struct hd_store_cursor cursors[HD_BLOCK_TYPE_LAST + 1];

static void *allocate(void *context, enum hd_block_type type, size_t bytes) {
  static const uint8_t dues[HD_BLOCK_TYPE_LAST + 1] = {
      [HD_BLOCK_TALLIES] = 1 + HD_MEMORY_TALLY,
      [HD_BLOCK_LEVELS] = 1 + HD_MEMORY_LEVELS,
      [HD_BLOCK_ENTRIES] = 1 + HD_MEMORY_ENTRY,
  };
  static bool full[HD_BLOCK_TYPE_LAST + 1]; /* asking again at every transition would cost too much */
  (void)context;
  if (type == HD_BLOCK_STACK)
    hd_memory_keep_promise(HD_MEMORY_STACK);
  if (type == HD_BLOCK_JOURNAL && tallies.journal.record && !hd_memory_has_room(HD_MEMORY_PATH_ROW, bytes))
    return NULL; /* a larger one, which can be done without */
  if (type == HD_BLOCK_TIMELINE || type == HD_BLOCK_STACK || type == HD_BLOCK_JOURNAL)
    return hd_store_add_block(&hd_store, type, HD_NONE, bytes);
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

static bool init_membarrier(void) {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

bool hd_sweeper_init(uint64_t begin_ticks) {
  HD_KEEP_ERRNO;
  /* Who locks itself up may forget this call, or Heddle: */
  hd_frontier.has_membarrier = !hd_seccomp_is_expected() && init_membarrier();
  hd_frontier.needs_fence = !hd_frontier.has_membarrier;
  hd_tallies_init(&tallies, allocate, NULL, hd_store.header);
  bool begun = reserve(HD_BLOCK_TALLIES, sizeof(struct hd_tally_record), 1) &&
               reserve(HD_BLOCK_ENTRIES, sizeof(struct hd_entry_record), 200) &&
               reserve(HD_BLOCK_LEVELS, sizeof(struct hd_level_record), 1) &&
               reserve(HD_BLOCK_OVERLAPS, sizeof(struct hd_overlap_record), 500) &&
               hd_tallies_begin(&tallies, begin_ticks) && hd_journal_begin(&tallies.journal, hd_store.base);
  return begun;
}

/* ---- the frontier ---- */

/* Up to where no tentative transition lies that a sweep has not passed yet. One at the very tick that the last sweep
 * went up to may have come after it. */
static uint64_t tentative_bound(uint64_t bound, uint64_t passed) {
  for (uint32_t i = 0; i < set.count; i++) {
    uint64_t ticks = __atomic_load_n(&set.rings[i]->tentative_ticks, __ATOMIC_RELAXED);
    if (ticks > 0 && ticks >= passed && ticks - 1 < bound)
      bound = ticks - 1;
  }
  return bound;
}

static void tell_owners(bool fence) {
  __atomic_store_n(&hd_frontier.needs_fence, fence, __ATOMIC_SEQ_CST);
}

/* The owners, when sweeps are frequent. */
static void choose_who_fences(void) {
  const uint64_t now_ns = hd_clock_monotonic_ns();
  bool frequent = hd_frontier.needs_fence;
  if (!hd_frontier.has_membarrier)
    return;
  if (now_ns - window_begin_ns >= WINDOW_NS) {
    frequent = window_sweeps > SWEEPS_MOST && now_ns - window_begin_ns < 2 * (uint64_t)WINDOW_NS;
    window_begin_ns = now_ns;
    window_sweeps = 0;
  }
  frequent |= ++window_sweeps > SWEEPS_MOST;
  owners_fence &= frequent;
  tell_owners(frequent);
}

/* On every processor that runs the program. */
static void fence_everywhere(void) {
  if (!hd_frontier.has_membarrier || syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0)
    return;
  hd_frontier.has_membarrier = false; /* cannot happen once it is registered */
  tell_owners(true);
}

/* From here on no transition before `ticks` begins. */
static void announce(uint64_t ticks) {
  __atomic_store_n(&hd_frontier.ticks, ticks, __ATOMIC_SEQ_CST);
  if (owners_fence)
    return;
  fence_everywhere();
  owners_fence = hd_frontier.needs_fence;
}

static bool is_writing(const struct hd_ring_record *ring) {
  for (int i = 0; i < SPINS; i++)
    if (!__atomic_load_n(&ring->writing, __ATOMIC_SEQ_CST))
      return false;
  return true;
}

/* A transition that was begun before the announcement is in its ring by now, unless its thread was descheduled. */
static uint64_t writing_bound(uint64_t bound) {
  for (uint32_t i = 0; i < set.count; i++) {
    if (!is_writing(set.rings[i]))
      continue;
    uint64_t latest = __atomic_load_n(&set.rings[i]->latest_ticks, __ATOMIC_ACQUIRE);
    if (latest <= bound)
      bound = latest ? latest - 1 : 0;
  }
  return bound;
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

static void take_up_to(uint64_t bound) {
  struct hd_ring_heap heap;
  hd_rings_begin(&heap, set.heads, set.by_index, set.index_count);
  for (uint32_t i = 0; i < set.count; i++)
    hd_rings_add(&heap, set.rings[i], __atomic_load_n(&set.rings[i]->head, __ATOMIC_ACQUIRE));
  hd_rings_take(&heap, bound, &tallies);
  retire();
}

/* `passing`: take tentative transitions for what they look like. */
static void sweep(bool passing) {
  uint64_t passed = hd_frontier.ticks;
  uint64_t bound = hd_clock_now();
  hd_ring_pool_take_in(&set); /* a tentative transition is passed only if it must be */
  if (!passing)
    bound = tentative_bound(bound, passed);
  if (bound < passed) /* another processor's clock */
    return;
  choose_who_fences();
  announce(bound);
  hd_ring_pool_take_in(&set); /* a thread that enters its ring later sees the frontier */
  take_up_to(writing_bound(passing ? bound : tentative_bound(bound, passed)));
}

/* ---- for the owners ---- */

static void sweep_if_free(void) {
  if (pthread_mutex_trylock(&sweep_lock))
    return;
  if (!hd_frontier_is_closed())
    sweep(false);
  pthread_mutex_unlock(&sweep_lock);
}

void hd_sweeper_make_room(const struct hd_ring_record *ring) {
  pthread_mutex_lock(&sweep_lock);
  if (!hd_frontier_is_closed() && ring->head - ring->sweep.released > HD_RING_LENGTH - HD_SLOTS_MOST)
    sweep(true);
  pthread_mutex_unlock(&sweep_lock);
}

void hd_sweeper_flush(void) {
  HD_KEEP_ERRNO;
  sweep_if_free();
}

bool hd_sweeper_others_are_busy(const struct hd_ring_record *own) {
  HD_KEEP_ERRNO;
  bool busy = false;
  if (pthread_mutex_trylock(&sweep_lock))
    return true;
  sweep(true);
  hd_ring_pool_take_in(&set);
  for (uint32_t i = 0; i < set.count; i++)
    busy |= set.rings[i] != own && set.rings[i]->sweep.busy != HD_NONE;
  pthread_mutex_unlock(&sweep_lock);
  return busy;
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
  __atomic_store_n(&hd_frontier.ticks, HD_CLOSED, __ATOMIC_SEQ_CST);
  fence_everywhere(); /* in any case: for hd_thread.at_work, too (thread_counters_life.c) */
  if (locked) {
    hd_ring_pool_take_in(&set);
    wait_for_writers();
    take_up_to(writing_bound(HD_CLOSED));
    pthread_mutex_unlock(&sweep_lock);
  }
}
