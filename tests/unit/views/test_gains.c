/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_gains.c
 * Gains that the run could have: what instances at the same time share, what processors leave; never more than the run.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "output/analysis/lines/lines.h"
#include "output/model/memory.h"
#include "output/views/export/export.h"
#include "output/views/report/report.h"
#include "played_on.h"
#include "random_program.h"
#include "script.h"

#define OUTER SITE(PARALLEL, 0x100)
#define INNER SITE(PARALLEL, 0x110)

static void expect_gain(const struct hd_model *model, const struct hd_node *node, double ticks) {
  if (node->team.gain_ticks < ticks - 1e-9 || node->team.gain_ticks > ticks + 1e-9)
    fail_msg("on %u processors node %u gains %f, not %f", model->header.max_threads, node->id, node->team.gain_ticks,
             ticks);
}

/* Each inner instance: capacity 30, busy 18, lost / 2 = 6; both together 12, but at the same time: 6 of the run. Levels
 * while they run: 4 for 8 ticks, 2 for 2, 0 for 5. */
static void test_instances_at_the_same_time_share_the_gain(void **state) {
  (void)state;
  sc_nested_teams(NULL);
  struct hd_model *model = play_on(8);
  const struct hd_node *inner = ex_node(model, OUTER, INNER);
  assert_int_equal(inner->team.elapsed_ticks, 2 * 15);
  assert_int_equal(inner->running_ticks, 15);
  expect_gain(model, inner, 6);
  hd_model_free(model);
  model = play_on(0);
  expect_gain(model, ex_node(model, OUTER, INNER), 6);
  hd_model_free(model);
}

static void test_a_gain_needs_processors(void **state) {
  (void)state;
  static const struct {
    uint32_t processors;
    double inner;
  } answers[] = {{4, 6}, {3, 5 + 2.0 / 3}, {2, 5}, {1, 5}};
  for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
    sc_nested_teams(NULL);
    struct hd_model *model = play_on(answers[i].processors);
    expect_gain(model, ex_node(model, OUTER, INNER), answers[i].inner);
    hd_model_free(model);
  }
}

static void run_loop(uint32_t index) {
  sc_work_begin(ompt_work_loop_static, 0x200);
  sc_at(index == 0 ? 20 : 14);
  sc_work_end(ompt_work_loop_static, 0x200);
}

/* Of the loop's lost time as large a part can be gained as of the region's, half of it. */
static void test_a_construct_shares_with_its_region(void **state) {
  (void)state;
  sc_nested_teams(run_loop);
  struct hd_model *model = play_on(4);
  const struct hd_node *inner = ex_node(model, OUTER, INNER);
  assert_true(inner->gain_share == 0.5);
  assert_true(ex_node(model, OUTER, INNER, SITE(LOOP_STATIC, 0x200))->gain_share == 0.5);
  hd_model_free(model);
}

/* ---- random programs: what is printed ---- */

enum { SEEDS = 60 };

/* The caller frees *text. */
static void print(const struct hd_model *model, bool csv, bool summary, char **text) {
  const struct hd_report_options options = {.question = HD_ASK_REGIONS, .sort = HD_SORT_GAIN, .csv = csv};
  size_t bytes = 0;
  FILE *out = open_memstream(text, &bytes);
  assert_non_null(out);
  if (summary)
    hd_report_summary(model, out);
  else
    assert_int_equal(hd_report_print(model, &options, out, out), HD_REPORT_MADE);
  fclose(out);
}

/* The second column of the table, "Gain%". Returns how many lines have a number there. */
static unsigned check_text(const struct hd_model *model, bool summary) {
  char *text = NULL;
  print(model, false, summary, &text);
  unsigned lines = 0;
  const char *at = strstr(text, " Gain%");
  for (at = at ? strchr(at, '\n') : NULL; at && at[1] != '\n' && at[1] != '\0'; at = strchr(at + 1, '\n')) {
    double percent = 0;
    if (sscanf(at + 1, "%*s %lf", &percent) != 1)
      continue;
    lines++;
    if (percent < 0 || percent > 100)
      fail_msg("a gain of %f %% in:\n%s", percent, text);
  }
  const char *whole = strstr(text, "\ngain");
  double percent = 0;
  if (whole && (sscanf(strchr(whole, '('), "(%lf", &percent) != 1 || percent < 0 || percent > 100))
    fail_msg("to gain: %f %% in:\n%s", percent, text);
  free(text);
  return lines;
}

static unsigned column_of(const char *text, const char *name) {
  unsigned column = 0;
  for (const char *at = text; *at != '\n' && strncmp(at, name, strlen(name)) != 0; column++)
    at += strcspn(at, ",\n") + (at[strcspn(at, ",\n")] == ',');
  return column;
}

/* No field of these profiles holds a comma. */
static unsigned check_csv(const struct hd_model *model) {
  char *text = NULL;
  print(model, true, false, &text);
  const unsigned column = column_of(text, "gain_share,");
  unsigned lines = 0;
  for (const char *at = strchr(text, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
    const char *field = at;
    for (unsigned i = 0; i < column; i++)
      field = strchr(field, ',') + 1;
    lines += *field != ',';
    if (*field != ',' && (atof(field) < 0 || atof(field) > 1 + 1e-12))
      fail_msg("gain_share %f in:\n%s", atof(field), text);
  }
  free(text);
  return lines;
}

static unsigned check_json(const struct hd_model *model) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_true(out && hd_exporters[0]->write(model, HD_WEIGHT_WALL, out));
  fclose(out);
  json_t *whole = json_loads(text, 0, NULL);
  const json_t *program = json_object_get(whole, "program");
  const double elapsed = json_number_value(json_object_get(program, "elapsed_s"));
  const json_t *profiles = json_object_get(whole, "profiles");
  assert_true(json_number_value(json_object_get(program, "potential_gain_s")) <= elapsed * (1 + 1e-12));
  for (size_t i = 0; i < json_array_size(profiles); i++) {
    const json_t *profile = json_array_get(profiles, i);
    const double gain = json_number_value(json_object_get(profile, "potential_gain_s"));
    if (gain < 0 || gain > elapsed * (1 + 1e-12))
      fail_msg("profile %zu gains %f s of %f s", i, gain, elapsed);
  }
  const unsigned count = (unsigned)json_array_size(profiles);
  json_decref(whole);
  free(text);
  return count;
}

static void check_program(const struct rp_options *program, uint64_t seed, unsigned lines[3]) {
  rp_generate(seed, program);
  struct hd_model *model = play_on(seed % 2 == 0 ? 64 : 2);
  lines[0] += check_text(model, false) + check_text(model, true);
  lines[1] += check_csv(model);
  lines[2] += check_json(model);
  hd_model_free(model);
}

static void test_no_row_gains_more_than_the_run(void **state) {
  (void)state;
  static const struct rp_options programs[] = {
      {0}, {.recursive = true}, {.large_teams = true}, {.short_threads = true}};
  const char *seeds = getenv("HEDDLE_SEEDS");
  unsigned lines[3] = {0};
  for (uint64_t seed = 1; seed <= (seeds ? strtoul(seeds, NULL, 10) : SEEDS); seed++)
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
      check_program(&programs[i], seed, lines);
  assert_true(lines[0] > 0 && lines[1] > 0 && lines[2] > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_instances_at_the_same_time_share_the_gain),
      cmocka_unit_test(test_a_gain_needs_processors),
      cmocka_unit_test(test_a_construct_shares_with_its_region),
      cmocka_unit_test(test_no_row_gains_more_than_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
