/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a loop's iterations cost, and how long it would take under other schedules: as text and as JSON. */
#include "output/views/render/json.h"

#include <math.h>
#include <stdlib.h>

#include "output/analysis/schedules/advice.h"
#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "output/model/node_text.h"
#include "output/views/explain/explain.h"
#include "output/views/explain/explain_internal.h"
#include "output/views/explain/finding.h"
#include "output/views/render/column_names.h"
#include "output/views/render/level_bars.h"
#include "output/views/render/table.h"

enum { CURVE_MOST = 64 };

static struct hd_cell time_of(const struct hd_model *model, double ticks) {
  return hd_duration_brief(ticks * model->seconds_per_tick);
}

/* ---- text ---- */

static const char *hand_out_words(enum hd_hand_out_source source) {
  static const char *const words[] = {"measured in this loop", "measured in other loops of this run",
                                      "assumed: this run has no loop that hands out chunks"};
  return words[source];
}

static void print_heading(const struct hd_model *model, const struct hd_node *node, const struct hd_advice *advice,
                          FILE *out) {
  char place[HD_PLACE_BYTES];
  const struct hd_loop_cost *cost = &advice->cost;
  hd_node_text(place, model, node, NULL);
  fprintf(out, "%s\n    %.0f instance%s of %llu iterations%s, %u threads\n    handing out a chunk: %s (%s)\n", place,
          cost->instances, hd_plural((uint64_t)cost->instances), (unsigned long long)hd_curve_iterations(&cost->curve),
          cost->bounds_vary ? " on average" : "", cost->threads, time_of(model, advice->hand_out_ticks).text,
          hand_out_words(advice->hand_out_source));
  fprintf(out, "    measured: %s%s; evenly shared among the threads: %s\n",
          advice->measured_is_least ? "at least " : "", time_of(model, advice->measured_ticks).text,
          time_of(model, advice->even_ticks).text);
}

/* A large team's curve is drawn in fewer parts. */
static void print_curve(const struct hd_model *model, const struct hd_loop_cost *cost, FILE *out) {
  const uint32_t shown = cost->part_count < CURVE_MOST ? cost->part_count : CURVE_MOST;
  double heights[CURVE_MOST], most = 0;
  for (uint32_t i = 0; i < shown; i++) {
    const uint32_t first = (uint32_t)((uint64_t)i * cost->part_count / shown);
    const uint32_t end = (uint32_t)((uint64_t)(i + 1) * cost->part_count / shown);
    heights[i] = 0;
    for (uint32_t part = first; part < end; part++)
      heights[i] += cost->parts[part] / (end - first);
    most = fmax(most, heights[i]);
  }
  fprintf(out, "\nCost by iteration, from the first to the last, %s; at most %s each:\n    ",
          cost->from_blocks ? "a part for each thread" : "in 64 parts", time_of(model, most).text);
  for (uint32_t i = 0; i < shown; i++)
    fputs(hd_draw_height(most > 0 ? heights[i] / most : 0), out);
  fputs("\n\n", out);
}

static void print_table(const struct hd_model *model, const struct hd_advice *advice, FILE *out) {
  struct hd_table table = {.table = hd_table_new(out), .quiet = true};
  const struct hd_unit unit = hd_unit_for(advice->measured_ticks * model->seconds_per_tick);
  hd_table_column(&table, "Measured", 0);
  hd_table_column(&table, "Predicted", 0);
  hd_table_column(&table, "+-", 0);
  hd_table_place(&table, "Schedule", false);
  for (uint32_t i = 0; i < advice->count; i++) {
    const struct hd_predicted *predicted = &advice->predicted[i];
    char schedule[HD_SCHEDULE_BYTES];
    hd_schedule_text(schedule, &predicted->schedule);
    hd_table_row(&table, NULL);
    hd_table_time(&table, &unit,
                  advice->current_known && i == 0 ? advice->measured_ticks * model->seconds_per_tick : NAN);
    hd_table_time(&table, &unit, predicted->ticks * model->seconds_per_tick);
    hd_table_time(&table, &unit, predicted->error_ticks * model->seconds_per_tick);
    hd_table_at(&table, schedule);
  }
  fprintf(out, "Times in %s, of all instances:\n", unit.name);
  hd_table_print(&table, out);
  hd_table_free(&table);
}

static void print_verdict(const struct hd_model *model, const struct hd_advice *advice, FILE *out) {
  if (advice->best >= 0) {
    char words[HD_ADVICE_BYTES];
    hd_advice_words(advice, words);
    hd_print_sentences(out, "\nBest: %s: %s instead of %s.", words, time_of(model, hd_advice_ticks(advice)).text,
                       time_of(model, advice->measured_ticks).text);
  } else if (advice->is_indivisible) {
    hd_print_sentences(out,
                       "\nNo schedule helps: iterations are too few, or one of them takes too long. Collapse loops, "
                       "split the iterations more finely, or parallelise another loop level.");
  } else {
    fputs("\nNo schedule is predicted to be faster than the loop was, beyond the error.\n", out);
  }
}

