/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/entries.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 256, FIRST_RINGS = 16 };

/* ---- records ---- */

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
  struct hd_entry_record **grown = calloc(before ? 2 * (size_t)before : FIRST_SLOTS, sizeof(struct hd_entry_record *));
  if (!grown)
    return false;
  book->slots = grown;
  book->mask = (before ? 2 * before : FIRST_SLOTS) - 1;
  for (uint32_t i = 0; i < before; i++)
    if (slots[i])
      grown[slot_of(book, slots[i]->thread, slots[i]->profile)] = slots[i];
  free(slots);
  return true;
}

static struct hd_entry_record *find_or_add(struct hd_entry_book *book, uint32_t thread, uint32_t profile) {
  if (!make_room(book))
    return NULL;
  struct hd_entry_record **slot = &book->slots[slot_of(book, thread, profile)];
  if (*slot)
    return *slot;
  struct hd_entry_record *record = book->allocate(book->context, HD_BLOCK_ENTRIES, sizeof *record);
  if (!record)
    return NULL;
  record->thread = thread;
  record->profile = profile;
  book->count++;
  return *slot = record;
}

static struct hd_entry_record *find(const struct hd_entry_book *book, uint32_t thread, uint32_t profile) {
  return book->slots ? book->slots[slot_of(book, thread, profile)] : NULL;
}

static void count(struct hd_entry_book *book, const struct hd_ring_sweep *ring, uint32_t profile,
                  enum hd_entry_state caller, enum hd_entry_state own) {
  struct hd_entry_record *record = find_or_add(book, ring->thread, profile);
  if (record)
    record->visits[caller][own]++;
  else
    book->header->lost_entries++;
}

/* ---- stacks ---- */

static struct hd_entry_ring *ring_at(struct hd_entry_book *book, uint32_t index) {
  if (index < book->ring_limit)
    return &book->rings[index];
  uint32_t limit = book->ring_limit ? book->ring_limit : FIRST_RINGS;
  while (limit <= index)
    limit *= 2;
  struct hd_entry_ring *grown = realloc(book->rings, limit * sizeof *grown);
  if (!grown)
    return NULL;
  memset(grown + book->ring_limit, 0, (limit - book->ring_limit) * sizeof *grown);
  book->rings = grown;
  book->ring_limit = limit;
  return &grown[index];
}

static struct hd_stack_record *stack_of(struct hd_entry_book *book, const struct hd_ring_sweep *sweep) {
  struct hd_entry_ring *ring = ring_at(book, sweep->index);
  if (!ring)
    return NULL;
  ring->sweep = sweep;
  if (!ring->stack && (ring->stack = book->allocate(book->context, HD_BLOCK_STACK, sizeof *ring->stack)))
    ring->stack->ring = sweep->index;
  return ring->stack;
}

/* The innermost entry that was kept; NULL: none. */
static const struct hd_stack_entry *top_of(const struct hd_entry_book *book, const struct hd_ring_sweep *ring) {
  const struct hd_stack_record *stack = ring->index < book->ring_limit ? book->rings[ring->index].stack : NULL;
  const uint32_t kept = ring->height < HD_STACK_LENGTH ? ring->height : HD_STACK_LENGTH;
  return stack && kept > 0 ? &stack->entries[kept - 1] : NULL;
}

static enum hd_entry_state caller_state(const struct hd_entry_book *book, const struct hd_ring_sweep *ring) {
  const struct hd_stack_entry *top = top_of(book, ring);
  return (enum hd_entry_state)(top ? top->own : ring->base_state);
}

static void push(struct hd_entry_book *book, struct hd_ring_sweep *ring, struct hd_stack_entry entry) {
  struct hd_stack_record *stack = stack_of(book, ring);
  if (stack && ring->height < HD_STACK_LENGTH)
    stack->entries[ring->height] = entry;
  else if (entry.outermost)
    book->header->lost_entries++;
  ring->height++;
}

static void end_entry(struct hd_entry_book *book, const struct hd_ring_sweep *ring, const struct hd_stack_entry *entry,
                      uint64_t now) {
  struct hd_entry_record *record = entry->what == HD_WHAT_CALL ? find(book, ring->thread, entry->profile) : NULL;
  if (!record)
    return;
  if (record->open > 0)
    record->open--;
  if (entry->outermost)
    record->ticks[entry->caller & 1][entry->own & 1] += now - entry->since_ticks;
}

static void pop_to(struct hd_entry_book *book, struct hd_ring_sweep *ring, uint32_t height, uint64_t now) {
  if (ring->height > HD_STACK_LENGTH) /* what was not kept */
    ring->height = height > HD_STACK_LENGTH ? height : HD_STACK_LENGTH;
  while (ring->height > height) {
    const struct hd_stack_entry *top = top_of(book, ring);
    if (top)
      end_entry(book, ring, top, now);
    ring->height--;
  }
}

/* ---- what a transition says ---- */

