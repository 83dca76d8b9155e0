/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tune/tune_internal.h"
#include "support/command/memory.h"

char *hd_tune_settings_text(const struct hd_tune_settings *settings) {
  char *text = NULL;
  size_t bytes = 0;
  const char *between = "";
  FILE *out = open_memstream(&text, &bytes);
  for (int kind = 0; out && kind < HD_TUNE_KINDS; kind++)
    if (settings->of[kind]) {
      fprintf(out, "%s%s", between, settings->of[kind]);
      between = " ";
    }
  hd_written(out);
  return text;
}

const char *hd_tune_settings_name(const char *text) {
  return *text ? text : "default";
}

/* ---- what can be tried ---- */

static void add(struct hd_texts *values, const char *value) {
  hd_texts_add(values, hd_print("%s", value));
}

/* All but the number that the variable asks for already. */
static void add_threads(const struct hd_tune_facts *facts, struct hd_texts *values) {
  const char *set = getenv("OMP_NUM_THREADS");
  char value[64];
  struct hd_series_threads threads = {0};
  const struct hd_series_threads *asked = &facts->options->threads;
  if (asked->count == 0) {
    hd_series_default_threads(facts->processors, &threads);
    asked = &threads;
  }
  for (size_t i = asked->count; i-- > 0;) {
    snprintf(value, sizeof value, "%u", asked->items[i]);
    if (!set || strcmp(set, value) != 0)
      hd_texts_add(values, hd_print("OMP_NUM_THREADS=%s", value));
  }
  free(threads.items);
}

static void add_waits(const struct hd_tune_facts *facts, struct hd_texts *values) {
  add(values, "OMP_WAIT_POLICY=active");
  add(values, "OMP_WAIT_POLICY=passive");
  if (facts->links_libomp)
    add(values, "KMP_BLOCKTIME=0");
}

static void add_binds(const struct hd_tune_facts *facts, struct hd_texts *values) {
  if (facts->processors < 2)
    return;
  add(values, "OMP_PROC_BIND=close OMP_PLACES=cores");
  add(values, "OMP_PROC_BIND=spread OMP_PLACES=cores");
  if (getenv("OMP_PROC_BIND"))
    add(values, "OMP_PROC_BIND=false");
}

static void add_schedules(const struct hd_tune_facts *facts, struct hd_texts *values) {
  static const char *const schedules[] = {"static", "dynamic", "dynamic,16", "guided"};
  for (size_t i = 0;
       (facts->has_runtime_loops || facts->options->schedules) && i < sizeof schedules / sizeof *schedules; i++)
    hd_texts_add(values, hd_print("OMP_SCHEDULE=%s", schedules[i]));
}

static const struct {
  const char *id;
  void (*add)(const struct hd_tune_facts *facts, struct hd_texts *values);
} kinds[HD_TUNE_KINDS] = {
    [HD_TUNE_THREADS] = {"threads", add_threads},
    [HD_TUNE_WAIT] = {"wait", add_waits},
    [HD_TUNE_BIND] = {"bind", add_binds},
    [HD_TUNE_SCHEDULE] = {"schedule", add_schedules},
};

const char *hd_tune_kind_id(enum hd_tune_kind kind) {
  return kinds[kind].id;
}

void hd_tune_values(enum hd_tune_kind kind, const struct hd_tune_facts *facts, struct hd_texts *values) {
  kinds[kind].add(facts, values);
}
