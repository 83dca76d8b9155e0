/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/window.h"

#include <string.h>

#include "sweep/tallies.h"
#include "sweep/window_internal.h"

enum { ENTRIES_SOON = HD_WINDOW_ENTRIES - 32 };

/* ---- transitions and their order ---- */

static uint64_t ticks_of(const struct hd_transition *transition) {
  return __atomic_load_n(&transition->ticks, __ATOMIC_RELAXED);
}

/* What its team's primary tells at the same instant comes before. */
static bool follows_primary(const struct hd_transition *transition) {
  return 1u << hd_what_of(transition) & (1u << HD_WHAT_TEAM | 1u << HD_WHAT_WORKED);
}

/* Twice the time, and one for what is taken late at its instant. */
static uint64_t key_of(const struct hd_transition *transition) {
  return ticks_of(transition) << 1 | follows_primary(transition);
}

static uint64_t key_behind(uint64_t ticks) {
  return (ticks + 1) << 1;
}

/* ---- the heap ---- */

/* Puts `head` where it belongs from place `i` downwards. Which child is the earlier cannot be predicted, so it is
 * computed: a sentinel behind the last spares the question whether there are two. */
static void sift(struct hd_window *window, uint32_t i, struct hd_window_head head) {
  struct hd_window_head *heads = window->heads;
  heads[window->count].key = UINT64_MAX;
  for (uint32_t child = 2 * i + 1; child < window->count; child = 2 * i + 1) {
    child += heads[child + 1].key < heads[child].key;
    if (head.key <= heads[child].key)
      break;
    heads[i] = heads[child];
    i = child;
  }
  heads[i] = head;
}

static void order(struct hd_window *window) {
  window->count = 0;
  for (uint32_t i = 0; i < window->log_count; i++) {
    struct hd_window_log *log = &window->logs[i];
    if (log->place != log->limit)
      window->heads[window->count++] = (struct hd_window_head){key_of(log->entry), log};
  }
  for (uint32_t i = window->count / 2; i-- > 0;)
    sift(window, i, window->heads[i]);
}

/* What is the oldest in the other logs. */
static uint64_t other_key(const struct hd_window *window) {
  const uint64_t left = window->count > 1 ? window->heads[1].key : UINT64_MAX;
  const uint64_t right = window->count > 2 ? window->heads[2].key : UINT64_MAX;
  return left < right ? left : right;
}

/* ---- the ends of parts ---- */

void hd_window_end_soon(struct hd_window *window) {
  if (window->stop > key_behind(window->at))
    window->stop = key_behind(window->at);
}

void hd_window_end_at_once(struct hd_window *window) {
  window->stop = 0;
}

static void begin_part(struct hd_window *window) {
  window->from = window->at;
  window->stop = window->end;
  window->left = window->most;
  window->cells_count = window->piece_count = window->entry_count = 0;
  window->piece_is_open = window->moves_logs = false;
  window->bucket_end = hd_window_bucket_end(window, window->at);
  memset(window->spent, 0, sizeof window->spent);
  memset(window->shown, 0, sizeof window->shown);
  memset(window->cells_slots, 0, sizeof window->cells_slots);
  hd_window_place_levels(window);
  hd_window_begin_tallies(window);
}

/* Where a bucket of the histories ends; one for all in which nothing happens. */
static uint64_t part_end(const struct hd_window *window) {
  const uint64_t origin = window->span.origin, end = hd_history_end(origin, window->at);
  const uint64_t next = window->count > 0 ? window->heads[0].key >> 1 : window->at;
  const uint64_t last = hd_history_begin(origin, next < window->span.until ? next : window->span.until);
  return last > end && hd_history_begin(origin, window->at) == window->at ? last : end;
}

static void limit_part(struct hd_window *window) {
  window->bucket_ends = part_end(window);
  if (window->bucket_ends < UINT64_MAX && window->stop > window->bucket_ends << 1)
    window->stop = window->bucket_ends << 1;
}

/* More follows, and none of it before the bucket's end. */
static bool ends_bucket(const struct hd_window *window, uint64_t next) {
  return window->bucket_ends < UINT64_MAX && next >= window->bucket_ends << 1 &&
         (window->span.is_last ? next < window->end : window->bucket_ends < window->span.until);
}

/* Between two instants, if it can be. */
static void end_part(struct hd_window *window) {
  const uint64_t next = window->count > 0 ? window->heads[0].key : UINT64_MAX;
  const bool ends = ends_bucket(window, next);
  window->is_finished = next >= window->end && !ends;
  if (ends)
    hd_window_advance(window, window->bucket_ends);
  else if (window->is_finished && !window->span.is_last)
    hd_window_advance(window, window->span.until);
  else if (!window->is_finished && next >> 1 > window->at)
    hd_window_advance(window, window->at + 1);
  else
    window->moves_logs = true;
  hd_window_settle(window);
}

