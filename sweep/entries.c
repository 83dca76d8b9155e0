/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/entries.h"

#include "support/inprocess/heap.h"

enum { FIRST_SLOTS = 256 };

/* ---- records ---- */

/* `times` entries, or an end of one: the journal knows what was there before. */
static void add(struct hd_entry_book *book, uint64_t *number, uint64_t times) {
  hd_journal_keep(book->journal, number, 1);
  *number += times;
}

/* Shares its word with `reserved`. */
static void set_open(struct hd_entry_book *book, struct hd_entry_record *record, uint32_t open) {
  hd_journal_keep(book->journal, &record->open, 1);
  record->open = open;
}

static uint32_t slot_of(const struct hd_entry_book *book, uint32_t thread, uint32_t profile) {
  uint64_t hash = ((uint64_t)thread << 32 | profile) * 0x9E3779B97F4A7C15u; /* Fibonacci hashing, Knuth 6.4 */
  uint32_t slot = (uint32_t)(hash >> 32) & book->mask;
  while (book->slots[slot] && (book->slots[slot]->thread != thread || book->slots[slot]->profile != profile))
    slot = (slot + 1) & book->mask;
  return slot;
}

static bool make_room(struct hd_entry_book *book) {
  const uint32_t before = book->slots ? book->mask + 1 : 0;
  if (book->count < before / 2)
    return true;
  struct hd_entry_record **slots = book->slots;
  struct hd_entry_record **grown =
      hd_heap_allocate(before ? 2 * (size_t)before : FIRST_SLOTS, sizeof(struct hd_entry_record *));
  if (!grown)
    return false;
  book->slots = grown;
  book->mask = (before ? 2 * before : FIRST_SLOTS) - 1;
  for (uint32_t i = 0; i < before; i++)
    if (slots[i])
      grown[slot_of(book, slots[i]->thread, slots[i]->profile)] = slots[i];
  hd_heap_free(slots);
  return true;
}

static bool is_newest(const struct hd_entry_book *book, uint32_t thread, uint32_t profile) {
  return book->newest && book->newest->profile == profile && book->newest->thread == thread;
}

static struct hd_entry_record *find_or_add(struct hd_entry_book *book, uint32_t thread, uint32_t profile) {
  if (is_newest(book, thread, profile))
    return book->newest;
  if (!make_room(book))
    return NULL;
  struct hd_entry_record **slot = &book->slots[slot_of(book, thread, profile)];
  if (*slot)
    return book->newest = *slot;
  struct hd_entry_record *record = hd_journal_add_record(book->journal, HD_BLOCK_ENTRIES, sizeof *record);
  if (!record)
    return NULL;
  record->thread = thread;
  record->profile = profile;
  book->count++;
  return book->newest = *slot = record;
}

static struct hd_entry_record *find(const struct hd_entry_book *book, uint32_t thread, uint32_t profile) {
  if (is_newest(book, thread, profile))
    return book->newest;
  return book->slots ? book->slots[slot_of(book, thread, profile)] : NULL;
}

static void count(struct hd_entry_book *book, uint32_t thread, uint32_t profile, enum hd_entry_state caller,
                  enum hd_entry_state own, uint64_t times) {
  struct hd_entry_record *record = find_or_add(book, thread, profile);
  if (record)
    add(book, &record->visits[caller][own], times);
  else
    book->header->lost_entries += times;
}

/* ---- stacks ---- */

static struct hd_entry_ring *ring_at(struct hd_entry_book *book, uint32_t index) {
  return hd_heap_grow(&book->rings, &book->ring_limit, index + 1, sizeof *book->rings) ? &book->rings[index] : NULL;
}

/* Where the stack's entry at `level` is kept, as far as it has been made. */
static struct hd_stack_entry *entry_at(const struct hd_entry_book *book, const struct hd_ring_sweep *sweep,
                                       uint32_t level) {
  const struct hd_entry_ring *ring = sweep->index < book->ring_limit ? &book->rings[sweep->index] : NULL;
  const uint32_t part = level / HD_STACK_LENGTH;
  struct hd_stack_record *record = ring && part < ring->stack_limit ? ring->stack[part] : NULL;
  return record ? &record->entries[level % HD_STACK_LENGTH] : NULL;
}

static struct hd_stack_entry *add_part(struct hd_entry_book *book, const struct hd_ring_sweep *sweep) {
  struct hd_entry_ring *ring = ring_at(book, sweep->index);
  const uint32_t part = sweep->height / HD_STACK_LENGTH;
  if (!ring || !hd_heap_grow(&ring->stack, &ring->stack_limit, part + 1, sizeof *ring->stack))
    return NULL;
  struct hd_stack_record *record = hd_journal_add_record(book->journal, HD_BLOCK_STACK, sizeof *record);
  if (!record)
    return NULL;
  record->ring = sweep->index;
  record->level = part * HD_STACK_LENGTH;
  ring->sweep = sweep;
  ring->stack[part] = record;
  return entry_at(book, sweep, sweep->height);
}

