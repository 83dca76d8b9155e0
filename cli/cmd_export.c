/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file cmd_export.c
 * `heddle export [--format FORMAT] [-o OUT] FILE`: a profile for other programs.
 */
#include "cli/command.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/open_profile.h"
#include "output/analysis/callpaths/callpath_truncate.h"
#include "output/model/memory.h"
#include "output/symbols/sample_names.h"
#include "output/trace/limits.h"
#include "output/trace/size.h"
#include "output/views/export/export.h"
#include "support/command/output_stream.h"

struct choices {
  const struct hd_exporter *exporter;
  enum hd_weight weight;
  const char *output;
  uint32_t depth;
  bool force;
  bool no_cache;
  const char *since;
  struct hd_run_part part;
};

static bool take_format(const struct hd_option_use *use) {
  const struct hd_exporter **exporter = use->field;
  char known[256] = "";
  *exporter = hd_exporter_find(use->argument);
  for (size_t i = 0; hd_exporters[i]; i++)
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i > 0 ? ", " : "", hd_exporters[i]->name);
  if (*exporter && (*exporter)->missing)
    return hd_option_refuse(use, "'%s' %s", use->argument, (*exporter)->missing);
  return *exporter || hd_option_refuse(use, "knows no '%s'; there is: %s", use->argument, known);
}

static bool take_weight(const struct hd_option_use *use) {
  enum hd_weight *weight = use->field;
  char known[256] = "";
  *weight = hd_weight_find(use->argument);
  for (enum hd_weight each = 0; each < HD_WEIGHT_COUNT; each++)
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", each > 0 ? ", " : "", hd_weight_id(each));
  return *weight < HD_WEIGHT_COUNT || hd_option_refuse(use, "knows no '%s'; there is: %s", use->argument, known);
}

static const struct hd_option options[] = {
    {'f', "format", "FORMAT", "the format to write (default json)", .take = take_format,
     .field = offsetof(struct choices, exporter)},
    {'w', "weight", "WEIGHT",
     "wall (default), busy, wait, runtime or gain: what a callpath weighs in folded stacks, and\n"
     "what a viewer shows first",
     .take = take_weight, .field = offsetof(struct choices, weight)},
    {'o', "output", "OUT",
     "write to the file OUT instead of standard output (otf2: to the folder OUT; paraver: to NAME.prv)",
     .take = hd_take_text, .field = offsetof(struct choices, output), .expects = "the name of a file"},
    {0, "force", NULL, "replace OUT if it exists", HD_OPTION_FLAG(struct choices, force)},
    {0, "depth", "K", "truncate callpaths to their last K sites (0: leave them whole)", .take = hd_take_number,
     .field = offsetof(struct choices, depth), .expects = "a number of sites"},
    HD_OPTION_SINCE(struct choices, since),
    HD_OPTION_PART(struct choices, part),
    {0, "no-cache", NULL, "do not store resolved names in FILE", .take = hd_take_flag,
     .field = offsetof(struct choices, no_cache)},
    {0},
};

static void list_formats(FILE *out) {
  fputs("Formats:\n", out);
  for (size_t i = 0; hd_exporters[i]; i++)
    fprintf(out, "  %-10s %s\n", hd_exporters[i]->name, hd_exporters[i]->summary);
}

static const struct hd_usage usage = {
    .command = "export",
    .synopsis = "[options] FILE [AFTER]",
    .description = "Writes a profile in a format that other programs read.",
    .options = options,
    .lists = list_formats,
    .none = "missing FILE",
};

static struct hd_model *prepare(struct hd_model *model, const struct choices *choices) {
  if (model) {
    if (strcmp(choices->exporter->name, "dot") == 0)
      hd_part_add_order(model);
    hd_sample_names_resolve(model);
    hd_callpath_truncate(model, choices->depth);
  }
  return model;
}

static bool can_weigh(const struct hd_model *model, const struct choices *choices) {
  if (hd_exporter_can_weigh(choices->exporter, model, choices->weight))
    return true;
  fprintf(stderr, "heddle: %s: the profile has no record of how many threads were busy: try --weight busy\n",
          model->path);
  return false;
}

static bool has_part(const struct choices *choices) {
  return choices->part.from_seconds > 0 || choices->part.to_seconds > 0;
}

