/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/trace.h"

#include <string.h>

#include "callpath/callpath.h"
#include "ompt/shared/clock.h"
#include "ompt/thread/team.h"
#include "ompt/thread/thread.h"
#include "ompt/thread/trace_blocks.h"
#include "ompt/thread/trace_lulls.h"
#include "ompt/thread/trace_when.h"
#include "store/store.h"

/* Else all that happens. */
static bool only_concurrency;

/* At what changes the number of busy threads: only that is told, or it is counted. */
static bool looks_closer;

void hd_trace_init(bool only) {
  only_concurrency = only;
  looks_closer = only || hd_trace_lulls_are_wanted();
  if (only)
    hd_store.header->flags |= HD_FILE_TRACE_CONCURRENCY;
}

/* ---- blocks ---- */

/* The earliest time is kept: from then on a thread is missing. */
static void stop(struct hd_thread *thread, uint64_t ticks) {
  uint64_t before = __atomic_load_n(&hd_store.header->trace_full_ticks, __ATOMIC_RELAXED);
  thread->instruments &= ~(uint32_t)HD_INSTRUMENT_TRACED;
  while ((before == 0 || before > ticks) &&
         !__atomic_compare_exchange_n(&hd_store.header->trace_full_ticks, &before, ticks, true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED))
    continue;
}

static void publish(struct hd_thread_trace *trace) {
  __atomic_store_n(trace->used, (uint32_t)(trace->next - trace->begin), __ATOMIC_RELEASE);
}

static struct hd_block_header *header_of(const struct hd_thread_trace *trace) {
  return (struct hd_block_header *)(void *)((uintptr_t)trace->begin - HD_BLOCK_HEADER_BYTES);
}

static bool begin_block(struct hd_thread *thread) {
  struct hd_thread_trace *trace = &thread->trace;
  hd_thread_leave_program(thread);
  if (trace->begin)
    hd_trace_blocks_retire(header_of(trace), trace->ticks);
  struct hd_block_header *block = hd_trace_blocks_take(thread->record->id, trace->number);
  if (!block) {
    trace->begin = NULL;
    stop(thread, trace->state == HD_STATE_COUNT ? hd_clock_now() : trace->ticks);
    return false;
  }
  struct hd_trace_record *record = (void *)((char *)block + HD_BLOCK_HEADER_BYTES);
  *record = (struct hd_trace_record){.ticks = trace->ticks,
                                     .profile = trace->profile,
                                     .state = trace->state,
                                     .number = trace->number++,
                                     .waits_in = trace->waits_in};
  trace->begin = (uint8_t *)record;
  trace->next = (uint8_t *)(record + 1);
  trace->limit = (uint8_t *)record + hd_store_room_in(block) - HD_TRACE_ENTRY_MOST;
  trace->used = &block->count;
  trace->team = HD_NONE;
  memset(trace->names, 0, sizeof trace->names);
  publish(trace);
  return true;
}

/* ---- entries ---- */

static uint8_t *put_number(uint8_t *to, uint64_t number) {
  for (; number >= 0x80; number >>= 7)
    *to++ = (uint8_t)(number | 0x80);
  *to++ = (uint8_t)number;
  return to;
}

/* In the machine's order, which is the file's (hd_file_header.byte_order). There is room for a whole word. */
static uint8_t *put_time(uint8_t *to, uint64_t ticks, uint32_t *length) {
  *length = ticks < 1u << 8 ? 0 : ticks < 1u << 16 ? 1 : ticks < 1u << 24 ? 2 : HD_TRACE_LONG;
  if (*length == HD_TRACE_LONG)
    return put_number(to, ticks);
  const uint32_t low = (uint32_t)ticks;
  memcpy(to, &low, sizeof low);
  return to + *length + 1;
}

static bool is_marked(uint32_t what) {
  const enum hd_what kind = (enum hd_what)(what >> HD_WHAT_SHIFT);
  return !only_concurrency && kind != HD_WHAT_NOTHING && kind != HD_WHAT_ORDER && !hd_trace_is_work(kind);
}

/* Payloads begin with it, but that of an arrival is only told when it is over. HD_NONE: the entry names none. */
static uint32_t team_of(const struct hd_thread *thread, uint32_t what) {
  const struct hd_frame_base *task = &thread->base->base;
  const struct hd_log_member *member = &thread->ring.payload[0].member;
  if (!hd_trace_names_team(what))
    return HD_NONE;
  if (hd_trace_is_finish(what) || what == HD_TRACE_WAITS_ON)
    return HD_TEAM(task->region->primary, HD_TEAM_NUMBER(task->place.team));
  return HD_TEAM(what == HD_WHAT_TEAM ? member->primary : thread->record->id, HD_TEAM_NUMBER(member->team));
}

