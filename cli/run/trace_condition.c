/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A region's place in the source becomes addresses, by which libheddle.so knows it (ompt/thread/trace_when.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/program/inspect.h"
#include "cli/run/run_internal.h"
#include "output/symbols/symbols.h"
#include "support/command/complain.h"
#include "support/command/memory.h"

static const char region[] = "region ";

/* FILE:LINE; its colon. NULL: it is none. */
static const char *colon_of(const char *place) {
  const char *colon = strrchr(place, ':');
  return colon && colon > place && colon[1] && colon[1 + strspn(colon + 1, "0123456789")] == '\0' ? colon : NULL;
}

bool hd_run_trace_condition_is_valid(const char *text) {
  static const char phase[] = "phase ";
  if (strncmp(text, phase, strlen(phase)) == 0)
    return text[strlen(phase)];
  return strncmp(text, region, strlen(region)) == 0 && colon_of(text + strlen(region));
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
  const char *colon = text && strncmp(text, region, strlen(region)) == 0 ? colon_of(text + strlen(region)) : NULL;
  if (!colon)
    return true;
  const char *begin = text + strlen(region);
  char *file = hd_print("%.*s", (int)(colon - begin), begin);
  run->trace_condition = find_code(run->options->command, file, atoi(colon + 1));
  const bool found =
      run->trace_condition ||
      HD_COMPLAIN("%s has no code of line %s of %s: a region's line is known in programs compiled with -g",
                  run->options->command[0], colon + 1, file);
  free(file);
  return found;
}
