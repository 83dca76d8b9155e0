/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A region's place in the source becomes addresses, by which libheddle.so knows it (ompt/thread/trace_when.h). */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/program/inspect.h"
#include "cli/run/run_internal.h"
#include "output/symbols/symbols.h"
#include "support/command/complain.h"
#include "support/command/memory.h"
#include "support/command/options.h"
#include "support/few_busy.h"

static const char region[] = "region ";

struct place {
  int bytes; /* of the file's name, with which the text begins */
  unsigned long line;
};

/* FILE:LINE. */
static bool is_place(const char *text, struct place *place) {
  const char *colon = strrchr(text, ':');
  if (!colon || colon == text || !hd_number_read(colon + 1, INT_MAX, &place->line))
    return false;
  place->bytes = (int)(colon - text);
  return true;
}

static bool is_of_region(const char *text) {
  return strncmp(text, region, strlen(region)) == 0;
}

bool hd_run_trace_condition_is_valid(const char *text) {
  static const char phase[] = "phase ";
  struct place place;
  struct hd_few_busy few;
  if (hd_few_busy_is_meant(text))
    return hd_few_busy_read(text, &few);
  if (strncmp(text, phase, strlen(phase)) == 0)
    return text[strlen(phase)];
  return is_of_region(text) && is_place(text + strlen(region), &place);
}

struct places {
  const char *module;
  char *text; /* "region MODULE+FROM-TO,..."; NULL: none yet */
};

static void add(void *context, uint64_t from, uint64_t to) {
  struct places *places = context;
  char *longer = hd_print("%s%s%s+%" PRIx64 "-%" PRIx64, places->text ? places->text : region, places->text ? "," : "",
                          places->module, from, to);
  free(places->text);
  places->text = longer;
}

/* NULL: there is no code. */
static char *find_code(char *const *command, const char *file, int line) {
  char real[PATH_MAX];
  struct hd_program program;
  hd_program_inspect_started(command, &program);
  if (!realpath(program.path, real))
    return NULL;
  struct hd_symbols *symbols = hd_symbols_open_any(real);
  struct places places = {.module = strrchr(real, '/') + 1};
  if (symbols)
    hd_symbols_each_of_line(symbols, file, line, add, &places);
  hd_symbols_close(symbols);
  return places.text;
}

bool hd_run_trace_condition_prepare(struct hd_run *run) {
  const char *given = run->options->set[HD_SET_TRACE_WHEN];
  const char *text = given ? given : getenv(hd_setting_name(HD_SET_TRACE_WHEN));
  struct place place;
  if (!text || !is_of_region(text) || !is_place(text + strlen(region), &place))
    return true;
  char *file = hd_print("%.*s", place.bytes, text + strlen(region));
  run->trace_condition = find_code(run->options->command, file, (int)place.line);
  const bool found =
      run->trace_condition ||
      HD_COMPLAIN("%s has no code of line %lu of %s: a region's line is known in programs compiled with -g",
                  run->options->command[0], place.line, file);
  free(file);
  return found;
}
