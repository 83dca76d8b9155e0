/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* "Collect at depth k = fold to depth k": the same random program is played with HEDDLE_CALLPATH_DEPTH=k and in full.
 * The full profile is folded here, by brute force, and by hd_callpath_truncate(); all three must be the same in every
 * number.
 *
 * Times that are counted once for what lies inside itself (a region's elapsed time, a routine's from entry to exit) are
 * no sums: what is outermost in one callpath may lie inside another that becomes the same. They are compared where that
 * cannot be: in programs without recursion, and for routines also without tasks, which run on top of each other.
 * HEDDLE_SEED=n plays only that program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "output/analysis/callpaths/callpath_truncate.h"
#include "output/model/lazy_rows.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "random_program.h"
#include "script.h"

enum { MOST_SITES = 64, MOST_LEVELS = 128 };

/* What is compared besides sums. */
struct scope {
  bool region_times;
  bool routine_times;
};

/* Of one thread, or of all. */
struct numbers {
  uint64_t visits;
  uint64_t ticks[HD_STATE_COUNT];
  struct hd_entries entries;
};

/* A callpath with all its numbers. */
struct entry {
  struct ex_site sites[MOST_SITES];
  uint32_t count;
  struct numbers all;
  struct numbers *threads;
  uint64_t visits_concurrent;
  uint64_t team[7]; /* instances, open, elapsed, capacity, busy, largest, idle */
  uint64_t busy_at[MOST_LEVELS];
  uint64_t elapsed_at[MOST_LEVELS];
};

struct picture {
  struct entry *entries;
  uint32_t count;
  uint32_t thread_count;
};

/* ---- a profile's picture, folded or as it is ---- */

static uint32_t sites_of(const struct hd_model *model, const struct hd_node *node, struct ex_site *sites) {
  if (node->id == 0)
    return 0;
  uint32_t count = sites_of(model, &model->nodes[node->parent], sites);
  if (count == MOST_SITES)
    abort();
  sites[count] = (struct ex_site){hd_kind_of_site(node->kind), ex_code(node)};
  return count + 1;
}

static struct entry *entry_of(struct picture *picture, const struct ex_site *sites, uint32_t count) {
  for (uint32_t i = 0; i < picture->count; i++) {
    struct entry *entry = &picture->entries[i];
    bool same = entry->count == count;
    for (uint32_t j = 0; j < count && same; j++)
      same = entry->sites[j].kind == sites[j].kind && entry->sites[j].code == sites[j].code;
    if (same)
      return entry;
  }
  struct entry *entry = &picture->entries[picture->count++];
  entry->count = count;
  memcpy(entry->sites, sites, count * sizeof *sites);
  entry->threads = calloc(picture->thread_count + 1, sizeof *entry->threads);
  assert_non_null(entry->threads);
  return entry;
}

static void add(struct numbers *sum, uint64_t visits, const uint64_t *ticks, const struct hd_entries *entries) {
  sum->visits += visits;
  for (int i = 0; i < HD_STATE_COUNT; i++)
    sum->ticks[i] += ticks[i];
  for (int caller = 0; caller < HD_ENTRY_STATES; caller++)
    for (int own = 0; own < HD_ENTRY_STATES; own++) {
      sum->entries.visits[caller][own] += entries->visits[caller][own];
      sum->entries.ticks[caller][own] += entries->ticks[caller][own];
    }
}

static void add_node(const struct hd_model *model, const struct hd_node *node, struct entry *to) {
  const struct hd_team_totals *team = &node->team;
  const uint64_t totals[] = {team->instances,  team->open_instances, team->elapsed_ticks, team->capacity_ticks,
                             team->busy_ticks, team->busy_max_ticks, team->idle_ticks};
  add(&to->all, node->visits, node->ticks, &node->entries);
  to->visits_concurrent += node->visits_concurrent;
  for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
    to->team[i] += totals[i];
  assert_true(node->busy_at.count <= MOST_LEVELS && node->elapsed_at.count <= MOST_LEVELS);
  for (uint32_t k = 0; k < node->busy_at.count; k++)
    to->busy_at[k] += node->busy_at.ticks[k];
  for (uint32_t k = 0; k < node->elapsed_at.count; k++)
    to->elapsed_at[k] += node->elapsed_at.ticks[k];
  for (uint32_t i = 0; i < node->row_count; i++) {
    const struct hd_row *row = &model->rows[node->row_first + i];
    add(&to->threads[row->thread], row->visits, row->ticks, &row->entries);
  }
}

