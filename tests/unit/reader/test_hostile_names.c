/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names that would steer a terminal, end a table's line or are no UTF-8: shown harmlessly wherever they are shown. */
#include <locale.h>

#include "exercise.h"
#include "output/model/memory.h"
#include "output/views/compare/compare.h"
#include "output/views/export/export.h"
#include "output/views/report/report.h"
#include "profile_sample.h"
#include "support/command/sanitize.h"

#define HOSTILE                                                                                                        \
  "\x1b]0;title\a\r\xc2\x9b"                                                                                           \
  "31m|<b>\",\xff\xe2\x82=1+1"
enum { TURNS = 1024 };

static void setup_hostile(struct sample *sample) {
  make_sample(sample);
  struct builder *builder = &sample->builder;
  strcpy(builder->header->program, HOSTILE);
  strcpy(builder->header->host, HOSTILE);
  strcpy(builder->header->runtime, HOSTILE);
  struct hd_module_record *module = (void *)((char *)builder->newest[HD_BLOCK_MODULES] + HD_BLOCK_HEADER_BYTES);
  strcpy(module->path, "/bin/" HOSTILE);
  builder_cell(builder_row(builder, builder_profile(builder, 0, HD_KIND_PHASE)->id, 0), HD_BUSY)->ticks = 5;
  builder_cell(builder_row(builder, builder_profile(builder, 0, HD_KIND_ROUTINE)->id, 0), HD_BUSY)->ticks = 5;
  builder_name(builder, 1, HOSTILE, HOSTILE, "3");
  builder_name(builder, 4, HOSTILE, "/" HOSTILE, "3");
  builder_text(builder, HD_TEXT_PHASE, 3, HOSTILE, strlen(HOSTILE));
  builder_text(builder, HD_TEXT_NOTE, 0, HOSTILE "\nnote", strlen(HOSTILE) + 5);
  builder_text(builder, HD_TEXT_ARGUMENT, 0, HOSTILE, strlen(HOSTILE));
  builder_text(builder, HD_TEXT_ENVIRONMENT, 0, HOSTILE "=1", strlen(HOSTILE) + 2);
  builder_text(builder, HD_TEXT_GROUP, 0, HOSTILE "\nMETRICS\n", strlen(HOSTILE) + 9);
  const char group[] = HOSTILE "\nEVENTSET\nONE\nMETRICS\nm  ONE\n";
  builder_text(builder, HD_TEXT_GROUP, 0, group, sizeof group - 1);
}

/* fz_report aborts when it prints what it should not. */
static void test_no_view_shows_them_raw(void **state) {
  (void)state;
  struct sample sample;
  setlocale(LC_ALL, "C.UTF-8");
  setup_hostile(&sample);
  struct hd_model *model = fz_read(sample.builder.bytes, sample.builder.size);
  assert_non_null(model);
  for (uint32_t turn = 0; turn < TURNS; turn++)
    fz_report(model, turn);
  hd_model_free(model);
  for (uint32_t turn = 0; turn < 64; turn++)
    fz_combine(sample.builder.bytes, sample.builder.size, sample.builder.bytes, sample.builder.size, turn);
  builder_free(&sample.builder);
}

static void test_plain_text_is_utf8_without_controls(void **state) {
  (void)state;
  char text[] = "a\tb\n\x7f\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xc2\x85\xed\xa0\x80\xf4\x90\x80\x80\xc0\x80\xe2\x82";
  char lines[] = "a\n\x1b[31m\xc2\xa0";
  hd_sanitize(text);
  assert_string_equal(text, "a?b??\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80???????????"
                            "??");
  hd_sanitize_lines(lines);
  assert_string_equal(lines, "a\n?[31m\xc2\xa0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_view_shows_them_raw),
      cmocka_unit_test(test_plain_text_is_utf8_without_controls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
