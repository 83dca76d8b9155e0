/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "schedule.h"

#include <stdio.h>
#include <stdlib.h>

struct player {
  uint64_t now_ps;
  uint64_t spent_ps; /* in this region */
  uint32_t step;
  uint64_t task; /* the number of its next one in this region */
  bool awaits_task;
};

static struct player *players;
static uint32_t *heap;    /* those who can go on, the first in time at the top */
static uint32_t *lockers; /* those who wait for the lock, in order */
static uint32_t ready, locking, arrived, last_arrived;
static uint64_t tasks_made;
static bool is_locked;
static uint64_t seed;

/* ---- the order of time ---- */

static bool is_before(uint32_t a, uint32_t b) {
  return players[a].now_ps != players[b].now_ps ? players[a].now_ps < players[b].now_ps : a < b;
}

static void push(uint32_t number) {
  uint32_t at = ready++;
  for (; at > 0 && is_before(number, heap[(at - 1) / 2]); at = (at - 1) / 2)
    heap[at] = heap[(at - 1) / 2];
  heap[at] = number;
}

static uint32_t pop(void) {
  const uint32_t first = heap[0], moved = heap[--ready];
  uint32_t at = 0;
  for (uint32_t child = 1; child < ready; child = 2 * at + 1) {
    child += child + 1 < ready && is_before(heap[child + 1], heap[child]);
    if (!is_before(heap[child], moved))
      break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moved;
  return first;
}

static void go_on_at(uint32_t number, uint64_t now_ps) {
  struct player *player = &players[number];
  player->now_ps = player->now_ps > now_ps ? player->now_ps : now_ps;
  player->step++;
  push(number);
}

/* ---- steps; each returns whether the thread goes on at once ---- */

static double random_part(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 33) / 0x1p31 * 2 - 1;
}

static uint64_t work_of(const struct program *program, uint32_t number) {
  double part = 1;
  if (program->is_unbalanced && program->threads > 1)
    part = 0.5 + (double)number / (program->threads - 1);
  if (program->jitter > 0)
    part *= 1 + program->jitter * random_part();
  return (uint64_t)((double)program->work_ps * part / program->shape->works);
}

static void call(const struct program *program, const struct step *step, uint32_t number, struct times *times) {
  struct player *player = &players[number];
  const struct spent spent = program->call ? program->call(step, number, player->now_ps) : (struct spent){0};
  player->now_ps += spent.ps;
  player->spent_ps += spent.ps;
  times->total += spent.ps;
  times->primary += number == 0 ? spent.ps : 0;
  times->alone += ready == 0 ? spent.ps : 0;
  times->longest = spent.ps > times->longest ? spent.ps : times->longest;
  for (uint32_t i = 0; spent.interrupts && i < ready; i++) /* all alike: their order stays */
    players[heap[i]].now_ps += spent.interrupts * program->interrupt_ps;
}

/* The workers have waited since the last region's end. */
static void fork_team(const struct program *program) {
  players[0].now_ps += program->fork_ps;
  for (uint32_t i = 1; i < program->threads; i++) {
    players[i].step = players[0].step;
    players[i].spent_ps = 0;
    players[i].task = 0;
    go_on_at(i, players[0].now_ps);
  }
}

static bool meet(const struct program *program, uint32_t number) {
  if (++arrived < program->threads)
    return false;
  arrived = 0;
  for (uint32_t i = 0; i < program->threads; i++)
    go_on_at(i, players[number].now_ps + program->barrier_ps);
  return false;
}

/* Who comes last lets thread 0 go on. */
static bool join(const struct program *program, uint32_t number) {
  if (++arrived < program->threads)
    return false;
  last_arrived = number;
  arrived = 0;
  go_on_at(0, players[number].now_ps + program->barrier_ps);
  return false;
}

static bool lock(uint32_t number) {
  const bool is_free = !is_locked;
  is_locked = true;
  if (!is_free)
    lockers[locking++] = number;
  return is_free;
}

static void unlock(uint32_t number) {
  is_locked = locking > 0;
  if (!is_locked)
    return;
  go_on_at(lockers[0], players[number].now_ps);
  locking--;
  for (uint32_t i = 0; i < locking; i++)
    lockers[i] = lockers[i + 1];
}

/* Tasks are for the threads in turn. */
static bool await_task(const struct program *program, uint32_t number) {
  struct player *player = &players[number];
  player->awaits_task = player->task * program->threads + number >= tasks_made;
  if (player->awaits_task)
    return false;
  player->task++;
  return true;
}

static void make_task(const struct program *program, uint32_t number) {
  struct player *player = &players[tasks_made++ % program->threads];
  if (!player->awaits_task)
    return;
  player->awaits_task = false;
  player->task++;
  go_on_at((uint32_t)(player - players), players[number].now_ps);
}

static bool take_step(const struct program *program, uint32_t number, struct times *times) {
  struct player *player = &players[number];
  const struct step *step = &program->shape->steps[player->step];
  if (step->who != WHO_ALL && (step->who == WHO_PRIMARY) != (number == 0))
    return true;
  switch (step->kind) {
  case STEP_CALL:
    call(program, step, number, times);
    if (step->place == PLACE_TASK_CREATE)
      make_task(program, number);
    return true;
  case STEP_WORK:
    player->now_ps += work_of(program, number);
    return true;
  case STEP_FORK:
    fork_team(program);
    return true;
  case STEP_MEET:
    return meet(program, number);
  case STEP_JOIN:
    return join(program, number);
  case STEP_LOCK:
    return lock(number);
  case STEP_UNLOCK:
    unlock(number);
    return true;
  case STEP_AWAIT_TASK:
    return await_task(program, number);
  }
  return true;
}

/* ---- regions ---- */

static void run_region(const struct program *program, struct times *times) {
  const uint64_t begin_ps = players[0].now_ps;
  players[0].step = 0;
  players[0].spent_ps = 0;
  players[0].task = 0;
  tasks_made = 0;
  push(0);
  while (ready > 0) {
    const uint32_t number = pop();
    if (!take_step(program, number, times))
      continue;
    if (++players[number].step < program->shape->count)
      push(number);
  }
  times->regions++;
  times->elapsed += players[0].now_ps - begin_ps;
  times->last += players[last_arrived].spent_ps;
}

static void make_room(uint32_t threads) {
  if (players)
    return;
  players = calloc(threads, sizeof *players);
  heap = calloc(threads, sizeof *heap);
  lockers = calloc(threads, sizeof *lockers);
  if (!players || !heap || !lockers) {
    fputs("simulation: no memory for the team\n", stderr);
    exit(1);
  }
  players[0].now_ps = (uint64_t)2e12;
}

struct times schedule_run(const struct program *program, uint64_t regions) {
  struct times times = {0};
  make_room(program->threads);
  for (uint64_t i = 0; i < regions; i++)
    run_region(program, &times);
  return times;
}
