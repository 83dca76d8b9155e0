/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file inflation_say.c
 * Why the same work takes longer: what counters, samples and the kernel's account of processors say, in this order.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "output/comparison/compared_counts.h"
#include "output/comparison/findings_internal.h"
#include "output/model/account.h"
#include "output/model/duration.h"
#include "output/model/format_names.h"

/* ---- how much ---- */

/* "with 4 threads", "in after". */
static void point_text(char *text, size_t bytes, const struct hd_comparison *comparison, uint32_t point) {
  const char *label = comparison->points[point].label;
  if (comparison->options.mode == HD_COMPARE_SIDES)
    snprintf(text, bytes, "in %.30s", label);
  else
    snprintf(text, bytes, "with %.30s thread%s", label, strcmp(label, "1") == 0 ? "" : "s");
}

static double growth(const struct hd_inflation *inflation) {
  return inflation->worked_s[1] / inflation->worked_s[0];
}

static void say_how_much(const struct hd_inflation *inflation, char sentence[HD_FINDING_BYTES]) {
  char at[64], base[64];
  point_text(at, sizeof at, inflation->comparison, inflation->point);
  point_text(base, sizeof base, inflation->comparison, 0);
  const struct hd_cell now = hd_duration_brief(inflation->worked_s[1]),
                       before = hd_duration_brief(inflation->worked_s[0]);
  if (growth(inflation) < 1000)
    hd_say(sentence, "threads work %s in it in all %s, %s %s: %.2f times as long", now.text, at, before.text, base,
           growth(inflation));
  else
    hd_say(sentence, "threads work %s in it in all %s, %s %s", now.text, at, before.text, base);
}

/* ---- counters ---- */

static const char *const instruction_events[] = {"PAPI_TOT_INS", "instructions", "perf::INSTRUCTIONS",
                                                 "perf::PERF_COUNT_HW_INSTRUCTIONS", NULL};
static const char *const cycle_events[] = {
    "PAPI_TOT_CYC", "cycles", "cpu-cycles", "perf::CYCLES", "perf::PERF_COUNT_HW_CPU_CYCLES", NULL};

static uint32_t find_event(const struct hd_compared_counts *counts, const char *const *names) {
  const struct hd_model *first = counts->comparison->runs[0].model;
  for (uint32_t event = 0; event < counts->event_count; event++)
    for (const char *const *name = names; *name; name++)
      if (strcasecmp(first->events[event].name, *name) == 0)
        return event;
  return HD_NONE;
}

static double count_at(const struct hd_compared_counts *counts, uint32_t row, uint32_t point, uint32_t event) {
  struct hd_count_sum *sums = hd_compared_count(counts, row, point);
  const struct hd_count count =
      sums ? hd_compared_count_of(counts, sums, row, point, event) : (struct hd_count){.known = false};
  free(sums);
  return count.known && !count.partial ? count.value : NAN;
}

/* How many times as many there are as at the baseline. NAN: not known. */
static double ratio_of(const struct hd_inflation *inflation, const char *const *names) {
  struct hd_compared_counts counts = hd_compared_counts_new(inflation->comparison);
  const uint32_t event = counts.event_count > 0 ? find_event(&counts, names) : HD_NONE;
  double ratio = NAN;
  if (event != HD_NONE)
    ratio = count_at(&counts, inflation->row, inflation->point, event) / count_at(&counts, inflation->row, 0, event);
  hd_compared_counts_free(&counts);
  return isfinite(ratio) ? ratio : NAN;
}

/* Whether a ratio explains half of the growth, and more. */
static bool explains(const struct hd_inflation *inflation, double ratio) {
  return ratio - 1 > (growth(inflation) - 1) / 2;
}

