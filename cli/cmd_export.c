/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file cmd_export.c
 * `heddle export --format FORMAT [-o OUT] FILE`: a profile for other programs.
 */
#include "cli/command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/open_profile.h"
#include "output/analysis/callpath_truncate.h"
#include "output/model/model_free.h"
#include "output/views/export/export.h"
#include "support/command/output_stream.h"

enum { OPTION_NO_CACHE = HD_OPTION_LONG, OPTION_DEPTH };

static const struct hd_option options[] = {
    {'f', "format", "FORMAT", "the format to write (default json)"},
    {'o', "output", "OUT", "write to the file OUT instead of standard output"},
    {OPTION_DEPTH, "depth", "K", "make every callpath its last K sites (0: leave them as they are)"},
    {OPTION_NO_CACHE, "no-cache", NULL, "do not write the names that were found into FILE"},
};

static const struct hd_usage usage = {
    .command = "export",
    .synopsis = "--format FORMAT [-o OUT] FILE",
    .description = "Writes all of a profile for other programs to read.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .epilogue = "Formats:\n  json   the stable machine interface: seconds and counts; null was not measured. What was\n"
                "         counted is in \"counters\" of the run, the program, each thread and callpath",
};

struct choices {
  const struct hd_exporter *exporter;
  const char *output;
  unsigned long depth;
  bool cache;
};

static bool take_format(struct choices *choices, const char *name) {
  choices->exporter = hd_exporter_find(name);
  if (choices->exporter)
    return true;
  char known[256] = "";
  for (size_t i = 0; hd_exporters[i]; i++)
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i > 0 ? ", " : "", hd_exporters[i]->name);
  hd_arguments_complain(&usage, "'%s' is not a format; there is: %s", name, known);
  return false;
}

static bool take_depth(struct choices *choices, const char *argument) {
  if (hd_arguments_number(argument, UINT_MAX, &choices->depth))
    return true;
  hd_arguments_complain(&usage, "'%s' is not a number of sites", argument);
  return false;
}

static bool take_option(void *context, int id, const char *argument) {
  struct choices *choices = context;
  if (id == 'f')
    return take_format(choices, argument);
  if (id == OPTION_DEPTH)
    return take_depth(choices, argument);
  if (id == 'o')
    choices->output = argument;
  else
    choices->cache = false;
  return true;
}

static int write_model(const struct hd_model *model, const struct choices *choices) {
  FILE *out = choices->output ? fopen(choices->output, "we") : stdout;
  if (!out) {
    fprintf(stderr, "heddle: %s: %s\n", choices->output, strerror(errno));
    return HD_EXIT_FAILED;
  }
  const bool made = choices->exporter->write(model, out);
  if (!made)
    fputs("heddle: out of memory\n", stderr);
  const bool written = hd_stream_finish(out, choices->output ? choices->output : "standard output");
  return made && written ? HD_EXIT_OK : HD_EXIT_FAILED;
}

int hd_cmd_export(int argc, char **argv) {
  struct choices choices = {.exporter = &hd_export_json, .cache = true};
  const struct hd_profile_command command = {&usage, take_option, &choices, &choices.cache, NULL};
  int status = HD_EXIT_OK;
  struct hd_model *model = hd_open_profile(&command, argc, argv, &status);
  if (!model)
    return status;
  if (hd_model_fold(model, (uint32_t)choices.depth)) {
    status = write_model(model, &choices);
  } else {
    fputs("heddle: out of memory\n", stderr);
    status = HD_EXIT_FAILED;
  }
  hd_model_free(model);
  return status;
}