/* The innermost entry; NULL: none, or it could not be kept. */
static const struct hd_stack_entry *top_of(const struct hd_entry_book *book, const struct hd_ring_sweep *ring) {
  return ring->height > 0 ? entry_at(book, ring, ring->height - 1) : NULL;
}

static enum hd_entry_state caller_state(const struct hd_entry_book *book, const struct hd_ring_sweep *ring) {
  const struct hd_stack_entry *top = top_of(book, ring);
  return (enum hd_entry_state)(top ? top->own : ring->base_state);
}

static void push(struct hd_entry_book *book, struct hd_ring_sweep *ring, struct hd_stack_entry entry) {
  struct hd_stack_entry *place = entry_at(book, ring, ring->height);
  if (!place)
    place = add_part(book, ring);
  if (place) {
    hd_journal_keep(book->journal, place, sizeof *place / sizeof(uint64_t));
    *place = entry;
  } else {
    book->header->lost_entries++;
  }
  ring->height++;
}

static void end_entry(struct hd_entry_book *book, const struct hd_ring_sweep *ring, const struct hd_stack_entry *entry,
                      uint64_t now) {
  struct hd_entry_record *record = entry->what == HD_WHAT_CALL ? find(book, ring->thread, entry->profile) : NULL;
  if (!record)
    return;
  if (record->open > 0)
    set_open(book, record, record->open - 1);
  if (entry->outermost)
    add(book, &record->ticks[entry->caller & 1][entry->own & 1], now - entry->since_ticks);
}

static bool is_region(const struct hd_stack_entry *entry) {
  return entry->what == HD_WHAT_REGION_BEGIN || entry->what == HD_WHAT_NESTED_BEGIN;
}

static bool add_region(struct hd_entry_ring *ring, uint32_t level, uint8_t own) {
  if (!hd_heap_grow(&ring->regions, &ring->region_limit, ring->region_count + 1, sizeof *ring->regions))
    return false;
  ring->regions[ring->region_count++] = (struct hd_entry_region){.level = level, .own = own};
  if (ring->regions_known < ring->region_count)
    ring->regions_known = ring->region_count;
  return true;
}

static void find_regions(const struct hd_entry_book *book, struct hd_entry_ring *ring, uint32_t height) {
  const uint64_t kept = (uint64_t)ring->stack_limit * HD_STACK_LENGTH;
  ring->restored = false;
  for (uint32_t level = 0; level < height && level < kept; level++) {
    const struct hd_stack_entry *entry = entry_at(book, ring->sweep, level);
    if (entry && is_region(entry) && !add_region(ring, level, entry->own))
      return;
  }
}

/* The ring with the levels of its regions; NULL: nothing was ever on its stack. */
static struct hd_entry_ring *regions_of(const struct hd_entry_book *book, const struct hd_ring_sweep *sweep) {
  struct hd_entry_ring *ring = sweep->index < book->ring_limit ? &book->rings[sweep->index] : NULL;
  if (ring && ring->restored)
    find_regions(book, ring, sweep->height);
  return ring;
}

static void pop_to(struct hd_entry_book *book, struct hd_ring_sweep *sweep, uint32_t height, uint64_t now) {
  struct hd_entry_ring *ring = regions_of(book, sweep);
  while (ring && ring->region_count > 0 && ring->regions[ring->region_count - 1].level >= height)
    ring->region_count--;
  for (; sweep->height > height; sweep->height--) {
    const struct hd_stack_entry *top = top_of(book, sweep);
    if (top)
      end_entry(book, sweep, top, now);
  }
}

/* ---- what a transition says ---- */

static void call(struct hd_entry_book *book, struct hd_ring_sweep *ring, const struct hd_transition *transition,
                 enum hd_entry_state own) {
  const enum hd_entry_state caller = caller_state(book, ring);
  /* The time of a recursive call is that of the profile it leads back to, in which the thread is busy now. */
  struct hd_entry_record *record = find_or_add(book, ring->thread, transition->busy);
  struct hd_stack_entry entry = {.since_ticks = transition->ticks,
                                 .profile = transition->busy,
                                 .what = HD_WHAT_CALL,
                                 .caller = (uint8_t)caller,
                                 .own = (uint8_t)own,
                                 .outermost = record && record->open == 0};
  if (!(transition->what & HD_WHAT_UNCOUNTED))
    count(book, ring->thread, HD_WHAT_OPERAND(transition->what), caller, own, 1);
  push(book, ring, entry);
  if (record && top_of(book, ring))
    set_open(book, record, record->open + 1);
}

