/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random statements: of one thread, and of a whole team. */
#include "random_parts.h"
#include "script.h"

/* What is nested lies on the stack of some thread. What tasks create in tasks has longer and longer callpaths. */
enum { MOST_NESTING = 14, MOST_DEPTH = 40 };

static void section(struct rp_cursor *c, ompt_mutex_t kind, enum rp_site site) {
  uint64_t code = rp_code(site, c->depth);
  struct rp_cursor inside = *c;
  rp_pass(&inside);
  sc_acquire(kind, 0x7000, code);
  rp_pass(&inside);
  sc_acquired(kind, 0x7000, code);
  inside.depth++;
  if (kind != ompt_mutex_atomic)
    rp_statements(&inside);
  rp_pass(&inside);
  sc_released(kind, 0x7000, rp_chance(50) ? 0 : code + 0x40);
  c->now = inside.now;
}

/* libomp 14 and 16 send a test as an acquire of a plain lock. */
static ompt_mutex_t test_kind(void) {
  return sc_runtime() == SC_LIBOMP_14 ? ompt_mutex_lock : ompt_mutex_test_lock;
}

/* GCC-built code compares the thread's number itself and says nothing. */
static void masked(struct rp_cursor *c) {
  const bool told = sc_runtime() != SC_GOMP;
  const uint64_t code = told ? rp_code(RP_MASKED, c->depth) : 0;
  struct rp_cursor inside = *c;
  rp_pass(&inside);
  if (told)
    sc_masked_begin(code);
  inside.depth++;
  rp_statements(&inside);
  rp_pass(&inside);
  if (told)
    sc_masked_end();
  c->now = inside.now;
}

static void lock(struct rp_cursor *c) {
  ompt_mutex_t kind = rp_chance(30) ? test_kind() : ompt_mutex_lock;
  uint64_t code = rp_code(RP_LOCK, c->depth);
  uint64_t id = 0x8000 + rp_random(2);
  rp_pass(c);
  sc_acquire(kind, id, code);
  rp_pass(c);
  sc_acquired(kind, id, code);
  rp_statements(c);
  rp_pass(c);
  if (rp_chance(80))
    sc_released(ompt_mutex_lock, id, code + 0x40); /* else another thread's business */
}

/* As an acquire that is not followed by anything for long it would be taken for a wait: a limit that is documented. */
static void failed_test(struct rp_cursor *c) {
  rp_pass(c);
  if (rp.event_limit && test_kind() == ompt_mutex_lock)
    return;
  sc_acquire(test_kind(), 0x8002, rp_code(RP_LOCK, c->depth));
}

/* Many events of one thread. */
static void storm(struct rp_cursor *c) {
  uint64_t code = rp_code(RP_CRITICAL, c->depth);
  for (uint32_t i = 1 + rp_random(1500); i > 0 && !rp_is_full(); i--) {
    rp_pass(c);
    sc_acquire(ompt_mutex_critical, 0x7000, code);
    rp_pass(c);
    sc_acquired(ompt_mutex_critical, 0x7000, code);
    rp_pass(c);
    sc_released(ompt_mutex_critical, 0x7000, code);
  }
}

static void statement(struct rp_cursor *c) {
  if (rp.event_limit && rp_chance(1)) {
    storm(c);
    return;
  }
  if (rp.routines && rp_chance(40)) {
    rp_program_statement(c);
    return;
  }
  if (rp.options.no_tasks && rp_chance(36)) {
    rp_pass(c);
    return;
  }
  switch (rp_random(rp.options.no_tasks ? 8 : 15)) {
  case 0:
    section(c, ompt_mutex_critical, RP_CRITICAL);
    break;
  case 1:
    section(c, ompt_mutex_ordered, RP_ORDERED);
    break;
  case 2:
    section(c, ompt_mutex_atomic, RP_ATOMIC);
    break;
  case 3:
    lock(c);
    break;
  case 4:
    failed_test(c);
    break;
  case 5:
    masked(c);
    break;
  case 6:
  case 7:
    if (!rp.options.flat && c->level < 3)
      rp_region(c);
    break;
  case 8:
  case 9:
  case 10:
    rp_create_task(c);
    break;
  case 11:
    rp_taskwait(c);
    break;
  case 12:
    rp_taskgroup(c);
    break;
  case 13:
    rp_pass(c);
    sc_cancel(ompt_cancel_taskgroup | ompt_cancel_activated, 0x9000);
    break;
  default:
    rp_pass(c);
  }
}

void rp_statements(struct rp_cursor *c) {
  rp.nesting++;
  bool deep = rp.nesting >= MOST_NESTING || c->depth >= MOST_DEPTH;
  for (uint32_t count = rp_random(3); count > 0 && !rp_is_full() && !deep; count--) {
    rp.budget--;
    statement(c);
  }
  rp.nesting--;
}

