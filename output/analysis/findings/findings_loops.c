/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Uneven work in loops, and chunks that are too small: what schedule is better, where that can be predicted. */
#include <inttypes.h>
#include <math.h>

#include "output/analysis/findings/findings_internal.h"
#include "output/analysis/schedules/advice.h"
#include "output/model/format_names.h"
#include "output/model/lengths.h"
#include "output/model/loops.h"

/* The loop whose end the place's threads wait for: itself, or, of a region, the one that is most of it. NULL: none. */
static const struct hd_node *loop_of(const struct hd_diagnosis *diagnosis, const struct hd_node *place) {
  const struct hd_node *nodes = diagnosis->model->nodes;
  if (hd_kind_of_site(place->kind) == HD_KIND_LOOP)
    return place;
  const struct hd_node *loop = &nodes[diagnosis->facts[place->id].loop];
  return hd_kind_is_region(place->kind) && loop->id != 0 &&
                 2 * loop->inclusive_ticks[HD_BUSY] > place->inclusive_ticks[HD_BUSY]
             ? loop
             : NULL;
}

/* ---- no schedule helps ---- */

/* With more threads than processors schedules cannot be predicted. But where one iteration, handed out alone, takes
 * most of the loop's time, none helps. */
static const struct hd_model_loop *one_long_iteration(const struct hd_diagnosis *diagnosis,
                                                      const struct hd_node *loop) {
  const struct hd_model_loop *chunks = hd_loops_find(diagnosis->model, loop->id);
  const struct hd_team_totals *team = hd_loop_team(diagnosis->model, loop);
  uint64_t iterations = 0;
  for (uint32_t part = 0; chunks && part < HD_SPACE_BUCKETS; part++)
    iterations += chunks->iterations[part];
  const bool alone = chunks && team && iterations > 0 && hd_lengths_count(&chunks->lengths) == iterations;
  const double elapsed = team == &loop->team ? hd_loop_elapsed(loop) : hd_team_elapsed(team);
  return alone && 2.0 * (double)chunks->lengths.longest_ticks * (double)team->instances > elapsed ? chunks : NULL;
}

/* Each thread has one at most: whatever the schedule, some have none. */
static bool has_fewer_than_threads(const struct hd_loop_cost *cost) {
  return cost->curve.parts > 0 && hd_curve_iterations(&cost->curve) < cost->threads;
}

static bool is_too_few(const struct hd_diagnosis *diagnosis, const struct hd_advice *advice,
                       const struct hd_node *loop) {
  if (!advice->cost.unknown)
    return advice->is_indivisible;
  return diagnosis->crowded && (has_fewer_than_threads(&advice->cost) || one_long_iteration(diagnosis, loop));
}

void hd_charges_ask_schedules(struct hd_diagnosis *diagnosis) {
  const double least = HD_FINDING_LEAST / 10 * (double)diagnosis->model->elapsed_ticks;
  for (size_t i = 0; i < diagnosis->charge_count; i++) {
    struct hd_charge *charge = &diagnosis->charges[i];
    const struct hd_node *loop = loop_of(diagnosis, &diagnosis->model->nodes[charge->node]);
    if (charge->cause != HD_CAUSE_IMBALANCE || !loop || charge->gain_ticks <= least)
      continue;
    struct hd_advice advice = hd_advice_of(diagnosis->model, loop);
    if (is_too_few(diagnosis, &advice, loop))
      charge->cause = HD_CAUSE_TOO_FEW_ITERATIONS;
    hd_advice_free(&advice);
  }
}

/* ---- in words ---- */

static const char *imbalance_cure(const struct hd_diagnosis *diagnosis, const struct hd_node *place) {
  const struct hd_node *found = loop_of(diagnosis, place);
  const struct hd_node *loop = found ? found : place;
  const struct hd_model_loop *chunks = hd_loops_find(diagnosis->model, loop->id);
  if (chunks && (chunks->flags & HD_CHUNKS_RUNTIME))
    return "OMP_SCHEDULE=dynamic or OMP_SCHEDULE=guided";
  switch (loop->kind) {
  case HD_KIND_LOOP_DYNAMIC:
  case HD_KIND_LOOP_GUIDED:
    return "smaller chunks, the longest iterations first";
  case HD_KIND_LOOP:
  case HD_KIND_LOOP_STATIC:
    return "schedule(dynamic) or schedule(guided)";
  case HD_KIND_TASK:
  case HD_KIND_TASKLOOP:
    return "more and smaller tasks, the longest first";
  default:
    return "the same share of work for every thread";
  }
}

/* Where the cost grows: the last third of the parts against the first. */
static const char *shape_words(const struct hd_loop_cost *cost) {
  const uint32_t third = cost->part_count >= 3 ? cost->part_count / 3 : 1;
  double first = 0, last = 0;
  for (uint32_t i = 0; i < third; i++) {
    first += cost->parts[i];
    last += cost->parts[cost->part_count - 1 - i];
  }
  return last > 1.25 * first ? "grows" : first > 1.25 * last ? "falls" : NULL;
}

