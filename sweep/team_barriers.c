/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/teams_internal.h"

static const struct hd_log_arrival *arrival_of(const struct hd_team_entry *entry) {
  return (const struct hd_log_arrival *)(const void *)(entry->transition + 1);
}

/* ---- places ---- */

static bool is_before(uint32_t number, uint32_t other) {
  return (other - number) % HD_LOG_BARRIERS < HD_LOG_BARRIERS / 2;
}

static struct hd_team_barrier *known(struct hd_team_record *record, uint32_t number) {
  struct hd_team_barrier *barrier = &record->barriers[number % HD_TEAM_BARRIERS];
  struct hd_team_barrier *pushed_out = &record->barriers[HD_TEAM_BARRIERS];
  if (barrier->flags && barrier->number == number)
    return barrier;
  return pushed_out->flags && pushed_out->number == number ? pushed_out : NULL;
}

/* ---- how late they are ---- */

static int64_t lateness(const struct hd_team_barrier *barrier) {
  return (int64_t)(barrier->entered - barrier->undelayed);
}

static void add_lateness(struct hd_team_book *book, struct hd_team_record *record,
                         const struct hd_team_barrier *barrier, int64_t late) {
  struct hd_total_record *total = late ? hd_team_total(book, record, barrier->profile) : NULL;
  record->delay = (int64_t)((uint64_t)record->delay + (uint64_t)late);
  if (total)
    total->merged = (int64_t)((uint64_t)total->merged + hd_team_size(record) * (uint64_t)late);
}

static void leave(struct hd_team_book *book, struct hd_team_record *record, struct hd_team_barrier *barrier) {
  if (!(barrier->flags & HD_BARRIER_MET) || barrier->flags & HD_BARRIER_LEFT)
    return;
  barrier->flags |= HD_BARRIER_LEFT;
  add_lateness(book, record, barrier, lateness(barrier));
}

/* ---- places, when others have them ---- */

/* The first one, but rather one that closes a construct: that may have taken time before. */
static bool is_kept(const struct hd_team_barrier *barrier, const struct hd_team_barrier *pushed_out, uint64_t now) {
  return barrier->tick == now &&
         (pushed_out->tick != now || (barrier->flags & ~pushed_out->flags & HD_BARRIER_CLOSES_WORK));
}

static void push_out(struct hd_team_book *book, struct hd_team_record *record, const struct hd_team_barrier *barrier,
                     uint64_t now) {
  struct hd_team_barrier *pushed_out = &record->barriers[HD_TEAM_BARRIERS];
  struct hd_team_barrier over = *barrier;
  if (is_kept(barrier, pushed_out, now)) {
    over = *pushed_out;
    *pushed_out = *barrier;
  }
  leave(book, record, &over);
}

/* The place of a barrier, which may be a new one: then the one that had it is over, if time has gone on. NULL: this one
 * is. */
static struct hd_team_barrier *place_of(struct hd_team_book *book, struct hd_team_record *record, uint32_t number,
                                        uint64_t now) {
  struct hd_team_barrier *barrier = known(record, number);
  if (!barrier) {
    barrier = &record->barriers[number % HD_TEAM_BARRIERS];
    if (barrier->flags && is_before(number, barrier->number))
      return NULL;
    if (barrier->flags)
      push_out(book, record, barrier, now);
    *barrier = (struct hd_team_barrier){.number = number, .flags = HD_BARRIER_USED};
  }
  barrier->tick = now;
  return barrier;
}

/* ---- arrivals ---- */

static uint64_t later(uint64_t a, uint64_t b) {
  return (int64_t)a > (int64_t)b ? a : b;
}

static void meet(struct hd_team_record *record, struct hd_team_barrier *barrier, const struct hd_team_entry *entry) {
  barrier->flags |= HD_BARRIER_MET;
  barrier->profile = hd_team_operand(entry);
  if (arrival_of(entry)->flags & HD_LOG_CLOSES_WORK)
    barrier->flags |= HD_BARRIER_CLOSES_WORK;
  if (arrival_of(entry)->flags & HD_LOG_LAST)
    record->last_barrier = barrier->number + HD_LOG_BARRIERS;
}

