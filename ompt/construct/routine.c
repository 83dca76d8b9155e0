/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/construct/routine.h"

#include <string.h>

#include "callpath/callpath.h"
#include "callpath/code/code_kind.h"
#include "callpath/code/outlined.h"
#include "callpath/unwind/return_slot.h"
#include "ompt/shared/dormancy.h"
#include "ompt/shared/measuring.h"
#include "ompt/thread/budget.h"
#include "ompt/thread/step.h"
#include "support/inprocess/keep_errno.h"

/* ---- frames whose routine has ended without a word ---- */

/* Whether the frame's routine cannot be running any more, given that `hook`'s is. `slot`: where the return address of
 * the hook's routine stands; NULL: not known, or it leaves. */
static bool has_ended(const struct hd_frame_routine *routine, const struct hd_hook *hook, const void *const *slot) {
  if (!routine->slot || !hook->frame)
    return false;
  if ((const void *)routine->slot < hook->frame || *routine->slot != routine->call_site)
    return true; /* the stack ends above it; or something else was called meanwhile */
  if (!slot)
    return false;
  /* Both in one stack frame: one was compiled into the other. But the same place in it cannot be passed twice. */
  return routine->slot < slot || (routine->slot == slot && routine->entered_from == hook->entered_from);
}

static void drop(struct hd_thread *thread, uint64_t now, struct hd_frame *frame) {
  thread->deeper = 0;
  __atomic_fetch_add(&hd_store.header->left_routines, 1, __ATOMIC_RELAXED);
  hd_thread_drop_above(thread, frame);
  hd_thread_pop(thread, now);
}

/* Whether there were any. */
static inline bool drop_ended(struct hd_thread *thread, uint64_t now, const struct hd_hook *hook,
                              const void *const *slot) {
  struct hd_frame *frame = hd_thread_innermost(thread, HD_KIND_ROUTINE);
  if (__builtin_expect(!frame || !has_ended(&frame->routine, hook, slot), true))
    return false;
  do
    drop(thread, now, frame);
  while ((frame = hd_thread_innermost(thread, HD_KIND_ROUTINE)) && has_ended(&frame->routine, hook, slot));
  return true;
}

/* ---- entry ---- */

/* The runtime calls it; or, where a region has one thread, the routine that holds the construct does. */
static bool is_construct_body(const struct hd_thread *thread, const struct hd_hook *hook) {
  const bool called_by_runtime = hd_code_in_runtime(hook->call_site);
  const bool in_construct = thread->base != thread->frames && !hd_thread_innermost(thread, HD_KIND_ROUTINE);
  return hook->frame && (called_by_runtime || in_construct) &&
         hd_outlined_is(hook->function, hook->entered_from, called_by_runtime);
}

static int32_t slot_offset(const struct hd_hook *hook) {
  const void *const *slot = hook->frame && !hook->slot ? hd_return_slot_of_caller(hook->frame, hook->call_site) : NULL;
  const ptrdiff_t offset = slot ? (const char *)slot - (const char *)hook->frame : 0;
  return offset > 0 && offset <= INT32_MAX ? (int32_t)offset : 0;
}

/* Where a call leads, and what more is known of it. */
struct call {
  struct hd_way way;
  struct hd_call_edge edge;
};

static struct hd_way new_way(struct hd_thread *thread, struct hd_row_record *from, const struct hd_hook *hook) {
  struct hd_way way = {0};
  if (is_construct_body(thread, hook))
    return way;
  struct hd_step step = hd_callpath_call(from->profile, hook->function);
  way.to = hd_thread_row(thread, step.profile);
  if (way.to && step.counter != HD_NONE)
    way.counter = hd_thread_row(thread, step.counter);
  if (way.to && step.counter != HD_NONE && !way.counter) /* its recursive calls are counted with the others */
    way.counter = way.to;
  if (!way.to) /* full: the time is charged to the profile we are in */
    way.to = from;
  return way;
}

static inline struct call call_of(const struct hd_thread *thread, const struct hd_edge *edge) {
  const struct hd_call_edge *more = hd_edges_call(&thread->edges, edge);
  return (struct call){
      .way = {.to = edge->to ? hd_edge_to(edge) : NULL, .counter = more->counter ? hd_row_at(more->counter) : NULL},
      .edge = *more};
}

/* The call of the hook's routine from the innermost profile. */
static struct call call_slow(struct hd_thread *thread, const struct hd_hook *hook, uint64_t site) {
  struct hd_row_record *from = thread->top->row;
  const struct hd_edge *known = hd_edges_find(&thread->edges, from, site);
  if (known)
    return call_of(thread, known);
  hd_thread_leave_program(thread);
  HD_KEEP_ERRNO;
  struct call made = {.way = new_way(thread, from, hook)};
  made.edge = (struct hd_call_edge){.entered_from = hook->entered_from,
                                    .slot_offset = slot_offset(hook),
                                    .counter = made.way.counter ? hd_row_line(made.way.counter) : 0};
  hd_thread_remember(thread, from, site, &made.way, &made.edge);
  return made;
}

