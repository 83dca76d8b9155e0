/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/schedules/advice.h"

#include <math.h>
#include <stdio.h>

#include "output/model/account.h"
#include "output/model/format_names.h"
#include "output/model/lazy_rows.h"

/* Of the measured time: a schedule is as good as the best if it is so close, and worth a change if it gains so much. */
static const double CLOSE = 0.02, WORTH = 0.05;

/* For loops of profiles that have no chunk: a few locked operations, and a way through the runtime. */
static const double ASSUMED_HAND_OUT_S = 200e-9;

/* Handing out a chunk takes this part of its work, or less, in chunks of the size that is proposed. */
static const double HAND_OUT_SHARE = 0.02;

/* ---- what handing out takes ---- */

/* A thread asks once more than it gets chunks, after the loop was made ready. */
static double requests_of(const struct hd_node *node) {
  return (double)node->shares.chunks + 2 * (double)node->visits;
}

static double handing_out(const struct hd_node *node) {
  return (double)node->ticks[HD_RUNTIME_SCHEDULING];
}

static void find_hand_out(struct hd_advice *advice, const struct hd_model *model, const struct hd_node *node) {
  double ticks = 0, requests = 0;
  advice->hand_out_source = HD_HAND_OUT_OWN;
  if (node->shares.chunks > 0 && handing_out(node) > 0) {
    advice->hand_out_ticks = handing_out(node) / requests_of(node);
    return;
  }
  for (uint32_t i = 1; i < model->node_count; i++) {
    const struct hd_node *other = &model->nodes[i];
    const bool counts = hd_kind_of_site(other->kind) == HD_KIND_LOOP && other->shares.chunks > 0 &&
                        handing_out(other) > 0 && hd_loop_team(model, other)->team_max == advice->cost.threads;
    ticks += counts ? handing_out(other) : 0;
    requests += counts ? requests_of(other) : 0;
  }
  advice->hand_out_source = requests > 0 ? HD_HAND_OUT_OTHERS : HD_HAND_OUT_ASSUMED;
  advice->hand_out_ticks = requests > 0 ? ticks / requests : ASSUMED_HAND_OUT_S / model->seconds_per_tick;
}

/* ---- what was measured ---- */

static const struct hd_node *region_of(const struct hd_model *model, const struct hd_node *node) {
  while (node->id != 0 && !hd_kind_is_region(node->kind))
    node = &model->nodes[node->parent];
  return node;
}

static double busiest_row(const struct hd_model *model, const struct hd_node *node) {
  double most = 0;
  hd_model_need_rows(model);
  for (uint32_t i = 0; i < node->row_count; i++) {
    const uint64_t *ticks = model->rows[node->row_first + i].ticks;
    const uint64_t waits = ticks[HD_WAIT_BARRIER_IMPLICIT] + ticks[HD_WAIT_REDUCTION];
    most = fmax(most, (double)(hd_ticks_all(ticks) - waits));
  }
  return most;
}

/* Sets the measured time. Returns the part of it in which the busiest thread of each instance worked; 0: unknown. A
 * loop without a barrier of its own has its region's time, if it is all of that. */
static double measure(struct hd_advice *advice, const struct hd_model *model, const struct hd_node *node) {
  const struct hd_node *region = region_of(model, node);
  const double inside = (double)node->inclusive_ticks[HD_BUSY], all = (double)region->inclusive_ticks[HD_BUSY];
  const bool is_region = node->team.instances == 0 && inside >= 0.9 * all && region->team.instances > 0;
  if (node->team.instances > 0) {
    advice->measured_ticks = hd_loop_elapsed(node);
    return (double)node->team.busy_max_ticks / advice->cost.threads;
  }
  if (is_region) {
    const double fork = (double)region->ticks[HD_RUNTIME_FORK_JOIN], rest = (all - inside) / advice->cost.threads;
    advice->measured_ticks = fmax(hd_team_elapsed(&region->team) - fork - rest, 0);
    return fmax((double)region->team.busy_max_ticks / advice->cost.threads - rest, 0);
  }
  advice->measured_ticks = busiest_row(model, node);
  advice->measured_is_least = true;
  return 0;
}

