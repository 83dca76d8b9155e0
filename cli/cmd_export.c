/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file cmd_export.c
 * `heddle export [--format FORMAT] [-o OUT] FILE`: a profile for other programs.
 */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "cli/open_profile.h"
#include "output/analysis/callpath_truncate.h"
#include "output/model/memory.h"
#include "output/symbols/sample_names.h"
#include "output/views/export/export.h"
#include "support/command/output_stream.h"

struct choices {
  const struct hd_exporter *exporter;
  const char *output;
  uint32_t depth;
  bool force;
  bool no_cache;
};

static bool take_format(const struct hd_option_use *use) {
  const struct hd_exporter **exporter = use->field;
  char known[256] = "";
  *exporter = hd_exporter_find(use->argument);
  for (size_t i = 0; hd_exporters[i]; i++)
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i > 0 ? ", " : "", hd_exporters[i]->name);
  return *exporter || hd_option_refuse(use, "knows no '%s'; there is: %s", use->argument, known);
}

static const struct hd_option options[] = {
    {'f', "format", "FORMAT", "the format to write (default json)", .take = take_format,
     .field = offsetof(struct choices, exporter)},
    {'o', "output", "OUT", "write to the file OUT instead of standard output", .take = hd_take_text,
     .field = offsetof(struct choices, output), .expects = "the name of a file"},
    {0, "force", NULL, "replace OUT if it exists", HD_OPTION_FLAG(struct choices, force)},
    {0, "depth", "K", "truncate callpaths to their last K sites (0: leave them whole)", .take = hd_take_number,
     .field = offsetof(struct choices, depth), .expects = "a number of sites"},
    {0, "no-cache", NULL, "do not store resolved names in FILE", .take = hd_take_flag,
     .field = offsetof(struct choices, no_cache)},
    {0},
};

static void list_formats(FILE *out) {
  fputs("Formats:\n", out);
  for (size_t i = 0; hd_exporters[i]; i++)
    fprintf(out, "  %-6s %s\n", hd_exporters[i]->name, hd_exporters[i]->summary);
}

static const struct hd_usage usage = {
    .command = "export",
    .synopsis = "[options] FILE",
    .description = "Writes a profile in a format that other programs read.",
    .options = options,
    .lists = list_formats,
    .none = "missing FILE",
    .several = "one FILE at a time: 'heddle merge' adds several up",
};

static int write_model(const struct hd_model *model, const struct choices *choices) {
  FILE *out = choices->output ? hd_stream_create(choices->output, choices->force) : stdout;
  if (!out)
    return HD_EXIT_FAILED;
  const bool made = choices->exporter->write(model, out);
  if (!made)
    fputs("heddle: out of memory\n", stderr);
  const bool written = hd_stream_finish(out, choices->output ? choices->output : "standard output");
  return made && written ? HD_EXIT_OK : HD_EXIT_FAILED;
}

int hd_cmd_export(int argc, char **argv) {
  struct choices choices = {.exporter = hd_exporters[0]};
  const struct hd_profile_command command = {&usage, &choices, &choices.no_cache, NULL, NULL};
  int status = HD_EXIT_OK;
  struct hd_model *model = hd_open_profile(&command, argc, argv, &status);
  if (!model)
    return status;
  hd_sample_names_resolve(model);
  hd_callpath_truncate(model, choices.depth);
  status = write_model(model, &choices);
  hd_model_free(model);
  return status;
}