static uint32_t number_of(const struct hd_thread *thread, enum hd_what what) {
  const struct hd_team_place *place = &thread->base->base.place;
  if (what == HD_WHAT_ARRIVE)
    return HD_TRACE_BARRIER(place->barriers, place->arrival & HD_LOG_CLOSES_WORK);
  if (hd_trace_is_finish(what))
    return HD_TRACE_BARRIER(place->barriers, place->arrival & HD_LOG_UNTOLD);
  return thread->ring.payload[0].member.number;
}

/* Of entries those that are not counted as visits. */
static bool is_uncounted(uint32_t what) {
  return (enum hd_what)(what >> HD_WHAT_SHIFT) == HD_WHAT_TEAM ? hd_clock_is_paused() : what & HD_WHAT_UNCOUNTED;
}

/* `team`: HD_NONE, if the entry names none. */
static uint8_t *put_mark(uint8_t *to, struct hd_thread *thread, uint32_t profile, uint32_t what, uint32_t team) {
  const enum hd_what kind = (enum hd_what)(what >> HD_WHAT_SHIFT);
  const bool is_here = HD_WHAT_OPERAND(what) == profile, has_team = team != HD_NONE;
  const bool is_same_team = has_team && team == thread->trace.team;
  *to++ = (uint8_t)(kind | (is_here ? HD_TRACE_HERE : 0) | (is_same_team ? HD_TRACE_SAME_TEAM : 0) |
                    (is_uncounted(what) ? HD_TRACE_UNCOUNTED : 0));
  if (!is_here)
    to = put_number(to, HD_WHAT_OPERAND(what));
  if (has_team && !is_same_team) {
    to = put_number(to, HD_TEAM_RING(team));
    to = put_number(to, HD_TEAM_NUMBER(team));
    thread->trace.team = team;
  }
  if (hd_trace_is_finish(kind) || (uint32_t)kind == HD_TRACE_WAITS_ON)
    thread->trace.waits_in = team;
  if (hd_trace_has_number(kind))
    to = put_number(to, number_of(thread, kind));
  return to;
}

static uint8_t *put_name(uint8_t *to, struct hd_thread_trace *trace, uint32_t kind, uint64_t name) {
  if (kind == HD_TRACE_NO_NAME)
    return to;
  const int64_t step = (int64_t)(name - trace->names[kind]);
  if (name != 0)
    trace->names[kind] = name;
  return put_number(to, name == 0 ? 0 : 1 + ((uint64_t)step << 1 ^ (step < 0 ? UINT64_MAX : 0)));
}

/* Where its mark goes to, if it is to have one; NULL: the trace has ended. Times never decrease. */
static uint8_t *begin_entry(struct hd_thread *thread, uint64_t ticks, uint32_t profile, uint32_t state, bool marks) {
  struct hd_thread_trace *trace = &thread->trace;
  const int32_t step = (int32_t)(profile - trace->profile);
  if (__builtin_expect(trace->next > trace->limit, false) && !begin_block(thread))
    return NULL;
  const uint32_t code = hd_trace_code_of(state);
  const bool has_code = code >= HD_TRACE_STATE;
  uint32_t length;
  trace->next[1] = (uint8_t)code;
  uint8_t *to = put_time(trace->next + 1 + has_code, ticks > trace->ticks ? ticks - trace->ticks : 0, &length);
  if (step)
    to = put_number(to, (uint32_t)step << 1 ^ (step < 0 ? UINT32_MAX : 0));
  *trace->next = (uint8_t)((has_code ? HD_TRACE_STATE : code) | (step ? HD_TRACE_MOVES : 0) |
                           (marks ? HD_TRACE_MARKS : 0) | length << HD_TRACE_LENGTH_SHIFT);
  trace->ticks = ticks > trace->ticks ? ticks : trace->ticks;
  trace->profile = profile;
  trace->state = state;
  return to;
}

static void end_entry(struct hd_thread_trace *trace, uint8_t *end) {
  trace->next = end;
  publish(trace);
}

/* Where threads begin and end it is told in any case. */
static bool changes_concurrency(uint32_t before, uint32_t now) {
  return (before == HD_BUSY) != (now == HD_BUSY) || before == HD_STATE_COUNT || now == HD_STATE_COUNT;
}

static void count(uint32_t before, uint32_t now, uint64_t ticks) {
  if (hd_trace_lulls_are_wanted() && (before == HD_BUSY) != (now == HD_BUSY))
    hd_trace_lulls_count(now == HD_BUSY, ticks);
}

