/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regions: fork, barriers, join. */
#include "support/inprocess/heap.h"
#include "sweep/path/path_internal.h"

/* ---- teams ---- */

void hd_path_release_team(struct hd_path_book *book, struct hd_path_team *team) {
  if (!team || --team->holders > 0)
    return;
  for (uint32_t i = 0; i < HD_PATH_BARRIERS; i++)
    hd_chain_release(&book->chains, team->barriers[i].longest);
  hd_chain_release(&book->chains, team->tasks);
  hd_chain_release(&book->chains, team->fork);
  hd_heap_free(team);
}

/* Nothing more will be told of it by its number. */
static void hide(struct hd_path_book *book, struct hd_path_team *team) {
  hd_path_take_out(&book->teams, &team->item);
  hd_path_release_team(book, team);
}

void hd_path_free_teams(struct hd_path_book *book) {
  for (struct hd_path_team *team; (team = hd_path_any(&book->teams));)
    hide(book, team);
  hd_path_free_index(&book->teams);
}

/* One holder is the table. */
static struct hd_path_team *make(struct hd_path_book *book, const struct hd_transition *entry) {
  const struct hd_log_begin *begun = (const struct hd_log_begin *)(const void *)(entry + 1);
  struct hd_path_team *old = hd_path_find(&book->teams, begun->team);
  if (old)
    hide(book, old);
  struct hd_path_team *team = hd_path_make(&book->teams, begun->team, sizeof *team);
  if (!team) {
    book->chains.has_failed = true;
    return NULL;
  }
  team->holders = 1;
  team->serial = ++book->team_serial;
  team->profile = HD_WHAT_OPERAND(entry->what);
  team->counts = !(begun->flags & HD_LOG_UNCOUNTED);
  return team;
}

static bool enter(struct hd_path_book *book, struct hd_path_ring *ring, struct hd_path_team *team,
                  struct hd_chain *chain) {
  struct hd_path_level *level = hd_path_push(book, ring);
  if (!level)
    return false;
  level->team = team;
  level->strand.chain = chain;
  team->holders++;
  return true;
}

/* The chain goes on in the team's implicit task, until the region ends. */
static void begin(struct hd_path_book *book, struct hd_path_ring *ring, const struct hd_transition *entry) {
  struct hd_path_team *team = make(book, entry);
  struct hd_path_strand *outer = hd_path_current(ring);
  struct hd_chain *chain = outer->chain;
  if (!team)
    return;
  team->fork = hd_chain_hold(chain);
  team->fork_ticks = hd_chain_ticks(chain);
  outer->chain = NULL;
  enter(book, ring, team, chain);
}

/* Its own level, the innermost with this team. 0: none. */
static uint32_t find_level(const struct hd_path_ring *ring, uint32_t number) {
  uint32_t level = ring->level_count - 1;
  while (level > 0 && !(ring->levels[level].team && ring->levels[level].team->item.key == number))
    level--;
  return level;
}

/* What surrounds it goes on from its chain. */
static void leave(struct hd_path_book *book, struct hd_path_ring *ring) {
  struct hd_path_strand *strand = &hd_path_top(ring)->strand;
  struct hd_chain *chain = strand->chain;
  strand->chain = NULL;
  hd_path_pop(book, ring);
  struct hd_path_strand *outer = hd_path_current(ring);
  hd_chain_release(&book->chains, outer->chain);
  outer->chain = chain;
}

/* Of a team inside it. */
static void add_work(const struct hd_path_level *level, uint64_t ticks) {
  if (level->team)
    level->team->work_ticks += ticks;
  if (level->task)
    hd_path_work(level->task, ticks);
}

static void end(struct hd_path_book *book, struct hd_path_ring *ring, uint32_t number) {
  const uint32_t at = find_level(ring, number);
  if (at == 0)
    return;
  while (ring->level_count > at + 1) /* ends that were never told */
    leave(book, ring);
  struct hd_path_level *level = hd_path_top(ring);
  struct hd_path_team *team = level->team;
  hd_chain_take_longer(&book->chains, &level->strand.chain, team->tasks);
  if (team->counts)
    hd_path_sum_up(book, team->profile, hd_chain_ticks(level->strand.chain) - team->fork_ticks, team->work_ticks);
  add_work(&level[-1], team->work_ticks);
  hide(book, team);
  leave(book, ring);
}

/* ---- barriers ---- */

static struct hd_path_barrier *barrier_of(struct hd_path_team *team, uint32_t number) {
  struct hd_path_barrier *barrier = &team->barriers[number % HD_PATH_BARRIERS];
  return barrier->number == number + 1 ? barrier : NULL;
}

