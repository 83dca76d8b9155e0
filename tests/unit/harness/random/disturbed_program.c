/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random fork-join programs: what each thread does, worked out for all of them before any is played. */
#include "disturbed.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TEAM = 6, MOST_NESTED = 3, SITES = 3 };

struct member {
  uint32_t thread;
  uint32_t tasks[8]; /* slots, created and not yet run */
  uint32_t task_count;
};

struct team {
  struct member members[MOST_TEAM];
  uint32_t size;
  uint32_t level; /* 0: outside any region */
};

static struct {
  struct di_program *program;
  struct di_options options;
  uint64_t random;
  uint32_t left;                  /* statements */
  uint32_t hot[64][2][MOST_TEAM]; /* libomp keeps a team's threads with its primary */
} make;

static uint32_t below(uint32_t limit) {
  make.random += 0x9E3779B97F4A7C15u; /* splitmix64 */
  uint64_t z = make.random;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (uint32_t)((z ^ z >> 31) % limit);
}

static bool chance(uint32_t percent) {
  return below(100) < percent;
}

static uint64_t code(uint32_t kind, uint32_t level) {
  return 0x100000 * (uint64_t)(kind + 1) + 0x1000 * (uint64_t)level + 0x100 * below(SITES);
}

/* ---- actions ---- */

static void add(uint32_t thread, struct di_action action) {
  struct di_thread *to = &make.program->threads[thread];
  if (to->count == to->limit) {
    to->limit = to->limit ? 2 * to->limit : 64;
    to->actions = realloc(to->actions, to->limit * sizeof *to->actions);
    if (!to->actions)
      abort();
  }
  to->actions[to->count++] = action;
}

static void work(uint32_t thread) {
  if (chance(80))
    add(thread, (struct di_action){.what = DI_WORK, .ticks = below(2000)});
}

#define SEND(thread, ...) add(thread, (struct di_action){.what = DI_SEND, __VA_ARGS__})

static uint32_t new_gate(uint32_t expected) {
  struct di_program *program = make.program;
  if (program->gate_count == program->gate_limit) {
    program->gate_limit = program->gate_limit ? 2 * program->gate_limit : 64;
    program->gates = realloc(program->gates, program->gate_limit * sizeof *program->gates);
    if (!program->gates)
      abort();
  }
  program->gates[program->gate_count] = (struct di_gate){.expected = expected};
  return program->gate_count++;
}

static void arrive(uint32_t thread, uint32_t gate) {
  add(thread, (struct di_action){.what = DI_ARRIVE, .slot = gate});
}

static void pass(uint32_t thread, uint32_t gate, uint64_t ticks) {
  add(thread, (struct di_action){.what = DI_PASS, .slot = gate, .ticks = ticks});
}

/* ---- statements of one thread ---- */

static void region(uint32_t primary, uint32_t level);
static void statements(struct team *team, struct member *member);

static void lock(struct team *team, struct member *member) {
  static const ompt_mutex_t kinds[] = {ompt_mutex_critical, ompt_mutex_ordered, ompt_mutex_atomic, ompt_mutex_lock};
  const ompt_mutex_t kind = kinds[below(4)];
  const uint64_t place = code(20 + (uint32_t)kind, team->level);
  SEND(member->thread, .event = DI_ACQUIRE, .kind = kind, .code = place);
  work(member->thread); /* it waits, but for nobody that we delay */
  SEND(member->thread, .event = DI_ACQUIRED, .kind = kind, .code = place);
  work(member->thread);
  SEND(member->thread, .event = DI_RELEASED, .kind = kind, .code = place);
}

static void run_task(struct member *member, uint32_t slot) {
  SEND(member->thread, .event = DI_TASK_RUN, .slot = slot);
  work(member->thread);
  SEND(member->thread, .event = DI_TASK_LEAVE);
}

static void create_task(struct team *team, struct member *member, bool undeferred) {
  const uint32_t slot = make.program->slots++;
  SEND(member->thread, .event = DI_TASK_CREATE, .slot = slot, .kind = undeferred ? ompt_task_undeferred : 0,
       .code = code(30, team->level));
  if (undeferred)
    run_task(member, slot);
  else
    member->tasks[member->task_count++] = slot;
}

static void run_tasks(struct member *member) {
  for (uint32_t i = 0; i < member->task_count; i++) {
    work(member->thread);
    run_task(member, member->tasks[i]);
  }
  member->task_count = 0;
}

static void taskwait(struct team *team, struct member *member) {
  const uint64_t place = code(31, team->level);
  SEND(member->thread, .event = DI_BARRIER_BEGIN, .kind = ompt_sync_region_taskwait, .code = place);
  run_tasks(member);
  work(member->thread);
  SEND(member->thread, .event = DI_BARRIER_END, .kind = ompt_sync_region_taskwait, .code = place);
}

