/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The critical path of random programs, against the oracle. HEDDLE_SEEDS and HEDDLE_SEED as in random_plays.h. */
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "oracle.h"
#include "output/model/memory.h"
#include "output/model/paths.h"
#include "random_program.h"
#include "script.h"

static unsigned long number(const char *name, unsigned long otherwise) {
  const char *text = getenv(name);
  return text ? strtoul(text, NULL, 10) : otherwise;
}

/* No two events at the same time, and no two chains of the same length, but by chance. */
static void spread_times(struct fk_script *script, uint64_t seed) {
  uint64_t before = 0, time = 0;
  for (size_t i = 0; i < script->count; i++) {
    struct fk_event *e = &script->events[i];
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    time += (e->time - before) * 1000 + 1 + (seed >> 33) % 997;
    before = e->time;
    e->time = time;
  }
}

/* What threads hold, as the program names it, and as what it is named here. */
enum { NAMES = 4096, HELD = 64 };
struct held {
  uint64_t before;
  uint32_t name;
};
static struct held held[FK_MAX_THREADS][HELD];
static uint32_t held_count[FK_MAX_THREADS];
static bool is_taken[NAMES];

static void acquire(struct fk_event *e) {
  uint32_t *count = &held_count[e->thread], name = 0;
  while (is_taken[name])
    name++;
  assert_true(name < NAMES && *count < HELD);
  is_taken[name] = true;
  held[e->thread][(*count)++] = (struct held){e->wait_id, name};
  e->wait_id = 0x10000 + name;
}

static void release(struct fk_event *e) {
  uint32_t *count = &held_count[e->thread];
  for (uint32_t i = *count; i-- > 0;) {
    const struct held found = held[e->thread][i];
    if (found.before != e->wait_id)
      continue;
    held[e->thread][i] = held[e->thread][--*count];
    is_taken[found.name] = false;
    e->wait_id = 0x10000 + found.name;
    return;
  }
}

/* Random programs do not exclude one another from what they hold: each gets the first lock that is free at that time.
 */
static void name_locks(struct fk_script *script) {
  memset(held_count, 0, sizeof held_count);
  memset(is_taken, 0, sizeof is_taken);
  for (size_t i = 0; i < script->count; i++) {
    struct fk_event *e = &script->events[i];
    if (e->op == FK_MUTEX_ACQUIRED)
      acquire(e);
    else if (e->op == FK_MUTEX_RELEASED)
      release(e);
  }
}

/* It begins once, comes to a node as often as it leaves it, but where it ends; and its time is that of its nodes. */
static const char *broken_steps(const struct hd_model *model) {
  uint64_t begins = 0, ends = 0;
  for (uint32_t node = 0; node < model->node_count; node++) {
    const struct hd_model_path *path = hd_paths_find(model, node);
    uint64_t in = 0, out = 0, ticks = 0;
    for (uint32_t i = 0; i < model->step_count; i++) {
      const struct hd_model_step *step = &model->steps[i];
      in += step->to == node ? step->count : 0;
      out += step->from == node ? step->count : 0;
      ticks += step->to == node ? step->ticks : 0;
      begins += step->to == node && step->from == HD_NONE ? step->count : 0;
      if (step->changes > step->count || (step->from == step->to && step->changes != step->count))
        return "a step that goes nowhere";
    }
    if (in < out || in > out + 1)
      return "the path leaves a node as it has not come";
    ends += in - out;
    if (ticks != (path ? path->own_ticks : 0))
      return "the steps' time is not the path's";
  }
  return begins > 1 || begins != ends ? "the path begins or ends twice" : NULL;
}

static const char *check(uint64_t seed, const struct rp_options *program, const struct fk_options *options) {
  rp_generate(seed, program);
  spread_times(sc_script(), seed);
  name_locks(sc_script());
  if (getenv("HEDDLE_SEED"))
    fk_print(sc_script());
  struct hd_model *model = ex_play_with(options);
  struct or_result *oracle = or_run_path(sc_script());
  const char *difference = or_path_difference(oracle, model);
  if (!difference)
    difference = ex_broken_levels(model);
  if (!difference)
    difference = broken_steps(model);
  or_free(oracle);
  hd_model_free(model);
  return difference;
}

static const char *const follow[] = {"HEDDLE_CRITICAL_PATH=1", "HEDDLE_OVERHEAD=off", NULL};
/* Sweeps of different sizes take turns: that say nothing of their own, and that are cut as in test_properties.c. */
static const char *const tiny[] = {"HEDDLE_CRITICAL_PATH=1", "HEDDLE_OVERHEAD=off", "HEDDLE_TEST_WINDOWS=2,1,7,5",
                                   NULL};
static const char *const small[] = {"HEDDLE_CRITICAL_PATH=1", "HEDDLE_OVERHEAD=off", "HEDDLE_TEST_WINDOWS=20,100,3,4",
                                    NULL};
static const struct fk_options sweeps[] = {{.environment = follow}, {.environment = tiny}, {.environment = small}};

static void check_seeds(const char *what, struct rp_options program) {
  const unsigned long only = number("HEDDLE_SEED", 0), last = only ? only : number("HEDDLE_SEEDS", 100);
  program.no_pauses = true;
  for (unsigned long seed = only ? only : 1; seed <= last; seed++) {
    const char *difference = check(seed, &program, &sweeps[seed % 3]);
    if (difference)
      fail_msg("%s: seed %lu: %s", what, seed, difference);
  }
}

static void test_random_programs_without_tasks_match_the_oracle(void **state) {
  (void)state;
  check_seeds("no tasks", (struct rp_options){.no_tasks = true});
  check_seeds("no tasks, recursive", (struct rp_options){.no_tasks = true, .recursive = true});
}

static void test_random_programs_match_the_oracle(void **state) {
  (void)state;
  check_seeds("tasks", (struct rp_options){0});
  check_seeds("tasks, routines", (struct rp_options){.routines = true});
  check_seeds("tasks, large", (struct rp_options){.large_teams = true, .events = 3000});
}

static void test_random_dependences_match_the_oracle(void **state) {
  (void)state;
  check_seeds("dependences", (struct rp_options){.dependences = true, .flat = true});
  check_seeds("dependences, nested regions", (struct rp_options){.dependences = true, .large_teams = true});
  check_seeds("dependences, many", (struct rp_options){.dependences = true, .flat = true, .events = 4000});
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_programs_without_tasks_match_the_oracle),
      cmocka_unit_test(test_random_programs_match_the_oracle),
      cmocka_unit_test(test_random_dependences_match_the_oracle),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