/* What the advisor says, if it knows a better schedule. Uneven work may be only a part of what is lost in the loop: a
 * schedule saves no more than that. */
static bool say_schedule(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const struct hd_node *loop = loop_of(diagnosis, finding->place);
  if (!loop)
    return false;
  struct hd_advice advice = hd_advice_of(diagnosis->model, loop);
  const bool found = !advice.cost.unknown && advice.best >= 0;
  if (found) {
    char words[HD_ADVICE_BYTES];
    const char *shape = shape_words(&advice.cost);
    hd_advice_words(&advice, words);
    const bool uneven = finding->cause == HD_CAUSE_IMBALANCE;
    const double least = uneven ? advice.measured_ticks - finding->gain_ticks : 0;
    if (finding->callpaths > 1) /* the advice is about one of them */
      hd_say(finding->attempt[0], "%s: %s instead of %s", words, hd_say_after(diagnosis, finding).text,
             hd_say_before(diagnosis, finding).text);
    else
      hd_say(finding->attempt[0], "%s: %s instead of %s", words,
             hd_say_time(diagnosis, fmax(hd_advice_ticks(&advice), least)).text,
             hd_say_time(diagnosis, advice.measured_ticks).text);
    hd_say(finding->attempt[1], "'heddle explain --loop %" PRIu32 "' shows the cost by iteration and other schedules",
           loop->id);
    if (shape)
      hd_say(finding->evidence[1], "cost %s over the iterations%s", shape,
             advice.cost.from_blocks ? " (if the loop is schedule(static) without a chunk)" : "");
  }
  hd_advice_free(&advice);
  return found;
}

void hd_say_imbalance(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const struct hd_node *place = finding->place;
  const struct hd_place_sums *sums = &finding->sums;
  const double imbalance = hd_team_imbalance(sums->team.instances > 0 ? &sums->team : &sums->region);
  const char *what = place->kind == HD_KIND_TASK ? "tasks are few or uneven: threads" : "threads";
  if (place->kind != HD_KIND_TASK && place->kind != HD_KIND_TASKLOOP && isfinite(imbalance))
    hd_say(finding->evidence[0], "its busiest thread works %.2f times the mean; the others wait %s in all for it",
           imbalance, hd_say_time(diagnosis, finding->lost_ticks).text);
  else
    hd_say(finding->evidence[0], "%s wait %s in all because others have more to do", what,
           hd_say_time(diagnosis, finding->lost_ticks).text);
  if (!say_schedule(diagnosis, finding))
    hd_say(finding->attempt[0], "%s: %s instead of %s", imbalance_cure(diagnosis, place),
           hd_say_after(diagnosis, finding).text, hd_say_before(diagnosis, finding).text);
}

void hd_say_too_few_iterations(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const struct hd_node *loop = loop_of(diagnosis, finding->place);
  struct hd_advice advice = hd_advice_of(diagnosis->model, loop);
  const uint64_t iterations = advice.cost.curve.parts > 0 ? hd_curve_iterations(&advice.cost.curve) : 0;
  const bool few = !advice.cost.unknown || has_fewer_than_threads(&advice.cost);
  const struct hd_model_loop *chunks = few ? NULL : one_long_iteration(diagnosis, loop);
  if (chunks)
    hd_say(finding->evidence[0], "one of its iterations takes %s; the others wait %s in all for it",
           hd_say_time(diagnosis, (double)chunks->lengths.longest_ticks).text,
           hd_say_time(diagnosis, finding->lost_ticks).text);
  else if (iterations < UINT64_C(8) * advice.cost.threads)
    hd_say(finding->evidence[0], "%" PRIu64 " iteration%s for %u threads: no even shares; threads wait %s in all",
           iterations, hd_plural(iterations), advice.cost.threads, hd_say_time(diagnosis, finding->lost_ticks).text);
  else
    hd_say(finding->evidence[0], "one of %" PRIu64 " iterations takes so long that the others wait %s in all for it",
           iterations, hd_say_time(diagnosis, finding->lost_ticks).text);
  hd_say(finding->attempt[0], "no schedule helps: collapse loops, split iterations, or parallelise another loop level");
  if (!chunks)
    hd_say(finding->attempt[1], "'heddle explain --loop %" PRIu32 "' shows the cost by iteration", loop->id);
  hd_advice_free(&advice);
}

void hd_say_scheduling(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const double busy = finding->sums.busy_ticks;
  const double larger = busy > 0 ? finding->lost_ticks / busy / 0.05 : INFINITY;
  hd_say(finding->evidence[0], "threads take %s in all to get chunks of iterations, and %s to work on them",
         hd_say_time(diagnosis, finding->lost_ticks).text, hd_say_time(diagnosis, busy).text);
  if (say_schedule(diagnosis, finding))
    return;
  if (larger < 1e6)
    hd_say(finding->attempt[0], "chunks %.0f times as large, or schedule(static) if iterations take the same time",
           ceil(fmax(larger, 2)));
  else
    hd_say(finding->attempt[0], "larger chunks, or schedule(static) if iterations take the same time");
}
