/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The limit on Heddle's own memory: programs with up to a million callpaths, whose every tick and visit is known.
 * harness/random/walk.h is what they do. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "expect.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "script.h"
#include "walk.h"

/* ---- playing ---- */

struct played {
  const struct walk *walk;
  uint64_t *most_bytes; /* shared with the child */
};

static void play_live(void *context) {
  const struct played *played = context;
  take_walk(played->walk, true);
  *played->most_bytes = fk_memory_most();
}

static uint64_t most_bytes; /* in use at a time in the last play */

static struct hd_model *play(const struct walk *walk, const char *memory, const char *depth) {
  char variable[64];
  snprintf(variable, sizeof variable, "HEDDLE_MEMORY=%s", memory);
  const char *const environment[] = {variable, NULL};
  uint64_t *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(shared != MAP_FAILED);
  struct played played = {walk, shared};
  struct fk_options options = {.environment = environment, .depth = depth, .live = play_live, .live_context = &played};
  sc_start(SC_LIBOMP_19);
  struct fk_result result = fk_play(sc_script(), &options);
  assert_int_equal(result.status, 0);
  most_bytes = *shared;
  munmap(shared, sizeof *shared);
  struct hd_model *model;
  char error[300];
  if (!hd_profile_open(result.path, &model, error, sizeof error))
    fail_msg("%s", error);
  const char *broken = ex_broken_identity(model, result.path);
  if (broken)
    fail_msg("%s", broken);
  take_walk(walk, false);
  return model;
}

/* ---- checks ---- */

static uint32_t part_of(const struct hd_node *node) {
  for (uint32_t site = 0; site < MOST_SITES; site++)
    if (kind_of(site) == (enum hd_kind)node->kind && code_of(site) == ex_code(node))
      return site;
  return REGION;
}

/* Below the program one site, below that a second, and nothing else: whole paths are apart. */
static void assert_shortened_are_short(const struct hd_model *model) {
  for (uint32_t i = 1; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    const bool shortened = node->flags & HD_PROFILE_SHORTENED;
    const bool below_one = model->nodes[node->parent].flags & HD_PROFILE_SHORTENED;
    assert_true(!shortened || node->depth <= 2);
    assert_true(below_one ? shortened : !shortened || node->parent == 0);
  }
}

static void assert_no_thread_lacks_time(const struct hd_model *model) {
  const struct walk *walk = state.walk;
  assert_int_equal(model->header.lost_threads, 0);
  assert_int_equal(model->header.lost_tallies, 0);
  assert_int_equal(model->header.lost_entries, 0);
  assert_int_equal(model->header.unmatched_events + model->header.unmatched_phases + model->header.unmatched_routines,
                   0);
  assert_int_equal(model->thread_count, walk->threads);
  assert_shortened_are_short(model);
  for (uint32_t i = 0; i < walk->threads; i++) {
    const struct hd_model_thread *thread = &model->threads[i];
    uint64_t busy = 0, waited = 0;
    for (uint32_t a = 0; a < PARTS; a++)
      for (uint32_t b = 0; b < PARTS; b++)
        busy += state.counts[i].busy[a][b];
    for (uint32_t site = 0; site < walk->sites; site++)
      waited += state.counts[i].waited[site];
    assert_int_equal(thread->ticks[HD_WAIT_CRITICAL], waited);
    assert_int_equal(thread->ticks[HD_BUSY], busy);
  }
}

/* By site, whatever is around it. */
static void assert_every_site_has_its_own(const struct hd_model *model) {
  uint64_t busy[PARTS] = {0}, waited[PARTS] = {0}, visits[PARTS] = {0};
  for (uint32_t i = 1; i < model->node_count; i++) {
    const uint32_t part = part_of(&model->nodes[i]);
    busy[part] += model->nodes[i].ticks[HD_BUSY];
    waited[part] += model->nodes[i].ticks[HD_WAIT_CRITICAL];
    visits[part] += model->nodes[i].visits;
  }
  for (uint32_t site = 0; site < state.walk->sites; site++) {
    struct counts sum = {0};
    uint64_t expected = 0;
    for (uint32_t thread = 0; thread < state.walk->threads; thread++) {
      for (uint32_t a = 0; a < PARTS; a++)
        expected += state.counts[thread].busy[a][site];
      sum.waited[site] += state.counts[thread].waited[site];
      sum.visits[site] += state.counts[thread].visits[site];
    }
    assert_int_equal(busy[site], expected);
    assert_int_equal(waited[site], sum.waited[site]);
    assert_int_equal(visits[site], sum.visits[site]);
  }
}