/* ---- what a transition says ---- */

static void keep_entry(struct hd_window *window, struct hd_window_entry entry) {
  window->entries[window->entry_count++] = entry;
  if (__builtin_expect(window->entry_count == HD_WINDOW_ENTRIES, false))
    hd_window_end_at_once(window);
  else if (__builtin_expect(window->entry_count > ENTRIES_SOON, false))
    hd_window_end_soon(window);
}

/* Another thread was busy just before it. */
static inline bool is_concurrent(const struct hd_window *window, const struct hd_window_log *log) {
  return window->level_before > (log->busy_before == HD_NONE ? 0 : 1);
}

static void do_what(struct hd_window *window, const struct hd_window_log *log, uint32_t what, uint64_t idle_since) {
  enum {
    ENTERS = 1u << HD_WHAT_REGION_BEGIN | 1u << HD_WHAT_NESTED_BEGIN | 1u << HD_WHAT_ENTER | 1u << HD_WHAT_TASK |
             1u << HD_WHAT_ARRIVE
  };
  const uint32_t kind = 1u << (what >> HD_WHAT_SHIFT);
  const uint32_t operand = HD_WHAT_OPERAND(what);
  const bool concurrent = is_concurrent(window, log);
  if (kind & ENTERS && concurrent && !(what & HD_WHAT_UNCOUNTED)) /* but no routine */
    hd_window_tally(window, operand, HD_TALLY_BUSY)->concurrent++;
  if (kind == 1u << HD_WHAT_REGION_BEGIN)
    hd_window_begin_region(window, operand);
  else if (kind == 1u << HD_WHAT_REGION_END)
    hd_window_end_region(window, operand);
  if (hd_teams_concern(what) || (window->span.keeps_calls && hd_entries_concern(what)))
    keep_entry(window, (struct hd_window_entry){log->entry, log->ring, idle_since, concurrent});
}

/* Most entries of constructs are not concurrent, and then there is nothing to do. */
static inline void hear(struct hd_window *window, const struct hd_window_log *log, uint32_t what, uint64_t idle_since) {
  if (what && (what >> HD_WHAT_SHIFT != HD_WHAT_ENTER || is_concurrent(window, log)))
    do_what(window, log, what, idle_since);
}

/* ---- taking ---- */

static void move_level(struct hd_window *window, uint32_t level) {
  window->level = level;
  if (__builtin_expect(level - window->first_level < HD_WINDOW_LEVELS, true))
    return;
  hd_window_settle(window);
  hd_window_place_levels(window);
}

static inline void change_busy(struct hd_window *window, struct hd_window_log *log, uint32_t busy) {
  const uint32_t before = log->busy;
  log->busy = busy;
  if (before != HD_NONE)
    hd_window_leave(window, log->tally ? log->tally : hd_window_tally(window, before, HD_TALLY_BUSY));
  if (busy != HD_NONE)
    hd_window_enter(window, log->tally = hd_window_tally(window, busy, HD_TALLY_BUSY));
  else
    log->tally = NULL;
  if (before == HD_NONE)
    move_level(window, window->level + 1);
  else if (busy == HD_NONE)
    move_level(window, window->level - 1);
}

/* What was true just before an instant holds for all that happens in it, in whatever order it is taken. */
static inline void reach(struct hd_window *window, struct hd_window_log *log, uint64_t now) {
  hd_window_advance(window, now);
  if (window->tick < now) {
    window->tick = now;
    window->level_before = window->level;
  }
  if (log->tick < now) {
    log->tick = now;
    log->busy_before = log->busy;
  }
}

/* The log's next transition. */
static inline void take(struct hd_window *window, struct hd_window_log *log) {
  const struct hd_transition *entry = log->entry;
  const uint32_t what = entry->what;
  const uint32_t slots = hd_what_slots(what);
  const uint64_t idle_since = log->busy == HD_NONE ? log->tick : entry->ticks;
  reach(window, log, ticks_of(entry));
  if (log->busy != entry->busy)
    change_busy(window, log, entry->busy);
  hear(window, log, what, idle_since);
  log->place += slots;
  log->entry = hd_log_skip(log->ring, log->entry, slots);
  if (__builtin_expect(--window->left == 0, false))
    hd_window_end_soon(window);
}

