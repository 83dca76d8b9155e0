/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_fold.c
 * Callpaths cut to their last sites, and callpaths in focus: nothing is lost, and everything lies where it belongs.
 */
#include "routine_builder.h"

#include "output/analysis/callpaths/callpath_filter.h"
#include "output/analysis/callpaths/callpath_truncate.h"
#include "output/analysis/callpaths/site_regex.h"
#include "output/model/memory.h"

static struct hd_node *node_at(struct hd_model *model, uint32_t parent, const char *name) {
  for (uint32_t i = 1; i < model->node_count; i++)
    if (model->nodes[i].parent == parent && strcmp(model->nodes[i].name.function, name) == 0)
      return &model->nodes[i];
  fail_msg("no %s below %u", name, parent);
  return NULL;
}

/* main > a > k (2 calls, 20), main > b > k (3 calls, 30), k > leaf once from each (1 and 2) */
static struct hd_model *two_callers(void) {
  struct builder builder;
  routines_start(&builder);
  const uint32_t start = routines_call(&builder, 0, "main", 1, 5);
  const uint32_t a = routines_call(&builder, start, "a", 1, 6);
  const uint32_t b = routines_call(&builder, start, "b", 1, 7);
  const uint32_t k_of_a = routines_call(&builder, a, "k", 2, 20);
  const uint32_t k_of_b = routines_call(&builder, b, "k", 3, 30);
  routines_call(&builder, k_of_a, "leaf", 1, 1);
  routines_call(&builder, k_of_b, "leaf", 1, 2);
  routines_entries(&builder, k_of_a)->visits[HD_SEQUENTIAL][HD_CONCURRENT] = 2;
  routines_entries(&builder, k_of_b)->visits[HD_CONCURRENT][HD_CONCURRENT] = 3;
  struct hd_model *model = builder_read(&builder);
  builder_free(&builder);
  return model;
}

static void test_depth_one_joins_all_of_a_site(void **state) {
  (void)state;
  struct hd_model *model = two_callers();
  hd_callpath_truncate(model, 1);
  assert_int_equal(model->node_count, 6);
  const struct hd_node *k = node_at(model, 0, "k");
  assert_int_equal(k->visits, 5);
  assert_int_equal(k->visits_concurrent, 5);
  assert_int_equal(k->entries.visits[HD_SEQUENTIAL][HD_CONCURRENT], 2);
  assert_int_equal(k->ticks[HD_BUSY], 50);
  assert_int_equal(k->inclusive_ticks[HD_BUSY], 50);
  assert_int_equal(k->row_count, 1);
  assert_int_equal(model->rows[k->row_first].visits, 5);
  assert_int_equal(model->rows[k->row_first].ticks[HD_BUSY], 50);
  assert_int_equal(node_at(model, 0, "leaf")->ticks[HD_BUSY], 3);
  assert_int_equal(model->nodes[0].inclusive_ticks[HD_BUSY], 71);
  assert_int_equal(model->header.callpath_depth, 1);
  hd_model_free(model);
}

static void test_depth_two_keeps_the_caller(void **state) {
  (void)state;
  struct hd_model *model = two_callers();
  hd_callpath_truncate(model, 2);
  const struct hd_node *a = node_at(model, 0, "a");
  assert_int_equal(a->visits, 0); /* only as the beginning of a > k */
  assert_int_equal(node_at(model, a->id, "k")->ticks[HD_BUSY], 20);
  assert_int_equal(node_at(model, node_at(model, 0, "b")->id, "k")->visits, 3);
  assert_int_equal(node_at(model, node_at(model, 0, "k")->id, "leaf")->ticks[HD_BUSY], 3);
  assert_int_equal(node_at(model, node_at(model, 0, "main")->id, "a")->ticks[HD_BUSY], 6);
  hd_model_free(model);
}

static void test_what_is_short_already_stays(void **state) {
  (void)state;
  struct hd_model *model = two_callers();
  hd_callpath_truncate(model, 2);
  const uint32_t count = model->node_count;
  hd_callpath_truncate(model, 3);
  assert_int_equal(model->node_count, count);
  assert_int_equal(model->header.callpath_depth, 2);
  hd_model_free(model);
}

/* main > a > b > a again: cut to two sites, the recursive calls are those of a from b. Cut to one, they are calls of a.
 */
