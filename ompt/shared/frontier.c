/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/shared/frontier.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ompt/shared/clock.h"
#include "support/inprocess/seccomp.h"

enum {
  SPINS = 1000,
  QUARTER = HD_RING_LENGTH / 4,
  FENCES_MOST = 20, /* in */
  WINDOW_NS = 100000000,
  QUIET_NS = 10000000,    /* a ring that was silent is unmarked when it has logged for so long */
  PRESSED_NS = 1000000000 /* all rings are marked for so long when there were too many fences */
};

struct hd_frontier hd_frontier;

/* All below is the sweep's, under its lock. */
static struct {
  uint64_t window_ns;  /* when it began */
  uint32_t fences;     /* in it */
  uint64_t pressed_ns; /* all rings are marked until then */
} budget;

/* One attempt to move the frontier. */
struct move {
  struct hd_ring_set *set;
  struct hd_sweep_aim aim;
  uint64_t now;
  uint64_t now_ns;
  uint64_t passed; /* the frontier so far */
  uint64_t wanted; /* a sweep up to there is worth its while */
};

void hd_frontier_init(void) {
  /* Who locks itself up may forget this call, or Heddle: */
  hd_frontier.has_membarrier =
      !hd_seccomp_is_expected() && syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/* On every processor that runs the program. */
static bool fence_everywhere(void) {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/* ---- what a ring says ---- */

static bool is_marked(const struct hd_ring_record *ring) {
  return __atomic_load_n(&ring->fences, __ATOMIC_RELAXED) != 0;
}

static bool has_ended(const struct hd_ring_record *ring) {
  return __atomic_load_n(&ring->ended, __ATOMIC_ACQUIRE) != 0;
}

static uint64_t latest_of(const struct hd_ring_record *ring) {
  return __atomic_load_n(&ring->latest_ticks, __ATOMIC_ACQUIRE);
}

static uint64_t backlog_of(const struct hd_ring_record *ring) {
  return __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) - ring->sweep.tail;
}

/* Its owner may take its newest entry back, which no sweep has passed. */
static bool is_tentative(const struct hd_ring_record *ring, const struct move *move) {
  return !move->aim.passing && __atomic_load_n(&ring->tentative, __ATOMIC_RELAXED) && latest_of(ring) >= move->passed;
}

/* Nothing is in the ring for good that is later than its newest time. */
static bool holds_back(const struct hd_ring_record *ring, const struct move *move) {
  return !has_ended(ring) && (!is_marked(ring) || is_tentative(ring, move));
}

static uint64_t bound_of(const struct move *move) {
  uint64_t bound = move->now;
  for (uint32_t i = 0; i < move->set->count; i++) {
    const struct hd_ring_record *ring = move->set->rings[i];
    if (!holds_back(ring, move))
      continue;
    const uint64_t latest = latest_of(ring);
    if (latest < bound)
      bound = latest;
  }
  return bound;
}

/* ---- how far it is worth to go ---- */

/* A sweep up to there takes half of what is in the ring. */
static uint64_t middle_of(struct hd_ring_record *ring, uint64_t backlog) {
  const uint64_t middle = ring->sweep.tail + (backlog - HD_SLOTS_MOST) / 2;
  uint64_t n = ring->sweep.tail;
  struct hd_transition *entry = hd_log_at(ring, n);
  while (n < middle) {
    const uint32_t slots = hd_what_slots(entry->what);
    n += slots;
    entry = hd_log_skip(ring, entry, slots);
  }
  return __atomic_load_n(&entry->ticks, __ATOMIC_RELAXED);
}

/* Of the fullest ring, if it is full enough. Rings that were left hold their newest entry last. */
static uint64_t find_wanted(const struct hd_ring_set *set, bool leaving) {
  struct hd_ring_record *fullest = NULL;
  uint64_t most = QUARTER - 1;
  uint64_t wanted = 0;
  for (uint32_t i = 0; i < set->count; i++) {
    struct hd_ring_record *ring = set->rings[i];
    const uint64_t backlog = backlog_of(ring);
    if (backlog > most) {
      most = backlog;
      fullest = ring;
    }
    if (leaving && has_ended(ring) && latest_of(ring) > wanted)
      wanted = latest_of(ring);
  }
  const uint64_t middle = fullest ? middle_of(fullest, most) : 0;
  return middle > wanted ? middle : wanted;
}

/* ---- marks ---- */

static void mark(struct hd_ring_record *ring, uint32_t how) {
  __atomic_fetch_or(&ring->fences, how, __ATOMIC_SEQ_CST);
}

/* Those that have logged for a while. */
static void unmark(const struct move *move) {
  const bool may = hd_frontier.has_membarrier && move->now_ns >= budget.pressed_ns;
  for (uint32_t i = 0; i < move->set->count; i++) {
    struct hd_ring_record *ring = move->set->rings[i];
    uint32_t fences = HD_RING_MARKED;
    if (!is_marked(ring) || has_ended(ring))
      continue;
    const uint64_t latest = latest_of(ring);
    if (latest < move->wanted)
      ring->quiet_ns = move->now_ns;
    else if (may && latest > 0 && latest >= move->passed && move->now_ns - ring->quiet_ns >= QUIET_NS)
      __atomic_compare_exchange_n(&ring->fences, &fences, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
}

/* Whether this is the last fence for a while. */
static bool count_fence(uint64_t now_ns) {
  if (now_ns - budget.window_ns >= WINDOW_NS) {
    budget.window_ns = now_ns;
    budget.fences = 0;
  }
  if (++budget.fences < FENCES_MOST)
    return false;
  budget.pressed_ns = now_ns + PRESSED_NS;
  return true;
}

static bool is_silent(const struct hd_ring_record *ring, uint64_t ticks) {
  return !is_marked(ring) && !has_ended(ring) && latest_of(ring) < ticks;
}

/* Those whose newest time is before `ticks`. */
static void mark_older(const struct move *move, uint64_t ticks) {
  for (uint32_t i = 0; i < move->set->count; i++) {
    struct hd_ring_record *ring = move->set->rings[i];
    if (!is_silent(ring, ticks))
      continue;
    ring->quiet_ns = move->now_ns;
    mark(ring, HD_RING_MARKED);
  }
}

static bool is_held_by_silent(const struct move *move) {
  for (uint32_t i = 0; i < move->set->count; i++)
    if (is_silent(move->set->rings[i], move->wanted))
      return true;
  return false;
}

/* A mark does not help against a tentative entry. */
static bool is_held_by_tentative(const struct move *move) {
  for (uint32_t i = 0; i < move->set->count; i++) {
    const struct hd_ring_record *ring = move->set->rings[i];
    if (!has_ended(ring) && is_tentative(ring, move) && latest_of(ring) < move->wanted)
      return true;
  }
  return false;
}

/* Those that are in the way, if there are any: owners log meanwhile, or take a tentative entry back, and a fence for
 * none would count against the limit. False: it did not work, which cannot happen once membarrier(2) is registered. Then
 * all are marked, and the next sweep comes after whoever has not seen it. */
static bool mark_silent(const struct move *move) {
  if (!is_held_by_silent(move))
    return true;
  const bool is_last = count_fence(move->now_ns);
  mark_older(move, is_last ? UINT64_MAX : move->wanted);
  hd_frontier.has_membarrier = fence_everywhere();
  if (!hd_frontier.has_membarrier)
    mark_older(move, UINT64_MAX);
  return hd_frontier.has_membarrier;
}

/* ---- the hand-over with the owners of marked rings ---- */

/* From here on none of their entries before `ticks` begins. False: the profile was closed meanwhile. */
static bool announce(const struct move *move, uint64_t ticks) {
  uint64_t passed = move->passed;
  return __atomic_compare_exchange_n(&hd_frontier.ticks, &passed, ticks, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static bool is_writing(const struct hd_ring_record *ring, uint32_t spins) {
  for (uint32_t i = 0; i < spins; i++)
    if (!__atomic_load_n(&ring->writing, __ATOMIC_SEQ_CST))
      return false;
  return true;
}

/* An entry that was begun before the announcement is in its ring by now, unless its thread was descheduled; then it is
 * not earlier than the one before. */
static uint64_t written_bound(const struct hd_ring_set *set, uint32_t spins, uint64_t bound) {
  for (uint32_t i = 0; i < set->count; i++) {
    if (!is_marked(set->rings[i]) || !is_writing(set->rings[i], spins))
      continue;
    const uint64_t latest = latest_of(set->rings[i]);
    if (latest < bound)
      bound = latest;
  }
  return bound;
}

/* ---- for the sweep ---- */

/* While the clock stands: the newest time anywhere. A thread that looked at the clock just before it was stopped, or a
 * sweep, may be later than where it stands. */
static uint64_t time_of_pause(const struct hd_ring_set *set, uint64_t now) {
  const uint64_t passed = hd_frontier.ticks;
  if (!hd_clock_is_paused() || passed == HD_CLOSED)
    return now;
  uint64_t newest = now > passed ? now : passed;
  for (uint32_t i = 0; i < set->count; i++)
    newest = latest_of(set->rings[i]) > newest ? latest_of(set->rings[i]) : newest;
  return newest;
}

uint64_t hd_frontier_move(struct hd_ring_set *set, struct hd_sweep_aim aim) {
  struct move move = {
      .set = set, .aim = aim, .now = hd_clock_now(), .now_ns = hd_clock_monotonic_ns(), .passed = hd_frontier.ticks};
  hd_ring_pool_take_in(set);
  move.now = time_of_pause(set, move.now);
  move.wanted = find_wanted(set, aim.leaving);
  if (move.wanted > move.now) /* another processor's clock */
    move.wanted = move.now;
  if (move.wanted > 0)
    unmark(&move);
  if (bound_of(&move) < move.wanted && !is_held_by_tentative(&move) && !mark_silent(&move))
    return 0;
  uint64_t bound = bound_of(&move);
  if (bound < move.passed || !announce(&move, bound))
    return 0;
  hd_ring_pool_take_in(set); /* who enters its ring later sees the frontier */
  bound = written_bound(set, SPINS, bound);
  const uint64_t again = bound_of(&move); /* an entry may have come that is tentative */
  return again < bound ? again : bound;
}

void hd_frontier_close(void) {
  __atomic_store_n(&hd_frontier.ticks, HD_CLOSED, __ATOMIC_SEQ_CST);
  for (uint32_t i = 0; i < hd_ring_pool_count(); i++)
    mark(hd_ring_pool_at(i), HD_RING_CLOSED);
  if (hd_frontier.has_membarrier)
    fence_everywhere();
}

uint64_t hd_frontier_closed_bound(const struct hd_ring_set *set) {
  return written_bound(set, 1, HD_CLOSED);
}