/* By the last two sites. */
static void assert_every_pair_has_its_own(const struct hd_model *model) {
  static uint64_t busy[PARTS][PARTS];
  memset(busy, 0, sizeof busy);
  for (uint32_t i = 1; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    busy[part_of(&model->nodes[node->parent])][part_of(node)] += node->ticks[HD_BUSY];
  }
  for (uint32_t a = 0; a < PARTS; a++)
    for (uint32_t b = 0; b < state.walk->sites; b++) {
      uint64_t expected = 0;
      for (uint32_t thread = 0; thread < state.walk->threads; thread++)
        expected += state.counts[thread].busy[a][b];
      if (busy[a][b] != expected)
        fail_msg("site %u in %u: %" PRIu64 ", not %" PRIu64, b, a, busy[a][b], expected);
    }
}

static void assert_within_limit(const struct hd_model *model, uint64_t limit) {
  assert_int_equal(model->header.memory_limit_bytes, limit);
  assert_in_range(model->header.memory_bytes, 1, limit);
  if (fk_can_fail_allocations())
    assert_in_range(most_bytes, 1, limit);
}

static void say(const struct hd_model *model) {
  if (getenv("HEDDLE_TEST_VERBOSE"))
    print_message("%" PRIu64 " of %" PRIu64 " bytes, at most %" PRIu64 "; %u profiles, %" PRIu64 " shortened, %" PRIu64
                  " folded, flags %x\n",
                  model->header.memory_bytes, model->header.memory_limit_bytes, most_bytes, model->node_count,
                  model->header.shortened_paths, model->header.folded_paths, model->header.flags);
}

static bool has_note(const struct hd_model *model, const char *part) {
  for (uint32_t i = 0; i < model->notes.count; i++)
    if (strstr(model->notes.items[i], part))
      return true;
  return false;
}

/* Phases for whose names there was no room are one. */
static bool has_other_phases(const struct hd_model *model) {
  for (uint32_t i = 1; i < model->node_count; i++)
    if (model->nodes[i].kind == HD_KIND_PHASE && part_of(&model->nodes[i]) == REGION)
      return true;
  return false;
}

static uint32_t count_shortened(const struct hd_model *model) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < model->node_count; i++)
    count += (model->nodes[i].flags & HD_PROFILE_SHORTENED) && model->nodes[i].depth == 2;
  return count;
}

/* ---- tests ---- */

static uint64_t default_limit(uint32_t threads) {
  return (4 << 20) + (uint64_t)threads * (64 << 10);
}

static void test_a_million_callpaths_fit_into_the_default(void **unused) {
  (void)unused;
  const struct walk walk = {
      .threads = 4, .sites = 20, .depth = 5, .paths = fk_can_fail_allocations() ? 1000000 : 50000};
  struct hd_model *model = play(&walk, "", NULL);
  say(model);
  assert_within_limit(model, default_limit(4));
  assert_no_thread_lacks_time(model);
  assert_every_site_has_its_own(model);
  assert_every_pair_has_its_own(model);
  assert_int_equal(model->header.folded_paths, 0);
  assert_true(model->header.shortened_paths > 100);
  assert_true(model->header.shortened_paths <= count_shortened(model));
  assert_true(model->node_count > 1000);
  assert_true(has_note(model, "HEDDLE_MEMORY"));
  hd_model_free(model);
}

/* What there is room for is whole paths: nothing is said. */
static void test_enough_memory_shortens_nothing(void **unused) {
  (void)unused;
  const struct walk walk = {.threads = 4, .sites = 20, .depth = 5, .paths = 1000};
  struct hd_model *model = play(&walk, "", NULL);
  say(model);
  assert_within_limit(model, default_limit(4));
  assert_no_thread_lacks_time(model);
  assert_every_pair_has_its_own(model);
  assert_int_equal(model->header.shortened_paths + model->header.folded_paths, 0);
  assert_int_equal(count_shortened(model), 0);
  assert_false(has_note(model, "HEDDLE_MEMORY"));
  hd_model_free(model);
}

