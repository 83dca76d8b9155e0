/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/ctl/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ctl/search_internal.h"
#include "output/model/memory.h"
#include "support/command/memory.h"

/* Between two rounds only regions are measured: for so many times as long as a round took. */
enum { REST = 4 };
/* What holds is measured together for so many times as long as a test: what is found is put in order by that. */
enum { TOGETHER = 4 };
/* Less of an interval than this says nothing. */
#define LEAST_OF_INTERVAL 0.5
/* Of what a test finds, so much of its time is worth to be kept. */
#define KEPT 0.01

const struct hd_hypothesis hd_hypotheses[HD_SEARCH_COUNT] = {
#define HD_ROW(name, id, words, causes, classes, refined_by) {id, words, causes, classes, refined_by},
    HD_HYPOTHESES(HD_ROW)
#undef HD_ROW
};

/* ---- what was seen ---- */

int hd_search_test_of(int hypothesis) {
  int first = 0;
  while (hd_hypotheses[first].classes != hd_hypotheses[hypothesis].classes)
    first++;
  return first;
}

const struct hd_search_sums *hd_search_sums_of(const struct hd_search_state *search, int hypothesis) {
  return &search->sums[hd_search_test_of(hypothesis)];
}

static double gain_of(const struct hd_search_sums *sums, uint32_t causes) {
  double gain_s = 0;
  for (uint32_t i = 0; i < sums->place_count; i++)
    if (causes >> sums->places[i].cause & 1)
      gain_s += sums->places[i].gain_s;
  return gain_s;
}

double hd_search_share(const struct hd_search_state *search, int hypothesis) {
  const struct hd_search_sums *sums = hd_search_sums_of(search, hypothesis);
  return sums->tests > 0 ? gain_of(sums, hd_hypotheses[hypothesis].causes) / sums->elapsed_s : NAN;
}

bool hd_search_holds(const struct hd_search_state *search, int hypothesis) {
  return hd_search_share(search, hypothesis) >= search->options->threshold;
}

static int compare(const void *a, const void *b) {
  const struct hd_search_place *left = *(const struct hd_search_place *const *)a;
  const struct hd_search_place *right = *(const struct hd_search_place *const *)b;
  if (left->gain_s != right->gain_s)
    return left->gain_s > right->gain_s ? -1 : 1;
  return (left > right) - (left < right);
}

uint32_t hd_search_foremost(const struct hd_search_sums *sums, uint32_t causes, const struct hd_search_place **places) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < sums->place_count; i++)
    if (causes >> sums->places[i].cause & 1)
      places[count++] = &sums->places[i];
  qsort(places, count, sizeof *places, compare);
  return count;
}

/* ---- a test ---- */

static void take_place(struct hd_search_sums *sums, const struct hd_model *model, const struct hd_finding *finding) {
  struct hd_search_place *place = sums->places, *end = place + sums->place_count;
  while (place < end && (place->node != finding->place->id || place->cause != finding->cause))
    place++;
  if (place == end) {
    if (sums->place_count == HD_SEARCH_PLACES)
      return;
    sums->place_count++;
    *place = (struct hd_search_place){.cause = finding->cause, .node = finding->place->id};
    hd_node_text(place->text, model, finding->place, NULL);
  }
  place->gain_s += finding->gain_ticks * model->seconds_per_tick;
}

static void take_findings(struct hd_search_sums *sums, const struct hd_model *model) {
  struct hd_findings *findings = hd_findings_new(model, KEPT);
  for (size_t i = 0; i < findings->count; i++)
    take_place(sums, model, &findings->items[i]);
  hd_findings_free(findings);
}

static double events_of(const struct hd_model *model) {
  double events = 0;
  for (uint32_t i = 0; i < model->cost_count; i++)
    for (int kind = 0; kind < HD_EVENT_KINDS; kind++)
      events += (double)model->costs[i].kinds[kind].count;
  return events;
}

static bool read_now(struct hd_search_state *search) {
  return hd_top_watch_read(&search->ctl.watch, search->ctl.error, sizeof search->ctl.error);
}

static bool measures_only(const struct hd_search_state *search, uint32_t classes) {
  const struct hd_control *control = &search->ctl.watch.live.model->header.control;
  return control->off == (~classes & ((1u << HD_CLASS_COUNT) - 1)) && control->in_part == 0 &&
         control->asked == control->done;
}

static bool measure_only(struct hd_search_state *search, uint32_t classes) {
  const struct hd_top_request only = {.command = HD_CONTROL_ONLY, .ppm = classes};
  struct hd_ctl_answer answer;
  return read_now(search) && (measures_only(search, classes) || hd_ctl_ask(&search->ctl, &only, &answer));
}