/* ---- schedules ---- */

static void add(struct hd_advice *advice, enum hd_schedule_kind kind, double chunk) {
  const double most = (double)hd_curve_iterations(&advice->cost.curve) / (2.0 * advice->cost.threads);
  if ((chunk > 1 && chunk > most && advice->count > 0) || advice->count == HD_SCHEDULES_MOST)
    return;
  const struct hd_schedule schedule = {kind, (uint64_t)chunk};
  for (uint32_t i = 0; i < advice->count; i++)
    if (advice->predicted[i].schedule.kind == kind && advice->predicted[i].schedule.chunk == schedule.chunk)
      return;
  advice->predicted[advice->count++].schedule = schedule;
}

static double off_by(const struct hd_advice *advice, double chunk) {
  const struct hd_schedule in_order = {HD_SCHEDULE_MONOTONIC, (uint64_t)chunk},
                           stealing = {HD_SCHEDULE_DYNAMIC, in_order.chunk};
  const double each = advice->measured_ticks / advice->cost.instances, cost = advice->hand_out_ticks;
  const struct hd_cost_curve *curve = &advice->cost.curve;
  return fmin(fabs(hd_schedule_simulate(curve, &in_order, advice->cost.threads, cost).longest - each),
              fabs(hd_schedule_simulate(curve, &stealing, advice->cost.threads, cost).longest - each));
}

/* The size of `chunks` equal chunks. Several sizes make so many: of the smallest and of round ones, as people write
 * them, the one that explains the measured time. */
static double chunk_size(const struct hd_advice *advice, double chunks) {
  const double iterations = (double)hd_curve_iterations(&advice->cost.curve), count = fmax(round(chunks), 1);
  const double least = fmax(ceil(iterations / count), 1), most = count > 1 ? ceil(iterations / (count - 1)) - 1 : least;
  const double sizes[] = {exp2(ceil(log2(least))), ceil(least / 10) * 10, least};
  double size = least, nearest = INFINITY;
  for (int i = 0; i < 3 && most > least; i++) {
    const double off = sizes[i] <= most ? off_by(advice, sizes[i]) : INFINITY;
    size = off < 0.99 * nearest ? sizes[i] : size;
    nearest = fmin(off, nearest);
  }
  return size;
}

/* The size with which guided makes so many chunks. */
static double guided_size(const struct hd_advice *advice, double chunks) {
  struct hd_schedule guided = {HD_SCHEDULE_GUIDED, 1};
  double nearest = INFINITY, size = 1;
  for (; (double)guided.chunk <= (double)hd_curve_iterations(&advice->cost.curve); guided.chunk *= 2) {
    const double apart =
        fabs((double)hd_schedule_simulate(&advice->cost.curve, &guided, advice->cost.threads, 0).chunks - chunks);
    size = apart < nearest ? (double)guided.chunk : size;
    nearest = fmin(apart, nearest);
  }
  return size;
}

/* The loop's own: the size of its chunks follows from their number. */
static void add_current(struct hd_advice *advice, const struct hd_node *node) {
  const double chunks = (double)node->shares.chunks / advice->cost.instances;
  const bool has_blocks = advice->cost.from_blocks || round(chunks) <= advice->cost.threads;
  advice->current_known = node->kind != HD_KIND_LOOP;
  if (node->kind == HD_KIND_LOOP_STATIC)
    add(advice, HD_SCHEDULE_STATIC, has_blocks ? 0 : chunk_size(advice, chunks));
  else if (node->kind == HD_KIND_LOOP_DYNAMIC)
    add(advice, HD_SCHEDULE_DYNAMIC, chunk_size(advice, chunks));
  else if (node->kind == HD_KIND_LOOP_GUIDED)
    add(advice, HD_SCHEDULE_GUIDED, guided_size(advice, chunks));
}