/* Sites shrink to the last one, and then into what is around: still no time is lost. */
static void test_any_limit_is_kept_and_loses_no_time(void **unused) {
  (void)unused;
  static const char *const limits[] = {"0", "64k", "340k", "512K", "1M", "2MiB", "8M"};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    const struct walk walk = {.threads = 2 + (uint32_t)i % 3, .sites = 24, .depth = 6, .paths = 20000};
    struct hd_model *model = play(&walk, limits[i], NULL);
    const uint64_t bytes[] = {320 << 10, 320 << 10, 340 << 10, 512 << 10, 1 << 20, 2 << 20, 8 << 20};
    say(model);
    assert_within_limit(model, bytes[i] + walk.threads * (64 << 10));
    assert_no_thread_lacks_time(model);
    assert_true(i < 2 || !has_other_phases(model));
    if (model->header.folded_paths == 0 && !(model->header.flags & HD_FILE_FULL) && !has_other_phases(model))
      assert_every_site_has_its_own(model);
    hd_model_free(model);
  }
}

static void test_off_is_no_limit(void **unused) {
  (void)unused;
  const struct walk walk = {.threads = 2, .sites = 20, .depth = 5, .paths = 30000};
  struct hd_model *model = play(&walk, "off", NULL);
  say(model);
  assert_int_equal(model->header.memory_limit_bytes, 0);
  assert_int_equal(model->header.shortened_paths + model->header.folded_paths, 0);
  assert_true(model->header.memory_bytes > 10 << 20);
  assert_int_equal(model->node_count, 30000 + 2);
  assert_every_pair_has_its_own(model);
  hd_model_free(model);
}

/* Many threads have little room each for what others have seen before them. */
static void test_many_threads_have_room_each(void **unused) {
  (void)unused;
  const struct walk walk = {.threads = 16, .sites = 20, .depth = 5, .paths = 200000};
  struct hd_model *model = play(&walk, "", NULL);
  say(model);
  assert_within_limit(model, default_limit(16));
  assert_no_thread_lacks_time(model);
  if (model->header.folded_paths == 0)
    assert_every_site_has_its_own(model);
  hd_model_free(model);
}

/* A thread in routines and in regions of its own inside the team's takes its 64 KiB up: the team has no room for more
 * than the last sites, if that. Without regions of its own it has. */
static void test_1024_threads_have_room_each(void **unused) {
  (void)unused;
  const struct walk walks[] = {{.threads = MOST_THREADS, .sites = 12, .depth = 4, .paths = 60000},
                               {.threads = MOST_THREADS, .sites = 4, .depth = 3, .paths = 60000}};
  for (size_t i = 0; i < 2; i++) {
    struct hd_model *model = play(&walks[i], "", NULL);
    say(model);
    assert_within_limit(model, default_limit(MOST_THREADS));
    assert_no_thread_lacks_time(model);
    if (i == 1)
      assert_every_site_has_its_own(model);
    hd_model_free(model);
  }
}

/* Sites without end: names that there is no room for are told together. */
static void test_phases_without_end_lose_no_time(void **unused) {
  (void)unused;
  const struct walk walk = {.threads = 3, .sites = 20, .depth = 5, .paths = 200000, .named = true};
  struct hd_model *model = play(&walk, "", NULL);
  say(model);
  assert_within_limit(model, default_limit(3));
  assert_no_thread_lacks_time(model);
  hd_model_free(model);
}

static void test_bounded_depth_is_kept_within_the_limit(void **unused) {
  (void)unused;
  static const char *const depths[] = {"1", "2", "4"};
  for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
    const struct walk walk = {.threads = 2, .sites = 24, .depth = 5, .paths = 50000};
    struct hd_model *model = play(&walk, i == 2 ? "6M" : "", depths[i]);
    say(model);
    assert_no_thread_lacks_time(model);
    assert_every_site_has_its_own(model);
    assert_in_range(model->header.memory_bytes, 1, model->header.memory_limit_bytes);
    if (i > 0)
      assert_every_pair_has_its_own(model);
    hd_model_free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_million_callpaths_fit_into_the_default),
      cmocka_unit_test(test_enough_memory_shortens_nothing),
      cmocka_unit_test(test_any_limit_is_kept_and_loses_no_time),
      cmocka_unit_test(test_off_is_no_limit),
      cmocka_unit_test(test_many_threads_have_room_each),
      cmocka_unit_test(test_1024_threads_have_room_each),
      cmocka_unit_test(test_phases_without_end_lose_no_time),
      cmocka_unit_test(test_bounded_depth_is_kept_within_the_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
