/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_exports.c
 * Exports of a profile without a record of how many threads were busy, as a program leaves it that is killed at its
 * very start: what needs none is written all the same.
 */
#include "profile_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/memory.h"
#include "output/views/export/export.h"

enum { PROGRAM, REGION };

static struct hd_model *read_run(struct builder *builder) {
  builder_init(builder);
  builder_profile(builder, 0, HD_KIND_PROGRAM);
  builder_profile(builder, PROGRAM, HD_KIND_PARALLEL);
  builder_thread(builder, HD_THREAD_INITIAL, 1000, 2000);
  builder_cell(builder_row(builder, PROGRAM, 0), HD_BUSY)->ticks = 700;
  builder_cell(builder_row(builder, REGION, 0), HD_BUSY)->ticks = 300;
  return builder_read(builder);
}

static char *export(const struct hd_model *model, const char *format) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  const struct hd_exporter *exporter = hd_exporter_find(format);
  assert_true(out && exporter && hd_exporter_can_weigh(exporter, model, HD_WEIGHT_WALL));
  assert_true(exporter->write(model, HD_WEIGHT_WALL, out));
  fclose(out);
  return text;
}

static void assert_has(const char *text, const char *part) {
  if (!strstr(text, part))
    fail_msg("no \"%s\" in:\n%s", part, text);
}

static void test_only_folded_stacks_need_wall_shares(void **state) {
  (void)state;
  struct builder builder;
  struct hd_model *model = read_run(&builder);
  for (size_t i = 0; hd_exporters[i]; i++)
    for (enum hd_weight weight = 0; weight < HD_WEIGHT_COUNT; weight++)
      assert_int_equal(hd_exporter_can_weigh(hd_exporters[i], model, weight),
                       weight != HD_WEIGHT_WALL || strcmp(hd_exporters[i]->name, "folded") != 0);
  hd_model_free(model);
  builder_free(&builder);
}

static void test_weights_that_are_not_known_are_left_out(void **state) {
  (void)state;
  struct builder builder;
  struct hd_model *model = read_run(&builder);
  char *text = export(model, "callgrind");
  assert_has(text, "\nevents: busy wait runtime gain\nsummary: 1000 0 0 0\n");
  assert_has(text, "\ncalls=0 0\n0 300 0 0 0\n"); /* its visits were not counted */
  free(text);
  text = export(model, "speedscope");
  assert_has(text, "\"activeProfileIndex\": 0");
  assert_has(text, "\"name\": \"Busy\"");
  assert_null(strstr(text, "Wall share"));
  free(text);
  text = export(model, "sql");
  assert_has(text, "INSERT INTO run VALUES(");
  free(text);
  hd_model_free(model);
  builder_free(&builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_only_folded_stacks_need_wall_shares),
      cmocka_unit_test(test_weights_that_are_not_known_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
