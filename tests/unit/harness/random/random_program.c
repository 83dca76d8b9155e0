/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "random_program.h"

#include <stdlib.h>
#include <string.h>

#include "random_parts.h"
#include "script.h"

enum { MANY_THREADS = 250 }; /* from here on no nested teams: hot teams keep their threads */

struct rp_program rp;

uint32_t rp_random(uint32_t below) {
  rp.random += 0x9E3779B97F4A7C15u; /* splitmix64 */
  uint64_t z = rp.random;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (uint32_t)((z ^ z >> 31) % below);
}

bool rp_chance(uint32_t percent) {
  return rp_random(100) < percent;
}

bool rp_is_full(void) {
  return rp.budget <= 0 || (rp.event_limit && sc_script()->count >= rp.event_limit);
}

void rp_select(const struct rp_cursor *c) {
  sc_thread(c->thread);
  sc_at(c->now);
}

void rp_pass(struct rp_cursor *c) {
  c->now += rp_chance(25) ? 0 : rp_random(20) * (uint64_t)rp.tick_scale;
  rp_select(c);
}

uint64_t rp_code(enum rp_site kind, uint32_t depth) {
  uint64_t level = rp.options.recursive ? 0 : depth;
  return 0x100000 * (uint64_t)(kind + 1) + 0x1000 * level + 0x100 * rp_random(3);
}

/* libomp keeps a team's threads with its primary. */
static uint32_t hot_worker(uint32_t primary, uint32_t level, uint32_t index) {
  uint32_t *slot = &rp.hot[primary][level][index];
  if (*slot == 0) {
    if (rp.thread_count == FK_MAX_THREADS)
      abort();
    *slot = rp.thread_count++;
  }
  return *slot;
}

static uint32_t choose_team_size(uint32_t level) {
  if (rp_chance(15) || (level > 1 && rp.thread_count > MANY_THREADS))
    return 1;
  if (level > 1)
    return 1 + rp_random(3);
  if (rp.options.large_teams && rp_chance(20))
    return 1 + rp_random(64);
  return 1 + rp_random(6);
}

static void begin_team(struct rp_team *team, struct rp_cursor *primary, uint32_t region) {
  uint64_t fork = primary->now;
  bool workers_first = rp_chance(50);
  for (uint32_t turn = 0; turn < team->size; turn++) {
    uint32_t i = workers_first ? team->size - 1 - turn : turn;
    struct rp_cursor *c = &team->members[i];
    *c = *primary;
    c->team = team;
    c->level++;
    c->depth++;
    c->thread = i ? hot_worker(primary->thread, c->level, i) : primary->thread;
    c->now = fork > rp.free_at[c->thread] || !i ? fork : rp.free_at[c->thread];
    rp_pass(c);
    sc_implicit_begin(region, i, team->size);
  }
}

/* Late: at the next fork or the thread's end. Early: before the primary has seen everybody arrive. Promptly: after. */
static void end_worker(const struct rp_cursor *worker, uint64_t join) {
  struct rp_cursor c = *worker;
  uint32_t habit = rp_random(3);
  if (habit == 1)
    c.now += rp_random((uint32_t)(join - c.now) + 1);
  else if (habit == 2)
    c.now = join + rp_random(10);
  rp.free_at[c.thread] = habit ? c.now : join;
  rp_select(&c);
  if (habit)
    sc_worker_end();
}

static void end_team(struct rp_team *team, struct rp_cursor *primary) {
  for (uint32_t i = 0; i < team->size; i++) {
    rp_pass(&team->members[i]);
    sc_join_begin();
  }
  uint64_t join = rp_run_pool(team);
  join += rp_random(5);
  for (uint32_t i = 1; i < team->size; i++)
    end_worker(&team->members[i], join);
  primary->now = join;
  rp_select(primary);
  sc_join_end();
  rp_pass(primary);
  sc_parallel_end();
}

void rp_region(struct rp_cursor *primary) {
  struct rp_team *team = calloc(1, sizeof *team);
  if (!team)
    abort();
  team->size = choose_team_size(primary->level + 1);
  bool league = sc_runtime() == SC_LIBOMP_19 && primary->level == 0 && rp_chance(5);
  uint64_t code = rp_code(RP_REGION, primary->depth);
  rp_pass(primary);
  uint32_t region = league ? sc_teams_begin(code, team->size) : sc_parallel_begin(code, team->size);
  begin_team(team, primary, region);
  uint32_t count = rp_random(5);
  for (uint32_t i = 0; i < count; i++)
    rp_team_statement(team);
  end_team(team, primary);
  free(team);
}

