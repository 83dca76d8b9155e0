/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The limit on Heddle's own memory: programs with up to a million callpaths, whose every tick and visit is known.
 *
 * The threads of one team go through the tree of all paths of different sites, in turn, one step each: routines,
 * phases, tasks, critical sections and serialised regions inside each other. Nothing of that is kept as a script: the
 * child sends it as it goes, the parent counts the same walk. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "expect.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
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
static enum hd_kind kind_of(uint32_t site) {
  static const enum hd_kind kinds[] = {HD_KIND_ROUTINE, HD_KIND_PHASE, HD_KIND_TASK, HD_KIND_CRITICAL,
                                       HD_KIND_PARALLEL};
  return kinds[site % 5];
}

static uint64_t code_of(uint32_t site) {
  return kind_of(site) == HD_KIND_PHASE ? 100 + site : 0x10000 + 0x100 * site;
}

static uint32_t phase_number(uint32_t site) {
  return state.walk->named ? (uint32_t)(1000 + state.entered) : (uint32_t)code_of(site);
}

/* ---- events ---- */

static void send(void) {
  struct fk_script *script = sc_script();
  for (size_t i = 0; state.plays && i < script->count; i++)
    fk_send(&script->events[i]);
  script->count = 0;
}

/* Numbers of tasks and regions are used again. */
static void number(uint32_t thread, uint32_t depth) {
  sc_script()->task_count = IDS + thread * 2 * MOST_DEPTH + 2 * depth;
  sc_script()->region_count = IDS + thread * 2 * MOST_DEPTH + depth;
}

static void enter(uint32_t site) {
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

static void leave(uint32_t site) {
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

static uint32_t innermost(const struct position *position) {
  return position->depth ? position->sites[position->depth] : (uint32_t)REGION;
}

static uint32_t around(const struct position *position) {
  return position->depth > 1 ? position->sites[position->depth - 1] : (uint32_t)REGION;
}

static void charge(uint32_t thread) {
  struct position *position = &state.positions[thread];
  state.counts[thread].busy[around(position)][innermost(position)] += state.now - position->since;
  position->since = state.now;
}

static bool is_inside(const struct position *position, uint32_t site) {
  uint32_t regions = kind_of(site) == HD_KIND_PARALLEL;
  for (uint32_t i = 1; i <= position->depth; i++) {
    regions += kind_of(position->sites[i]) == HD_KIND_PARALLEL;
    if (position->sites[i] == site)
      return true;
  }
  return regions > MOST_NESTED;
}

/* The next site to enter from here; `sites`: none. Threads begin with different ones. */
static uint32_t next_site(struct position *position, uint32_t thread) {
  const struct walk *walk = state.walk;
  for (uint32_t i; (i = position->next[position->depth]) < walk->sites;) {
    position->next[position->depth]++;
    const uint32_t site = (i + thread * 7) % walk->sites;
    if (!is_inside(position, site))
      return site;
  }
  return walk->sites;
}

static void go_in(uint32_t thread, uint32_t site) {
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

static void go_out(uint32_t thread) {
  struct position *position = &state.positions[thread];
  charge(thread);
  leave(position->sites[position->depth]);
  position->depth--;
}

static bool step(uint32_t thread) {
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

static void end(uint32_t threads) {
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

static void take_walk(const struct walk *walk, bool plays) {
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
    if (model->header.folded_paths == 0 && !(model->header.flags & HD_FILE_FULL))
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
