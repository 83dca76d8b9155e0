/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `heddle ctl PID routines LIST`: more functions are measured. The program finds each by its address in its file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ctl/ctl_internal.h"
#include "cli/program/sled_functions.h"
#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "output/model/memory.h"
#include "output/symbols/readable_names.h"
#include "support/command/memory.h"
#include "support/command/options.h"
#include "support/command/output_stream.h"
#include "support/name_choice.h"

static bool fail(struct hd_ctl *ctl, const char *reason) {
  snprintf(ctl->error, sizeof ctl->error, "%s", reason);
  return false;
}

/* ---- which ---- */

/* A function that can be measured; its name is NULL if it cannot: the bodies of constructs have another one than their
 * readers know. The caller frees. */
static char *name_of(const struct hd_sled_function *function) {
  char *name = hd_symbols_routine_name(function->symbol), *readable = hd_symbols_readable(function->symbol);
  const bool is_routine = readable && strcmp(readable, name) == 0 && function->address <= HD_CONTROL_ROUTINE_MOST;
  free(readable);
  if (is_routine)
    return name;
  free(name);
  return NULL;
}

static bool is_chosen(const struct hd_name_choice *choice, const char *symbol, const char *name) {
  const int32_t by_symbol = hd_name_choice_rule(choice, symbol), by_name = hd_name_choice_rule(choice, name);
  return hd_name_choice_takes(choice, by_symbol > by_name ? by_symbol : by_name);
}

/* Of `measurable` ones. */
static size_t choose(const struct hd_sled_functions *functions, const struct hd_name_choice *choice, uint64_t *chosen,
                     size_t *measurable) {
  size_t count = 0;
  *measurable = 0;
  for (size_t i = 0; i < functions->count; i++) {
    char *name = name_of(&functions->items[i]);
    *measurable += name != NULL;
    if (name && is_chosen(choice, functions->items[i].symbol, name))
      chosen[count++] = functions->items[i].address;
    free(name);
  }
  return count;
}

/* ---- all of them ---- */

static bool ask_all(struct hd_ctl *ctl, const uint64_t *addresses, size_t count, double *seconds) {
  struct hd_ctl_answer answer;
  for (size_t i = 0; i < count; i++) {
    const struct hd_top_request request = {.command = HD_CONTROL_ROUTINE, .address = addresses[i]};
    if (!hd_ctl_ask(ctl, &request, &answer)) {
      if (strstr(ctl->error, "another version"))
        return fail(ctl,
                    "the program was not prepared for that: start it with 'heddle run --routines=LIST', where LIST "
                    "may be '-.', which chooses none at first");
      return false;
    }
    *seconds += answer.seconds;
  }
  return true;
}

static void print_calls(const char *when, const struct hd_live_rates *rates) {
  const struct hd_live_rate *calls = &rates->classes[HD_CLASS_CALL];
  printf("%-10s", when);
  if (calls->per_second > 0)
    printf("call: %.0f events a second, %.0f ns each: %.3g %% of thread %u's time\n", calls->per_second, calls->ns,
           100 * calls->share, calls->thread);
  else
    fputs("call: no events\n", stdout);
}

static bool measure(struct hd_ctl *ctl, const uint64_t *addresses, size_t count) {
  struct hd_live_rates rates;
  struct hd_model *model;
  double seconds = 0;
  if (!hd_ctl_rates_now(ctl, &rates, &model))
    return false;
  print_calls("Now", &rates);
  hd_model_free(model);
  printf("%-10snot known: how often they are called nobody has seen; a call costs some 50 to 100 ns\n", "Predicted");
  fflush(stdout);
  if (!ask_all(ctl, addresses, count, &seconds))
    return false;
  printf("%-10s%zu routine%s measured, after %s\n", "Done", count, count == 1 ? " is" : "s are",
         hd_duration_brief(seconds).text);
  fflush(stdout);
  if (!hd_ctl_rates_now(ctl, &rates, &model)) {
    printf("%-10snot known: %s\n", "Observed", ctl->error);
    return true;
  }
  print_calls("Observed", &rates);
  hd_model_free(model);
  return true;
}

static bool measure_chosen(struct hd_ctl *ctl, const struct hd_sled_functions *functions,
                           const struct hd_name_choice *choice) {
  uint64_t *chosen = hd_new(functions->count + 1, sizeof *chosen);
  size_t measurable;
  const size_t count = choose(functions, choice, chosen, &measurable);
  bool done = count > 0;
  if (count == 0)
    snprintf(ctl->error, sizeof ctl->error, "the list chooses none of the %zu functions that can be measured",
             measurable);
  else
    done = measure(ctl, chosen, count);
  free(chosen);
  return done;
}

int hd_ctl_routines(struct hd_ctl *ctl, const struct hd_name_choice *choice) {
  struct hd_sled_functions functions;
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/exe", (long)ctl->watch.pid);
  bool done = hd_sled_functions_read(path, &functions) ||
              fail(ctl, "the program's file cannot be read, or has no symbol table");
  if (done && functions.count == 0)
    done = fail(ctl, "the program has no functions that can be measured: compile with clang's -fxray-instrument");
  done = done && measure_chosen(ctl, &functions, choice);
  hd_sled_functions_free(&functions);
  if (!done)
    return hd_ctl_fail(ctl);
  return hd_stream_finish(stdout, "standard output") ? HD_EXIT_OK : HD_EXIT_FAILED;
}