static struct picture picture_of(const struct hd_model *model, uint32_t depth) {
  struct picture picture = {.entries = calloc(model->node_count + 1, sizeof(struct entry)),
                            .thread_count = model->thread_count};
  assert_non_null(picture.entries);
  hd_model_need_rows(model);
  for (uint32_t i = 0; i < model->node_count; i++) {
    struct ex_site sites[MOST_SITES];
    uint32_t count = sites_of(model, &model->nodes[i], sites);
    uint32_t drop = count > depth ? count - depth : 0;
    add_node(model, &model->nodes[i], entry_of(&picture, sites + drop, count - drop));
  }
  return picture;
}

static void free_picture(struct picture *picture) {
  for (uint32_t i = 0; i < picture->count; i++)
    free(picture->entries[i].threads);
  free(picture->entries);
}

/* ---- comparison ---- */

static bool differ(const struct entry *entry, const char *what, uint32_t index, const uint64_t *a, const uint64_t *b,
                   size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (a[i] == b[i])
      continue;
    for (uint32_t j = 0; j < entry->count; j++)
      print_error("/%u@%llx", entry->sites[j].kind, (unsigned long long)entry->sites[j].code);
    print_error(": %s %u [%zu]: collected %llu, folded %llu\n", what, index, i, (unsigned long long)a[i],
                (unsigned long long)b[i]);
    return true;
  }
  return false;
}

static bool numbers_differ(const struct entry *entry, uint32_t thread, const struct numbers *a, const struct numbers *b,
                           struct scope scope) {
  enum { CELLS = HD_ENTRY_STATES * HD_ENTRY_STATES };
  return differ(entry, "visits", thread, &a->visits, &b->visits, 1) ||
         differ(entry, "ticks", thread, a->ticks, b->ticks, HD_STATE_COUNT) ||
         differ(entry, "entries", thread, a->entries.visits[0], b->entries.visits[0], CELLS) ||
         (scope.routine_times &&
          differ(entry, "time of entries", thread, a->entries.ticks[0], b->entries.ticks[0], CELLS));
}

static bool is_region(const struct entry *entry) {
  uint32_t kind = entry->count ? entry->sites[entry->count - 1].kind : HD_KIND_PROGRAM;
  return kind == HD_KIND_PARALLEL || kind == HD_KIND_TEAMS;
}

static bool entries_differ(const struct entry *a, const struct entry *b, uint32_t thread_count, struct scope scope) {
  bool times = scope.region_times || !is_region(a);
  bool differs = numbers_differ(a, HD_NONE, &a->all, &b->all, scope) ||
                 differ(a, "concurrent visits", HD_NONE, &a->visits_concurrent, &b->visits_concurrent, 1) ||
                 differ(a, "instances", HD_NONE, a->team, b->team, 2) ||
                 differ(a, "busy at", HD_NONE, a->busy_at, b->busy_at, MOST_LEVELS) ||
                 (times && (differ(a, "team", HD_NONE, a->team, b->team, 7) ||
                            differ(a, "elapsed at", HD_NONE, a->elapsed_at, b->elapsed_at, MOST_LEVELS)));
  for (uint32_t i = 0; i < thread_count && !differs; i++)
    differs = numbers_differ(a, i, &a->threads[i], &b->threads[i], scope);
  return differs;
}

/* A callpath of `a` that `b` lacks must be a step on the way to another one: without numbers. */
static bool pictures_differ(const struct picture *a, struct picture *b, struct scope scope) {
  bool differs = a->thread_count != b->thread_count;
  for (uint32_t i = 0; i < a->count && !differs; i++) {
    const struct entry *entry = &a->entries[i];
    differs = entries_differ(entry, entry_of(b, entry->sites, entry->count), a->thread_count, scope);
  }
  return differs;
}