static void list_schedules(struct hd_advice *advice, const struct hd_node *node) {
  const struct hd_cost_curve *curve = &advice->cost.curve;
  const double mean = hd_curve_all(curve) / (double)hd_curve_iterations(curve);
  const double fine = exp2(ceil(log2(fmax(advice->hand_out_ticks / HAND_OUT_SHARE / mean, 1))));
  add_current(advice, node);
  add(advice, HD_SCHEDULE_STATIC, 0);
  add(advice, HD_SCHEDULE_STATIC, 1);
  add(advice, HD_SCHEDULE_STATIC, 8);
  add(advice, HD_SCHEDULE_STATIC, 64);
  add(advice, HD_SCHEDULE_DYNAMIC, 1);
  add(advice, HD_SCHEDULE_DYNAMIC, fine);
  add(advice, HD_SCHEDULE_DYNAMIC, 8 * fine);
  add(advice, HD_SCHEDULE_DYNAMIC, 64 * fine);
  add(advice, HD_SCHEDULE_GUIDED, 1);
  add(advice, HD_SCHEDULE_GUIDED, fine);
}

/* ---- predictions ---- */

/* All of a part's cost lies at its begin, or at its end: in half of it or, where that is known, in as few iterations as
 * none costs more than the longest chunk. */
static struct hd_cost_curve one_sided(const struct hd_loop_cost *cost, bool first) {
  const struct hd_cost_curve *curve = &cost->curve;
  struct hd_cost_curve with = hd_curve_new(2 * curve->parts);
  for (uint32_t i = 0; i < curve->parts; i++) {
    const uint64_t count = curve->begin[i + 1] - curve->begin[i];
    const double all = curve->before[i + 1] - curve->before[i];
    const uint64_t half = count - count / 2;
    const double few = fmin(fmax(ceil(all / cost->longest), 1), (double)count);
    const uint64_t dear = isfinite(cost->longest) ? (uint64_t)few : half;
    with.begin[2 * i] = curve->begin[i];
    with.before[2 * i] = curve->before[i];
    with.begin[2 * i + 1] = first ? curve->begin[i] + dear : curve->begin[i + 1] - dear;
    with.before[2 * i + 1] = curve->before[first ? i + 1 : i];
  }
  with.begin[with.parts] = hd_curve_iterations(curve);
  with.before[with.parts] = hd_curve_all(curve);
  return with;
}

static double longest(const struct hd_advice *advice, const struct hd_cost_curve *curve,
                      const struct hd_predicted *of) {
  return advice->cost.instances *
         hd_schedule_simulate(curve, &of->schedule, advice->cost.threads, advice->hand_out_ticks).longest;
}

static double handing_out_each(const struct hd_advice *advice, const struct hd_predicted *of) {
  const struct hd_schedule_run run =
      hd_schedule_simulate(&advice->cost.curve, &of->schedule, advice->cost.threads, advice->hand_out_ticks);
  return advice->cost.instances * run.handed / advice->cost.threads;
}

/* Where the loop was dynamic, the measured time says which kind of that it is. */
static void choose_dynamic(struct hd_advice *advice) {
  struct hd_predicted *current = &advice->predicted[0];
  if (!advice->current_known || current->schedule.kind != HD_SCHEDULE_DYNAMIC)
    return;
  const double stealing = longest(advice, &advice->cost.curve, current);
  current->schedule.kind = HD_SCHEDULE_MONOTONIC;
  const double in_order = longest(advice, &advice->cost.curve, current);
  const bool is_in_order = fabs(in_order - advice->measured_ticks) < 0.99 * fabs(stealing - advice->measured_ticks);
  for (uint32_t i = 0; i < advice->count; i++)
    if (hd_schedule_is_dynamic(&advice->predicted[i].schedule))
      advice->predicted[i].schedule.kind = is_in_order ? HD_SCHEDULE_MONOTONIC : HD_SCHEDULE_DYNAMIC;
}