static void call(struct hd_entry_book *book, struct hd_ring_sweep *ring, const struct hd_transition *transition,
                 enum hd_entry_state own) {
  const enum hd_entry_state caller = caller_state(book, ring);
  const bool kept = ring->height < HD_STACK_LENGTH;
  /* The time of a recursive call is that of the profile it leads back to, in which the thread is busy now. */
  struct hd_entry_record *record = find_or_add(book, ring->thread, transition->busy);
  struct hd_stack_entry entry = {.since_ticks = transition->ticks,
                                 .profile = transition->busy,
                                 .what = HD_WHAT_CALL,
                                 .caller = (uint8_t)caller,
                                 .own = (uint8_t)own,
                                 .outermost = record && record->open == 0};
  if (!(transition->what & HD_WHAT_UNCOUNTED))
    count(book, ring, HD_WHAT_OPERAND(transition->what), caller, own);
  if (record && kept)
    record->open++;
  push(book, ring, entry);
}

static void begin_task(struct hd_entry_book *book, struct hd_ring_sweep *ring, const struct hd_transition *transition,
                       enum hd_entry_state own) {
  push(book, ring, (struct hd_stack_entry){.profile = transition->busy, .what = HD_WHAT_TASK, .own = (uint8_t)own});
}

static void begin_region(struct hd_entry_book *book, struct hd_ring_sweep *ring,
                         const struct hd_transition *transition) {
  push(book, ring,
       (struct hd_stack_entry){.profile = HD_WHAT_OPERAND(transition->what),
                               .what = (uint8_t)(transition->what >> HD_WHAT_SHIFT),
                               .own = (uint8_t)caller_state(book, ring)});
}

static bool is_region(const struct hd_stack_entry *entry, uint32_t profile) {
  return (entry->what == HD_WHAT_REGION_BEGIN || entry->what == HD_WHAT_NESTED_BEGIN) && entry->profile == profile;
}

/* The height below the innermost begin of the region, or the present one. */
static uint32_t height_below(const struct hd_entry_book *book, const struct hd_ring_sweep *ring, uint32_t profile) {
  const struct hd_stack_record *stack = ring->index < book->ring_limit ? book->rings[ring->index].stack : NULL;
  uint32_t height = ring->height < HD_STACK_LENGTH ? ring->height : HD_STACK_LENGTH;
  while (stack && height > 0)
    if (is_region(&stack->entries[--height], profile))
      return height;
  return ring->height;
}

/* The begin of a region on its primary's stack that has `before` others of the same profile below; NULL: not kept. */
static const struct hd_stack_entry *find_begin(const struct hd_entry_ring *primary, uint32_t profile, uint32_t before) {
  const uint32_t height = primary->sweep->height < HD_STACK_LENGTH ? primary->sweep->height : HD_STACK_LENGTH;
  for (uint32_t i = 0; i < height; i++)
    if (is_region(&primary->stack->entries[i], profile) && before-- == 0)
      return &primary->stack->entries[i];
  return NULL;
}

static void join_team(struct hd_entry_book *book, struct hd_ring_sweep *ring, const struct hd_transition *transition) {
  const uint32_t operand = HD_WHAT_OPERAND(transition->what);
  const uint32_t index = HD_TEAM_RING(operand);
  const struct hd_entry_ring *primary = index < book->ring_limit ? &book->rings[index] : NULL;
  pop_to(book, ring, 0, transition->ticks);
  const struct hd_stack_entry *begin =
      primary && primary->stack ? find_begin(primary, transition->busy, HD_TEAM_BEFORE(operand)) : NULL;
  ring->base_state = begin ? begin->own : HD_SEQUENTIAL;
}

void hd_entries_apply(struct hd_entry_book *book, struct hd_ring_sweep *ring, const struct hd_transition *transition,
                      bool concurrent) {
  const uint32_t operand = HD_WHAT_OPERAND(transition->what);
  const enum hd_entry_state own = concurrent ? HD_CONCURRENT : HD_SEQUENTIAL;
  const bool counted = concurrent && !(transition->what & HD_WHAT_UNCOUNTED); /* of what is no routine */
  const bool stacked = book->header->flags & HD_FILE_ROUTINES;
  switch (transition->what >> HD_WHAT_SHIFT) {
  case HD_WHAT_REGION_BEGIN:
  case HD_WHAT_NESTED_BEGIN:
    if (counted)
      count(book, ring, operand, HD_SEQUENTIAL, own);
    if (stacked)
      begin_region(book, ring, transition);
    break;
  case HD_WHAT_REGION_END:
  case HD_WHAT_NESTED_END:
    if (stacked)
      pop_to(book, ring, height_below(book, ring, operand), transition->ticks);
    break;
  case HD_WHAT_ENTER:
    if (counted)
      count(book, ring, operand, HD_SEQUENTIAL, own);
    break;
  case HD_WHAT_CALL:
    call(book, ring, transition, own);
    break;
  case HD_WHAT_TASK:
    if (counted)
      count(book, ring, operand, HD_SEQUENTIAL, own);
    begin_task(book, ring, transition, own);
    break;
  case HD_WHAT_RETURN:
    pop_to(book, ring, operand, transition->ticks);
    break;
  case HD_WHAT_TEAM:
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
  if (!ring)
    return false;
  *ring = (struct hd_entry_ring){.sweep = sweep, .stack = stack};
  return true;
}

void hd_entries_free(struct hd_entry_book *book) {
  free(book->slots);
  free(book->rings);
}