static inline struct call call(struct hd_thread *thread, const struct hd_hook *hook) {
  const uint64_t site = hd_edge_site(HD_EDGE_CALL, (uint64_t)(uintptr_t)hook->function);
  const struct hd_edge *edge = hd_edge_at_once(&thread->edges, thread->top->row, site);
  return edge ? call_of(thread, edge) : call_slow(thread, hook, site);
}

/* Not known either where the routine was compiled into another: its frame is that one's, and what stands at the offset
 * may be the same address by chance. Nor if its frame is not as large as it was the first time. */
static const void *const *slot_of(const struct hd_call_edge *edge, const struct hd_hook *hook) {
  if (hook->slot)
    return hook->slot;
  if (!edge->slot_offset || edge->entered_from != hook->entered_from)
    return NULL;
  const void *const *slot = (const void *const *)((const char *)hook->frame + edge->slot_offset);
  return *slot == hook->call_site ? slot : NULL;
}

/* It has no frame: its time is the innermost frame's. */
static void go_deeper(struct hd_thread *thread, struct hd_row_record *counter) {
  thread->deeper++;
  if (counter)
    counter->visits += !hd_clock_is_paused();
  __atomic_fetch_add(&hd_store.header->lost_entries, 1, __ATOMIC_RELAXED);
}

void hd_routine_enter(struct hd_thread *thread, uint64_t now, const struct hd_hook *hook) {
  if (hook->slot)
    drop_ended(thread, now, hook, hook->slot);
  struct call made = call(thread, hook);
  const void *const *slot = slot_of(&made.edge, hook);
  if (!hook->slot && drop_ended(thread, now, hook, slot))
    made = call(thread, hook);
  if (!made.way.to)
    return;
  if (__builtin_expect(thread->top == thread->last_frame, false) && !hd_thread_can_nest(thread)) {
    go_deeper(thread, made.way.counter);
    return;
  }
  thread->ring.what = hd_thread_count(thread, HD_WHAT_CALL, made.way.to, made.way.counter);
  thread->height++;
  hd_thread_push(thread, now, made.way.to, HD_KIND_ROUTINE, HD_BUSY);
  thread->top->refused = 0;
  thread->top->routine = (struct hd_frame_routine){hook->function, hook->call_site, slot, hook->entered_from};
}

/* ---- exit ---- */

/* A routine's return address stands at the same place when it is entered and when it is left. */
static inline bool is_left(const struct hd_frame_routine *routine, const struct hd_hook *hook) {
  return routine->function == hook->function && (!hook->slot || !routine->slot || routine->slot == hook->slot);
}

static struct hd_frame *find(const struct hd_thread *thread, const struct hd_hook *hook) {
  struct hd_frame *frame = hd_thread_innermost(thread, HD_KIND_ROUTINE);
  while (frame && !is_left(&frame->routine, hook))
    frame = hd_thread_next_outwards(thread, frame);
  return frame;
}

/* What has been entered from here was the body of a construct. */
static bool is_known_body(struct hd_thread *thread, const struct hd_hook *hook) {
  const uint64_t site = hd_edge_site(HD_EDGE_CALL, (uint64_t)(uintptr_t)hook->function);
  const struct hd_edge *edge = hd_edges_find(&thread->edges, thread->top->row, site);
  return edge && !edge->to;
}

static bool only_phases_above(const struct hd_thread *thread, const struct hd_frame *frame) {
  for (const struct hd_frame *above = frame + 1; above <= thread->top; above++)
    if (above->kind != HD_KIND_PHASE)
      return false;
  return true;
}

static void exit_slow(struct hd_thread *thread, uint64_t now, const struct hd_hook *hook) {
  drop_ended(thread, now, hook, hook->slot);
  if (thread->deeper > 0) {
    thread->deeper--;
    return;
  }
  if (is_known_body(thread, hook)) /* all that is open would be searched for it in vain */
    return;
  struct hd_frame *frame = find(thread, hook);
  if (!frame) {
    if (call(thread, hook).way.to && !hd_budget_touched(HD_CLASS_CALL) && !hd_dormancy_was())
      __atomic_fetch_add(&hd_store.header->unmatched_routines, 1, __ATOMIC_RELAXED);
  } else if (only_phases_above(thread, frame)) { /* a helper that begins a phase for its caller */
    hd_thread_take_out(thread, now, frame);
  } else {
    hd_thread_drop_above(thread, frame);
    hd_thread_pop(thread, now);
  }
}

void hd_routine_exit(struct hd_thread *thread, uint64_t now, const struct hd_hook *hook) {
  const struct hd_frame *top = thread->top;
  /* The second condition: the innermost of several of the same routine may have ended without a word. */
  if (__builtin_expect(top->kind == HD_KIND_ROUTINE && is_left(&top->routine, hook) && !thread->deeper, true) &&
      (!top->routine.slot || (const void *)top->routine.slot > hook->frame))
    hd_thread_pop(thread, now);
  else
    exit_slow(thread, now, hook);
}
