/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file cmd_explain.c
 * `heddle explain FILE`: what is wrong with a run, and what to try.
 */
#include "cli/command.h"

#include <stddef.h>
#include <stdio.h>

#include "cli/job/job_files.h"
#include "cli/open_profile.h"
#include "output/model/memory.h"
#include "output/symbols/sample_names.h"
#include "output/views/explain/explain.h"
#include "output/views/job/job_view.h"
#include "support/command/output_stream.h"
#include "support/command/pager.h"
#include "support/log.h"

struct choices {
  bool all;
  bool json;
  bool no_cache;
  const char *since;
  struct hd_run_part part;
  bool no_estimates;
  const char *question; /* NULL: none */
  struct hd_what_if what_if;
  bool asks_loop;
  unsigned loop;
};

static bool take_question(const struct hd_option_use *use) {
  struct choices *choices = use->choices;
  char error[256];
  return hd_take_text(use) &&
         (hd_what_if_read(use->argument, &choices->what_if, error, sizeof error) || hd_option_refuse(use, "%s", error));
}

static bool take_loop(const struct hd_option_use *use) {
  struct choices *choices = use->choices;
  choices->asks_loop = hd_take_number(use);
  return choices->asks_loop;
}

static const struct hd_option options[] = {
    {0, "all", NULL, "also show findings below 2 % of the run", HD_OPTION_FLAG(struct choices, all)},
    HD_OPTION_WIDTH,
    HD_OPTION_COLOR,
    HD_OPTION_PAGER,
    {0, "what-if", "CHANGE",
     "how long the run would take if a callpath (its number in the column Id of\n"
     "'heddle report') were different: 'ID=balanced', 'ID without CAUSE' (of the\n"
     "causes of --json), 'ID*0.5' (its work takes half the time); or with other\n"
     "threads: 'threads=8'",
     .take = take_question, .field = offsetof(struct choices, question), .expects = "a change"},
    {0, "loop", "ID",
     "what the iterations of a loop (its number in the column Id of 'heddle report')\n"
     "cost, and how long it would take with other schedules",
     .take = take_loop, .field = offsetof(struct choices, loop), .expects = "the number of a callpath"},
    {0, "json", NULL, "write JSON (docs/explain.md)", HD_OPTION_FLAG(struct choices, json)},
    HD_OPTION_SINCE(struct choices, since),
    HD_OPTION_PART(struct choices, part),
    {0, "no-estimates", NULL, "show what was observed only: unresolved time stays where it was counted",
     HD_OPTION_FLAG(struct choices, no_estimates)},
    {0, "no-cache", NULL, "do not store resolved names in FILE", HD_OPTION_FLAG(struct choices, no_cache)},
    {0},
};

static const struct hd_usage usage = {
    .command = "explain",
    .synopsis = "[options] FILE",
    .description = "Shows why a run loses time: causes with their place in the source, the wall time that each cure "
                   "would save on\n"
                   "the processors there are, evidence, and what to try. No lost time counts for two findings.",
    .options = options,
    .none = "missing FILE",
    .several = "one FILE at a time",
};

static bool answer(const struct hd_model *model, const struct choices *choices) {
  if (choices->json)
    return hd_explain_what_if_json(model, &choices->what_if, stdout);
  hd_explain_what_if(model, &choices->what_if, stdout);
  return true;
}

static bool print(const struct hd_model *model, const struct choices *choices) {
  if (choices->question)
    return answer(model, choices);
  if (choices->asks_loop && choices->json)
    return hd_explain_loop_json(model, choices->loop, stdout);
  if (choices->asks_loop) {
    hd_explain_loop(model, choices->loop, stdout);
    return true;
  }
  if (choices->json)
    return hd_explain_json(model, choices->all, stdout);
  hd_explain_print(model, choices->all, stdout);
  return true;
}

/* What 'heddle merge --job' wrote. */
static int explain_job(char **file, const struct choices *choices) {
  if (choices->question || choices->asks_loop || choices->since || choices->part.from_seconds > 0 ||
      choices->part.to_seconds > 0) {
    hd_log("%s holds a job: what part of it, what if, and loops are asked of the profile of one rank", *file);
    return HD_EXIT_FAILED;
  }
  struct hd_job *job = hd_job_of_files(file, 1);
  if (!job)
    return HD_EXIT_FAILED;
  hd_pager_begin();
  bool done = true;
  if (choices->json)
    done = hd_job_json(job, false, stdout);
  else
    hd_job_print_findings(job, stdout);
  hd_job_free(job);
  return done && hd_stream_finish(stdout, "standard output") ? HD_EXIT_OK : HD_EXIT_FAILED;
}

int hd_cmd_explain(int argc, char **argv) {
  struct choices choices = {0};
  const struct hd_profile_command command = {.usage = &usage,
                                             .choices = &choices,
                                             .no_cache = &choices.no_cache,
                                             .since = &choices.since,
                                             .part = &choices.part,
                                             .no_estimates = &choices.no_estimates};
  int status = HD_EXIT_OK, file = 0;
  if (!hd_open_options(&command, argc, argv, &file, &status))
    return status;
  if (hd_job_is_in(argv[file]))
    return explain_job(argv + file, &choices);
  struct hd_model *model = hd_open_file(&command, argv[file]);
  if (!model)
    return HD_EXIT_FAILED;
  const uint32_t node = choices.asks_loop ? choices.loop : choices.what_if.node;
  if (node >= model->node_count) {
    fprintf(stderr, "heddle: %s: no callpath %u; 'heddle report --limit 0' lists all with their ids\n", model->path,
            node);
    hd_model_free(model);
    return HD_EXIT_FAILED;
  }
  if (!choices.question && !choices.asks_loop)
    hd_sample_names_resolve(model);
  hd_pager_begin();
  const bool made = print(model, &choices);
  if (!made)
    fputs("heddle: out of memory\n", stderr);
  const bool written = hd_stream_finish(stdout, "standard output");
  hd_model_free(model);
  return made && written ? HD_EXIT_OK : HD_EXIT_FAILED;
}
