/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random programs in which classes of events are switched off and on keep what is known of their regions.
 * HEDDLE_SEEDS=n plays n programs (default 100), HEDDLE_SEED=n only that one, with its script on stderr. */
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "output/model/memory.h"
#include "random_program.h"
#include "script.h"
#include "switched_program.h"

struct region_sums {
  uint64_t instances;
  uint64_t elapsed_ticks;
  uint64_t capacity_ticks;
};

static struct region_sums sums_of(const struct hd_model *model, uint64_t address) {
  struct region_sums sums = {0};
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    if ((node->kind != HD_KIND_PARALLEL && node->kind != HD_KIND_TEAMS) || node->address != address)
      continue;
    sums.instances += node->team.instances;
    sums.elapsed_ticks += node->team.elapsed_ticks;
    sums.capacity_ticks += node->team.capacity_ticks;
  }
  return sums;
}

static void expect_same_regions(const struct hd_model *all, const struct hd_model *some, uint64_t seed, bool times) {
  for (uint32_t i = 0; i < all->node_count; i++) {
    const struct hd_node *node = &all->nodes[i];
    if (node->kind != HD_KIND_PARALLEL && node->kind != HD_KIND_TEAMS)
      continue;
    const struct region_sums a = sums_of(all, node->address), b = sums_of(some, node->address);
    if (times ? memcmp(&a, &b, sizeof a) != 0 : a.instances != b.instances)
      fail_msg("seed %llu: region %llx: %llu instances, %llu elapsed; without switches %llu, %llu",
               (unsigned long long)seed, (unsigned long long)node->address, (unsigned long long)b.instances,
               (unsigned long long)b.elapsed_ticks, (unsigned long long)a.instances,
               (unsigned long long)a.elapsed_ticks);
  }
  assert_int_equal(all->thread_count, some->thread_count);
  for (uint32_t i = 0; i < all->thread_count; i++) {
    assert_int_equal(all->threads[i].begin_ticks, some->threads[i].begin_ticks);
    assert_int_equal(all->threads[i].end_ticks, some->threads[i].end_ticks);
  }
}

/* Identities, and that nothing is unmatched, ex_play looks after. Of recursive programs the callpaths fold differently
 * when something is missing from them, and so do elapsed times, which are counted once for each callpath. */
static void check_all(uint64_t seed) {
  const struct rp_options program = {.recursive = seed % 2, .large_teams = seed % 5 == 0, .routines = seed % 3 == 0};
  rp_generate(seed, &program);
  sw_name_sections(sc_script());
  struct hd_model *all = ex_play();
  sw_add(sc_script(), seed, UINT32_MAX);
  if (getenv("HEDDLE_SEED"))
    fk_print(sc_script());
  struct hd_model *some = ex_play();
  expect_same_regions(all, some, seed, !program.recursive);
  hd_model_free(all);
  hd_model_free(some);
}

static void test_random_programs_keep_their_regions(void **state) {
  (void)state;
  sw_play_seeds(check_all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_programs_keep_their_regions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