static bool say_by_counters(const struct hd_inflation *inflation, struct hd_finding *finding) {
  const double instructions = ratio_of(inflation, instruction_events), cycles = ratio_of(inflation, cycle_events);
  if (isnan(instructions))
    return false;
  if (explains(inflation, instructions)) {
    hd_say(finding->evidence[1], "they execute %.2f times the instructions: more work is done, not slower work",
           instructions);
    hd_say(finding->attempt[0], "do once, or divide, what each thread repeats: set-up, copies, searching, spinning");
  } else if (explains(inflation, cycles)) {
    hd_say(finding->evidence[1],
           "%.2f times the instructions take %.2f times the cycles: threads wait for memory or share a core",
           instructions, cycles);
    hd_say(finding->attempt[0],
           "no cache line that several threads write (padding, private copies); smaller blocks of data");
    hd_say(finding->attempt[1], "first touch by the thread that uses the data; OMP_PROC_BIND=spread, OMP_PLACES=cores");
  } else if (!isnan(cycles)) {
    hd_say(finding->evidence[1],
           "%.2f times the instructions, %.2f times the cycles: processors ran slower, or threads had none for a time",
           instructions, cycles);
    hd_say(finding->attempt[0], "measure at a fixed frequency, on a quiet machine: the program may not be the cause");
  } else {
    hd_say(finding->evidence[1], "they execute %.2f times the instructions: each takes longer", instructions);
    hd_say(finding->attempt[0], "heddle run -g IPC counts cycles, too: they tell memory from a lower frequency");
  }
  return true;
}

/* ---- samples ---- */

/* The region that a callpath is in, as a row; 1: none. */
static uint32_t region_row(const struct hd_comparison *comparison, uint32_t run, uint32_t node) {
  uint32_t row = comparison->row_of[comparison->united->node_of[run][node]];
  while (row != HD_NONE && comparison->rows[row].parent != HD_NONE)
    row = comparison->rows[row].parent;
  return row == HD_NONE ? 1 : row;
}

/* What a run's threads executed in the row while busy, in a library of that name (NULL: any), in seconds. */
static double sampled_s(const struct hd_inflation *inflation, uint32_t point, const char *library) {
  const struct hd_comparison *comparison = inflation->comparison;
  const uint32_t run = comparison->rows[inflation->row].at[point].run;
  const struct hd_model *model = comparison->runs[run].model;
  uint64_t count = 0;
  for (uint32_t i = 0; i < model->sample_count; i++) {
    const struct hd_model_sample *sample = &model->samples[i];
    const char *of = sample->module == HD_NONE ? "" : hd_base_name(model->modules[sample->module].path);
    if (sample->state == HD_BUSY && (!library || strcmp(of, library) == 0) &&
        region_row(comparison, run, sample->node) == inflation->row)
      count += sample->count;
  }
  return (double)count * (double)model->header.sample_period_ns / 1e9;
}

/* The library whose part of the samples grew most. That it is the program itself goes without saying. */
static bool say_by_samples(const struct hd_inflation *inflation, struct hd_finding *finding) {
  const struct hd_comparison *comparison = inflation->comparison;
  const struct hd_model *model = comparison->runs[comparison->rows[inflation->row].at[inflation->point].run].model;
  const double all = sampled_s(inflation, inflation->point, NULL) - sampled_s(inflation, 0, NULL);
  const char *most = NULL;
  double most_s = 0;
  for (uint32_t i = 0; i < model->module_count && model->sample_count > 0; i++) {
    const char *library = hd_base_name(model->modules[i].path);
    const double grown = sampled_s(inflation, inflation->point, library) - sampled_s(inflation, 0, library);
    if (grown > most_s) {
      most_s = grown;
      most = library;
    }
  }
  if (!most || all < (inflation->worked_s[1] - inflation->worked_s[0]) / 2 || most_s < all / 2 ||
      strcmp(most, hd_base_name(model->header.program)) == 0)
    return false;
  hd_say(finding->evidence[1], "by samples %s of the %s more are in %.60s", hd_duration_brief(most_s).text,
         hd_duration_brief(all).text, most);
  return true;
}

/* ---- processors ---- */

static void say_by_processors(const struct hd_inflation *inflation, struct hd_finding *finding) {
  const double share = inflation->shares[1];
  if (share < HD_ACCOUNT_SHARED && !finding->evidence[1][0])
    hd_say(finding->evidence[1], "not counted: threads had a processor for %.0f %% of the time they wanted one",
           100 * share);
}

void hd_inflation_say(const struct hd_inflation *inflation, struct hd_finding *finding) {
  say_how_much(inflation, finding->evidence[0]);
  if (say_by_counters(inflation, finding))
    return;
  say_by_samples(inflation, finding);
  say_by_processors(inflation, finding);
  hd_say(finding->attempt[0],
         "counters tell why, if the machine has them: heddle scale -g IPC (memory, or more instructions)");
  hd_say(finding->attempt[1], "heddle report --hot on both profiles shows the functions that take longer");
}