/* Whether the change is told. */
static bool look_closer(const struct hd_thread *thread, uint32_t state) {
  const uint32_t before = thread->trace.state;
  count(before, state, thread->record->last_ticks);
  return !only_concurrency || changes_concurrency(before, state);
}

static void write_change(struct hd_thread *thread, uint32_t profile, uint32_t state, uint32_t what) {
  const bool marks = is_marked(what);
  uint8_t *to = begin_entry(thread, thread->record->last_ticks, profile, state, marks);
  if (!to)
    return;
  thread->trace.waits_in = HD_NONE;
  end_entry(&thread->trace, marks ? put_mark(to, thread, profile, what, team_of(thread, what >> HD_WHAT_SHIFT)) : to);
}

/* Apart: what it calls would cost the others, too. */
__attribute__((noinline)) static void switch_closely(struct hd_thread *thread, uint32_t profile, uint32_t state,
                                                     uint32_t what) {
  if (look_closer(thread, state))
    write_change(thread, profile, state, what);
}

void hd_trace_switch(struct hd_thread *thread, uint32_t profile, uint32_t state, uint32_t what) {
  if (__builtin_expect(looks_closer, false))
    switch_closely(thread, profile, state, what);
  else
    write_change(thread, profile, state, what);
}

void hd_trace_order(struct hd_thread *thread, uint64_t now, enum hd_order order, uint64_t a, uint64_t b) {
  struct hd_thread_trace *trace = &thread->trace;
  const struct hd_trace_names names = hd_trace_names_of(order);
  uint8_t *to = only_concurrency ? NULL : begin_entry(thread, now, trace->profile, trace->state, true);
  if (!to)
    return;
  *to++ = HD_WHAT_ORDER;
  *to++ = (uint8_t)order;
  end_entry(trace, put_name(put_name(to, trace, names.a, a), trace, names.b, b));
}

void hd_trace_chunk(struct hd_thread *thread, uint64_t now, uint64_t first, uint64_t count) {
  struct hd_thread_trace *trace = &thread->trace;
  uint8_t *to = only_concurrency ? NULL : begin_entry(thread, now, trace->profile, trace->state, true);
  if (!to)
    return;
  *to++ = HD_TRACE_CHUNK | HD_TRACE_HERE;
  end_entry(trace,
            put_name(put_name(to, trace, hd_trace_names_of_chunk.a, first), trace, hd_trace_names_of_chunk.b, count));
}

/* The stretch that the thread knows, or knew: it may have ended meanwhile. */
static bool is_in_stretch(const struct hd_thread_trace *trace, uint64_t ticks) {
  const uint64_t now = hd_trace_when_now();
  return hd_trace_when_is_open(now) ? now == trace->seen : ticks <= hd_trace_when_ticks(now);
}

void hd_trace_sample(struct hd_thread *thread, uint64_t ticks, uint64_t address, uint32_t module, uint64_t count) {
  struct hd_thread_trace *trace = &thread->trace;
  if (only_concurrency || trace->state == HD_STATE_COUNT || !is_in_stretch(trace, ticks))
    return;
  uint8_t *to = begin_entry(thread, ticks, trace->profile, trace->state, true);
  if (!to)
    return;
  *to++ = HD_TRACE_SAMPLE;
  to = put_number(to, module + 1);
  end_entry(trace, put_name(put_name(to, trace, hd_trace_names_of_sample.a, address), trace, hd_trace_names_of_sample.b,
                            count));
}

void hd_trace_work(struct hd_thread *thread, enum hd_what what, uint32_t profile, const struct hd_log_work *work,
                   uint64_t gap_ticks) {
  struct hd_thread_trace *trace = &thread->trace;
  const bool is_here = profile == trace->profile;
  uint8_t *to =
      only_concurrency ? NULL : begin_entry(thread, thread->record->last_ticks, trace->profile, trace->state, true);
  if (!to)
    return;
  *to++ = (uint8_t)(what | (is_here ? HD_TRACE_HERE : 0));
  if (!is_here)
    to = put_number(to, profile);
  to = put_number(to, HD_TRACE_BARRIER(thread->base->base.place.barriers, true));
  to = put_number(put_number(to, work->capacity_ticks), work->busy_ticks);
  end_entry(trace, put_number(to, gap_ticks));
}

/* ---- begin, end, and what lies between stretches ---- */