static bool shows_trace_only(const struct choices *choices) {
  return choices->exporter->of_trace || (choices->exporter->parts_of_trace && has_part(choices));
}

static int write_out(const struct hd_model *model, const struct hd_model *after, const struct choices *choices) {
  bool made = true;
  if (shows_trace_only(choices) && !hd_trace_is_full(model))
    return HD_EXIT_FAILED;
  if (shows_trace_only(choices))
    hd_trace_tell_limits(model);
  if (choices->exporter->write_files)
    return choices->exporter->write_files(model, choices->output, choices->force) ? HD_EXIT_OK : HD_EXIT_FAILED;
  if (!can_weigh(model, choices) || (after && !can_weigh(after, choices)))
    return HD_EXIT_FAILED;
  if (choices->exporter->binary && !choices->output && isatty(STDOUT_FILENO)) {
    fprintf(stderr, "heddle: %s is not for a terminal: name a file with -o\n", choices->exporter->name);
    return HD_EXIT_FAILED;
  }
  FILE *out = choices->output ? hd_stream_create(choices->output, choices->force) : stdout;
  if (!out)
    return HD_EXIT_FAILED;
  if (after)
    choices->exporter->write_both(model, after, choices->weight, out);
  else
    made = choices->exporter->write(model, choices->weight, out);
  if (!made)
    fputs("heddle: out of memory\n", stderr);
  const bool written = hd_stream_finish(out, choices->output ? choices->output : "standard output");
  return made && written ? HD_EXIT_OK : HD_EXIT_FAILED;
}

/* `files`: as many as the command line has. */
static int export(struct hd_model *model, const struct hd_profile_command *command, char **files, int count) {
  const struct choices *choices = command->choices;
  struct hd_model *after = NULL;
  int status = HD_EXIT_FAILED;
  if (count > 1 + (choices->exporter->write_both != NULL)) {
    hd_usage_complain(&usage, "%s; 'heddle merge' adds several up",
                      choices->exporter->write_both ? "at most two FILEs"
                                                    : "one FILE at a time, but for -f folded, which takes two");
    return HD_EXIT_USAGE;
  }
  if (choices->exporter->write_files && !choices->output) {
    hd_usage_complain(&usage, "-f %s writes more than one file: it needs -o OUT", choices->exporter->name);
    return HD_EXIT_USAGE;
  }
  if (choices->exporter->of_trace && choices->since) {
    hd_usage_complain(&usage, "-f %s writes a trace, which has parts (--from, --to): leave --since out",
                      choices->exporter->name);
    return HD_EXIT_USAGE;
  }
  if (count > 1 && (choices->since || has_part(choices))) {
    hd_usage_complain(&usage, "--since, --from and --to are for one FILE");
    return HD_EXIT_USAGE;
  }
  if (count == 1 || (after = prepare(hd_open_file(command, files[1]), choices)))
    status = write_out(prepare(model, choices), after, choices);
  if (after)
    hd_model_free(after);
  return status;
}

static struct hd_model *open_shown(const struct hd_profile_command *command, const char *path) {
  const struct choices *choices = command->choices;
  if (!choices->exporter->parts_of_trace || !has_part(choices))
    return hd_open_file(command, path);
  const struct hd_profile_command whole = {.usage = command->usage, .no_cache = command->no_cache};
  struct hd_model *model = hd_open_file(&whole, path);
  char error[2 * PATH_MAX + 256];
  if (!model || hd_part_show(model, &choices->part, error, sizeof error))
    return model;
  fprintf(stderr, "heddle: %s\n", error);
  hd_model_free(model);
  return NULL;
}

int hd_cmd_export(int argc, char **argv) {
  struct choices choices = {.exporter = hd_exporters[0]};
  int first = 0, status = HD_EXIT_OK;
  const struct hd_profile_command command = {.usage = &usage,
                                             .choices = &choices,
                                             .no_cache = &choices.no_cache,
                                             .since = &choices.since,
                                             .part = &choices.part};
  if (!hd_open_options(&command, argc, argv, &first, &status))
    return status;
  struct hd_model *model = open_shown(&command, argv[first]);
  if (!model)
    return HD_EXIT_FAILED;
  status = export(model, &command, argv + first, argc - first);
  hd_model_free(model);
  return status;
}
