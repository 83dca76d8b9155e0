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

static struct hd_path_sum *sum_of(struct hd_path_book *book, uint32_t profile) {
  if (hd_heap_grow(&book->sums, &book->sum_limit, profile + 1, sizeof *book->sums))
    return &book->sums[profile];
  book->chains.has_failed = true;
  return NULL;
}

/* With as many threads as one likes, and no time between. */
static void note_begin(struct hd_path_book *book, uint32_t profile, uint64_t ticks) {
  struct hd_path_sum *sum = sum_of(book, profile);
  if (sum && ticks < sum->earliest - 1) /* 0 - 1 is the largest */
    sum->earliest = ticks + 1;
}

static void add_time(struct hd_path_book *book, struct hd_path_ring *ring, uint64_t now) {
  if (now <= ring->tick)
    return;
  if (ring->busy != HD_NONE) {
    struct hd_path_level *level = hd_path_top(ring);
    if (level->waits && !level->task)
      hd_path_leave_barrier(book, level);
    note_begin(book, ring->busy, hd_chain_ticks(hd_path_current(ring)->chain));
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
  struct hd_path_sum *sum = sum_of(book, profile);
  if (!sum)
    return;
  sum->span_ticks += span_ticks;
  sum->work_ticks += work_ticks;
  sum->instances++;
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

static bool write_record(const struct hd_path_book *book, uint32_t profile, uint64_t on_path, hd_path_adder *add,
                         void *context) {
  const struct hd_path_sum sum = profile < book->sum_limit ? book->sums[profile] : (struct hd_path_sum){0};
  struct hd_path_record *record = add(context, HD_BLOCK_PATHS);
  if (!record)
    return false;
  *record = (struct hd_path_record){.profile = profile,
                                    .path_ticks = on_path,
                                    .span_ticks = sum.span_ticks,
                                    .work_ticks = sum.work_ticks,
                                    .instances = sum.instances,
                                    .earliest_ticks = sum.earliest - 1, /* 0 - 1 is HD_PATH_NEVER */
                                    .slack_ticks = on_path > 0 ? 0 : hd_chain_slack_of(&book->chains, profile)};
  return true;
}

/* Of those on the path, and that have a span; and of the others. */
static bool write_records(const struct hd_path_book *book, const uint64_t *ticks, uint32_t limit, bool others,
                          hd_path_adder *add, void *context) {
  bool is_whole = true;
  for (uint32_t i = 0; (i < limit || i < book->sum_limit) && is_whole; i++) {
    const uint64_t on_path = i < limit ? ticks[i] : 0;
    const struct hd_path_sum *sum = i < book->sum_limit ? &book->sums[i] : NULL;
    const bool is_needed = on_path > 0 || (sum && sum->instances > 0);
    if (is_needed != others && (is_needed || (sum && sum->earliest > 0)))
      is_whole = write_record(book, i, on_path, add, context);
  }
  return is_whole;
}

/* Whether there was memory and space for all that is needed. */
static bool write_all(struct hd_path_book *book, const struct hd_chain *whole, hd_path_adder *add, void *context) {
  uint32_t limit = 0;
  if (!whole || book->chains.has_failed)
    return false;
  uint64_t *ticks = ticks_by_profile(whole, &limit);
  const bool is_whole = (ticks || whole->part_count == 0) && write_records(book, ticks, limit, false, add, context) &&
                        write_steps(whole, add, context);
  if (is_whole)
    write_records(book, ticks, limit, true, add, context);
  hd_heap_free(ticks);
  return is_whole;
}

static void free_strands(struct hd_path_book *book) {
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
  book->ended = NULL;
  book->rings = NULL;
  book->ring_limit = 0;
}

/* Of what nobody waits for any more. */
static void note_last_slacks(struct hd_path_book *book, const struct hd_chain *longest) {
  const uint64_t span = hd_chain_ticks(longest);
  if (book->ended != longest)
    hd_chain_note_slack(book->ended, span - hd_chain_ticks(book->ended));
  for (uint32_t i = 0; i < book->ring_limit; i++) {
    struct hd_chain *chain = book->rings[i].is_known ? hd_path_current(&book->rings[i])->chain : NULL;
    if (chain != longest)
      hd_chain_note_slack(chain, span - hd_chain_ticks(chain));
  }
}

void hd_path_close(struct hd_path_book *book, hd_path_adder *add, void *context) {
  if (!book->is_kept)
    return;
  const struct hd_chain *longest = reach_end(book);
  struct hd_chain *whole = hd_chain_whole(&book->chains, longest);
  note_last_slacks(book, longest);
  free_strands(book);
  book->header->path_flags |= write_all(book, whole, add, context) ? HD_PATH_KNOWN : HD_PATH_NO_ROOM;
  hd_chain_release(&book->chains, whole);
  hd_path_free(book);
}

/* ---- begin and end ---- */

void hd_path_begin(struct hd_path_book *book, struct hd_file_header *header) {
  *book = (struct hd_path_book){.is_kept = true, .header = header};
  header->path_flags = HD_PATH_ASKED;
  header->path_open = HD_NONE;
}

void hd_path_free(struct hd_path_book *book) {
  free_strands(book);
  hd_heap_free(book->sums);
  hd_heap_free(book->chains.slacks);
  *book = (struct hd_path_book){.header = book->header};
}
