/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The list of events that the fake runtime plays. */
#include "fake_ompt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void fk_clear(struct fk_script *script) {
  script->count = 0;
  script->region_count = 0;
  script->task_count = 0;
}

void fk_free(struct fk_script *script) {
  free(script->events);
  *script = (struct fk_script){0};
}

struct fk_event fk_event_of(enum fk_op op, uint64_t time, uint32_t thread) {
  struct fk_event event = {.time = time, .thread = thread, .op = op};
  event.region = FK_NONE;
  event.task = FK_NONE;
  event.next = FK_NONE;
  return event;
}

void fk_emit(struct fk_script *script, const struct fk_event *event) {
  if (script->count == script->capacity) {
    script->capacity = script->capacity ? 2 * script->capacity : 256;
    script->events = realloc(script->events, script->capacity * sizeof *script->events);
    if (!script->events)
      abort();
  }
  script->events[script->count++] = *event;
}

uint32_t fk_new_region(struct fk_script *script) {
  return script->region_count++;
}

uint32_t fk_new_task(struct fk_script *script) {
  return script->task_count++;
}

/* Merge sort: stable, and qsort(3) is not. */
static void sort_range(struct fk_event *events, struct fk_event *scratch, size_t count) {
  if (count < 2)
    return;
  size_t half = count / 2;
  sort_range(events, scratch, half);
  sort_range(events + half, scratch, count - half);
  size_t left = 0, right = half;
  for (size_t i = 0; i < count; i++) {
    bool take_left = right == count || (left < half && events[left].time <= events[right].time);
    scratch[i] = take_left ? events[left++] : events[right++];
  }
  for (size_t i = 0; i < count; i++)
    events[i] = scratch[i];
}

void fk_sort(struct fk_script *script) {
  struct fk_event *scratch = malloc((script->count + 1) * sizeof *scratch);
  if (!scratch)
    abort();
  sort_range(script->events, scratch, script->count);
  free(scratch);
}

static const char *const op_names[] = {
    [FK_THREAD_BEGIN] = "thread_begin",
    [FK_THREAD_END] = "thread_end",
    [FK_PARALLEL_BEGIN] = "parallel_begin",
    [FK_PARALLEL_END] = "parallel_end",
    [FK_IMPLICIT_TASK] = "implicit_task",
    [FK_WORK] = "work",
    [FK_SYNC_REGION] = "sync_region",
    [FK_SYNC_WAIT] = "sync_region_wait",
    [FK_REDUCTION] = "reduction",
    [FK_MUTEX_ACQUIRE] = "mutex_acquire",
    [FK_MUTEX_ACQUIRED] = "mutex_acquired",
    [FK_MUTEX_RELEASED] = "mutex_released",
    [FK_NEST_LOCK] = "nest_lock",
    [FK_TASK_CREATE] = "task_create",
    [FK_TASK_SCHEDULE] = "task_schedule",
    [FK_CANCEL] = "cancel",
    [FK_MASKED] = "masked",
    [FK_DEPENDENCES] = "dependences",
    [FK_ENTRY_BEGIN] = "entry_begin",
    [FK_ENTRY_END] = "entry_end",
    [FK_ROUTINE_ENTER] = "enter routine",
    [FK_ROUTINE_EXIT] = "exit routine",
    [FK_PHASE_BEGIN] = "begin phase",
    [FK_PHASE_END] = "end phase",
    [FK_MPI_BEGIN] = "begin MPI",
    [FK_MPI_END] = "end MPI",
    [FK_PAUSE] = "pause",
    [FK_RESUME] = "resume",
    [FK_CONTROL] = "control_tool",
    [FK_SWITCH] = "switch",
    [FK_ASK] = "ask",
    [FK_SAMPLE] = "sample",
    [FK_FORK] = "fork",
    [FK_FINALIZE] = "finalize",
    [FK_EXIT] = "exit",
    [FK_KILL] = "kill",
};

void fk_print(const struct fk_script *script) {
  for (size_t i = 0; i < script->count; i++) {
    const struct fk_event *e = &script->events[i];
    fprintf(stderr, "%6" PRIu64 " thread %2d %-16s", e->time, (int)e->thread, op_names[e->op]);
    if (e->endpoint)
      fprintf(stderr, e->endpoint == 1 ? " begin" : e->endpoint == 2 ? " end" : " beginend");
    fprintf(stderr, " kind %u code %" PRIx64 " region %d task %d", e->kind, e->code, (int)e->region, (int)e->task);
    fprintf(stderr, " next %d size %u index %u flags %x\n", (int)e->next, e->size, e->index, e->flags);
  }
}