static void taskgroup(struct team *team, struct member *member) {
  const uint64_t place = code(32, team->level);
  SEND(member->thread, .event = DI_GROUP_BEGIN, .code = place);
  if (member->task_count < 8)
    create_task(team, member, team->size == 1);
  work(member->thread);
  SEND(member->thread, .event = DI_GROUP_WAIT, .code = place);
  run_tasks(member);
  work(member->thread);
  SEND(member->thread, .event = DI_GROUP_END, .code = place);
}

static void routine(struct team *team, struct member *member) {
  const bool phase = chance(30);
  const uint64_t place = phase ? 1 + below(SITES) : code(40, team->level);
  SEND(member->thread, .event = phase ? DI_PHASE_BEGIN : DI_ENTER, .code = place);
  work(member->thread);
  statements(team, member);
  SEND(member->thread, .event = phase ? DI_PHASE_END : DI_EXIT, .code = place);
}

static void statement(struct team *team, struct member *member) {
  const uint32_t choice = below(12);
  work(member->thread);
  if (choice < 2)
    lock(team, member);
  else if (choice < 4 && make.options.routines)
    routine(team, member);
  else if (choice < 6 && make.options.nested && team->level > 0 && team->level < 2)
    region(member->thread, team->level + 1);
  else if (choice < 8 && make.options.tasks && member->task_count < 8)
    create_task(team, member, team->size == 1 || chance(20));
  else if (choice < 9 && make.options.tasks && team->level > 0)
    taskwait(team, member);
  else if (choice < 10 && make.options.tasks && team->level > 0)
    taskgroup(team, member);
  else
    work(member->thread);
}

static void statements(struct team *team, struct member *member) {
  for (uint32_t i = below(3); i > 0 && make.left > 0; i--) {
    make.left--;
    statement(team, member);
  }
}

/* ---- statements of a team ---- */

static void barrier(struct team *team, ompt_sync_region_t kind, uint64_t place) {
  const uint32_t gate = new_gate(team->size);
  const uint64_t latency = below(50);
  for (uint32_t i = 0; i < team->size; i++) {
    struct member *member = &team->members[i];
    SEND(member->thread, .event = DI_BARRIER_BEGIN, .kind = kind, .code = place);
    run_tasks(member);
    arrive(member->thread, gate);
    pass(member->thread, gate, latency + below(50));
    SEND(member->thread, .event = DI_BARRIER_END, .kind = kind, .code = place);
  }
}

static ompt_work_t loop_kind(void) {
  static const ompt_work_t kinds[] = {ompt_work_loop_static, ompt_work_loop_dynamic, ompt_work_loop_guided,
                                      ompt_work_sections};
  const ompt_work_t kind = kinds[below(4)];
  return kind >= ompt_work_loop_static ? sc_loop_kind(kind) : kind;
}

static void loop(struct team *team) {
  const ompt_work_t kind = loop_kind();
  const uint64_t place = code((uint32_t)kind, team->level);
  for (uint32_t i = 0; i < team->size; i++) {
    struct member *member = &team->members[i];
    work(member->thread);
    SEND(member->thread, .event = DI_WORK_BEGIN, .kind = kind, .code = place);
    work(member->thread);
    statements(team, member);
    work(member->thread);
    SEND(member->thread, .event = DI_WORK_END, .kind = kind, .code = place);
  }
  if (chance(60))
    barrier(team, sc_work_barrier(), code(50, team->level));
}

static void single(struct team *team) {
  const uint32_t executor = below(team->size);
  const uint64_t place = code(51, team->level);
  for (uint32_t i = 0; i < team->size; i++) {
    const uint32_t thread = team->members[i].thread;
    const ompt_work_t kind = i == executor ? ompt_work_single_executor : ompt_work_single_other;
    work(thread);
    SEND(thread, .event = DI_WORK_BEGIN, .kind = kind, .code = place);
    if (i == executor)
      work(thread);
    if (i != executor || make.program->runtime != SC_GOMP) /* whose end is never sent */
      SEND(thread, .event = DI_WORK_END, .kind = kind, .code = place);
  }
  if (make.program->runtime == SC_GOMP || chance(60))
    barrier(team, sc_work_barrier(), code(50, team->level));
}

static void masked(struct team *team) {
  const uint32_t thread = team->members[0].thread;
  if (make.program->runtime == SC_GOMP)
    return;
  SEND(thread, .event = DI_MASKED_BEGIN, .code = code(52, team->level));
  work(thread);
  SEND(thread, .event = DI_MASKED_END);
}

static void team_statement(struct team *team) {
  const uint32_t choice = below(10);
  for (uint32_t i = 0; i < team->size; i++)
    work(team->members[i].thread);
  if (choice < 4)
    loop(team);
  else if (choice < 5)
    single(team);
  else if (choice < 6)
    masked(team);
  else if (choice < 8)
    barrier(team,
            make.program->runtime == SC_GOMP ? ompt_sync_region_barrier_implementation
                                             : ompt_sync_region_barrier_explicit,
            code(53, team->level));
  else
    for (uint32_t i = 0; i < team->size; i++)
      statements(team, &team->members[i]);
}