static void put(struct hd_thread *thread, uint64_t ticks, uint32_t profile, uint32_t state, uint32_t what,
                uint32_t team) {
  uint8_t *to = begin_entry(thread, ticks, profile, state, true);
  if (!to)
    return;
  thread->trace.waits_in = HD_NONE;
  end_entry(&thread->trace, put_mark(to, thread, profile, what, team));
}

static void leave(struct hd_thread *thread, uint64_t ticks) {
  const uint32_t profile = thread->trace.profile;
  put(thread, ticks, profile, HD_STATE_COUNT, HD_WHAT(HD_TRACE_LEAVES, profile), HD_NONE);
  thread->instruments &= ~(uint32_t)HD_INSTRUMENT_TRACED;
}

/* As a worker whose region ends. */
static bool waits_for_end(const struct hd_thread *thread) {
  const struct hd_frame_base *task = &thread->base->base;
  return !only_concurrency && thread->base->kind == HD_KIND_PARALLEL && task->region && !task->led &&
         task->place.has_finished && hd_thread_state(thread) != HD_BUSY;
}

static void begin_in(struct hd_thread *thread, uint32_t profile, uint32_t state) {
  struct hd_thread_trace *trace = &thread->trace;
  trace->ticks = thread->record->last_ticks;
  trace->profile = profile;
  trace->state = state;
  trace->waits_in = HD_NONE;
  begin_block(thread);
}

static void put_leads(struct hd_thread *thread) {
  for (const struct hd_frame *frame = thread->frames + 1; frame <= thread->base && thread->trace.begin; frame++) {
    const struct hd_region *led = frame->kind == HD_KIND_PARALLEL ? frame->base.led : NULL;
    if (led && !led->known->of_helpers)
      put(thread, thread->record->last_ticks, thread->trace.profile, HD_STATE_COUNT,
          HD_WHAT(HD_TRACE_LEADS, led->known->profile) | (led->has_joined ? HD_WHAT_UNCOUNTED : 0),
          HD_TEAM(thread->record->id, HD_TEAM_NUMBER(led->team)));
  }
}

static void put_state(struct hd_thread *thread) {
  const uint32_t profile = thread->row->profile;
  const bool waits = waits_for_end(thread);
  put(thread, thread->record->last_ticks, profile, hd_thread_state(thread),
      HD_WHAT(waits ? HD_TRACE_WAITS_ON : HD_TRACE_GOES_ON, profile),
      waits ? team_of(thread, HD_TRACE_WAITS_ON) : HD_NONE);
}

static void go_on(struct hd_thread *thread) {
  thread->instruments |= HD_INSTRUMENT_TRACED;
  if (!thread->trace.begin)
    begin_in(thread, HD_PROGRAM_PROFILE, HD_STATE_COUNT);
  if (!only_concurrency)
    put_leads(thread);
  if (thread->trace.begin)
    put_state(thread);
}

/* Without an event it may have missed whole stretches, but in all of them it has done what it does now. */
void hd_trace_follow(struct hd_thread *thread) {
  const uint64_t now = hd_trace_when_now();
  if (now == thread->trace.seen || !hd_trace_blocks_are_wanted())
    return;
  thread->trace.seen = now;
  if (!(thread->instruments & HD_INSTRUMENT_TRACED))
    go_on(thread);
  if (hd_trace_when_is_open(now) || !(thread->instruments & HD_INSTRUMENT_TRACED))
    return;
  if (hd_samples_have_come(&thread->samples) && !thread->pending)
    hd_samples_take(thread, hd_clock_now());
  leave(thread, hd_trace_when_ticks(now));
}

static void begin_first(struct hd_thread *thread) {
  const uint32_t state = hd_thread_state(thread);
  count(HD_STATE_COUNT, state, thread->record->last_ticks);
  begin_in(thread, thread->row->profile, state);
}

void hd_trace_begin(struct hd_thread *thread) {
  struct hd_thread_trace *trace = &thread->trace;
  trace->seen = hd_trace_when_now();
  if (!hd_trace_blocks_are_wanted() || !hd_trace_when_is_open(trace->seen))
    return;
  thread->instruments |= HD_INSTRUMENT_TRACED;
  if (trace->begin)
    hd_trace_switch(thread, thread->row->profile, hd_thread_state(thread), 0);
  else
    begin_first(thread);
}

void hd_trace_mark(struct hd_thread *thread, uint32_t what) {
  if (is_marked(what))
    hd_trace_switch(thread, thread->trace.profile, thread->trace.state, what);
}

void hd_trace_end(struct hd_thread *thread) {
  hd_trace_switch(thread, thread->trace.profile, HD_STATE_COUNT, 0);
}