/* Another loop's dynamic schedule may be of the other kind. */
static double other_kind(const struct hd_advice *advice, const struct hd_predicted *predicted) {
  struct hd_predicted other = *predicted;
  other.schedule.kind = predicted->schedule.kind == HD_SCHEDULE_DYNAMIC ? HD_SCHEDULE_MONOTONIC : HD_SCHEDULE_DYNAMIC;
  const bool is_told = advice->current_known && hd_schedule_is_dynamic(&advice->predicted[0].schedule);
  return hd_schedule_is_dynamic(&predicted->schedule) && !is_told
             ? fabs(longest(advice, &advice->cost.curve, &other) - predicted->ticks)
             : 0;
}

static void predict_all(struct hd_advice *advice) {
  const struct hd_cost_curve *curve = &advice->cost.curve;
  struct hd_cost_curve front = one_sided(&advice->cost, true), back = one_sided(&advice->cost, false);
  for (uint32_t i = 0; i < advice->count; i++) {
    struct hd_predicted *predicted = &advice->predicted[i];
    predicted->ticks = longest(advice, curve, predicted);
    predicted->error_ticks = fmax(fabs(longest(advice, &front, predicted) - predicted->ticks),
                                  fabs(longest(advice, &back, predicted) - predicted->ticks));
    predicted->error_ticks += other_kind(advice, predicted);
    if (advice->hand_out_source == HD_HAND_OUT_ASSUMED)
      predicted->error_ticks += 2 * handing_out_each(advice, predicted);
  }
  hd_curve_free(&front);
  hd_curve_free(&back);
}

/* How much of the loop's time its threads are likely to have had no processor, which others took: which thread that hit
 * is chance. */
static double disturbed(const struct hd_advice *advice, const struct hd_model *model) {
  const struct hd_account account = hd_account_of_program(model);
  const double queued = account.known ? (double)account.queued_ns * 1e-9 / model->seconds_per_tick : 0;
  return model->elapsed_ticks > 0
             ? queued / advice->cost.threads * advice->measured_ticks / (double)model->elapsed_ticks
             : 0;
}

/* What cannot be said of the loop's own schedule cannot be said of others. */
static void compare_with_measured(struct hd_advice *advice, const struct hd_node *node, double busiest, double others) {
  const double simulated = advice->current_known ? advice->predicted[0].ticks : advice->measured_ticks;
  const double between = fmax(busiest - simulated, 0); /* instances differ: none is the mean one */
  const double stays = fmax(advice->measured_ticks - fmax(busiest, simulated), 0);
  const double misses = fabs(advice->measured_ticks - fmax(busiest, simulated));
  const double own = others + fmax((double)hd_intrusion_all(&node->intrusion_inclusive), 0) / advice->cost.threads;
  const double varies = fmin(advice->cost.variation, 1) * advice->even_ticks;
  for (uint32_t i = 0; i < advice->count; i++) {
    struct hd_predicted *predicted = &advice->predicted[i];
    const bool is_static = predicted->schedule.kind == HD_SCHEDULE_STATIC;
    const bool is_current = advice->current_known && i == 0;
    predicted->ticks += stays + (is_current || !advice->cost.from_blocks ? between : 0);
    predicted->error_ticks += misses + own + (is_static && !is_current ? between + varies : 0);
    predicted->error_ticks += is_current ? 0 : advice->cost.instances * advice->cost.hidden;
  }
}

/* ---- the best ---- */

/* Among those that are about as fast: what costs nothing at run time and keeps neighbours together; then what adapts;
 * then larger chunks. */
static bool is_simpler(const struct hd_schedule *a, const struct hd_schedule *b) {
  const bool a_turns = a->kind == HD_SCHEDULE_STATIC && a->chunk > 0;
  const bool b_turns = b->kind == HD_SCHEDULE_STATIC && b->chunk > 0;
  if (a_turns != b_turns)
    return b_turns;
  return a->kind != b->kind ? a->kind < b->kind : a->chunk > b->chunk;
}

