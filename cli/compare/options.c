/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/compare/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/metrics/formula.h"
#include "support/command/memory.h"

enum { THREADS_MOST = 1000000 };

static bool take_predictions(const struct hd_option_use *use) {
  struct hd_compare_choices *choices = use->choices;
  char number[16];
  for (const char *at = use->argument;; at++) {
    unsigned long threads = 0;
    const size_t length = strcspn(at, ",");
    snprintf(number, sizeof number, "%.*s", length < sizeof number ? (int)length : (int)sizeof number - 1, at);
    if (length >= sizeof number || !hd_number_read(number, THREADS_MOST, &threads) || threads == 0)
      return hd_option_expect(use, "comma-separated thread counts");
    if (choices->view.predict_count == HD_COMPARE_PREDICTIONS_MOST)
      return hd_option_refuse(use, "takes no more than %d thread counts", HD_COMPARE_PREDICTIONS_MOST);
    choices->predict[choices->view.predict_count++] = (uint32_t)threads;
    at += length;
    if (!*at)
      return true;
  }
}

static bool take_condition(const struct hd_option_use *use) {
  struct hd_compare_choices *choices = use->choices;
  char error[512];
  struct hd_fail_if **grown = hd_grow_by_one(choices->conditions, choices->condition_count, sizeof *grown);
  choices->conditions = grown;
  if (!hd_formula_open(error, sizeof error)) { /* no fault of the expression */
    fprintf(stderr, "heddle: --fail-if: %s\n", error);
    choices->failed = true;
    return true;
  }
  struct hd_fail_if *condition = hd_fail_if_new(use->argument, error, sizeof error);
  if (!condition)
    return hd_usage_complain(use->usage, "--fail-if: %s", error);
  grown[choices->condition_count++] = condition;
  return true;
}

static bool take_share(const struct hd_option_use *use) {
  char *end = NULL;
  const double percent = strtod(use->argument, &end);
  if (end == use->argument || *end != '\0' || !(percent >= 0 && percent <= 100))
    return hd_option_expect(use, "a percentage from 0 to 100");
  *(double *)use->field = percent / 100;
  return true;
}

#define FIELD(member) .field = offsetof(struct hd_compare_choices, member)
#define FORMAT(format_) .one_of = {offsetof(struct hd_compare_choices, view.format), HD_COMPARE_##format_}
#define ASK(asked) .one_of = {offsetof(struct hd_compare_choices, ask), HD_COMPARE_ASK_##asked}

const struct hd_option hd_compare_options[] = {
    {0, "predict", "N,...",
     "also predict the time at these thread counts, from scaling laws\n"
     "fitted to the runs; needs 4 or more thread counts",
     .take = take_predictions},
    HD_OPTION_WIDTH,
    HD_OPTION_COLOR,
    {0, "csv", NULL, "write comma-separated values: a line per row and point", FORMAT(CSV)},
    {0, "markdown", NULL, "write tables in Markdown", FORMAT(MARKDOWN)},
    {0, "json", NULL, "write JSON, for scripts; docs/compare.md lists the fields", FORMAT(JSON)},
    {'n', "limit", "N", "show at most N regions (default 25; 0: all)", .take = hd_take_number, FIELD(view.limit),
     .expects = "a number of regions"},
    {0, "callpaths", NULL, "separate regions by the routines that call them",
     HD_OPTION_FLAG(struct hd_compare_choices, compare.callpaths)},
    {0, "fail-if", "EXPR",
     "exit with status 3 if EXPR is true for any region or point; see\n"
     "below. May be given several times",
     .take = take_condition},
    {0, "min-share", "PERCENT", "--fail-if skips regions shorter than this percentage of the run\n(default 1)",
     .take = take_share, FIELD(least_share)},
    {0, "force", NULL, "also compare different programs or builds, by names",
     HD_OPTION_FLAG(struct hd_compare_choices, compare.force)},
    {0, "difference", NULL, "compare the sets with the first one, the baseline", ASK(DIFFERENCE)},
    {0, "scaling", NULL, "compare thread counts only", ASK(SCALING)},
    {0},
};

void hd_compare_choices_init(struct hd_compare_choices *choices) {
  memset(choices, 0, sizeof *choices);
  choices->view.limit = 25;
  choices->view.predict = choices->predict;
  choices->least_share = 0.01;
}

void hd_compare_choices_free(struct hd_compare_choices *choices) {
  for (size_t i = 0; i < choices->condition_count; i++)
    hd_fail_if_free(choices->conditions[i]);
  free(choices->conditions);
}