/* Room in each for what only the other has. */
static bool models_differ(const struct hd_model *a, const struct hd_model *b, uint32_t depth, struct scope scope) {
  struct picture left = picture_of(a, depth), right = picture_of(b, depth);
  size_t limit = (size_t)left.count + right.count + 1;
  struct picture *both[] = {&left, &right};
  for (int i = 0; i < 2; i++) {
    struct entry *grown = realloc(both[i]->entries, limit * sizeof *grown);
    assert_non_null(grown);
    memset(grown + both[i]->count, 0, (limit - both[i]->count) * sizeof *grown);
    both[i]->entries = grown;
  }
  bool differs = pictures_differ(&left, &right, scope) || pictures_differ(&right, &left, scope);
  free_picture(&left);
  free_picture(&right);
  return differs;
}

/* ---- programs ---- */

static struct hd_model *play(const struct rp_options *program, const char *depth, const char *cycle_limit) {
  const struct fk_options options = {.depth = depth, .cycle_limit = cycle_limit};
  struct fk_result result = fk_play(sc_script(), &options);
  struct hd_model *model = NULL;
  char error[300] = "";
  if (!program->killed && result.status)
    fail_msg("the child ended with wait status %x", (unsigned)result.status);
  if (!hd_profile_open(result.path, &model, error, sizeof error))
    fail_msg("%s", error);
  return model;
}

static void check(uint64_t seed, const struct rp_options *program, const char *depth, const char *cycle_limit,
                  struct scope scope) {
  rp_generate(seed, program);
  struct hd_model *collected = play(program, depth, cycle_limit);
  struct hd_model *full = play(program, NULL, cycle_limit);
  uint32_t k = (uint32_t)atoi(depth);
  if (models_differ(collected, full, k, scope))
    fail_msg("seed %llu, depth %s: collecting is not folding", (unsigned long long)seed, depth);
  hd_callpath_truncate(full, k);
  for (uint32_t i = 0; i < full->node_count; i++)
    assert_true(full->nodes[i].depth <= k);
  if (models_differ(collected, full, MOST_SITES, scope))
    fail_msg("seed %llu, depth %s: collecting is not hd_callpath_truncate()", (unsigned long long)seed, depth);
  hd_model_free(collected);
  hd_model_free(full);
}

static void check_seeds(struct rp_options program, const char *cycle_limit, struct scope scope) {
  static const char *const depths[] = {"1", "2", "3", "5"};
  const char *only = getenv("HEDDLE_SEED");
  const char *many = getenv("HEDDLE_SEEDS");
  uint64_t first = only ? strtoull(only, NULL, 10) : 1;
  uint64_t last = only ? first : many ? strtoull(many, NULL, 10) : 40;
  program.routines = true;
  for (uint64_t seed = first; seed <= last; seed++) {
    const char *depth = depths[seed % 4];
    if (program.recursive && cycle_limit &&
        atoi(depth) > atoi(cycle_limit)) /* folding needs so many sites of a cycle apart */
      depth = cycle_limit;
    check(seed, &program, depth, cycle_limit, scope);
  }
}

static const struct scope all = {true, true}, regions_too = {true, false}, sums = {false, false};

static void test_folding_is_collecting(void **state) {
  (void)state;
  check_seeds((struct rp_options){.no_tasks = true}, NULL, all);
}

static void test_folding_is_collecting_with_tasks(void **state) {
  (void)state;
  check_seeds((struct rp_options){.large_teams = true}, NULL, regions_too);
}

static void test_folding_is_collecting_in_killed_programs(void **state) {
  (void)state;
  check_seeds((struct rp_options){.no_tasks = true, .killed = true}, NULL, all);
}

static void test_folding_is_collecting_up_to_the_cycle_limit(void **state) {
  (void)state;
  check_seeds((struct rp_options){.recursive = true}, "1", sums);
  check_seeds((struct rp_options){.recursive = true}, "2", sums);
  check_seeds((struct rp_options){.recursive = true}, "3", sums);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_folding_is_collecting),
      cmocka_unit_test(test_folding_is_collecting_with_tasks),
      cmocka_unit_test(test_folding_is_collecting_in_killed_programs),
      cmocka_unit_test(test_folding_is_collecting_up_to_the_cycle_limit),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
