/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the random program itself says: routines, phases and pauses. */
#include "random_parts.h"
#include "script.h"

enum { FIRST_PHASE = 1, PHASES = 3, HELPER = 0xA000000, NEVER_ENTERED = 0xB000000 };

/* What was left open inside and stays so goes on lying on the callpath. */
static void go_on(struct rp_cursor *c, const struct rp_cursor *inside, uint32_t depth) {
  c->now = inside->now;
  if (inside->depth > depth)
    c->depth = inside->depth;
}

static void routine(struct rp_cursor *c) {
  uint64_t code = rp_code(RP_ROUTINE, c->depth);
  struct rp_cursor inside = *c;
  rp_pass(&inside);
  sc_routine_enter(code);
  inside.depth++;
  rp_statements(&inside);
  rp_pass(&inside);
  sc_routine_exit(code);
  go_on(c, &inside, c->depth + 1);
}

/* The innermost routine is left by a jump to the one around it, or out of the construct or the task. */
static void left_routine(struct rp_cursor *c) {
  uint64_t code = rp_code(RP_ROUTINE, c->depth);
  struct rp_cursor inside = *c;
  bool caught = rp_chance(70);
  rp_pass(&inside);
  if (caught)
    sc_routine_enter(code);
  inside.depth += caught;
  rp_statements(&inside);
  rp_pass(&inside);
  sc_routine_enter(rp_code(RP_LEFT_ROUTINE, inside.depth));
  inside.depth++;
  rp_statements(&inside);
  rp_pass(&inside);
  if (caught)
    sc_routine_exit(code);
  go_on(c, &inside, c->depth + caught);
}

static void helper(struct rp_cursor *c, bool begin, uint32_t phase) {
  uint64_t code = HELPER + begin + 0x10 * (rp.options.recursive ? 0 : (uint64_t)c->depth);
  rp_pass(c);
  sc_routine_enter(code);
  rp_pass(c);
  if (begin)
    sc_phase_begin(phase);
  else
    sc_phase_end(phase);
  rp_pass(c);
  sc_routine_exit(code);
}

static uint32_t choose_phase(uint32_t depth) {
  uint32_t level = rp.options.recursive ? 0 : depth;
  return FIRST_PHASE + PHASES * level + rp_random(PHASES);
}

static void phase(struct rp_cursor *c) {
  uint32_t number = choose_phase(c->depth);
  bool helped = rp_chance(30);
  struct rp_cursor inside = *c;
  rp_pass(&inside);
  if (helped)
    helper(&inside, true, number);
  else
    sc_phase_begin(number);
  inside.depth += 2; /* a helper may be on the path */
  rp_statements(&inside);
  rp_pass(&inside);
  bool ended = helped || rp_chance(95);
  bool surely = ended && rp_chance(80);
  if (helped)
    helper(&inside, false, number);
  else if (ended)
    sc_phase_end(surely ? number : 0); /* the innermost may be another one */
  go_on(c, &inside, helped || surely ? c->depth + 2 : c->depth);
}

static void mpi(struct rp_cursor *c) {
  enum { CALL = 0xC000000, CALLS = 3, KINDS = HEDDLE_MPI_OTHER + 1 };
  const bool calls_another = rp_chance(20);
  rp_pass(c);
  sc_mpi_begin((enum heddle_mpi_kind)rp_random(KINDS), CALL + rp_random(CALLS));
  if (calls_another) {
    rp_pass(c);
    sc_mpi_begin(HEDDLE_MPI_COLLECTIVE, CALL);
    rp_pass(c);
    sc_mpi_end(8);
  }
  rp_pass(c);
  sc_mpi_end(rp_random(3));
}

static void pause_or_resume(const struct rp_cursor *c) {
  if (!rp.pauses)
    return;
  rp_select(c);
  switch (rp_random(4)) {
  case 0:
    sc_pause();
    break;
  case 1:
    sc_control(rp_chance(50) ? 2 : 1);
    break;
  default:
    sc_resume();
  }
}

void rp_program_statement(struct rp_cursor *c) {
  if (rp.options.mpi && rp_chance(40)) {
    mpi(c);
    return;
  }
  uint32_t choice = rp_random(100);
  if (choice < 75 || (rp.options.no_jumps && (choice < 80 || (choice >= 90 && choice < 92))))
    routine(c);
  else if (choice < 80)
    left_routine(c);
  else if (choice < 90)
    phase(c);
  else if (choice < 92)
    rp_pass(c), sc_routine_exit(NEVER_ENTERED);
  else if (choice < 93)
    rp_pass(c), sc_phase_end(choose_phase(1000));
  else
    rp_pass(c), pause_or_resume(c);
}

void rp_team_routine(struct rp_team *team) {
  uint64_t code = rp_code(RP_ROUTINE, team->members[0].depth);
  for (uint32_t i = 0; i < team->size; i++) {
    rp_pass(&team->members[i]);
    sc_routine_enter(code);
    team->members[i].depth++;
  }
  rp_team_statement(team);
  for (uint32_t i = 0; i < team->size; i++) {
    rp_pass(&team->members[i]);
    sc_routine_exit(code);
    team->members[i].depth--;
  }
}
