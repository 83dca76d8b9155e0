/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "support/inprocess/heap.h"
#include "support/inprocess/memory_budget.h"
#include "sweep/batch_internal.h"

enum {
  GROUP = 32,         /* rings */
  WINDOW_SLOTS = 400, /* of all rings together, as far as there may be so many windows */
  RINGS_PER_SPARE = 8,
  SAMPLES = 4 /* for each window */
};

/* ---- memory ---- */

/* Nobody uses it while the batch is not open, but for a moment one who finds nothing to take. */
static void make_spare(struct hd_batch *batch, uint32_t place) {
  const uint32_t rings = batch->windows[0]->log_limit;
  const uint64_t bit = 1ull << place;
  struct hd_window *window = batch->windows[place];
  if (window &&
      (window->log_limit >= rings || !(__atomic_fetch_and(&batch->free_windows, ~bit, __ATOMIC_ACQ_REL) & bit)))
    return;
  hd_heap_free(window);
  batch->windows[place] = NULL;
  void *memory = hd_memory_has_room(HD_MEMORY_PATH_ROW, hd_window_bytes(rings))
                     ? hd_heap_allocate(1, hd_window_bytes(rings))
                     : NULL;
  if (!memory)
    return;
  batch->windows[place] = hd_window_make(memory, rings);
  batch->windows[place]->place = place;
  __atomic_fetch_or(&batch->free_windows, bit, __ATOMIC_RELEASE);
}

/* How many windows can be in memory at once. */
static uint32_t make_spares(struct hd_batch *batch, struct hd_window *window) {
  uint32_t wanted = batch->ring_count / RINGS_PER_SPARE;
  uint32_t count = 1;
  if (!batch->windows[0])
    __atomic_fetch_or(&batch->free_windows, 1, __ATOMIC_RELEASE);
  batch->windows[0] = window;
  window->place = 0;
  if (wanted < batch->habits.spare_windows)
    wanted = batch->habits.spare_windows;
  for (uint32_t i = 1; i <= wanted && i <= HD_BATCH_SPARE; i++)
    make_spare(batch, i);
  for (uint32_t i = 1; i <= HD_BATCH_SPARE; i++)
    count += batch->windows[i] && batch->windows[i]->log_limit >= window->log_limit;
  for (uint32_t i = 0; i <= HD_BATCH_SPARE; i++)
    if (batch->windows[i])
      batch->windows[i]->most = batch->habits.part_entries ? batch->habits.part_entries : UINT64_MAX;
  return count;
}

/* For what is found of so many windows. */
static bool make_table(struct hd_batch *batch, uint32_t windows) {
  const size_t cells = (size_t)windows * batch->ring_count;
  const size_t bytes = batch->ring_count * 2 * sizeof(uint64_t) + cells * (sizeof(uint32_t) + 2 * sizeof(uint16_t));
  if (bytes > batch->memory_bytes) {
    void *memory = hd_memory_has_room(HD_MEMORY_PATH_ROW, bytes) ? hd_heap_allocate(1, bytes) : NULL;
    if (!memory)
      return false;
    hd_heap_free(batch->memory);
    batch->memory = memory;
    batch->memory_bytes = bytes;
  }
  batch->bases = batch->memory;
  batch->limits = batch->bases + batch->ring_count;
  batch->states = (uint32_t *)(void *)(batch->limits + batch->ring_count);
  batch->places = (uint16_t *)(void *)(batch->states + cells);
  batch->lasts = batch->places + cells;
  return true;
}

/* ---- where windows begin ---- */

static uint64_t backlog(const struct hd_ring_record *ring) {
  return __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) - ring->sweep.tail;
}

/* Shell's method (Knuth 5.2.1). */
static void sort(uint64_t *times, uint32_t count) {
  static const uint32_t steps[] = {209, 109, 41, 19, 5, 1}; /* Sedgewick */
  for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
    for (uint32_t i = steps[s]; i < count; i++) {
      const uint64_t time = times[i];
      uint32_t at = i;
      for (; at >= steps[s] && times[at - steps[s]] > time; at -= steps[s])
        times[at] = times[at - steps[s]];
      times[at] = time;
    }
}

/* The times of some slots, anywhere in the logs. What a transition carries may look like a time: any will do that lies
 * between the first and the last. */
static uint32_t take_samples(const struct hd_batch *batch, uint64_t *times, uint32_t wanted) {
  const uint64_t from = batch->tallies->at;
  uint64_t newest = 0;
  uint32_t count = 0;
  for (uint32_t i = 0; i < batch->ring_count; i++) {
    const uint64_t latest = __atomic_load_n(&batch->rings[i]->latest_ticks, __ATOMIC_RELAXED);
    newest = latest > newest ? latest : newest;
  }
  newest = newest < batch->whole.until ? newest : batch->whole.until;
  for (uint32_t i = 0; i < wanted; i++) {
    struct hd_ring_record *ring = batch->rings[(uint64_t)i * batch->ring_count / wanted];
    const uint64_t slots = backlog(ring);
    const uint64_t n = slots ? ring->sweep.tail + i * 0x9E3779B1u % slots : 0; /* Fibonacci hashing, Knuth 6.4 */
    const uint64_t time = slots ? __atomic_load_n(&hd_log_at(ring, n)->ticks, __ATOMIC_RELAXED) : 0;
    if (time > from && time < newest)
      times[count++] = time;
  }
  return count;
}