/* Measures only these classes, and regions, for so long. False: the program has ended, or does not act. */
static bool test(struct hd_search_state *search, uint32_t classes, double seconds, struct hd_search_sums *sums) {
  const struct hd_live *live = &search->ctl.watch.live;
  if (!hd_top_watch_runs(&search->ctl.watch) || !measure_only(search, classes | HD_CLASS_BIT(REGION)) ||
      !read_now(search))
    return false;
  const double from_s = hd_model_seconds(live->model, live->model->elapsed_ticks), before = events_of(live->model);
  hd_top_watch_wait(&search->ctl.watch, seconds);
  if (!read_now(search) || !live->interval)
    return false;
  const double elapsed_s = hd_model_seconds(live->interval, live->interval->elapsed_ticks);
  if (elapsed_s < LEAST_OF_INTERVAL * search->options->interval_seconds)
    return false;
  sums->classes = classes;
  sums->from_s = sums->tests == 0 ? from_s : sums->from_s;
  sums->tests++;
  sums->elapsed_s += elapsed_s;
  sums->events += events_of(live->model) - before;
  take_findings(sums, live->interval);
  return search->ctl.watch.life == HD_TOP_RUNS;
}

/* ---- the search ---- */

static uint32_t classes_that_hold(const struct hd_search_state *search) {
  uint32_t classes = 0;
  for (int i = 0; i < HD_SEARCH_COUNT; i++)
    classes |= hd_search_holds(search, i) ? hd_hypotheses[i].classes | hd_hypotheses[i].refined_by : 0;
  return classes;
}

static bool holds_any(const struct hd_search_state *search) {
  for (int i = 0; i < HD_SEARCH_COUNT; i++)
    if (hd_search_holds(search, i))
      return true;
  return false;
}

static bool run_round(struct hd_search_state *search) {
  const double seconds = search->options->interval_seconds;
  for (int i = 0; i < HD_SEARCH_COUNT; i++)
    if (hd_search_test_of(i) == i && !test(search, hd_hypotheses[i].classes, seconds, &search->sums[i]))
      return false;
  return !holds_any(search) || test(search, classes_that_hold(search), TOGETHER * seconds, &search->together);
}

/* Until the program ends. Between two rounds hypotheses are tested for which regions suffice. */
static void run_rounds(struct hd_search_state *search) {
  const struct hd_model *const *now = (const struct hd_model *const *)&search->ctl.watch.live.model;
  double began_s, took_s;
  do {
    began_s = hd_model_seconds(*now, (*now)->elapsed_ticks);
    if (!run_round(search) || !search->options->goes_on)
      return;
    took_s = hd_model_seconds(*now, (*now)->elapsed_ticks) - began_s;
  } while (test(search, 0, REST * took_s, &search->sums[0]));
}

static bool fail(const struct hd_search_state *search, char *error, size_t error_bytes) {
  const struct hd_model *model = search->ctl.watch.live.model;
  const char *reason = search->ctl.error[0]                          ? search->ctl.error
                       : model && model->header.paused_at_ticks != 0 ? "nothing is measured until 'heddle ctl PID on'"
                                                                     : "the program ended before";
  snprintf(error, error_bytes, "%s", reason);
  return false;
}

static void search_in(struct hd_search_state *search) {
  const struct hd_file_header *header = &search->ctl.watch.live.model->header;
  const uint32_t before = ~header->control.off & ((1u << HD_CLASS_COUNT) - 1);
  if (header->paused_at_ticks != 0)
    return;
  run_rounds(search);
  if (hd_top_watch_runs(&search->ctl.watch))
    measure_only(search, before);
}

bool hd_search(const char *path, const struct hd_search_options *options, FILE *out, char *error, size_t error_bytes) {
  struct hd_search_state *search = hd_new(1, sizeof *search);
  search->options = options;
  search->ctl.wait_seconds = options->wait_seconds;
  snprintf(search->ctl.path, sizeof search->ctl.path, "%s", path);
  const bool opened =
      hd_top_watch_open(&search->ctl.watch, search->ctl.path, search->ctl.error, sizeof search->ctl.error);
  if (opened && read_now(search))
    search_in(search);
  bool made = search->sums[0].tests > 0 || fail(search, error, error_bytes);
  if (opened)
    hd_top_watch_close(&search->ctl.watch);
  if (made && options->json)
    made = hd_search_json(search, out);
  else if (made)
    hd_search_print(search, out);
  free(search);
  return made;
}