static void begin_region(struct hd_entry_book *book, struct hd_ring_sweep *sweep,
                         const struct hd_transition *transition) {
  const uint32_t level = sweep->height;
  const uint8_t own = (uint8_t)caller_state(book, sweep);
  regions_of(book, sweep); /* those below are known first */
  push(book, sweep,
       (struct hd_stack_entry){
           .profile = HD_WHAT_OPERAND(transition->what), .what = (uint8_t)hd_what_of(transition), .own = own});
  struct hd_entry_ring *ring = ring_at(book, sweep->index);
  if (ring && entry_at(book, sweep, level) && !add_region(ring, level, own))
    book->header->lost_entries++;
}

/* The height below the innermost begin of the region, or the present one: it is nearly always the innermost of all. */
static uint32_t height_below(const struct hd_entry_book *book, const struct hd_ring_sweep *sweep, uint32_t profile) {
  const struct hd_entry_ring *ring = regions_of(book, sweep);
  for (uint32_t i = ring ? ring->region_count : 0; i > 0; i--)
    if (entry_at(book, sweep, ring->regions[i - 1].level)->profile == profile)
      return ring->regions[i - 1].level;
  return sweep->height;
}

/* Of the region of a primary that has `before` others around it: the last one that has begun. It may have ended at the
 * instant at which the worker joins, in a pause. */
static enum hd_entry_state team_state(const struct hd_entry_book *book, const struct hd_ring_sweep *primary,
                                      uint32_t before) {
  const struct hd_entry_ring *ring = primary ? regions_of(book, primary) : NULL;
  return ring && before < ring->regions_known ? (enum hd_entry_state)ring->regions[before].own : HD_SEQUENTIAL;
}

static void join_team(struct hd_entry_book *book, struct hd_ring_sweep *ring, const struct hd_transition *transition) {
  const struct hd_log_member *member = hd_log_member_of(transition);
  const uint32_t index = HD_TEAM_RING(member->team);
  const struct hd_ring_sweep *primary = index < book->ring_limit ? book->rings[index].sweep : NULL;
  ring->base_state = team_state(book, primary, member->number >> HD_LOG_BEFORE_SHIFT);
}

void hd_entries_count(struct hd_entry_book *book, uint32_t profile, uint64_t times) {
  count(book, HD_NONE, profile, HD_SEQUENTIAL, HD_CONCURRENT, times);
}

void hd_entries_apply(struct hd_entry_book *book, struct hd_ring_sweep *ring, const struct hd_transition *transition,
                      bool concurrent) {
  const uint32_t operand = HD_WHAT_OPERAND(transition->what);
  const enum hd_what what = hd_what_of(transition);
  const enum hd_entry_state own = concurrent ? HD_CONCURRENT : HD_SEQUENTIAL;
  hd_journal_keep_ring(book->journal, ring);
  switch (what) {
  case HD_WHAT_REGION_BEGIN:
  case HD_WHAT_NESTED_BEGIN:
    begin_region(book, ring, transition);
    break;
  case HD_WHAT_REGION_END:
  case HD_WHAT_NESTED_END:
    pop_to(book, ring, height_below(book, ring, operand), transition->ticks);
    break;
  case HD_WHAT_CALL:
    call(book, ring, transition, own);
    break;
  case HD_WHAT_TASK:
    push(book, ring, (struct hd_stack_entry){.profile = transition->busy, .what = HD_WHAT_TASK, .own = (uint8_t)own});
    break;
  case HD_WHAT_RETURN:
    pop_to(book, ring, operand, transition->ticks);
    break;
  case HD_WHAT_TEAM:
    pop_to(book, ring, 0, transition->ticks);
    join_team(book, ring, transition);
    break;
  default:
    break;
  }
}

void hd_entries_close(struct hd_entry_book *book, struct hd_ring_sweep *ring, uint64_t now) {
  pop_to(book, ring, 0, now);
}

/* ---- from a file ---- */

bool hd_entries_restore(struct hd_entry_book *book, struct hd_entry_record *record) {
  if (!make_room(book))
    return false;
  book->slots[slot_of(book, record->thread, record->profile)] = record;
  book->count++;
  return true;
}

bool hd_entries_restore_stack(struct hd_entry_book *book, const struct hd_ring_sweep *sweep,
                              struct hd_stack_record *stack) {
  struct hd_entry_ring *ring = ring_at(book, sweep->index);
  const uint32_t part = stack->level / HD_STACK_LENGTH;
  if (!ring || !hd_heap_grow(&ring->stack, &ring->stack_limit, part + 1, sizeof *ring->stack))
    return false;
  ring->sweep = sweep;
  ring->stack[part] = stack;
  ring->restored = true;
  return true;
}

void hd_entries_free(struct hd_entry_book *book) {
  for (uint32_t i = 0; i < book->ring_limit; i++) {
    hd_heap_free(book->rings[i].stack);
    hd_heap_free(book->rings[i].regions);
  }
  hd_heap_free(book->slots);
  hd_heap_free(book->rings);
}