/* Beside the first from nearly the beginning on, or after those before it have ended: in their place, so to speak. */
static uint64_t choose_begin(uint32_t thread) {
  if (thread == 0)
    return rp.begin;
  return rp_chance(70) ? rp.begin + rp_random(100) : rp.end + rp_random(3);
}

/* The threads that only this one's teams had, and theirs. */
static void end_workers(uint32_t primary, uint64_t now) {
  for (uint32_t level = 0; level < FK_MAX_LEVELS; level++)
    for (uint32_t i = 0; i < RP_MAX_TEAM; i++) {
      const uint32_t worker = rp.hot[primary][level][i];
      if (!worker)
        continue;
      end_workers(worker, now);
      sc_thread(worker);
      sc_at((rp.free_at[worker] > now ? rp.free_at[worker] : now) + rp_random(3));
      sc_worker_thread_end();
    }
}

static void run_initial_thread(uint32_t thread) {
  struct rp_team alone = {.size = 1};
  struct rp_cursor *c = &alone.members[0];
  *c = (struct rp_cursor){.thread = thread, .now = choose_begin(thread), .team = &alone};
  rp_select(c);
  sc_initial_begin();
  uint32_t count = 1 + rp_random(rp.options.short_threads ? 2 : 6);
  for (uint32_t i = 0; i < count || (rp.event_limit && !rp_is_full()); i++) {
    if (rp_chance(70))
      rp_region(c);
    else
      rp_team_statement(&alone);
  }
  rp_pass(c);
  const bool ends = thread > 0 && rp_chance(rp.options.short_threads ? 90 : 50);
  if (ends)
    sc_initial_end();
  if (rp.end < c->now)
    rp.end = c->now;
  if (ends && rp.options.short_threads && rp_chance(50))
    end_workers(thread, c->now);
}

/* An event after which the library has surely charged its thread's time: the profile of a killed program ends there. */
static bool charges(const struct fk_event *e) {
  if (e->op == FK_WORK)
    return e->kind != ompt_work_single_executor;
  return e->op == FK_PARALLEL_BEGIN || e->op == FK_MASKED ||
         (e->op == FK_MUTEX_ACQUIRE && e->kind >= ompt_mutex_critical);
}

static void kill_somewhere(struct fk_script *script) {
  size_t cut = rp_random((uint32_t)script->count);
  while (cut < script->count && !charges(&script->events[cut]))
    cut++;
  if (cut == script->count)
    return;
  script->count = cut + 1;
  struct fk_event kill = fk_event_of(FK_KILL, script->events[cut].time, script->events[cut].thread);
  fk_emit(script, &kill);
}

/* Only what the last program used: writing to a page that its fork has shared is expensive. */
static void reset(void) {
  memset(rp.hot, 0, rp.thread_count * sizeof *rp.hot);
  memset(rp.free_at, 0, sizeof rp.free_at);
  memset(rp.group, 0, sizeof rp.group);
  rp.end = rp.group_count = rp.nesting = 0;
  rp_forget_dependences();
}

static uint32_t choose_scale(void) {
  static const uint32_t scales[] = {1, 1, 7, 100, 1000, 1000000};
  return scales[rp_random(sizeof scales / sizeof *scales)];
}

void rp_generate(uint64_t seed, const struct rp_options *options) {
  reset();
  rp.random = seed;
  rp.options = *options;
  uint32_t events = options->events >> rp_random(7);
  rp.budget = events ? (int)events : 20 + (int)rp_random(200);
  rp.tick_scale = choose_scale();
  rp.begin = 1 + rp_random(50);
  rp.routines = options->routines && rp_chance(75);
  rp.pauses = rp.routines && rp_chance(30) && !options->no_pauses;
  sc_start((enum sc_runtime)rp_random(3));
  uint32_t initial_count = options->short_threads ? 10 + rp_random(30) : rp_chance(20) ? 2 + rp_random(2) : 1;
  rp.thread_count = initial_count;
  for (uint32_t i = 0; i < initial_count; i++) {
    rp.event_limit = (size_t)events * (i + 1) / initial_count;
    run_initial_thread(i);
  }
  for (uint32_t i = 0; i < FK_MAX_THREADS; i++)
    if (rp.end < rp.free_at[i])
      rp.end = rp.free_at[i];
  sc_at(rp.end + rp_random(30));
  sc_finish();
  fk_sort(sc_script());
  if (options->killed)
    kill_somewhere(sc_script());
}
