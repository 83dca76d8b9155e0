/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Plays a fork-join program: always the thread whose clock is furthest behind, as far as it can go. */
#include "disturbed.h"

#include <stdlib.h>

struct play {
  struct di_program *program;
  size_t at[64];     /* by thread: its next action */
  uint64_t now[64];  /* and its time */
  uint32_t *numbers; /* by slot: of the region or task in the script */
};

static void build(const struct play *play, const struct di_action *action) {
  uint32_t *number = &play->numbers[action->slot];
  switch (action->event) {
  case DI_INITIAL_BEGIN:
    sc_initial_begin();
    break;
  case DI_WORKER_BEGIN:
    sc_worker_begin();
    break;
  case DI_WORKER_THREAD_END:
    sc_worker_thread_end();
    break;
  case DI_PARALLEL_BEGIN:
    *number = sc_parallel_begin(action->code, action->size);
    break;
  case DI_IMPLICIT_BEGIN:
    sc_implicit_begin(*number, action->index, action->size);
    break;
  case DI_JOIN_BEGIN:
    sc_join_begin();
    break;
  case DI_JOIN_END:
    sc_join_end();
    break;
  case DI_WORKER_END:
    sc_worker_end();
    break;
  case DI_PARALLEL_END:
    sc_parallel_end();
    break;
  case DI_WORK_BEGIN:
    sc_work_begin((ompt_work_t)action->kind, action->code);
    break;
  case DI_WORK_END:
    sc_work_end((ompt_work_t)action->kind, action->code);
    break;
  case DI_BARRIER_BEGIN:
    sc_barrier_begin((ompt_sync_region_t)action->kind, action->code);
    break;
  case DI_BARRIER_END:
    sc_barrier_end((ompt_sync_region_t)action->kind, action->code);
    break;
  case DI_ACQUIRE:
    sc_acquire((ompt_mutex_t)action->kind, action->code, action->code);
    break;
  case DI_ACQUIRED:
    sc_acquired((ompt_mutex_t)action->kind, action->code, action->code);
    break;
  case DI_RELEASED:
    sc_released((ompt_mutex_t)action->kind, action->code, action->code);
    break;
  case DI_TASK_CREATE:
    *number = sc_task_create(action->code, action->kind);
    break;
  case DI_TASK_RUN:
    sc_task_run(*number);
    break;
  case DI_TASK_LEAVE:
    sc_task_leave(ompt_task_complete);
    break;
  case DI_GROUP_BEGIN:
    sc_taskgroup_begin(action->code);
    break;
  case DI_GROUP_WAIT:
    sc_taskgroup_wait(action->code);
    break;
  case DI_GROUP_END:
    sc_taskgroup_end(action->code);
    break;
  case DI_MASKED_BEGIN:
    sc_masked_begin(action->code);
    break;
  case DI_MASKED_END:
    sc_masked_end();
    break;
  case DI_ENTER:
    sc_routine_enter(action->code);
    break;
  case DI_EXIT:
    sc_routine_exit(action->code);
    break;
  case DI_PHASE_BEGIN:
    sc_phase_begin((uint32_t)action->code);
    break;
  case DI_PHASE_END:
    sc_phase_end((uint32_t)action->code);
    break;
  }
}

/* Each of them begins when the one before has ended. */
static void send_new(struct play *play, size_t first) {
  for (size_t i = first; i < sc_script()->count; i++) {
    struct fk_event event = sc_script()->events[i];
    const uint32_t clock = event.op == FK_FINALIZE ? 0 : event.thread;
    event.time = play->now[clock];
    play->now[clock] = fk_send(&event);
  }
}

static bool is_open(const struct di_gate *gate) {
  return gate->arrived == gate->expected;
}

static void act(struct play *play, uint32_t thread) {
  const struct di_action *action = &play->program->threads[thread].actions[play->at[thread]++];
  struct di_gate *gate = &play->program->gates[action->slot];
  uint64_t *now = &play->now[thread];
  const size_t sent = sc_script()->count;
  switch (action->what) {
  case DI_WORK:
    *now += action->ticks;
    break;
  case DI_SEND:
    sc_thread(thread);
    sc_at(*now);
    build(play, action);
    send_new(play, sent);
    break;
  case DI_ARRIVE:
    gate->arrived++;
    gate->ticks = gate->ticks > *now ? gate->ticks : *now;
    break;
  case DI_PASS:
    *now = *now > gate->ticks + action->ticks ? *now : gate->ticks + action->ticks;
  }
}

static bool can_act(const struct play *play, uint32_t thread) {
  const struct di_thread *from = &play->program->threads[thread];
  if (play->at[thread] == from->count)
    return false;
  const struct di_action *next = &from->actions[play->at[thread]];
  return next->what != DI_PASS || is_open(&play->program->gates[next->slot]);
}

/* When it will act: nothing that another thread does before that is told after it. */
static uint64_t acts_at(const struct play *play, uint32_t thread) {
  const struct di_action *next = &play->program->threads[thread].actions[play->at[thread]];
  const uint64_t now = play->now[thread];
  if (next->what != DI_PASS)
    return now;
  const uint64_t opens = play->program->gates[next->slot].ticks + next->ticks;
  return now > opens ? now : opens;
}

static uint32_t next_thread(const struct play *play) {
  uint32_t found = FK_NONE;
  for (uint32_t i = 0; i < play->program->thread_count; i++)
    if (can_act(play, i) && (found == FK_NONE || acts_at(play, i) < acts_at(play, found)))
      found = i;
  return found;
}

/* All others have ended, or never will. */
static void finish(struct play *play) {
  const size_t sent = sc_script()->count;
  sc_at(play->now[0]);
  if (play->program->left) {
    sc_thread(0);
    sc_initial_end();
    sc_finalize();
  } else {
    sc_finish();
  }
  send_new(play, sent);
}

void di_play(void *context) {
  struct play *play = calloc(1, sizeof *play);
  if (!play)
    abort();
  play->program = context;
  play->numbers = calloc(play->program->slots + 1, sizeof *play->numbers);
  if (!play->numbers)
    abort();
  sc_start(play->program->runtime);
  for (uint32_t thread; (thread = next_thread(play)) != FK_NONE;)
    act(play, thread);
  for (uint32_t i = 0; i < play->program->thread_count; i++)
    if (play->at[i] != play->program->threads[i].count)
      abort(); /* it waits for somebody who never comes: the program is wrong */
  finish(play);
}