static struct hd_path_barrier *take_barrier(struct hd_path_book *book, struct hd_path_team *team, uint32_t number) {
  struct hd_path_barrier *barrier = &team->barriers[number % HD_PATH_BARRIERS];
  if (barrier->number == number + 1)
    return barrier;
  hd_chain_release(&book->chains, barrier->longest);
  *barrier = (struct hd_path_barrier){.number = number + 1};
  return barrier;
}

static void finish_if_complete(struct hd_path_book *book, struct hd_path_team *team, struct hd_path_barrier *barrier) {
  if (barrier->is_over || barrier->arrived < team->size || team->size == 0 || team->running_tasks > 0)
    return;
  barrier->is_over = true;
  hd_chain_take_longer(&book->chains, &barrier->longest, team->tasks);
  hd_chain_release(&book->chains, team->tasks);
  team->tasks = NULL;
}

void hd_path_check_barriers(struct hd_path_book *book, struct hd_path_team *team) {
  for (uint32_t i = 0; i < HD_PATH_BARRIERS; i++)
    if (team->barriers[i].number)
      finish_if_complete(book, team, &team->barriers[i]);
}

static void arrive(struct hd_path_book *book, struct hd_path_ring *ring, const struct hd_transition *entry) {
  const struct hd_log_arrival *arrival = (const struct hd_log_arrival *)(const void *)(entry + 1);
  const uint32_t number = (uint32_t)arrival->number;
  const uint32_t at = find_level(ring, arrival->team);
  if (at == 0 || arrival->flags & HD_LOG_UNTOLD)
    return;
  struct hd_path_level *level = &ring->levels[at];
  if (level->waits && level->arrived != number + 1)
    hd_path_leave_barrier(book, level);
  struct hd_path_barrier *barrier = take_barrier(book, level->team, number);
  if (!barrier->is_over)
    hd_chain_keep_longer(&book->chains, &barrier->longest, level->strand.chain);
  barrier->arrived += level->arrived != number + 1; /* else it has only worked meanwhile */
  level->arrived = number + 1;
  level->waits = true;
  finish_if_complete(book, level->team, barrier);
}

void hd_path_leave_barrier(struct hd_path_book *book, struct hd_path_level *level) {
  struct hd_path_team *team = level->team;
  const struct hd_path_barrier *barrier = team ? barrier_of(team, level->arrived - 1) : NULL;
  level->waits = false;
  if (!barrier)
    return;
  hd_chain_take_longer(&book->chains, &level->strand.chain, barrier->longest);
  if (!barrier->is_over)
    hd_chain_take_longer(&book->chains, &level->strand.chain, team->tasks);
}

/* ---- members ---- */

static void leave_all(struct hd_path_book *book, struct hd_path_ring *ring) {
  while (ring->level_count > 1) {
    if (hd_path_top(ring)->waits)
      hd_path_leave_barrier(book, hd_path_top(ring));
    hd_path_pop(book, ring);
  }
}

static void join_team(struct hd_path_book *book, struct hd_path_ring *ring, uint32_t number) {
  struct hd_path_team *team = hd_path_find(&book->teams, number);
  leave_all(book, ring);
  if (team)
    enter(book, ring, team, hd_chain_hold(team->fork));
  else
    hd_path_push(book, ring); /* it comes when the region is over: whatever it does is in no chain */
}

static void take_size(const struct hd_path_ring *ring, const struct hd_log_member *member) {
  const uint32_t at = find_level(ring, member->team);
  if (at > 0)
    ring->levels[at].team->size = member->number;
}

static void join(struct hd_path_book *book, struct hd_path_ring *ring, uint32_t number) {
  const uint32_t at = find_level(ring, number);
  if (at > 0 && ring->levels[at].waits)
    hd_path_leave_barrier(book, &ring->levels[at]);
}

/* All payload begins with the team's number. */
void hd_path_take_team(struct hd_path_book *book, struct hd_path_ring *ring, const struct hd_transition *entry) {
  const struct hd_log_member *member = hd_log_member_of(entry);
  switch (hd_what_of(entry)) {
  case HD_WHAT_REGION_BEGIN:
  case HD_WHAT_NESTED_BEGIN:
    begin(book, ring, entry);
    break;
  case HD_WHAT_REGION_END:
  case HD_WHAT_NESTED_END:
    end(book, ring, member->team);
    break;
  case HD_WHAT_TEAM:
    join_team(book, ring, member->team);
    break;
  case HD_WHAT_START:
    take_size(ring, member);
    break;
  case HD_WHAT_ARRIVE:
  case HD_WHAT_FINISH:
  case HD_WHAT_FINISH_AGAIN:
    arrive(book, ring, entry);
    break;
  case HD_WHAT_JOIN:
    join(book, ring, member->team);
    break;
  case HD_WHAT_LEFT:
    leave_all(book, ring);
    break;
  default:
    break; /* LEAVE_WORK, WORKED: the barrier has told it */
  }
}