/* No other profile shares the stretch that ends when it is left. */
static inline bool is_alone(const struct hd_window *window, const struct hd_window_tally *tally) {
  return window->first_level == 0 && window->paired_count == 1 && tally->paired_place == 0 && tally->listed &&
         !tally->carried;
}

/* Two transitions at once: the only busy thread waits and goes on, nothing happens in between, and all of it lies in
 * one bucket. Its profile, left and entered again, lacks just what was spent meanwhile. */
static inline bool take_wait(struct hd_window *window, struct hd_window_log *log, uint64_t other) {
  const struct hd_transition *begin = log->entry;
  const uint32_t busy = log->busy;
  struct hd_window_tally *tally = log->tally;
  if (window->level != 1 || begin->busy != HD_NONE || !tally || HD_WHAT_CARRIES(begin->what) ||
      log->limit - log->place < 2 || !is_alone(window, tally))
    return false;
  struct hd_transition *end = hd_log_skip(log->ring, log->entry, 1);
  const uint64_t until = ticks_of(end), key = until << 1;
  if (end->busy != busy || end->what || key > other || key >= window->stop || until >= window->bucket_end ||
      window->left <= 2)
    return false;
  reach(window, log, ticks_of(begin));
  hear(window, log, begin->what, ticks_of(begin));
  const uint64_t from = window->at;
  tally->active += from - tally->since;
  window->level = 0;
  log->busy = HD_NONE;
  reach(window, log, until);
  tally->owed[0] -= window->at - from;
  tally->since = window->at;
  window->level = 1;
  log->busy = busy;
  log->place += 2;
  log->entry = hd_log_skip(log->ring, end, 1);
  window->left -= 2;
  return true;
}

/* Those that are not later than any other log's, nor as late as the part's end. Returns the key of the one behind
 * them. */
static inline uint64_t take_some(struct hd_window *window, struct hd_window_log *log, uint64_t other) {
  uint64_t key;
  do {
    if (!take_wait(window, log, other))
      take(window, log);
    if (log->place == log->limit)
      return UINT64_MAX;
    key = key_of(log->entry);
  } while (key <= other && key < window->stop && !(key & 1));
  return key;
}

static void take_from_first(struct hd_window *window) {
  struct hd_window_head head = window->heads[0];
  head.key = take_some(window, head.log, other_key(window));
  if (head.key == UINT64_MAX)
    head = window->heads[--window->count];
  if (window->count > 0)
    sift(window, 0, head);
}

/* ---- a worker that joins a team ---- */

/* More than the window was told of, if it may take what was put in meanwhile. */
static bool has_more(const struct hd_window *window, struct hd_window_log *log) {
  if (log->place == log->limit && window->span.is_last)
    log->limit = __atomic_load_n(&log->ring->head, __ATOMIC_ACQUIRE);
  return log->place != log->limit;
}

/* Of the primary whose team a worker joins; NULL: there is none. */
static inline struct hd_window_log *primary_of(const struct hd_window *window, const struct hd_transition *join) {
  const uint32_t index = HD_TEAM_RING(hd_log_member_of(join)->team);
  const uint32_t number = index < window->log_limit ? window->log_of[index] : HD_NONE;
  return number != HD_NONE ? &window->logs[number] : NULL;
}

static inline bool has_until(const struct hd_window *window, struct hd_window_log *log, uint64_t ticks) {
  return has_more(window, log) && ticks_of(log->entry) <= ticks;
}

/* Of the primary whose team a worker joins: all at this instant, and before that of the primary whose team that one
 * joins. What it had put in when the worker joined can be seen by now, though it may not when the window was planned.
 * `tries` bounds the depth: who was whose primary may change while the clock stands still. */
static bool take_primary(struct hd_window *window, const struct hd_transition *join, uint32_t tries) {
  struct hd_window_log *log = primary_of(window, join);
  bool took = false;
  while (log && tries > 0 && window->stop > 0 && has_until(window, log, join->ticks)) {
    const bool takes_more = follows_primary(log->entry) && take_primary(window, log->entry, tries - 1);
    if (!takes_more) /* else perhaps from this log, too: teams that join one another, or a damaged file */
      take(window, log);
    took = true;
  }
  return took;
}

/* It is not often that the primary has anything left. */
static inline bool is_behind_primary(const struct hd_window *window, const struct hd_window_head *head) {
  struct hd_window_log *primary = head->key & 1 ? primary_of(window, head->log->entry) : NULL;
  return primary && has_until(window, primary, head->log->entry->ticks);
}

static void take_primary_first(struct hd_window *window) {
  take_primary(window, window->heads[0].log->entry, window->log_count);
  order(window);
}

