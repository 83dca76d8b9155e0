/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file walk.h
 * A walk through the tree of all paths of different sites, by the threads of one team, one step each in turn: routines,
 * phases, tasks, critical sections and serialised regions inside each other. Nothing of it is kept as a script: the
 * child sends it as it goes, and the parent, which takes the same walk, counts.
 */
#ifndef HEDDLE_TESTS_WALK_H
#define HEDDLE_TESTS_WALK_H

#include <string.h>

#include "expect.h"
#include "script.h"

enum { MOST_THREADS = FK_MAX_THREADS, MOST_DEPTH = 8, MOST_SITES = 24, MOST_NESTED = 5, IDS = 2 * MOST_THREADS };
enum { REGION = MOST_SITES, PARTS = MOST_SITES + 1 }; /* what a thread is in: a site, or the region around all */

struct walk {
  uint64_t seed;
  uint32_t threads;
  uint32_t sites;
  uint32_t depth;
  uint64_t paths; /* to be entered, by all threads */
  bool named;     /* every phase has a name of its own */
};

/* What a thread has been through. */
struct counts {
  uint64_t busy[PARTS][PARTS]; /* by what is around and the site itself */
  uint64_t waited[MOST_SITES];
  uint64_t visits[MOST_SITES];
};

struct position {
  uint32_t sites[MOST_DEPTH + 1];
  uint32_t next[MOST_DEPTH + 1]; /* to try at that depth */
  uint32_t depth;
  uint64_t since;
  bool over;
};

static struct {
  const struct walk *walk;
  bool plays; /* false: only counts */
  uint64_t now;
  uint64_t entered;
  struct position positions[MOST_THREADS];
  struct counts counts[MOST_THREADS];
} state;

/* ---- what a site is ---- */

/* Regions have levels, of which the player knows few. */
static inline enum hd_kind kind_of(uint32_t site) {
  static const enum hd_kind kinds[] = {HD_KIND_ROUTINE, HD_KIND_PHASE, HD_KIND_TASK, HD_KIND_CRITICAL,
                                       HD_KIND_PARALLEL};
  return kinds[site % 5];
}

static inline uint64_t code_of(uint32_t site) {
  return kind_of(site) == HD_KIND_PHASE ? 100 + site : 0x10000 + 0x100 * site;
}

static inline uint32_t phase_number(uint32_t site) {
  return state.walk->named ? (uint32_t)(1000 + state.entered) : (uint32_t)code_of(site);
}

/* ---- events ---- */

static inline void send(void) {
  struct fk_script *script = sc_script();
  for (size_t i = 0; state.plays && i < script->count; i++)
    fk_send(&script->events[i]);
  script->count = 0;
}

/* Numbers of tasks and regions are used again. */
static inline void number(uint32_t thread, uint32_t depth) {
  sc_script()->task_count = IDS + thread * 2 * MOST_DEPTH + 2 * depth;
  sc_script()->region_count = IDS + thread * 2 * MOST_DEPTH + depth;
}

static inline void enter(uint32_t site) {
  switch (kind_of(site)) {
  case HD_KIND_ROUTINE:
    sc_routine_enter(code_of(site));
    break;
  case HD_KIND_PHASE:
    sc_phase_begin(phase_number(site));
    break;
  case HD_KIND_TASK:
    sc_task_run(sc_task_create(code_of(site), ompt_task_undeferred));
    break;
  case HD_KIND_CRITICAL:
    sc_acquire(ompt_mutex_critical, 1, code_of(site));
    sc_at(state.now + 1);
    sc_acquired(ompt_mutex_critical, 1, code_of(site));
    break;
  default:
    sc_implicit_begin(sc_parallel_begin(code_of(site), 1), 0, 1);
  }
}

static inline void leave(uint32_t site) {
  switch (kind_of(site)) {
  case HD_KIND_ROUTINE:
    sc_routine_exit(code_of(site));
    break;
  case HD_KIND_PHASE:
    sc_phase_end(0);
    break;
  case HD_KIND_TASK:
    sc_task_leave(ompt_task_complete);
    break;
  case HD_KIND_CRITICAL:
    sc_released(ompt_mutex_critical, 1, 0);
    break;
  default:
    sc_join_end();
    sc_parallel_end();
  }
}

/* ---- the walk ---- */

static inline uint32_t innermost(const struct position *position) {
  return position->depth ? position->sites[position->depth] : (uint32_t)REGION;
}

static inline uint32_t around(const struct position *position) {
  return position->depth > 1 ? position->sites[position->depth - 1] : (uint32_t)REGION;
}

static inline void charge(uint32_t thread) {
  struct position *position = &state.positions[thread];
  state.counts[thread].busy[around(position)][innermost(position)] += state.now - position->since;
  position->since = state.now;
}

static inline bool is_inside(const struct position *position, uint32_t site) {
  uint32_t regions = kind_of(site) == HD_KIND_PARALLEL;
  for (uint32_t i = 1; i <= position->depth; i++) {
    regions += kind_of(position->sites[i]) == HD_KIND_PARALLEL;
    if (position->sites[i] == site)
      return true;
  }
  return regions > MOST_NESTED;
}

/* The next site to enter from here; `sites`: none. Threads begin with different ones. */
static inline uint32_t next_site(struct position *position, uint32_t thread) {
  const struct walk *walk = state.walk;
  for (uint32_t i; (i = position->next[position->depth]) < walk->sites;) {
    position->next[position->depth]++;
    const uint32_t site = (i + thread * 7) % walk->sites;
    if (!is_inside(position, site))
      return site;
  }
  return walk->sites;
}

static inline void go_in(uint32_t thread, uint32_t site) {
  struct position *position = &state.positions[thread];
  charge(thread);
  number(thread, position->depth);
  enter(site);
  position->sites[++position->depth] = site;
  position->next[position->depth] = 0;
  state.entered++;
  state.counts[thread].visits[site]++;
  if (kind_of(site) == HD_KIND_CRITICAL) {
    state.counts[thread].waited[site]++;
    state.now++;
    position->since = state.now;
  }
}

static inline void go_out(uint32_t thread) {
  struct position *position = &state.positions[thread];
  charge(thread);
  leave(position->sites[position->depth]);
  position->depth--;
}

static inline bool step(uint32_t thread) {
  struct position *position = &state.positions[thread];
  const bool enough = state.entered >= state.walk->paths;
  if (position->over)
    return false;
  sc_thread(thread);
  sc_at(state.now);
  const uint32_t site =
      enough || position->depth == state.walk->depth ? state.walk->sites : next_site(position, thread);
  if (site < state.walk->sites)
    go_in(thread, site);
  else if (position->depth > 0)
    go_out(thread);
  else
    position->over = true;
  send();
  return !position->over;
}

static inline void end(uint32_t threads) {
  for (uint32_t i = threads; i-- > 0;) {
    state.now++;
    charge(i);
    sc_thread(i);
    sc_at(state.now);
    sc_join_begin();
  }
  sc_at(++state.now);
  sc_join_end();
  sc_parallel_end();
  sc_finish();
  send();
}

static inline void take_walk(const struct walk *walk, bool plays) {
  memset(&state, 0, sizeof state);
  state.walk = walk;
  state.plays = plays;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x900, walk->threads, 1, state.now = 10);
  send();
  for (uint32_t i = 0; i < walk->threads; i++)
    state.positions[i].since = state.now;
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (uint32_t i = 0; i < walk->threads; i++) {
      state.now += 1 + (state.entered + i) % 3;
      goes_on |= step(i);
    }
  }
  end(walk->threads);
}

#endif
