/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/trace/primaries.h"

#include <stdlib.h>
#include <string.h>

#include "heddle-trace.h"
#include "support/command/memory.h"

struct led {
  uint32_t node;
  uint32_t team; /* HD_NONE: it has joined */
};

struct hd_trace_leader {
  struct led *led; /* regions that the thread leads, the outermost first */
  uint32_t count, limit;
  bool knows_all; /* else there may be others */
};

/* The teams of a primary that joined last: in a pause many may at one instant. */
enum { JOINED_KEPT = 8 };
struct hd_trace_joined {
  uint32_t teams[JOINED_KEPT]; /* and 1; 0: none */
  uint32_t next;
};

void hd_trace_primaries_start(struct hd_trace_primaries *primaries, uint32_t thread_count) {
  *primaries = (struct hd_trace_primaries){.leaders = hd_new((size_t)thread_count + 1, sizeof *primaries->leaders),
                                           .thread_count = thread_count};
}

void hd_trace_primaries_free(struct hd_trace_primaries *primaries) {
  for (uint32_t i = 0; i < primaries->thread_count; i++)
    free(primaries->leaders[i].led);
  free(primaries->leaders);
  free(primaries->joined);
}

/* ---- the regions that a thread leads ---- */

static void push(struct hd_trace_leader *leader, struct led led) {
  if (leader->count == leader->limit) {
    leader->limit = 2 * leader->limit + 4;
    leader->led = hd_grow(leader->led, leader->limit, sizeof *leader->led);
  }
  leader->led[leader->count++] = led;
}

static void pop(struct hd_trace_leader *leader, uint32_t node) {
  for (uint32_t i = leader->count; i-- > 0;)
    if (leader->led[i].node == node) {
      leader->count = i;
      return;
    }
}

static void join(struct hd_trace_leader *leader, uint32_t team) {
  for (uint32_t i = 0; i < leader->count; i++)
    if (leader->led[i].team == team)
      leader->led[i].team = HD_NONE;
}

/* A thread that begins leads none. */
void hd_trace_primaries_note_led(struct hd_trace_primaries *primaries, const struct hd_trace_entry *entry, bool begins,
                                 bool is_cut) {
  struct hd_trace_leader *leader = &primaries->leaders[entry->thread];
  if (begins || is_cut || entry->what == HD_TRACE_LEAVES) {
    leader->count = 0;
    leader->knows_all = begins && !is_cut;
  }
  if (hd_trace_is_begin(entry->what))
    push(leader, (struct led){entry->operand, entry->team});
  else if (entry->what == HD_TRACE_LEADS)
    push(leader, (struct led){entry->operand, entry->uncounted ? HD_NONE : entry->team});
  else if (entry->what == HD_WHAT_JOIN)
    join(leader, entry->team);
  else if (entry->what == HD_WHAT_REGION_END || entry->what == HD_WHAT_NESTED_END)
    pop(leader, entry->operand);
  leader->knows_all |= hd_trace_goes_on(entry->what);
}

bool hd_trace_primaries_lead(const struct hd_trace_primaries *primaries, uint32_t team, bool otherwise) {
  const uint32_t thread = HD_TEAM_RING(team);
  if (thread >= primaries->thread_count)
    return otherwise;
  const struct hd_trace_leader *leader = &primaries->leaders[thread];
  for (uint32_t i = 0; i < leader->count; i++)
    if (leader->led[i].team == team)
      return true;
  return !leader->knows_all && otherwise;
}

/* ---- teams that have joined ---- */

void hd_trace_primaries_note_joined(struct hd_trace_primaries *primaries, uint32_t team) {
  const uint32_t ring = HD_TEAM_RING(team);
  if (ring >= primaries->ring_limit) {
    primaries->joined = hd_grow(primaries->joined, ring + 1, sizeof *primaries->joined);
    memset(primaries->joined + primaries->ring_limit, 0,
           (ring + 1 - primaries->ring_limit) * sizeof *primaries->joined);
    primaries->ring_limit = ring + 1;
  }
  struct hd_trace_joined *joined = &primaries->joined[ring];
  joined->teams[joined->next++ % JOINED_KEPT] = team + 1;
}

bool hd_trace_primaries_have_joined(const struct hd_trace_primaries *primaries, uint32_t team) {
  const uint32_t ring = HD_TEAM_RING(team);
  for (uint32_t i = 0; i < JOINED_KEPT && ring < primaries->ring_limit; i++)
    if (primaries->joined[ring].teams[i] == team + 1)
      return true;
  return false;
}