/* ---- all of it ---- */

/* As the heap would, without moving them, which is what two threads that take turns need. */
static void take_from_two(struct hd_window *window) {
  struct hd_window_head *first = &window->heads[0];
  struct hd_window_head *second = &window->heads[1];
  while (first->key < window->stop && !is_behind_primary(window, first)) {
    first->key = take_some(window, first->log, second->key);
    if (second->key < first->key) {
      struct hd_window_head *swapped = first;
      first = second;
      second = swapped;
    }
  }
  const struct hd_window_head heads[] = {*first, *second};
  window->heads[0] = heads[0];
  window->heads[1] = heads[1];
  while (window->count > 0 && window->heads[window->count - 1].key == UINT64_MAX)
    window->count--;
}

void hd_window_integrate(struct hd_window *window) {
  order(window);
  limit_part(window);
  while (window->count > 0 && window->heads[0].key < window->stop)
    if (__builtin_expect(is_behind_primary(window, &window->heads[0]), false))
      take_primary_first(window);
    else if (window->count == 2)
      take_from_two(window);
    else
      take_from_first(window);
  end_part(window);
}

/* ---- begin ---- */

size_t hd_window_bytes(uint32_t rings) {
  return sizeof(struct hd_window) + ((size_t)rings + 1) * sizeof(struct hd_window_head) +
         rings * (sizeof(struct hd_window_log) + sizeof(uint32_t));
}

struct hd_window *hd_window_make(void *memory, uint32_t rings) {
  struct hd_window *window = memory;
  window->heads = (void *)(window + 1);
  window->logs = (void *)(window->heads + rings + 1);
  window->log_of = (void *)(window->logs + rings);
  window->log_limit = rings;
  window->most = UINT64_MAX;
  return window;
}

struct hd_window_span hd_window_whole(const struct hd_tallies *tallies, uint64_t until) {
  return (struct hd_window_span){.until = until < UINT64_MAX / 4 ? until : UINT64_MAX / 4,
                                 .origin = tallies->timeline->origin_ticks,
                                 .width_bits = (uint32_t)__builtin_ctzll(tallies->timeline->width_ticks),
                                 .is_last = true,
                                 .keeps_calls = tallies->header->flags & HD_FILE_ROUTINES};
}

static void begin(struct hd_window *window, const struct hd_window_span *span) {
  window->span = *span;
  window->end = span->is_last ? key_behind(span->until) : span->until << 1;
  window->log_count = window->count = 0;
  window->is_crowded = false;
  memset(window->log_of, 0xFF, window->log_limit * sizeof *window->log_of);
  begin_part(window);
}

void hd_window_begin(struct hd_window *window, const struct hd_window_span *span, const struct hd_tallies *committed) {
  window->committed = committed;
  window->at = committed->at;
  window->level = committed->level;
  window->tick = committed->instant->tick;
  window->level_before = (uint32_t)committed->instant->level_before;
  begin(window, span);
}

void hd_window_begin_at(struct hd_window *window, const struct hd_window_span *span, uint64_t from) {
  window->committed = NULL;
  window->at = from;
  window->level = window->level_before = 0;
  window->tick = 0;
  begin(window, span);
}

/* In the last one of a batch more may be found in it. */
static void add_log(struct hd_window *window, struct hd_window_log log) {
  if (log.place == log.limit && !window->span.is_last)
    return;
  window->log_of[log.ring->sweep.index] = window->log_count;
  log.entry = hd_log_at(log.ring, log.place);
  window->logs[window->log_count++] = log;
}

void hd_window_add(struct hd_window *window, struct hd_ring_record *ring, uint64_t limit) {
  const struct hd_ring_sweep *sweep = &ring->sweep;
  add_log(window, (struct hd_window_log){.ring = ring,
                                         .place = sweep->tail,
                                         .limit = limit,
                                         .tick = sweep->tick,
                                         .busy = sweep->busy,
                                         .busy_before = sweep->busy_before});
}

void hd_window_add_from(struct hd_window *window, struct hd_ring_record *ring, uint64_t place, uint64_t limit,
                        uint64_t tick, uint32_t busy) {
  add_log(window, (struct hd_window_log){
                      .ring = ring, .place = place, .limit = limit, .tick = tick, .busy = busy, .busy_before = busy});
}

void hd_window_continue(struct hd_window *window, const struct hd_tallies *committed) {
  window->committed = committed;
  for (uint32_t i = 0; i < window->log_count; i++)
    window->logs[i].tally = NULL;
  begin_part(window);
}