static bool is_worth_it(const struct hd_advice *advice, uint32_t index) {
  const struct hd_predicted *predicted = &advice->predicted[index];
  const double gain = advice->measured_ticks - predicted->ticks;
  return (index > 0 || !advice->current_known) && gain > predicted->error_ticks &&
         gain > WORTH * advice->measured_ticks;
}

static double fastest(const struct hd_advice *advice) {
  double least = INFINITY;
  for (uint32_t i = 0; i < advice->count; i++)
    least = is_worth_it(advice, i) ? fmin(least, advice->predicted[i].ticks) : least;
  return least;
}

static void choose(struct hd_advice *advice) {
  const double most = fastest(advice) + CLOSE * advice->measured_ticks;
  advice->best = advice->second = -1;
  for (uint32_t i = 0; i < advice->count; i++)
    if (is_worth_it(advice, i) && advice->predicted[i].ticks <= most &&
        (advice->best < 0 || is_simpler(&advice->predicted[i].schedule, &advice->predicted[advice->best].schedule)))
      advice->best = (int)i;
  if (advice->best < 0 || !hd_schedule_is_dynamic(&advice->predicted[advice->best].schedule))
    return;
  for (uint32_t i = 0; i < advice->count; i++)
    if (is_worth_it(advice, i) && advice->predicted[i].ticks <= most &&
        advice->predicted[i].schedule.kind == HD_SCHEDULE_GUIDED)
      advice->second = (int)i;
}

/* Not even single iterations, at no cost, share the work much better than what was measured. */
static bool is_indivisible(const struct hd_advice *advice, double others) {
  const struct hd_schedule finest = {HD_SCHEDULE_DYNAMIC, 1};
  const double least =
      advice->cost.instances * hd_schedule_simulate(&advice->cost.curve, &finest, advice->cost.threads, 0).longest;
  const double lost = advice->measured_ticks - advice->even_ticks;
  return advice->best < 0 && lost > WORTH * advice->measured_ticks + others && least - advice->even_ticks >= lost / 2;
}

struct hd_advice hd_advice_of(const struct hd_model *model, const struct hd_node *node) {
  struct hd_advice advice = {.cost = hd_loop_cost_of(model, node), .best = -1, .second = -1};
  if (!advice.cost.unknown && model->header.max_threads > 0 && advice.cost.threads > model->header.max_threads)
    advice.cost.unknown = "its team has more threads than there are processors";
  if (advice.cost.unknown)
    return advice;
  const double busiest = measure(&advice, model, node);
  advice.even_ticks = advice.cost.instances * hd_curve_all(&advice.cost.curve) / advice.cost.threads;
  find_hand_out(&advice, model, node);
  list_schedules(&advice, node);
  choose_dynamic(&advice);
  predict_all(&advice);
  const double others = disturbed(&advice, model);
  compare_with_measured(&advice, node, busiest, others);
  choose(&advice);
  advice.is_indivisible = is_indivisible(&advice, others);
  return advice;
}

void hd_advice_free(struct hd_advice *advice) {
  hd_loop_cost_free(&advice->cost);
}

void hd_advice_words(const struct hd_advice *advice, char text[HD_ADVICE_BYTES]) {
  char best[HD_SCHEDULE_BYTES], second[HD_SCHEDULE_BYTES];
  hd_schedule_text(best, &advice->predicted[advice->best].schedule);
  if (advice->second < 0) {
    snprintf(text, HD_ADVICE_BYTES, "schedule(%s)", best);
    return;
  }
  hd_schedule_text(second, &advice->predicted[advice->second].schedule);
  snprintf(text, HD_ADVICE_BYTES, "schedule(%s) or schedule(%s)", best, second);
}

double hd_advice_ticks(const struct hd_advice *advice) {
  const double best = advice->predicted[advice->best].ticks;
  return advice->second < 0 ? best : fmax(best, advice->predicted[advice->second].ticks);
}