/* The processors' clocks may differ by a few ticks, or stand still: somebody may arrive when the primary has left. */
void hd_team_arrive(struct hd_team_book *book, struct hd_team_record *record, const struct hd_team_entry *entry,
                    bool again) {
  const struct hd_log_arrival *arrival = arrival_of(entry);
  const uint64_t ticks = entry->transition->ticks;
  const int64_t told = hd_log_late_of(arrival);
  const int64_t late = book->delays ? hd_team_delay_late(book, record, entry, told, again) : told;
  const uint64_t undelayed = ticks - (uint64_t)late;
  struct hd_team_barrier *barrier = place_of(book, record, (uint32_t)arrival->number, ticks);
  if (!barrier)
    return;
  if (entry->is_primary)
    meet(record, barrier, entry);
  const int64_t before = lateness(barrier);
  barrier->undelayed = barrier->entered ? later(barrier->undelayed, undelayed) : undelayed;
  barrier->entered = later(barrier->entered, ticks + arrival->cost);
  if (barrier->flags & HD_BARRIER_LEFT)
    add_lateness(book, record, barrier, (int64_t)((uint64_t)lateness(barrier) - (uint64_t)before));
}

/* All are over, but that a member may be heard of late at the last one. */
bool hd_team_leave_all(struct hd_team_book *book, struct hd_team_record *record) {
  for (uint32_t i = 0; i <= HD_TEAM_BARRIERS; i++)
    leave(book, record, &record->barriers[i]);
  return record->last_barrier;
}

/* ---- worksharing constructs ---- */

/* Who counts the instances and knows who worked longest was not told of this one. */
static bool is_unknown(const struct hd_team_barrier *barrier) {
  return barrier && !(barrier->flags & HD_BARRIER_CLOSES_WORK);
}

static void add_work(struct hd_team_book *book, const struct hd_team_record *record, const struct hd_team_entry *entry,
                     const struct hd_log_work *work) {
  struct hd_total_record *total = hd_team_total(book, record, hd_team_operand(entry));
  if (!total)
    return;
  total->capacity_ticks += work->capacity_ticks;
  total->busy_ticks += work->busy_ticks;
  if (!entry->is_primary)
    return;
  total->instances++;
  total->elapsed_ticks += work->capacity_ticks + hd_log_gap_of(arrival_of(entry));
}

static void add_most(struct hd_team_book *book, const struct hd_team_record *record,
                     const struct hd_team_barrier *barrier, uint64_t more_ticks) {
  struct hd_total_record *total = more_ticks > 0 ? hd_team_total(book, record, barrier->work) : NULL;
  if (total)
    total->busy_max_ticks += hd_team_size(record) * more_ticks;
}

/* Which construct it was, only the primary can tell: until then it is kept who worked longest. */
static void add_longest(struct hd_team_book *book, const struct hd_team_record *record, struct hd_team_barrier *barrier,
                        uint64_t busy_ticks) {
  const uint64_t before = barrier->busy_most_ticks;
  const uint64_t most = before < busy_ticks ? busy_ticks : before;
  barrier->busy_most_ticks = most;
  if (barrier->flags & HD_BARRIER_LEFT_WORK)
    add_most(book, record, barrier, most - before);
}

static void leave_work(struct hd_team_book *book, struct hd_team_record *record, struct hd_team_barrier *barrier,
                       const struct hd_team_entry *entry) {
  if (barrier->flags & HD_BARRIER_LEFT_WORK) /* a damaged file */
    return;
  barrier->work = hd_team_operand(entry);
  barrier->flags |= HD_BARRIER_LEFT_WORK;
  add_most(book, record, barrier, barrier->busy_most_ticks);
}

/* Members may have come to the construct from different callpaths. The totals of each have its own time; how often it
 * was run, and who worked longest, is the primary's. */
void hd_team_leave_work(struct hd_team_book *book, struct hd_team_record *record, const struct hd_team_entry *entry) {
  const struct hd_log_arrival *arrival = arrival_of(entry);
  const struct hd_log_work *work = (const struct hd_log_work *)(const void *)(arrival + 1);
  struct hd_team_barrier *barrier = place_of(book, record, (uint32_t)arrival->number, entry->transition->ticks);
  if (!entry->is_primary && is_unknown(barrier))
    return;
  add_work(book, record, entry, work);
  if (!barrier)
    return;
  add_longest(book, record, barrier, work->busy_ticks);
  if (entry->is_primary)
    leave_work(book, record, barrier, entry);
}