static uint32_t cut(struct hd_batch *batch, uint32_t wanted) {
  uint64_t times[SAMPLES * HD_BATCH_WINDOWS];
  const uint32_t samples = wanted > 1 ? take_samples(batch, times, SAMPLES * wanted) : 0;
  uint32_t count = 1;
  sort(times, samples);
  batch->bounds[0] = batch->tallies->at;
  for (uint32_t i = 1; i < wanted && samples > 0; i++) {
    const uint64_t time = times[(uint64_t)i * samples / wanted];
    if (time > batch->bounds[count - 1])
      batch->bounds[count++] = time;
  }
  return count;
}

/* While more profiles are busy than can be paired, a window must know which: there is one for all. */
static uint32_t wanted_windows(const struct hd_batch *batch) {
  const uint32_t slots_each = batch->habits.window_slots ? batch->habits.window_slots : WINDOW_SLOTS;
  uint64_t slots = 0;
  for (uint32_t i = 0; i < batch->ring_count; i++)
    slots += backlog(batch->rings[i]);
  const uint64_t wanted = slots / slots_each;
  if (batch->in_memory == 1 || wanted < 2 || batch->tallies->busy_count > batch->tallies->paired_count)
    return 1;
  return wanted < HD_BATCH_WINDOWS ? (uint32_t)wanted : HD_BATCH_WINDOWS;
}

/* ---- finding them ---- */

static void put(struct hd_batch *batch, uint32_t window, uint32_t number, struct hd_batch_begin begin) {
  const size_t cell = (size_t)window * batch->ring_count + number;
  batch->places[cell] = begin.place;
  batch->lasts[cell] = begin.last;
  batch->states[cell] = begin.busy;
}

static void find(struct hd_batch *batch, uint32_t number) {
  struct hd_ring_record *ring = batch->rings[number];
  const struct hd_transition *entry = hd_log_at(ring, ring->sweep.tail);
  const uint64_t base = batch->bases[number] = ring->sweep.tail;
  const uint64_t limit = batch->limits[number] = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
  const uint32_t count = batch->window_count;
  struct hd_batch_begin begin = {.busy = ring->sweep.busy};
  uint32_t window = 1;
  uint32_t slots;
  for (uint64_t n = base; n != limit && window < count; n += slots) {
    for (; window < count && entry->ticks >= batch->bounds[window]; window++)
      put(batch, window, number, begin);
    slots = hd_what_slots(entry->what);
    begin = (struct hd_batch_begin){.busy = entry->busy, (uint16_t)(n + slots - base), (uint16_t)(n - base + 1)};
    entry = hd_log_skip(ring, (struct hd_transition *)entry, slots);
  }
  for (; window < count; window++)
    put(batch, window, number, begin);
}

void hd_batch_find(struct hd_batch *batch, uint32_t group) {
  for (uint32_t i = group * GROUP; i < (group + 1) * GROUP && i < batch->ring_count; i++)
    find(batch, i);
}

/* ---- plan ---- */

void hd_batch_plan(struct hd_batch *batch, struct hd_window *window, struct hd_ring_record *const *rings,
                   uint32_t ring_count, uint64_t until) {
  const struct hd_tallies *tallies = batch->tallies;
  const uint64_t generation = (__atomic_load_n(&batch->next, __ATOMIC_RELAXED) >> 32) + 1;
  /* Whoever looked at `next` when the last batch was over, and now sees how much there is to do here, takes nothing. */
  __atomic_store_n(&batch->next, generation << 32 | UINT32_MAX, __ATOMIC_RELAXED);
  batch->rings = rings;
  batch->ring_count = ring_count;
  batch->whole = hd_window_whole(tallies, until);
  batch->in_memory = make_spares(batch, window);
  uint32_t count = cut(batch, wanted_windows(batch));
  if (count > 1 && !make_table(batch, count))
    count = 1;
  __atomic_store_n(&batch->window_count, count, __ATOMIC_RELEASE);
  __atomic_store_n(&batch->find_count, count > 1 ? (ring_count + GROUP - 1) / GROUP : 0, __ATOMIC_RELEASE);
  __atomic_store_n(&batch->found, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&batch->committed, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&batch->is_open, 1, __ATOMIC_RELEASE); /* who waited to commit the last batch may come to this one */
  __atomic_store_n(&batch->next, (generation + 1) << 32, __ATOMIC_RELEASE);
}

void hd_batch_init(struct hd_batch *batch, struct hd_tallies *tallies) {
  *batch = (struct hd_batch){.tallies = tallies};
}

void hd_batch_free(struct hd_batch *batch) {
  for (uint32_t i = 1; i <= HD_BATCH_SPARE; i++)
    hd_heap_free(batch->windows[i]);
  hd_heap_free(batch->memory);
}
