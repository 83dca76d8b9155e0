/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/inprocess/heap.h"
#include "sweep/teams_internal.h"

enum { FIRST_PLACES = 16 };

/* ---- finding ---- */

static uint32_t *place_of(const struct hd_team_book *book, uint32_t number) {
  return &book->places[(uint32_t)(number * 0x9E3779B97F4A7C15u >> 32) & book->place_mask]; /* Knuth 6.4 */
}

static uint32_t index_of(const struct hd_team_book *book, const struct hd_team *team) {
  return (uint32_t)(team - book->teams);
}

static void show(struct hd_team_book *book, struct hd_team *team) {
  uint32_t *place = place_of(book, team->record->team);
  team->next = *place;
  team->is_hashed = true;
  *place = index_of(book, team) + 1;
}

struct hd_team *hd_team_find(struct hd_team_book *book, uint32_t number) {
  if (book->newest && book->teams[book->newest - 1].record->team == number)
    return &book->teams[book->newest - 1];
  for (uint32_t i = book->places ? *place_of(book, number) : 0; i; i = book->teams[i - 1].next)
    if (book->teams[i - 1].record->team == number) {
      book->newest = i;
      return &book->teams[i - 1];
    }
  return NULL;
}

void hd_team_hide(struct hd_team_book *book, struct hd_team *team) {
  if (!team->is_hashed)
    return;
  const uint32_t number = index_of(book, team) + 1;
  uint32_t *place = place_of(book, team->record->team);
  while (*place != number)
    place = &book->teams[*place - 1].next;
  *place = team->next;
  team->is_hashed = false;
  if (book->newest == number)
    book->newest = 0;
}

/* ---- taking and giving back ---- */

static void make_free(struct hd_team_book *book, struct hd_team *team) {
  team->next = book->free;
  book->free = index_of(book, team) + 1;
}

/* There are as many places as there is room for teams. */
static bool make_room(struct hd_team_book *book) {
  const uint32_t limit = book->team_limit ? 2 * book->team_limit : FIRST_PLACES;
  if (book->team_count < book->team_limit)
    return true;
  uint32_t *places = hd_heap_allocate(limit, sizeof *places);
  if (!places || !hd_heap_grow(&book->teams, &book->team_limit, limit, sizeof *book->teams)) {
    hd_heap_free(places);
    return false;
  }
  hd_heap_free(book->places);
  book->places = places;
  book->place_mask = limit - 1;
  for (uint32_t i = 0; i < book->team_count; i++)
    if (book->teams[i].is_hashed)
      show(book, &book->teams[i]);
  return true;
}

static struct hd_team *append(struct hd_team_book *book, struct hd_team_record *record) {
  struct hd_team *team = &book->teams[book->team_count++];
  *team = (struct hd_team){.record = record};
  return team;
}

static struct hd_team *make(struct hd_team_book *book) {
  struct hd_team_record *record =
      make_room(book) ? hd_journal_add_record(book->journal, HD_BLOCK_TEAMS, sizeof *record) : NULL;
  return record ? append(book, record) : NULL;
}

static struct hd_team *reuse(struct hd_team_book *book) {
  struct hd_team *team = &book->teams[book->free - 1];
  book->free = team->next;
  return team;
}

/* To undo this is to free it: nothing else that a free record says matters. */
struct hd_team *hd_team_take(struct hd_team_book *book, uint32_t number) {
  struct hd_team *team = book->free ? reuse(book) : make(book);
  if (!team)
    return NULL;
  struct hd_team_record *record = team->record;
  enum { FLAGS = offsetof(struct hd_team_record, flags) / sizeof(uint64_t) };
  hd_journal_keep_once(book->journal, &record->kept_in, (const uint64_t *)(const void *)record + FLAGS, 1);
  *record = (struct hd_team_record){.team = number, .flags = HD_TEAM_OPEN, .kept_in = record->kept_in};
  show(book, team);
  book->newest = index_of(book, team) + 1;
  return team;
}

void hd_team_give(struct hd_team_book *book, struct hd_team *team) {
  hd_team_keep(book, team->record);
  hd_team_hide(book, team);
  team->record->flags = 0;
  make_free(book, team);
}

bool hd_teams_restore_team(struct hd_team_book *book, struct hd_team_record *record) {
  if (!make_room(book))
    return false;
  struct hd_team *team = append(book, record);
  if (!(record->flags & HD_TEAM_OPEN)) {
    make_free(book, team);
    return true;
  }
  struct hd_team *same = hd_team_find(book, record->team);
  if (!same || same->record->begin_ticks <= record->begin_ticks) { /* else its number is another's by now */
    if (same)
      hd_team_hide(book, same);
    show(book, team);
  }
  return true;
}

struct hd_team_record *hd_teams_next_open(const struct hd_team_book *book, uint32_t *at) {
  while (*at < book->team_count) {
    struct hd_team_record *record = book->teams[(*at)++].record;
    if (record->flags & HD_TEAM_OPEN)
      return record;
  }
  return NULL;
}

/* ---- rings ---- */

struct hd_team_ring *hd_team_ring(struct hd_team_book *book, const struct hd_ring_sweep *ring) {
  return hd_heap_grow(&book->rings, &book->ring_limit, ring->index + 1, sizeof *book->rings) ? &book->rings[ring->index]
                                                                                             : NULL;
}

void hd_teams_free(struct hd_team_book *book) {
  hd_totals_free(&book->totals);
  hd_heap_free(book->teams);
  hd_heap_free(book->places);
  hd_heap_free(book->rings);
  hd_heap_free(book->idle);
  hd_heap_free(book->delays);
}