/* ---- regions ---- */

static uint32_t worker_of(uint32_t primary, uint32_t level, uint32_t index) {
  uint32_t *worker = &make.hot[primary][level - 1][index];
  if (*worker == 0)
    *worker = make.program->thread_count++;
  return *worker;
}

static void begin(struct team *team, uint32_t slot) {
  const uint32_t primary = team->members[0].thread;
  const uint32_t fork = new_gate(1);
  SEND(primary, .event = DI_PARALLEL_BEGIN, .slot = slot, .size = team->size, .code = code(60, team->level));
  arrive(primary, fork);
  for (uint32_t i = 0; i < team->size; i++) {
    pass(team->members[i].thread, fork, below(100));
    SEND(team->members[i].thread, .event = DI_IMPLICIT_BEGIN, .slot = slot, .size = team->size, .index = i);
  }
}

static void join(struct team *team) {
  const uint32_t primary = team->members[0].thread;
  const uint32_t gate = new_gate(team->size);
  const bool prompt = make.options.prompt && team->size > 1 && chance(50);
  for (uint32_t i = 0; i < team->size; i++) {
    struct member *member = &team->members[i];
    work(member->thread);
    if (team->size == 1)
      run_tasks(member);
    SEND(member->thread, .event = DI_JOIN_BEGIN);
    if (team->size > 1)
      run_tasks(member);
    arrive(member->thread, gate);
    if (i > 0 && prompt) {
      pass(member->thread, gate, 0);
      SEND(member->thread, .event = DI_WORKER_END);
    }
  }
  pass(primary, gate, below(30));
  SEND(primary, .event = DI_JOIN_END);
  add(primary, (struct di_action){.what = DI_WORK, .ticks = below(30)});
  SEND(primary, .event = DI_PARALLEL_END);
  if (prompt)
    add(primary, (struct di_action){.what = DI_WORK, .ticks = make.options.gap_ticks});
}

static void region(uint32_t primary, uint32_t level) {
  struct team team = {.level = level, .size = chance(15) ? 1 : 1 + below(level > 1 ? MOST_NESTED : MOST_TEAM)};
  const uint32_t slot = make.program->slots++;
  team.members[0].thread = primary;
  for (uint32_t i = 1; i < team.size; i++)
    team.members[i].thread = worker_of(primary, level, i);
  begin(&team, slot);
  for (uint32_t i = 1 + below(5); i > 0 && make.left > 0; i--) {
    make.left--;
    team_statement(&team);
  }
  join(&team);
}

/* ---- programs ---- */

/* Threads are numbered as they begin, so they begin one after the other, whatever that costs. */
static void begin_threads(uint32_t count, uint64_t gap) {
  SEND(0, .event = DI_INITIAL_BEGIN);
  for (uint32_t i = 1; i < count; i++) {
    add(i, (struct di_action){.what = DI_WORK, .ticks = i * gap});
    SEND(i, .event = DI_WORKER_BEGIN);
  }
  add(0, (struct di_action){.what = DI_WORK, .ticks = (count + 1) * gap});
}

/* The threads that there are going to be are known at the end only: their begins are put before what was made. */
static void prepend(uint64_t gap) {
  struct di_thread made[64];
  struct di_program *program = make.program;
  memcpy(made, program->threads, sizeof made);
  memset(program->threads, 0, sizeof program->threads);
  begin_threads(program->thread_count, gap);
  for (uint32_t i = 0; i < program->thread_count; i++) {
    for (size_t j = 0; j < made[i].count; j++)
      add(i, made[i].actions[j]);
    free(made[i].actions);
  }
}

/* The first thread waits for the others for longer than that may take. */
static void end_threads(uint64_t gap) {
  const uint32_t gate = new_gate(1);
  arrive(0, gate);
  add(0, (struct di_action){.what = DI_WORK, .ticks = gap});
  for (uint32_t i = 1; i < make.program->thread_count && !make.options.left; i++) {
    pass(i, gate, below(1000));
    SEND(i, .event = DI_WORKER_THREAD_END);
  }
}

void di_generate(struct di_program *program, uint64_t seed, const struct di_options *options) {
  struct team alone = {.size = 1};
  memset(program, 0, sizeof *program);
  memset(&make, 0, sizeof make);
  make.program = program;
  make.options = *options;
  make.random = seed;
  make.left = options->statements;
  program->runtime = (enum sc_runtime)below(3);
  program->thread_count = 1;
  program->left = options->left;
  sc_start(program->runtime); /* loops are told as this runtime tells them */
  while (make.left > 0) {
    make.left--;
    if (chance(60))
      region(0, 1);
    else
      statement(&alone, &alone.members[0]);
  }
  end_threads(options->gap_ticks);
  prepend(options->gap_ticks);
}

void di_free(struct di_program *program) {
  for (uint32_t i = 0; i < program->thread_count; i++)
    free(program->threads[i].actions);
  free(program->gates);
}
