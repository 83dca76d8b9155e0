/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/path/path.h"

#include "support/inprocess/heap.h"
#include "sweep/path/path_internal.h"

/* ---- levels ---- */

struct hd_path_level *hd_path_push(struct hd_path_book *book, struct hd_path_ring *ring) {
  if (!hd_heap_grow(&ring->levels, &ring->level_limit, ring->level_count + 1, sizeof *ring->levels)) {
    book->chains.has_failed = true;
    return NULL;
  }
  struct hd_path_level *level = &ring->levels[ring->level_count++];
  *level = (struct hd_path_level){0};
  return level;
}

void hd_path_pop(struct hd_path_book *book, struct hd_path_ring *ring) {
  struct hd_path_level *level = &ring->levels[--ring->level_count];
  hd_path_free_strand(book, &level->strand);
  hd_path_release_team(book, level->team);
}

static struct hd_path_ring *ring_of(struct hd_path_book *book, struct hd_ring_record *log) {
  const uint32_t index = log->sweep.index;
  if (!hd_heap_grow(&book->rings, &book->ring_limit, index + 1, sizeof *book->rings)) {
    book->chains.has_failed = true;
    return NULL;
  }
  struct hd_path_ring *ring = &book->rings[index];
  if (!ring->is_known)
    *ring = (struct hd_path_ring){
        .is_known = true, .busy = log->sweep.busy, .place = log->sweep.tail, .tick = log->sweep.tick, .log = log};
  return ring->level_count > 0 || hd_path_push(book, ring) ? ring : NULL;
}

/* ---- time ---- */

static void add_time(struct hd_path_book *book, struct hd_path_ring *ring, uint64_t now) {
  if (now <= ring->tick)
    return;
  if (ring->busy != HD_NONE) {
    struct hd_path_level *level = hd_path_top(ring);
    if (level->waits && !level->task)
      hd_path_leave_barrier(book, level);
    hd_chain_add(&book->chains, &hd_path_current(ring)->chain, ring->busy, ring->log->sweep.index, now - ring->tick);
    if (level->team)
      level->team->work_ticks += now - ring->tick;
    if (level->task)
      hd_path_work(level->task, now - ring->tick);
  }
  ring->tick = now;
}

static void pass(struct hd_path_book *book, struct hd_path_ring *ring, const struct hd_transition *entry) {
  add_time(book, ring, entry->ticks);
  ring->busy = entry->busy;
  ring->place += hd_what_slots(entry->what);
}

void hd_path_reach(struct hd_path_book *book, struct hd_path_ring *ring, uint64_t now) {
  const uint64_t head = __atomic_load_n(&ring->log->head, __ATOMIC_ACQUIRE);
  while (ring->place != head) {
    const struct hd_transition *entry = hd_log_at(ring->log, ring->place);
    if (entry->ticks > now || hd_path_concerns(entry->what))
      break;
    pass(book, ring, entry);
  }
  add_time(book, ring, now);
}

/* ---- entries ---- */

static void begin_thread(struct hd_path_book *book, struct hd_path_ring *ring) {
  hd_chain_take_longer(&book->chains, &book->ended, hd_path_current(ring)->chain);
  while (ring->level_count > 1)
    hd_path_pop(book, ring);
  hd_path_free_strand(book, &ring->levels[0].strand);
  ring->levels[0] = (struct hd_path_level){0};
}

static void take_order(struct hd_path_book *book, struct hd_path_ring *ring, const struct hd_transition *entry) {
  const struct hd_log_order *told = (const struct hd_log_order *)(const void *)(entry + 1);
  const enum hd_order order = (enum hd_order)HD_WHAT_OPERAND(entry->what);
  if (order == HD_ORDER_THREAD)
    begin_thread(book, ring);
  else if (order == HD_ORDER_ACQUIRED)
    hd_path_acquire(book, ring, told->a, entry->ticks);
  else if (order == HD_ORDER_RELEASED)
    hd_path_give_lock(book, ring, told->a);
  else
    hd_path_take_task(book, ring, order, told);
}

static void give_up(struct hd_path_book *book) {
  hd_path_free(book);
  book->header->path_flags |= HD_PATH_NO_ROOM;
}

static void give_up_if_failed(struct hd_path_book *book) {
  if (__builtin_expect(book->chains.has_failed, false))
    give_up(book);
}

/* Never beyond what is logged. */
static bool find(struct hd_path_book *book, struct hd_path_ring *ring, const struct hd_transition *entry) {
  const uint64_t head = __atomic_load_n(&ring->log->head, __ATOMIC_ACQUIRE);
  while (ring->place < head && hd_log_at(ring->log, ring->place) != entry)
    pass(book, ring, hd_log_at(ring->log, ring->place));
  return ring->place < head;
}

void hd_path_take(struct hd_path_book *book, struct hd_ring_record *log, const struct hd_transition *entry) {
  struct hd_path_ring *ring = ring_of(book, log);
  if (ring && find(book, ring, entry)) {
    add_time(book, ring, entry->ticks);
    if (hd_what_of(entry) == HD_WHAT_ORDER)
      take_order(book, ring, entry);
    else
      hd_path_take_team(book, ring, entry);
    pass(book, ring, entry);
  }
  give_up_if_failed(book);
}

void hd_path_advance(struct hd_path_book *book, struct hd_ring_record *log, uint64_t tail) {
  struct hd_path_ring *ring = ring_of(book, log);
  while (ring && ring->place < tail)
    pass(book, ring, hd_log_at(log, ring->place));
  give_up_if_failed(book);
}

