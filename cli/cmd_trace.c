/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file cmd_trace.c
 * `heddle trace FILE`: when threads did what.
 */
#include "cli/command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/open_profile.h"
#include "output/model/memory.h"
#include "output/symbols/sample_names.h"
#include "output/trace/size.h"
#include "output/views/trace/trace_views.h"
#include "support/command/output_stream.h"
#include "support/command/pager.h"
#include "support/few_busy.h"

enum question { SUMMARY, PRINT, CONCURRENCY, INSTANCE, WHEN, CHECK };
enum { LULLS_SHOWN = 10, LIMIT_NOT_GIVEN = HD_NONE };

struct choices {
  struct hd_trace_choice choice;
  enum question question;
  uint32_t instance; /* enum hd_trace_instance */
  struct hd_lull_choice lulls;
  bool no_cache;
};

/* A word or a number. */
static bool take_instance(const struct hd_option_use *use) {
  char *end;
  const unsigned long number = strtoul(use->argument, &end, 10);
  for (unsigned i = 0; i < use->option->most; i++)
    if (strcmp(use->option->words[i], use->argument) == 0)
      return hd_take_word(use);
  if (*use->argument < '0' || *use->argument > '9' || *end)
    return hd_option_expect(use, "slowest, median, fastest, first, last or a number");
  *(uint32_t *)use->field =
      number > 0 && number < UINT32_MAX / 2 ? HD_TRACE_NUMBERED + (uint32_t)number - 1 : UINT32_MAX;
  return true;
}

static bool read_when(const char *text, struct hd_lull_choice *lulls) {
  struct hd_few_busy few;
  if (!hd_few_busy_read(text, &few))
    return false;
  lulls->busy_most = few.most;
  lulls->least_seconds = few.least_seconds;
  return true;
}

static bool take_when(const struct hd_option_use *use) {
  return read_when(use->argument, use->field) || hd_option_expect(use, use->option->expects);
}

static const char *const instance_words[] = {"slowest", "median", "fastest", "first", "last", NULL};

#define ASK(asked) .one_of = {offsetof(struct choices, question), asked}

static const struct hd_option options[] = {
    {0, "print", NULL, "print all events, one a line", ASK(PRINT)},
    {0, "concurrency", NULL, "print each change of the number of busy threads, one a line", ASK(CONCURRENCY)},
    {0, "instance", "WHICH",
     "draw an instance of the region of --region, thread by thread: slowest,\n"
     "median, fastest, first or last; or its number",
     .take = take_instance, .field = offsetof(struct choices, instance), .words = instance_words, .most = 5,
     ASK(INSTANCE)},
    {0, "when", "CONDITION",
     "list the times in which few threads were busy, the longest first, and what\n"
     "all threads did then: 'busy<=K for TIME', as 'busy<=1 for 10ms'",
     .take = take_when, .field = offsetof(struct choices, lulls), .expects = HD_FEW_BUSY_EXPECTS, ASK(WHEN)},
    {0, "check", NULL, "whether the trace adds up to the profile", ASK(CHECK)},
    {0, "region", "ID",
     "--instance: the region, by its number in reports (Id); --print,\n"
     "--concurrency: only what happens in that callpath",
     .take = hd_take_number, .field = offsetof(struct choices, choice.region), .expects = "a callpath's number"},
    {0, "from", "SECONDS", "--print, --concurrency: only from then on", .take = hd_take_seconds,
     .field = offsetof(struct choices, choice.from_seconds)},
    {0, "to", "SECONDS", "--print, --concurrency: only until then", .take = hd_take_seconds,
     .field = offsetof(struct choices, choice.to_seconds)},
    {'t', "thread", "N", "--print, --concurrency: only this thread", .take = hd_take_number,
     .field = offsetof(struct choices, choice.thread), .expects = "a thread's number"},
    {0, "csv", NULL, "--print, --concurrency: write comma-separated values",
     HD_OPTION_FLAG(struct choices, choice.csv)},
    {'n', "limit", "N", "--when: show the N longest (default 10; 0, and --json's default: all)", .take = hd_take_number,
     .field = offsetof(struct choices, lulls.limit), .expects = "a number of times"},
    {0, "json", NULL, "--when: write JSON (docs/trace.md)", HD_OPTION_FLAG(struct choices, lulls.json)},
    HD_OPTION_WIDTH,
    HD_OPTION_PAGER,
    {0, "no-cache", NULL, "do not store resolved names in FILE", .take = hd_take_flag,
     .field = offsetof(struct choices, no_cache)},
    {0},
};

