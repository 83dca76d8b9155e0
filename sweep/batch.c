/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/batch.h"

#include "sweep/batch_internal.h"

/* A task's number, behind the number of the batch. */
#define NUMBER(next) ((uint32_t)(next))
#define NO_TASKS UINT32_MAX

/* ---- memory for windows ---- */

/* Its place; HD_NONE: all are in use. */
static uint32_t take_window(struct hd_batch *batch) {
  uint64_t free_windows = __atomic_load_n(&batch->free_windows, __ATOMIC_RELAXED);
  while (free_windows) {
    const uint64_t bit = free_windows & -free_windows;
    if (__atomic_compare_exchange_n(&batch->free_windows, &free_windows, free_windows & ~bit, true, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
      return (uint32_t)__builtin_ctzll(bit);
  }
  return HD_NONE;
}

static void give_window(struct hd_batch *batch, uint32_t place) {
  __atomic_fetch_or(&batch->free_windows, 1ull << place, __ATOMIC_RELEASE);
}

/* ---- integrating ---- */

static struct hd_window_span span_of(const struct hd_batch *batch, uint32_t number) {
  struct hd_window_span span = batch->whole;
  if (number + 1 < batch->window_count) {
    span.until = batch->bounds[number + 1];
    span.is_last = false;
  }
  return span;
}

/* When the ring's thread was last heard of before the window. */
static uint64_t tick_before(const struct hd_batch *batch, uint32_t number, uint32_t i) {
  const uint16_t last = batch->lasts[(size_t)number * batch->ring_count + i];
  struct hd_ring_record *ring = batch->rings[i];
  return last > 0 ? hd_log_at(ring, batch->bases[i] + last - 1)->ticks : ring->sweep.tick;
}

/* In the middle of the batch: the logs from the place that was found, with something to take. */
static void add_logs(const struct hd_batch *batch, struct hd_window *window, uint32_t number) {
  const uint16_t *from = batch->places + (size_t)number * batch->ring_count;
  const uint16_t *to = number + 1 < batch->window_count ? from + batch->ring_count : NULL;
  const uint32_t *states = batch->states + (size_t)number * batch->ring_count;
  for (uint32_t i = 0; i < batch->ring_count; i++) {
    const uint64_t limit = to ? batch->bases[i] + to[i] : batch->limits[i];
    if (batch->bases[i] + from[i] != limit || !to)
      hd_window_add_from(window, batch->rings[i], batch->bases[i] + from[i], limit, tick_before(batch, number, i),
                         states[i]);
  }
}

static void add_rings(const struct hd_batch *batch, struct hd_window *window) {
  const uint16_t *to = batch->window_count > 1 ? batch->places + batch->ring_count : NULL;
  for (uint32_t i = 0; i < batch->ring_count; i++) {
    struct hd_ring_record *ring = batch->rings[i];
    hd_window_add(window, ring, to ? batch->bases[i] + to[i] : __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE));
  }
}

static void integrate(const struct hd_batch *batch, struct hd_window *window, uint32_t number) {
  const struct hd_window_span span = span_of(batch, number);
  if (number == 0) {
    hd_window_begin(window, &span, batch->tallies);
    add_rings(batch, window);
  } else {
    hd_window_begin_at(window, &span, batch->bounds[number]);
    add_logs(batch, window, number);
    hd_window_begin_busy(window, batch->states + (size_t)number * batch->ring_count, batch->ring_count);
  }
  if (!window->is_crowded)
    hd_window_integrate(window);
}

/* ---- committing ---- */

/* What it assumed at its begin is known now: that all profiles that are busy are paired. */
static void integrate_again(const struct hd_batch *batch, struct hd_window *window, uint32_t number) {
  const struct hd_window_span span = span_of(batch, number);
  hd_window_begin(window, &span, batch->tallies);
  add_logs(batch, window, number);
  hd_window_integrate(window);
}

static void commit(struct hd_batch *batch, struct hd_window *window, uint32_t number) {
  struct hd_tallies *tallies = batch->tallies;
  if (number > 0 && (window->is_crowded || tallies->busy_count > tallies->paired_count))
    integrate_again(batch, window, number);
  hd_commit(tallies, window);
  while (!window->is_finished) {
    hd_window_continue(window, tallies);
    hd_window_integrate(window);
    hd_commit(tallies, window);
  }
}

/* All is committed. The last window has moved the logs that it had something to take of. Owners may use the places
 * again. */
static void finish(struct hd_batch *batch) {
  const uint32_t last = batch->window_count - 1;
  const size_t cells = (size_t)last * batch->ring_count;
  for (uint32_t i = 0; last > 0 && i < batch->ring_count; i++)
    hd_commit_move(batch->tallies, batch->rings[i], batch->bases[i] + batch->places[cells + i],
                   tick_before(batch, last, i), batch->states[cells + i]);
  hd_journal_end_step(&batch->tallies->journal);
  for (uint32_t i = 0; i < batch->ring_count; i++) {
    struct hd_ring_record *ring = batch->rings[i];
    if (ring->released != ring->sweep.tail)
      __atomic_store_n(&ring->released, ring->sweep.tail, __ATOMIC_RELEASE);
  }
  __atomic_fetch_or(&batch->next, NO_TASKS, __ATOMIC_RELAXED);
  __atomic_store_n(&batch->is_open, 0, __ATOMIC_RELEASE);
}

/* The next to be committed, if it is ready. */
static struct hd_window *next_ready(struct hd_batch *batch, uint32_t number) {
  return number < __atomic_load_n(&batch->window_count, __ATOMIC_RELAXED)
             ? __atomic_load_n(&batch->ready[number], __ATOMIC_SEQ_CST)
             : NULL;
}

static void commit_all_ready(struct hd_batch *batch) {
  uint32_t number = batch->committed;
  for (struct hd_window *window; (window = next_ready(batch, number));) {
    commit(batch, window, number);
    __atomic_store_n(&batch->ready[number], NULL, __ATOMIC_RELAXED);
    give_window(batch, window->place);
    __atomic_store_n(&batch->committed, ++number, __ATOMIC_RELAXED);
  }
  if (number == batch->window_count)
    finish(batch);
}

/* Who makes a window ready while another thread commits may leave it to that one: it looks again when it is done. */
static void commit_if_free(struct hd_batch *batch) {
  while (hd_batch_is_open(batch) && next_ready(batch, __atomic_load_n(&batch->committed, __ATOMIC_RELAXED)) &&
         !__atomic_exchange_n(&batch->is_committing, 1, __ATOMIC_SEQ_CST)) {
    if (hd_batch_is_open(batch))
      commit_all_ready(batch);
    __atomic_store_n(&batch->is_committing, 0, __ATOMIC_SEQ_CST);
  }
}

/* ---- tasks ---- */

static bool claim(struct hd_batch *batch, uint64_t next) {
  return __atomic_compare_exchange_n(&batch->next, &next, next + 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static bool find_next(struct hd_batch *batch, uint64_t next) {
  if (!claim(batch, next))
    return true;
  hd_batch_find(batch, NUMBER(next));
  __atomic_fetch_add(&batch->found, 1, __ATOMIC_RELEASE);
  return true;
}

/* In the order of time, or, in tests, in another one of so many as there is memory for. */
static uint32_t number_of(const struct hd_batch *batch, uint32_t task) {
  const uint32_t first = task - task % batch->in_memory;
  const uint32_t left = batch->window_count - first;
  const uint32_t count = left < batch->in_memory ? left : batch->in_memory;
  const uint32_t place = batch->habits.order & 1 ? task - first : count - 1 - (task - first);
  return batch->habits.order ? first + (place + batch->habits.order / 2) % count : task;
}

static bool integrate_next(struct hd_batch *batch, uint64_t next, uint32_t task) {
  const uint32_t place = take_window(batch);
  if (place == HD_NONE)
    return false;
  if (!claim(batch, next)) {
    give_window(batch, place);
    return true;
  }
  const uint32_t number = number_of(batch, task);
  integrate(batch, batch->windows[place], number);
  __atomic_store_n(&batch->ready[number], batch->windows[place], __ATOMIC_SEQ_CST);
  return true;
}

bool hd_batch_help(struct hd_batch *batch) {
  const uint64_t next = __atomic_load_n(&batch->next, __ATOMIC_ACQUIRE);
  /* If these are already those of the next batch, `next` is no longer what it was, and nothing can be claimed by it. */
  const uint32_t find_count = __atomic_load_n(&batch->find_count, __ATOMIC_ACQUIRE);
  const uint32_t window_count = __atomic_load_n(&batch->window_count, __ATOMIC_ACQUIRE);
  const uint32_t number = NUMBER(next);
  bool did = false;
  if (number < find_count)
    return find_next(batch, next);
  if (number < find_count + window_count && __atomic_load_n(&batch->found, __ATOMIC_ACQUIRE) == find_count)
    did = integrate_next(batch, next, number - find_count);
  commit_if_free(batch);
  return did;
}
