/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The oracle's view of what the program itself says: routines, phases, pauses. */
#include <stdlib.h>
#include <string.h>

#include "oracle_data.h"
#include "oracle_state.h"

uint32_t or_caller(const struct or_task *task) {
  for (uint32_t i = task->open_count; i > 0; i--)
    if (task->open[i - 1].tag == OR_ROUTINE)
      return task->open[i - 1].entry;
  return task->caller;
}

static uint32_t note(struct oracle *o, const struct or_thread *thread, struct or_entry entry) {
  entry.thread = thread->id;
  entry.owner_begin = o->result->threads[thread->id].owner_begin;
  entry.time = thread->last;
  entry.event = o->event;
  return or_add_entry(o->result, &entry);
}

uint32_t or_note(struct oracle *o, const struct or_thread *thread, uint32_t node, uint32_t caller, bool counted) {
  return note(o, thread, (struct or_entry){.node = node, .to = FK_NONE, .caller = caller, .counted = counted});
}

/* In the middle of everything: the profile ends. */
void or_end_entries(struct oracle *o, const struct or_thread *thread, struct or_task *task) {
  for (uint32_t i = 0; i < task->open_count; i++)
    if (task->open[i].tag == OR_ROUTINE)
      or_end_entry(o->result, task->open[i].entry, thread->last, o->event);
}

static void enter_routine(struct oracle *o, struct or_thread *thread, struct or_task *task, uint64_t code) {
  uint32_t from = or_top_of(task)->node;
  uint32_t node = or_step(o->result, from, HD_KIND_ROUTINE, code);
  uint32_t counter = or_call(o->result, from, code, node);
  struct or_entry entry = {.node = counter, .to = node, .caller = or_caller(task), .counted = !o->paused};
  if (!o->paused)
    or_visit(o->result, counter, thread->id);
  struct or_open *open = or_push(task, node, HD_BUSY, OR_ROUTINE);
  open->code = code;
  open->entry = note(o, thread, entry);
}

/* Number of the innermost open routine or phase `code` (0: any) counted from 1; 0: there is none. */
static uint32_t find(const struct or_task *task, enum or_tag tag, uint64_t code) {
  uint32_t i = task->open_count;
  while (i > 0 && (task->open[i - 1].tag != tag || (code && task->open[i - 1].code != code)))
    i--;
  return i;
}

/* Phases in which it ends go on: it may be a routine that only begins them. */
static void exit_routine(struct oracle *o, struct or_thread *thread, struct or_task *task, uint64_t code) {
  uint32_t i = find(task, OR_ROUTINE, code);
  bool only_phases = true;
  if (!i) {
    o->result->unmatched_routines++;
    return;
  }
  for (uint32_t above = i; above < task->open_count; above++)
    only_phases &= task->open[above].tag == OR_PHASE;
  if (!only_phases)
    or_drop(o, thread, task, i);
  or_end_entry(o->result, task->open[i - 1].entry, thread->last, o->event);
  task->open_count--;
  memmove(&task->open[i - 1], &task->open[i], (task->open_count - (i - 1)) * sizeof *task->open);
}

void or_on_routine(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_task *task = or_task_of(o, thread);
  if (e->op == FK_ROUTINE_ENTER)
    enter_routine(o, thread, task, e->code);
  else
    exit_routine(o, thread, task, e->code);
}

/* The phase goes, and phases begun inside it; routines begun inside stay where they are. */
static void end_phase(struct oracle *o, struct or_task *task, uint64_t code) {
  uint32_t i = find(task, OR_PHASE, code);
  if (!i) {
    o->result->unmatched_phases++;
    return;
  }
  uint32_t count = i - 1;
  for (uint32_t above = i; above < task->open_count; above++)
    if (task->open[above].tag == OR_PHASE)
      o->result->unmatched_phases++;
    else
      task->open[count++] = task->open[above];
  task->open_count = count;
}

void or_on_phase(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_task *task = or_task_of(o, thread);
  if (e->op == FK_PHASE_END) {
    end_phase(o, task, e->code);
    return;
  }
  uint32_t node = or_step(o->result, or_top_of(task)->node, HD_KIND_PHASE, e->code);
  or_enter(o, thread, node);
  or_push(task, node, HD_BUSY, OR_PHASE)->code = e->code;
}

/* Pauses. */

enum { START = 1, PAUSE = 2, END = 4 }; /* ompt_callback_control_tool's commands */

bool or_is_last(const struct fk_event *e) {
  return e->op == FK_FINALIZE || e->op == FK_KILL || e->op == FK_EXIT || (e->op == FK_CONTROL && e->kind == END);
}

int or_pauses(const struct fk_event *e) {
  if (e->op == FK_PAUSE || (e->op == FK_CONTROL && e->kind == PAUSE))
    return 1;
  return e->op == FK_RESUME || (e->op == FK_CONTROL && e->kind == START) ? -1 : 0;
}

struct fk_script or_unpaused(const struct fk_script *script, struct or_result *result) {
  struct fk_script copy = {.region_count = script->region_count, .task_count = script->task_count};
  uint64_t stopped_at = 0;
  bool stopped = false, over = false;
  for (size_t i = 0; i < script->count && !over; i++) {
    struct fk_event e = script->events[i];
    uint64_t now = e.time;
    over = or_is_last(&e);
    e.time = (stopped ? stopped_at : now) - result->paused_ticks;
    fk_emit(&copy, &e);
    if (or_pauses(&e) > 0 && !stopped) {
      stopped = true;
      stopped_at = now;
      result->pauses++;
    } else if (stopped && (or_pauses(&e) < 0 || (over && e.op != FK_KILL))) {
      stopped = false;
      result->paused_ticks += now - stopped_at;
    }
  }
  return copy;
}
