/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Each request for memory or file space fails, alone, or with the next, or with all that follow: the program goes on,
 * and what is in the profile is right. */
#include <stdlib.h>
#include <sys/wait.h>

#include "expect.h"
#include "oracle.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "random_program.h"
#include "script.h"

enum { MOST_REQUESTS = 200 };
enum { DECLINED = 90 }; /* the child's status when the tool said no at its start (fake_player.h) */

enum outcome { DECLINES, LOSES, LOSES_NOTHING };

static enum outcome outcome_of(const struct hd_model *model, uint32_t n) {
  const struct hd_file_header *header = &model->header;
  if (header->lost_threads || header->folded_paths || header->shortened_paths || header->lost_tallies ||
      header->lost_overlap_ticks || header->lost_entries || (header->flags & HD_FILE_FULL))
    return LOSES;
  struct or_result *oracle = or_run(sc_script(), 0);
  const char *difference = or_difference(oracle, model);
  if (difference)
    fail_msg("request %u: nothing is said to be lost, but %s", n, difference);
  or_free(oracle);
  return LOSES_NOTHING;
}

static enum outcome play_failing(uint32_t n, uint32_t count) {
  const struct fk_options options = {.failing_allocation = n, .failing_allocations = count};
  struct fk_result result = fk_play(sc_script(), &options);
  struct hd_model *model = NULL;
  char error[300] = "";
  if (WIFEXITED(result.status) && WEXITSTATUS(result.status) == DECLINED)
    return DECLINES;
  if (result.status != 0 || !hd_profile_open(result.path, &model, error, sizeof error))
    fail_msg("request %u: status %x %s", n, (unsigned)result.status, error);
  const char *broken = ex_broken_identity(model, result.path);
  if (broken)
    fail_msg("request %u: %s", n, broken);
  enum outcome outcome = outcome_of(model, n);
  hd_model_free(model);
  return outcome;
}

/* Not every failed request costs something: a hash table or an edge cache that cannot grow is only slower. */
static void test_any_failed_request_leaves_a_whole_profile(void **state) {
  (void)state;
  static const uint32_t in_a_row[] = {1, 2, UINT32_MAX}; /* Heddle tries with less when it does not get what it wants */
  uint32_t counts[3] = {0};
  if (!fk_can_fail_allocations())
    skip();
  for (uint64_t seed = 1; seed <= 4; seed++) {
    /* The last is so long that sweeps need space, too. */
    rp_generate(seed, &(struct rp_options){.recursive = seed & 1, .events = seed == 4 ? 20000 : 0});
    for (uint32_t n = 1; n <= MOST_REQUESTS; n++)
      counts[play_failing(n, in_a_row[n % 3])]++;
  }
  assert_true(counts[DECLINES] > 0);
  assert_true(counts[LOSES] > 0);
  assert_true(counts[LOSES_NOTHING] > 0);
}

enum { SITES = 1500 };

static uint64_t site_at(uint32_t i) {
  return 0x1000 + 0x100 * (uint64_t)i;
}

/* For a tick. */
static void play_region(uint64_t code, uint32_t team_size, uint64_t now) {
  sc_fork(code, team_size, 1, now);
  if (team_size == 2) {
    sc_thread(1);
    sc_join_begin();
    sc_thread(0);
  }
  sc_join(now, now, now + 1);
}

/* Regions and loops of ever new sites inside one region; then the same regions with another team. What there is no
 * space for must not add to the totals of what surrounds it, nor have levels without totals. */
static void generate_many_sites(void) {
  uint64_t now = 1;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  play_region(0x50, 2, 0); /* the other thread's room is taken by now */
  sc_fork(0x100, 1, 1, now);
  for (uint32_t i = 0; i < SITES; i++) {
    play_region(site_at(i), 1, now);
    sc_work_begin(ompt_work_loop_static, site_at(i) + 0x10);
    sc_at(now + 3);
    sc_work_end(ompt_work_loop_static, site_at(i) + 0x20);
    sc_barrier_begin(sc_work_barrier(), site_at(i) + 0x30);
    sc_at(now += 4);
    sc_barrier_end(sc_work_barrier(), site_at(i) + 0x30);
  }
  for (uint32_t i = 0; i < SITES; i++)
    play_region(site_at(i), 2, now++);
  sc_join(now, now, now);
  sc_finish();
}

static void test_what_finds_no_space_is_not_in_its_parents_totals(void **state) {
  (void)state;
  static const char *const limits[][2] = {{"HEDDLE_MEMORY=0"}, {"HEDDLE_MEMORY=400k"}, {"HEDDLE_MEMORY=500k"}};
  generate_many_sites();
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct hd_model *model = ex_play_rough(&(struct fk_options){.environment = limits[i]});
    assert_true(model->header.folded_paths > 0);
    assert_int_equal(model->header.lost_tallies, 0); /* so levels were compared */
    assert_int_equal(ex_node(model, SITE(PARALLEL, 0x100))->team.elapsed_ticks, model->elapsed_ticks - 1);
    hd_model_free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_failed_request_leaves_a_whole_profile),
      cmocka_unit_test(test_what_finds_no_space_is_not_in_its_parents_totals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
