/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tallies_batch.c
 * Many transitions of one thread while all others stay what they are: then there are two levels only, with this thread
 * busy and without, and of the profiles only this thread's own are entered and left. So its time is added up by profile
 * first, and the tallies are told the sums.
 */
#include "sweep/tallies_internal.h"

enum { SLOTS = 8 }; /* a power of two; and one more for the time in which the thread is not busy */

struct run {
  struct hd_tallies *tallies;
  struct hd_ring_sweep *ring;
  uint32_t others;  /* busy threads without this one */
  uint32_t entered; /* profile, so many times; entered while others were busy */
  uint64_t entered_times;
  struct run_slot {
    uint32_t profile; /* HD_NONE: free, but for the last slot */
    uint64_t ticks;
  } slots[SLOTS + 1];
};

static void hand_over(struct run *run, struct run_slot *slot) {
  if (slot->profile != HD_NONE)
    hd_tallies_add_stretch(run->tallies, slot->profile, run->others + 1, slot->ticks);
}

static void hand_over_entries(struct run *run) {
  if (run->entered_times > 0)
    hd_entries_count(&run->tallies->entries, run->ring, run->entered, run->entered_times);
  run->entered_times = 0;
}

static struct run_slot *slot_of(struct run *run, uint32_t profile) {
  struct run_slot *slot = &run->slots[profile == HD_NONE ? SLOTS : profile % SLOTS];
  if (__builtin_expect(slot->profile != profile, false)) {
    hand_over(run, slot);
    *slot = (struct run_slot){.profile = profile};
  }
  return slot;
}

static void enter(struct run *run, const struct hd_transition *transition) {
  if (run->others == 0 || transition->what & HD_WHAT_UNCOUNTED)
    return;
  const uint32_t profile = HD_WHAT_OPERAND(transition->what);
  if (profile != run->entered)
    hand_over_entries(run);
  run->entered = profile;
  run->entered_times++;
}

static void do_what(struct run *run, const struct hd_transition *transition) {
  switch (hd_what_of(transition)) {
  case HD_WHAT_ENTER:
    enter(run, transition);
    return;
  case HD_WHAT_REGION_BEGIN:
    hd_tallies_enter(run->tallies, HD_WHAT_OPERAND(transition->what), HD_TALLY_ELAPSED);
    break;
  case HD_WHAT_REGION_END:
    hd_tallies_leave(run->tallies, HD_WHAT_OPERAND(transition->what), HD_TALLY_ELAPSED);
    break;
  default:
    break;
  }
  hd_entries_apply(&run->tallies->entries, run->ring, transition, run->others > 0);
}

static void begin(struct run *run, struct hd_tallies *tallies, struct hd_ring_sweep *ring) {
  run->tallies = tallies;
  run->ring = ring;
  run->others = tallies->level - (ring->busy != HD_NONE);
  run->entered = HD_NONE;
  run->entered_times = 0;
  for (uint32_t i = 0; i <= SLOTS; i++)
    run->slots[i].profile = HD_NONE;
  run->slots[SLOTS].ticks = 0;
}

static void end(struct run *run) {
  for (uint32_t i = 0; i < SLOTS; i++)
    hand_over(run, &run->slots[i]);
  hand_over_entries(run);
}

/* The two levels must lie in the window, and at the instant of the first transition nothing else may have happened. */
static bool is_possible(const struct hd_tallies *tallies, const struct hd_ring_sweep *ring, uint64_t first_ticks) {
  const uint32_t others = tallies->level - (ring->busy != HD_NONE);
  return others - tallies->first_level < HD_WINDOW - 1 && first_ticks > tallies->instant->tick &&
         first_ticks >= tallies->at;
}

uint64_t hd_tallies_apply_run(struct hd_tallies *tallies, struct hd_ring_record *record, uint64_t limit,
                              uint64_t stop) {
  struct hd_ring_sweep *ring = &record->sweep;
  struct hd_transition *transition = hd_log_at(record, ring->tail);
  if (stop > tallies->bucket_end)
    stop = tallies->bucket_end;
  if (transition->ticks >= stop || hd_what_of(transition) == HD_WHAT_TEAM ||
      !is_possible(tallies, ring, transition->ticks))
    return 0;
  struct run run;
  uint64_t at = tallies->at;
  uint64_t tick = tallies->instant->tick; /* of the last instant */
  uint32_t busy = ring->busy;
  uint32_t busy_before = busy; /* that instant */
  uint64_t *spent = &tallies->spent[0];
  begin(&run, tallies, ring);
  spent += run.others - tallies->first_level;
  /* The thread's present stretch began earlier: it ends, and the next ones are the run's. */
  spent[busy != HD_NONE] += transition->ticks - at;
  at = tallies->at = transition->ticks;
  if (busy != HD_NONE)
    hd_tallies_leave(tallies, busy, HD_TALLY_BUSY);
  struct run_slot *slot = &run.slots[SLOTS];
  uint64_t n = ring->tail;
  uint32_t slots;
  for (; n != limit; n += slots, transition = hd_log_skip(record, transition, slots)) {
    const uint64_t ticks = transition->ticks;
    const uint32_t what = transition->what;
    if (ticks >= stop || (what && hd_what_of(transition) == HD_WHAT_TEAM))
      break;
    slots = hd_what_slots(what);
    slot->ticks += ticks - at;
    spent[busy != HD_NONE] += ticks - at;
    at = tallies->at = ticks;
    if (ticks > tick) {
      tick = ticks;
      busy_before = busy;
    }
    busy = transition->busy;
    slot = slot_of(&run, busy);
    if (what)
      do_what(&run, transition);
  }
  end(&run);
  if (busy != HD_NONE)
    hd_tallies_enter(tallies, busy, HD_TALLY_BUSY);
  tallies->level = run.others + (busy != HD_NONE);
  tallies->instant->tick = ring->tick = tick;
  tallies->instant->level_before = run.others + (busy_before != HD_NONE);
  ring->busy_before = busy_before;
  ring->busy = busy;
  return n - ring->tail;
}