static void test_recursive_calls_go_where_their_sites_do(void **state) {
  (void)state;
  for (uint32_t depth = 1; depth <= 2; depth++) {
    struct builder builder;
    routines_start(&builder);
    const uint32_t start = routines_call(&builder, 0, "main", 1, 1);
    const uint32_t a = routines_call(&builder, start, "a", 1, 10);
    const uint32_t b = routines_call(&builder, a, "b", 4, 20);
    routines_back(&builder, b, "a", 3, a);
    struct hd_model *model = builder_read(&builder);
    hd_callpath_truncate(model, depth);
    const struct hd_node *again = node_at(model, depth == 1 ? 0 : node_at(model, 0, "b")->id, "a");
    assert_int_equal(again->visits, depth == 1 ? 4 : 3);
    assert_int_equal(again->ticks[HD_BUSY], depth == 1 ? 10 : 0);
    assert_int_equal(!!(again->flags & HD_PROFILE_BACK), depth == 2);
    if (depth == 2)
      assert_string_equal(model->nodes[again->target].name.function, "a");
    hd_model_free(model);
    builder_free(&builder);
  }
}

/* Two of three parts were busy together for 5 of 20 and 30; a fourth beside both of them. */
static void test_active_time_is_kept_where_it_follows(void **state) {
  (void)state;
  struct hd_model *model = two_callers();
  struct hd_overlap overlaps[] = {{3, 4, 4}, {4, 5, 5}, {6, 7, 1}};
  model->nodes[3].active_ticks = 7;
  model->nodes[4].active_ticks = 20;
  model->nodes[5].active_ticks = 30;
  model->nodes[6].active_ticks = 1;
  model->nodes[7].active_ticks = 2;
  model->overlaps = overlaps;
  model->overlap_count = 3;
  hd_callpath_truncate(model, 1);
  const struct hd_node *k = node_at(model, 0, "k");
  assert_int_equal(k->active_ticks, 45);
  assert_int_equal(node_at(model, 0, "leaf")->active_ticks, 2);
  assert_int_equal(model->overlap_count, 1); /* b and one part of k */
  assert_int_equal(model->overlaps[0].ticks, 4);
  hd_model_free(model);
}

static void test_overlap_of_joined_parts_may_be_unknown(void **state) {
  (void)state;
  struct hd_model *model = two_callers();
  struct hd_overlap overlaps[] = {{2, 4, 4}, {2, 5, 3}, {4, 5, 5}};
  model->nodes[4].active_ticks = 20;
  model->nodes[5].active_ticks = 30;
  model->nodes[5].unpaired_ticks = 1;
  model->overlaps = overlaps;
  model->overlap_count = 3;
  hd_callpath_truncate(model, 1);
  assert_int_equal(model->overlap_count, 1);
  assert_int_equal(model->overlaps[0].ticks, HD_TICKS_UNKNOWN);
  assert_int_equal(node_at(model, 0, "k")->active_ticks, HD_TICKS_UNKNOWN);
  hd_model_free(model);
}

/* ---- any tree, against the paths spelt out ---- */

enum { NODES = 120, SITES = 4, PATH = 512 };

/* The last `depth` names of a callpath, the outermost first. */
static void spell(const struct hd_model *model, uint32_t node, uint32_t depth, char path[PATH]) {
  char longer[PATH];
  path[0] = '\0';
  for (uint32_t i = 0; node != 0 && i < depth; i++, node = model->nodes[node].parent) {
    snprintf(longer, sizeof longer, "%.20s>%.400s", model->nodes[node].name.function, path);
    memcpy(path, longer, PATH);
  }
}

static struct hd_model *random_tree(unsigned seed) {
  struct builder builder;
  bool taken[NODES][SITES] = {{false}};
  srand(seed);
  routines_start(&builder);
  for (uint32_t i = 1; i < NODES; i++) {
    uint32_t parent, site;
    char name[16];
    do {
      parent = (uint32_t)rand() % i;
      site = (uint32_t)rand() % SITES;
    } while (taken[parent][site]);
    taken[parent][site] = true;
    snprintf(name, sizeof name, "s%u", site);
    routines_call(&builder, parent, name, (uint32_t)rand() % 5, (uint32_t)rand() % 7);
  }
  struct hd_model *model = builder_read(&builder);
  builder_free(&builder);
  return model;
}