static void print_assumptions(const struct hd_loop_cost *cost, FILE *out) {
  if (cost->from_blocks)
    hd_print_sentences(out,
                       "Assumed: the loop is schedule(static) without a chunk size (OMPT does not report one), so "
                       "each thread had one block of iterations; between and within blocks cost changes steadily. For "
                       "a finer curve measure it once with schedule(runtime) and OMP_SCHEDULE=dynamic.");
  if (cost->bounds_vary)
    hd_print_sentences(out, "Assumed: instances with more or fewer iterations have a curve of the same shape.");
  hd_print_sentences(out,
                     "Not modelled: caches and memory. Small chunks (static,1) may share cache lines among threads.");
}

void hd_explain_loop(const struct hd_model *model, uint32_t id, FILE *out) {
  const struct hd_node *node = &model->nodes[id];
  struct hd_advice advice = hd_advice_of(model, node);
  if (advice.cost.unknown) {
    char place[HD_PLACE_BYTES];
    hd_node_text(place, model, node, NULL);
    fprintf(out, "%s: no prediction: %s.\n", place, advice.cost.unknown);
  } else {
    print_heading(model, node, &advice, out);
    print_curve(model, &advice.cost, out);
    print_table(model, &advice, out);
    print_verdict(model, &advice, out);
    print_assumptions(&advice.cost, out);
  }
  hd_advice_free(&advice);
}

/* ---- JSON ---- */

struct shown {
  const struct hd_model *model;
  const struct hd_advice *advice;
};

static json_t *schedule_of(const struct shown *shown, int index) {
  char schedule[HD_SCHEDULE_BYTES];
  if (index < 0)
    return json_null();
  hd_schedule_text(schedule, &shown->advice->predicted[index].schedule);
  return json_string(schedule);
}

static json_t *part(const void *of, size_t index) {
  const struct shown *shown = of;
  return hd_json_ticks(shown->model, shown->advice->cost.parts[index]);
}

static json_t *prediction(const void *of, size_t index) {
  const struct shown *shown = of;
  const struct hd_advice *advice = shown->advice;
  const bool is_current = advice->current_known && index == 0;
  return HD_JSON({"schedule", schedule_of(shown, (int)index)},
                 {"predicted_s", hd_json_ticks(shown->model, advice->predicted[index].ticks)},
                 {"error_s", hd_json_ticks(shown->model, advice->predicted[index].error_ticks)},
                 {"measured_s", is_current ? hd_json_ticks(shown->model, advice->measured_ticks) : json_null()});
}

static json_t *known_members(const struct shown *shown) {
  static const char *const sources[] = {"loop", "run", "assumed"};
  const struct hd_advice *advice = shown->advice;
  const struct hd_loop_cost *cost = &advice->cost;
  return HD_JSON(
      {"unknown", json_null()}, {"threads", hd_json_count(cost->threads)}, {"instances", json_real(cost->instances)},
      {HD_KEY(ITERATIONS), hd_json_count(hd_curve_iterations(&cost->curve))},
      {"curve_from", json_string(cost->from_blocks ? "blocks" : "chunks")},
      {"iteration_s", hd_json_array(shown, cost->part_count, part)},
      {"chunk_cost_s", hd_json_ticks(shown->model, advice->hand_out_ticks)},
      {"chunk_cost_from", json_string(sources[advice->hand_out_source])},
      {"measured_s", hd_json_ticks(shown->model, advice->measured_ticks)},
      {"even_s", hd_json_ticks(shown->model, advice->even_ticks)},
      {"schedules", hd_json_array(shown, advice->count, prediction)}, {"best", schedule_of(shown, advice->best)},
      {"best_s", advice->best < 0 ? json_null() : hd_json_ticks(shown->model, hd_advice_ticks(advice))},
      {"or", schedule_of(shown, advice->second)}, {"too_few_iterations", json_boolean(advice->is_indivisible)});
}

bool hd_explain_loop_json(const struct hd_model *model, uint32_t id, FILE *out) {
  const struct hd_node *node = &model->nodes[id];
  struct hd_advice advice = hd_advice_of(model, node);
  const struct shown shown = {model, &advice};
  json_t *members =
      advice.cost.unknown ? HD_JSON({"unknown", hd_json_text(advice.cost.unknown)}) : known_members(&shown);
  json_t *value = HD_JSON({"heddle", hd_json_count(HD_EXPLAIN_JSON_VERSION)}, {"file", hd_json_text(model->path)},
                          {"place", hd_explain_place(node)}, {HD_JSON_MERGE, members});
  const bool made = hd_json_write(value, out);
  fputc('\n', out);
  hd_advice_free(&advice);
  return made;
}
