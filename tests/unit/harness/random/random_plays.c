/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "random_plays.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "expect.h"
#include "oracle.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "script.h"
#include "switched_program.h"

static unsigned long seed_count(void) {
  const char *text = getenv("HEDDLE_SEEDS");
  return text ? strtoul(text, NULL, 10) : 100;
}

static struct hd_model *play_seed(const struct fk_options *options) {
  struct fk_result result = fk_play(sc_script(), options);
  struct hd_model *model = NULL;
  char error[300] = "no profile was left";
  if (WIFEXITED(result.status) && WEXITSTATUS(result.status) != 0)
    print_error("the child ended with status %d\n", WEXITSTATUS(result.status));
  else if (WIFSIGNALED(result.status) && WTERMSIG(result.status) != 9)
    print_error("the child was killed by signal %d\n", WTERMSIG(result.status));
  else if (!hd_profile_open(result.path, &model, error, sizeof error))
    print_error("%s\n", error);
  const char *broken = model ? ex_broken_identity(model, result.path) : "no profile";
  if (!broken && model->header.unmatched_events + model->header.unknown_events + model->header.folded_paths +
                         model->header.lost_tallies >
                     0)
    broken = "unmatched or unknown events, or something was lost";
  if (!broken)
    return model;
  print_error("%s\n", broken);
  hd_model_free(model);
  return NULL;
}

/* p * elapsed of every region is what its threads did in it: busy, waiting, runtime, and idle before and after. */
static bool capacity_is_told(const struct hd_model *model) {
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    uint64_t told = hd_ticks_all(node->inclusive_ticks) + node->team.idle_ticks;
    if (node->kind != HD_KIND_PARALLEL && node->kind != HD_KIND_TEAMS)
      continue;
    if (node->team.open_instances > 0) /* killed, perhaps before its team size was known */
      continue;
    if (told != node->team.capacity_ticks) {
      print_error("node %u: capacity %llu, told %llu\n", i, (unsigned long long)node->team.capacity_ticks,
                  (unsigned long long)told);
      return false;
    }
  }
  return true;
}

/* HEDDLE_THREADS_APART of a play, if it stands first. */
static unsigned apart_of(const struct fk_options *options) {
  const char *value = options->environment ? strstr(options->environment[0], "THREADS_APART=") : NULL;
  return value ? (unsigned)atoi(strchr(value, '=') + 1) : UINT_MAX;
}

static unsigned number(const char *text, unsigned otherwise) {
  return text ? (unsigned)atoi(text) : otherwise;
}

/* Turns last a million ticks: some of the program's steps shall be longer, some shorter. */
static void make_long(struct fk_script *script) {
  for (size_t i = 0; i < script->count; i++)
    script->events[i].time *= 30000;
}

static bool check_seed(uint64_t seed, const struct rp_options *program, const struct fk_options *options) {
  rp_generate(seed, program);
  if (program->switched) {
    sw_name_sections(sc_script());
    sw_add(sc_script(), seed, program->switched);
  }
  if (options->take_turns)
    make_long(sc_script());
  if (getenv("HEDDLE_SEED"))
    fk_print(sc_script());
  struct hd_model *model = play_seed(options);
  if (!model)
    return false;
  struct or_result *oracle =
      or_run_apart(sc_script(), number(options->depth, 0), number(options->cycle_limit, 1), apart_of(options));
  const char *difference = or_difference(oracle, model);
  if (!difference && options->counters)
    difference = or_counts_difference(oracle, model);
  if (difference)
    print_error("%s\n", difference);
  bool right = !difference && (!program->flat || capacity_is_told(model));
  or_free(oracle);
  hd_model_free(model);
  return right;
}

void pl_check(const char *what, struct rp_options program, const struct fk_options *variants, unsigned count) {
  program.routines = true;
  const char *only = getenv("HEDDLE_SEED");
  unsigned long failed = 0;
  unsigned long first = only ? strtoul(only, NULL, 10) : 1;
  unsigned long last = only ? first : seed_count();
  for (unsigned long seed = first; seed <= last && failed < 5; seed++) {
    if (check_seed(seed, &program, &variants[seed % count]))
      continue;
    print_error("%s: seed %lu failed; again with HEDDLE_SEED=%lu\n", what, seed, seed);
    failed++;
  }
  assert_int_equal(failed, 0);
}