static void expect_sums(const struct hd_model *whole, const struct hd_model *folded, uint32_t depth) {
  for (uint32_t i = 1; i < folded->node_count; i++) {
    char path[PATH], other[PATH];
    uint64_t visits = 0, busy = 0;
    spell(folded, i, depth, path);
    for (uint32_t j = 1; j < whole->node_count; j++) {
      spell(whole, j, depth, other);
      visits += strcmp(path, other) == 0 ? whole->nodes[j].visits : 0;
      busy += strcmp(path, other) == 0 ? whole->nodes[j].ticks[HD_BUSY] : 0;
    }
    assert_int_equal(folded->nodes[i].visits, visits);
    assert_int_equal(folded->nodes[i].ticks[HD_BUSY], busy);
    assert_true(folded->nodes[i].depth <= depth);
    for (uint32_t j = 1; j < i; j++) {
      spell(folded, j, depth, other);
      assert_string_not_equal(path, other);
    }
  }
  assert_int_equal(folded->nodes[0].inclusive_ticks[HD_BUSY], whole->nodes[0].inclusive_ticks[HD_BUSY]);
}

static void test_any_tree_folds_to_its_last_sites(void **state) {
  (void)state;
  for (unsigned seed = 0; seed < 30; seed++)
    for (uint32_t depth = 1; depth <= 4; depth++) {
      struct hd_model *whole = random_tree(seed), *folded = random_tree(seed), *twice = random_tree(seed);
      hd_callpath_truncate(folded, depth);
      expect_sums(whole, folded, depth);
      hd_callpath_truncate(twice, depth + 2);
      hd_callpath_truncate(twice, depth);
      assert_int_equal(twice->node_count, folded->node_count);
      expect_sums(whole, twice, depth);
      hd_model_free(whole);
      hd_model_free(folded);
      hd_model_free(twice);
    }
}

/* ---- focus ---- */

static void test_focus_keeps_what_goes_through(void **state) {
  (void)state;
  struct hd_model *model = two_callers();
  uint32_t count = 0;
  bool *through = hd_site_regex_nodes(model, "^a$", &count);
  assert_int_equal(count, 1);
  hd_callpath_filter(model, through);
  assert_int_equal(model->nodes[0].inclusive_ticks[HD_BUSY], 27);
  assert_int_equal(model->nodes[1].inclusive_ticks[HD_BUSY], 27);
  assert_int_equal(model->nodes[1].ticks[HD_BUSY], 0);
  assert_int_equal(model->nodes[1].visits, 1);
  assert_true(model->nodes[3].flags & HD_NODE_GONE && model->nodes[7].flags & HD_NODE_GONE);
  assert_false(model->nodes[6].flags & HD_NODE_GONE);
  hd_callpath_truncate(model, 1); /* without what is gone */
  assert_int_equal(node_at(model, 0, "k")->visits, 2);
  assert_int_equal(model->node_count, 5);
  free(through);
  hd_model_free(model);
}

static void test_views_say_what_is_of_the_focus(void **state) {
  (void)state;
  struct hd_report_options options = {.question = HD_ASK_FLAT, .sort = HD_SORT_SELF};
  struct hd_model *model = two_callers();
  char *text = routines_report(model, &options, HD_REPORT_MADE);
  routines_expect(text, "1.000 program app");
  free(text);
  options.focus = "^a$";
  text = routines_report(model, &options, HD_REPORT_MADE);
  routines_expect(text, "- program app"); /* the run's elapsed time is not the focus's */
  free(text);
  options.question = HD_ASK_CALLGRAPH;
  text = routines_report(model, &options, HD_REPORT_MADE);
  routines_expect(text, "in focus. Calls");
  free(text);
  hd_model_free(model);
}

static void test_focus_on_nothing_names_what_is_near(void **state) {
  (void)state;
  const struct hd_report_options options = {.focus = "maim"};
  struct hd_model *model = two_callers();
  char *text = routines_report(model, &options, HD_REPORT_REFUSED);
  routines_expect(text, "no routine, construct or phase matches 'maim'; there is: main");
  free(text);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_depth_one_joins_all_of_a_site),
      cmocka_unit_test(test_depth_two_keeps_the_caller),
      cmocka_unit_test(test_what_is_short_already_stays),
      cmocka_unit_test(test_recursive_calls_go_where_their_sites_do),
      cmocka_unit_test(test_active_time_is_kept_where_it_follows),
      cmocka_unit_test(test_overlap_of_joined_parts_may_be_unknown),
      cmocka_unit_test(test_any_tree_folds_to_its_last_sites),
      cmocka_unit_test(test_focus_keeps_what_goes_through),
      cmocka_unit_test(test_views_say_what_is_of_the_focus),
      cmocka_unit_test(test_focus_on_nothing_names_what_is_near),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