static const struct hd_usage usage = {
    .command = "trace",
    .synopsis = "[options] FILE",
    .description =
        "Shows when threads did what, in a profile with a trace ('heddle run --trace'): without options what "
        "is in it, and\n"
        "how the instances of each region differ in length.",
    .options = options,
    .none = "missing FILE",
    .several = "one FILE at a time",
    .epilogue = "Times are seconds since the program's start. docs/trace.md says what the events are.",
};

static bool check(void *context) {
  const struct choices *choices = context;
  const struct hd_trace_choice *choice = &choices->choice;
  const bool lists = choices->question == PRINT || choices->question == CONCURRENCY;
  const bool chooses = choice->from_seconds > 0 || isfinite(choice->to_seconds) || choice->thread != HD_NONE;
  if ((chooses || choice->csv) && !lists)
    return hd_usage_complain(&usage, "--from, --to, --thread and --csv belong to --print and --concurrency");
  if (choices->question == INSTANCE && choice->region == HD_NONE)
    return hd_usage_complain(&usage, "--instance needs --region ID");
  if (choices->question != INSTANCE && choice->region != HD_NONE && !lists)
    return hd_usage_complain(&usage, "--region belongs to --instance, --print and --concurrency");
  if (choices->question != WHEN && (choices->lulls.json || choices->lulls.limit != LIMIT_NOT_GIVEN))
    return hd_usage_complain(&usage, "--limit and --json belong to --when");
  return true;
}

static bool has_trace(const struct hd_model *model, const struct choices *choices) {
  const bool needs_all = choices->question == INSTANCE || choices->question == CHECK;
  if (!(needs_all ? hd_trace_is_full : hd_trace_is_there)(model))
    return false;
  if (choices->choice.region == HD_NONE || choices->choice.region < model->node_count)
    return true;
  fprintf(stderr, "heddle: %s has no callpath %u\n", model->path, choices->choice.region);
  return false;
}

static bool print_lulls(const struct hd_model *model, struct hd_lull_choice lulls) {
  if (lulls.limit == LIMIT_NOT_GIVEN)
    lulls.limit = lulls.json ? 0 : LULLS_SHOWN;
  return hd_trace_print_lulls(model, &lulls, stdout);
}

static bool answer(struct hd_model *model, const struct choices *choices) {
  uint64_t differences = 0;
  switch (choices->question) {
  case PRINT:
    hd_sample_names_resolve(model);
    return hd_trace_print(model, &choices->choice, stdout);
  case CONCURRENCY:
    return hd_trace_print_concurrency(model, &choices->choice, stdout);
  case INSTANCE:
    return hd_trace_print_instance(model, choices->choice.region, choices->instance, stdout);
  case WHEN:
    return print_lulls(model, choices->lulls);
  case CHECK:
    return hd_trace_check(model, &differences, stdout) && differences == 0;
  default:
    return hd_trace_summary(model, stdout);
  }
}

int hd_cmd_trace(int argc, char **argv) {
  struct choices choices = {.choice = {.to_seconds = INFINITY, .thread = HD_NONE, .region = HD_NONE},
                            .lulls = {.limit = LIMIT_NOT_GIVEN}};
  const struct hd_profile_command command = {
      .usage = &usage, .choices = &choices, .no_cache = &choices.no_cache, .check = check};
  int status = HD_EXIT_OK;
  struct hd_model *model = hd_open_profile(&command, argc, argv, &status);
  if (!model)
    return status;
  if (!choices.lulls.json)
    hd_pager_begin();
  const bool answered = has_trace(model, &choices) && answer(model, &choices);
  const bool written = hd_stream_finish(stdout, "standard output");
  hd_model_free(model);
  return answered && written ? HD_EXIT_OK : HD_EXIT_FAILED;
}