/* ---- sums ---- */

void hd_path_sum_up(struct hd_path_book *book, uint32_t profile, uint64_t span_ticks, uint64_t work_ticks) {
  if (!hd_heap_grow(&book->sums, &book->sum_limit, profile + 1, sizeof *book->sums)) {
    book->chains.has_failed = true;
    return;
  }
  book->sums[profile].span_ticks += span_ticks;
  book->sums[profile].work_ticks += work_ticks;
  book->sums[profile].instances++;
}

/* Up to the newest that was logged: threads that are busy are so until the end. Returns the longest chain. */
static const struct hd_chain *reach_end(struct hd_path_book *book) {
  struct hd_file_header *header = book->header;
  const struct hd_chain *longest = book->ended;
  uint64_t end = 0;
  for (uint32_t i = 0; i < book->ring_limit; i++)
    if (book->rings[i].tick > end)
      end = book->rings[i].tick;
  for (uint32_t i = 0; i < book->ring_limit; i++) {
    struct hd_path_ring *ring = &book->rings[i];
    if (!ring->is_known)
      continue;
    add_time(book, ring, end);
    const struct hd_chain *chain = hd_path_current(ring)->chain;
    if (hd_chain_ticks(chain) <= hd_chain_ticks(longest))
      continue;
    longest = chain;
    header->path_open = ring->busy;
  }
  header->path_until_ticks = end;
  return longest;
}

/* The path's ticks by profile; NULL: no memory. */
static uint64_t *ticks_by_profile(const struct hd_chain *chain, uint32_t *limit) {
  uint64_t *ticks = NULL;
  for (uint32_t i = 0; i < chain->part_limit; i++) {
    const struct hd_chain_part *part = &chain->parts[i];
    if (part->profile && !hd_heap_grow(&ticks, limit, part->profile, sizeof *ticks)) {
      hd_heap_free(ticks);
      return NULL;
    }
    if (part->profile)
      ticks[part->profile - 1] += part->ticks;
  }
  return ticks;
}

static bool write_steps(const struct hd_chain *chain, hd_path_adder *add, void *context) {
  for (uint32_t i = 0; i < chain->part_limit; i++) {
    const struct hd_chain_part *part = &chain->parts[i];
    struct hd_path_step_record *record = part->profile ? add(context, HD_BLOCK_PATH_STEPS) : NULL;
    if (part->profile && !record)
      return false;
    if (record)
      *record = (struct hd_path_step_record){.from = part->from,
                                             .to = part->profile - 1,
                                             .ticks = part->ticks,
                                             .count = part->count,
                                             .changes = part->changes};
  }
  return true;
}

static bool write_records(const struct hd_path_book *book, const uint64_t *ticks, uint32_t limit, hd_path_adder *add,
                          void *context) {
  for (uint32_t i = 0; i < limit || i < book->sum_limit; i++) {
    const struct hd_path_sum sum = i < book->sum_limit ? book->sums[i] : (struct hd_path_sum){0};
    const uint64_t on_path = i < limit ? ticks[i] : 0;
    if (on_path == 0 && sum.instances == 0)
      continue;
    struct hd_path_record *record = add(context, HD_BLOCK_PATHS);
    if (!record)
      return false;
    *record = (struct hd_path_record){.profile = i,
                                      .path_ticks = on_path,
                                      .span_ticks = sum.span_ticks,
                                      .work_ticks = sum.work_ticks,
                                      .instances = sum.instances};
  }
  return true;
}

/* Whether there was memory and space for all of it. */
static bool write_all(struct hd_path_book *book, const struct hd_chain *longest, hd_path_adder *add, void *context) {
  uint32_t limit = 0;
  struct hd_chain *whole = hd_chain_whole(&book->chains, longest);
  const bool has_all = whole && !book->chains.has_failed;
  uint64_t *ticks = has_all ? ticks_by_profile(whole, &limit) : NULL;
  const bool is_whole = has_all && (ticks || whole->part_count == 0) &&
                        write_records(book, ticks, limit, add, context) && write_steps(whole, add, context);
  hd_heap_free(ticks);
  hd_chain_release(&book->chains, whole);
  return is_whole;
}

void hd_path_close(struct hd_path_book *book, hd_path_adder *add, void *context) {
  if (!book->is_kept)
    return;
  const struct hd_chain *longest = reach_end(book);
  const bool is_whole = !book->chains.has_failed && write_all(book, longest, add, context);
  book->header->path_flags |= is_whole ? HD_PATH_KNOWN : HD_PATH_NO_ROOM;
  hd_path_free(book);
}

/* ---- begin and end ---- */

void hd_path_begin(struct hd_path_book *book, struct hd_file_header *header) {
  *book = (struct hd_path_book){.is_kept = true, .header = header};
  header->path_flags = HD_PATH_ASKED;
  header->path_open = HD_NONE;
}

void hd_path_free(struct hd_path_book *book) {
  hd_path_free_locks(book);
  for (uint32_t i = 0; i < book->ring_limit; i++) {
    while (book->rings[i].level_count > 0)
      hd_path_pop(book, &book->rings[i]);
    hd_chain_release(&book->chains, book->rings[i].finished);
    hd_heap_free(book->rings[i].levels);
  }
  hd_path_free_tasks(book);
  hd_path_free_teams(book);
  hd_chain_release(&book->chains, book->ended);
  hd_heap_free(book->rings);
  hd_heap_free(book->sums);
  *book = (struct hd_path_book){.header = book->header};
}