static void team_barrier(struct rp_team *team, ompt_sync_region_t kind, uint64_t code) {
  for (uint32_t i = 0; i < team->size; i++) {
    rp_pass(&team->members[i]);
    sc_barrier_begin(kind, code);
    team->members[i].depth++; /* of tasks created from here; they are not below the barrier, but need other sites */
  }
  uint64_t release = rp_run_pool(team);
  for (uint32_t i = 0; i < team->size; i++) {
    struct rp_cursor *c = &team->members[i];
    c->now = release;
    c->depth--;
    rp_pass(c);
    sc_barrier_end(kind, code);
  }
}

static ompt_sync_region_t explicit_barrier(void) {
  return sc_runtime() == SC_GOMP ? ompt_sync_region_barrier_implementation : ompt_sync_region_barrier_explicit;
}

static ompt_work_t choose_work(void) {
  static const ompt_work_t kinds[] = {ompt_work_loop_static, ompt_work_loop_dynamic, ompt_work_loop_guided,
                                      ompt_work_loop_other,  ompt_work_sections,     ompt_work_workshare,
                                      ompt_work_distribute,  ompt_work_scope};
  ompt_work_t kind = kinds[rp_random(sizeof kinds / sizeof *kinds)];
  bool loop = kind >= ompt_work_loop_static;
  return loop ? sc_loop_kind(kind) : kind;
}

void rp_enter(struct rp_cursor *c, enum heddle_entry entry) {
  rp_pass(c);
  sc_entry_begin(entry);
}

void rp_come_back(struct rp_cursor *c, enum heddle_entry entry) {
  rp_pass(c);
  sc_entry_end(entry, 0);
}

static bool has_chunks(ompt_work_t kind) {
  return kind == ompt_work_loop || kind == ompt_work_loop_dynamic || kind == ompt_work_loop_guided;
}

static void hand_out(struct rp_cursor *c) {
  rp_enter(c, HEDDLE_ENTRY_SCHEDULING);
  rp_come_back(c, HEDDLE_ENTRY_SCHEDULING);
}

/* The loop begins while it is made ready, and ends when there is no chunk any more. */
static void chunks(struct rp_cursor *c, ompt_work_t kind, uint64_t code) {
  struct rp_cursor inside = *c;
  rp_enter(&inside, HEDDLE_ENTRY_SCHEDULING);
  rp_pass(&inside);
  sc_work_begin(kind, code);
  inside.depth++;
  rp_come_back(&inside, HEDDLE_ENTRY_SCHEDULING);
  for (uint32_t count = rp_random(3); count > 0 && !rp_is_full(); count--) {
    hand_out(&inside);
    rp_statements(&inside);
  }
  rp_enter(&inside, HEDDLE_ENTRY_SCHEDULING);
  rp_pass(&inside);
  sc_work_end(kind, code);
  inside.depth--;
  rp_come_back(&inside, HEDDLE_ENTRY_SCHEDULING);
  c->now = inside.now;
}

static void member_work(struct rp_cursor *c, ompt_work_t kind, uint64_t code) {
  bool endless = sc_runtime() == SC_GOMP && kind == ompt_work_single_executor && c->level > 0;
  struct rp_cursor inside = *c;
  rp_pass(&inside);
  sc_work_begin(kind, code);
  inside.depth++;
  if (kind != ompt_work_single_other)
    rp_statements(&inside);
  rp_pass(&inside);
  if (!endless)
    sc_work_end(kind, code);
  c->now = inside.now;
}

static void worksharing(struct rp_team *team) {
  bool single = rp_chance(30);
  ompt_work_t kind = choose_work();
  uint32_t executor = rp_random(team->size);
  uint64_t code = rp_code(RP_WORK, team->members[0].depth);
  for (uint32_t i = 0; i < team->size; i++) {
    if (single)
      kind = i == executor ? ompt_work_single_executor : ompt_work_single_other;
    if (has_chunks(kind))
      chunks(&team->members[i], kind, code);
    else
      member_work(&team->members[i], kind, code);
  }
  bool gomp = sc_runtime() == SC_GOMP;
  if (!gomp && rp_chance(15))
    team_barrier(team, ompt_sync_region_barrier_implementation, rp_code(RP_REDUCTION, team->members[0].depth));
  if ((single && gomp) || rp_chance(70))
    team_barrier(team, sc_work_barrier(), rp_code(RP_BARRIER, team->members[0].depth));
}

/* What a thread has left open makes its callpath longer. The team's sites are new to all. */
static void level_out(struct rp_team *team) {
  uint32_t depth = 0;
  for (uint32_t i = 0; i < team->size; i++)
    depth = depth < team->members[i].depth ? team->members[i].depth : depth;
  for (uint32_t i = 0; i < team->size; i++)
    team->members[i].depth = depth;
}

void rp_team_statement(struct rp_team *team) {
  level_out(team);
  if (rp.routines && rp_chance(30)) {
    rp_team_routine(team);
    return;
  }
  switch (rp_random(5)) {
  case 0:
    team_barrier(team, explicit_barrier(), rp_code(RP_BARRIER, team->members[0].depth));
    break;
  case 1:
  case 2:
    for (uint32_t i = 0; i < team->size; i++)
      rp_statements(&team->members[i]);
    break;
  default:
    worksharing(team);
  }
}
