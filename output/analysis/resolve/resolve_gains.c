/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What follows from resolved times: teams' busy times, gains, intervals and marks. */
#include <math.h>
#include <stdlib.h>

#include "output/analysis/resolve/resolve_internal.h"
#include "output/model/format_names.h"
#include "support/command/memory.h"

/* Busy ticks of a region, whatever construct in it they belong to, without regions nested in it. */
struct change {
  double gained;     /* by resolving */
  double less, more; /* than that there may be, in 95 of 100 runs */
  double as_busy;    /* unresolved ticks that count as busy before, */
  double as_waits;   /* and as waits */
  double elsewhere;  /* in instances that were refused: of any region */
  double of_lengths; /* how far a mean instance that windows saw may be from one that was refused, if their lengths vary
                        by as much as they are long */
};

/* ---- how sure ---- */

/* How much the busy part of a thread's unresolved time may differ from that of what windows saw: as windows differ
 * from each other; and as what Heddle's events took in them is known only about. */
static double error_of(const struct hd_unknown *unknown) {
  const double by_events =
      fabs(unknown->busy_weight / unknown->weight - unknown->busy_raw / fmax(unknown->raw, unknown->weight));
  return (unknown->spread ? hd_watched_error(unknown->spread) : 1) + by_events;
}

/* Threads' windows are the same ones, so their errors are added and do not cancel each other. */
static void add_errors(struct change *change, const struct hd_unknown *unknown) {
  const double ticks = (double)unknown->ticks, waiting = (double)unknown->waiting + (double)unknown->idle;
  if (unknown->ticks == 0)
    return;
  if (unknown->weight <= 0) { /* it stays where it is */
    change->less += ticks - waiting;
    change->more += waiting;
    return;
  }
  const double busy = unknown->busy_weight / unknown->weight, error = error_of(unknown);
  change->less += ticks * fmin(busy, error);
  change->more += ticks * fmin(1 - busy, error);
}

/* Of all outermost regions together: a part for each. Of a part of the time windows see less, so they differ more. */
static void add_errors_of_regions(const struct hd_resolution *of, struct change *changes) {
  struct change all = {0};
  double given = 0, ticks = 0;
  for (uint32_t thread = 0; thread < of->model->thread_count; thread++) {
    add_errors(&all, &of->of_regions[thread]);
    ticks += (double)of->of_regions[thread].ticks;
  }
  for (uint32_t i = 1; i < of->model->node_count; i++)
    given += of->place[i] == i && of->place[of->model->nodes[i].parent] == 0 ? (double)of->given[i].all : 0;
  for (uint32_t i = 1; i < of->model->node_count; i++) {
    const double part = given > 0 ? fmin((double)of->given[i].all / given, 1) : 0;
    changes[i].elsewhere = of->place[i] == i ? ticks : 0;
    if (of->place[i] != i)
      continue;
    changes[i].less += all.less * sqrt(part);
    changes[i].more += all.more * sqrt(part);
    changes[i].of_lengths = of->given[i].seen > 0 ? fmin(1.96 * (1 - part) / sqrt(of->given[i].seen), 1) : 1;
  }
  if (given > 0)
    return;
  changes[0].less += all.less;
  changes[0].more += all.more;
}

/* By place. */
static struct change *find_changes(const struct hd_resolution *of) {
  const struct hd_model *model = of->model;
  struct change *changes = hd_new(model->node_count, sizeof *changes);
  for (uint32_t i = 0; i < model->node_count; i++) {
    struct change *change = &changes[of->place[i]];
    change->gained += (double)(of->gained[i] - of->of_refused[i]);
    change->as_busy += (double)of->as_busy[i];
    change->as_waits += (double)of->as_waits[i];
    for (uint32_t thread = 0; of->place[i] == i && thread < model->thread_count; thread++)
      add_errors(change, hd_unknown_of(of, i, thread));
  }
  add_errors_of_regions(of, changes);
  return changes;
}

/* ---- teams ---- */

static double within(double value, double most) {
  return fmin(fmax(value, 0), most);
}

/* Less busy time is more lost time. */
static double gain_of(const struct hd_node *node, double lost_ticks) {
  const double team = hd_team_threads(&node->team);
  return team > 0 ? lost_ticks / team * node->gain_share : 0;
}

/* What the threads of an instance lacked to the busiest one is known of the time in all only: it is taken to be the
 * same part of what is left; or, if that is more, what they lack to `busiest`, which one thread has in all instances.
 */
static void set_busy(struct hd_team_totals *team, double gained, double busiest) {
  const double before = (double)team->busy_ticks, lacked = (double)team->busy_max_ticks - before;
  const double now = within(before + gained, (double)team->capacity_ticks);
  team->busy_ticks = (uint64_t)llround(now);
  const double still = before > 0 ? fmax(lacked, 0) * fmin(now / before, 1) : 0;
  const double least = fmin(busiest * hd_team_threads(team), (double)team->capacity_ticks);
  team->busy_max_ticks = (uint64_t)llround(fmax(now + still, least));
}

static double busiest_of(const struct hd_resolution *of, uint32_t place) {
  uint64_t most = 0;
  for (uint32_t thread = 0; thread < of->model->thread_count; thread++) {
    const uint64_t busy = hd_unknown_of(of, place, thread)->busy;
    most = busy > most ? busy : most;
  }
  return (double)most;
}

static void set_gain(const struct hd_model *model, struct hd_node *node, const struct change *change) {
  const double elapsed = hd_team_elapsed(&node->team), before = node->team.gain_ticks;
  const double gain = before - gain_of(node, change->gained);
  node->team.gain_ticks = within(gain, fmin(model->gain_limit_ticks, elapsed));
  node->gain_possible = (struct hd_bracket){.low = within(before - gain_of(node, change->as_waits), elapsed),
                                            .high = within(before + gain_of(node, change->as_busy), elapsed)};
  node->gain_interval = (struct hd_bracket){
      .low = fmin(fmax(gain - gain_of(node, change->more), node->gain_possible.low), node->team.gain_ticks),
      .high = fmax(fmin(gain + gain_of(node, change->less), node->gain_possible.high), node->team.gain_ticks)};
}

static uint64_t times(uint64_t ticks, double factor) {
  return (uint64_t)llround((double)ticks * factor);
}

void hd_resolve_scale(struct hd_team_totals *team, double factor) {
  team->elapsed_ticks = times(team->elapsed_ticks, factor);
  team->capacity_ticks = times(team->capacity_ticks, factor);
  team->busy_ticks = times(team->busy_ticks, factor);
  team->busy_max_ticks = times(team->busy_max_ticks, factor);
  team->idle_ticks = times(team->idle_ticks, factor);
  team->mean_ticks *= factor;
  team->gain_ticks *= factor;
}

/* Of instances that were not observed, as of those that were. */
static void add_instances(struct hd_team_totals *team, double factor) {
  team->instances = times(team->instances, factor);
  hd_resolve_scale(team, factor);
}

static void resolve_construct(const struct hd_resolution *of, struct hd_node *node, double gained) {
  const uint64_t more = of->visits[node->id];
  if (node->team.instances == 0)
    return;
  if (more > 0) {
    add_instances(&node->team, (double)node->visits / (double)(node->visits - more));
  } else if (gained != 0) {
    set_busy(&node->team, gained, 0);
    node->team.gain_ticks = within(node->team.gain_ticks - gain_of(node, gained), hd_team_elapsed(&node->team));
  }
}

/* Those with a barrier of their own, without regions in them. */
static void resolve_constructs(struct hd_resolution *of) {
  struct hd_model *model = of->model;
  double *gained = hd_new(model->node_count, sizeof *gained);
  for (uint32_t i = model->node_count; i-- > 1;) { /* children have larger ids */
    struct hd_node *node = &model->nodes[i];
    gained[i] += (double)of->gained[i];
    if (hd_kind_is_region(node->kind))
      continue;
    gained[node->parent] += gained[i];
    resolve_construct(of, node, gained[i]);
  }
  free(gained);
}

/* What its instances that were refused have taken is added as if they were busy like those that were observed; then
 * they are what windows saw. They may have lost anything between nothing and all. */
static void resolve_refused(struct hd_resolution *of, struct hd_node *node, const struct change *change) {
  const double gain_before = node->team.gain_ticks, busy_before = (double)node->team.busy_ticks;
  const double sure_less = gain_before - node->gain_interval.low, sure_more = node->gain_interval.high - gain_before;
  hd_resolve_add_instances(of, node);
  const double elapsed = hd_team_elapsed(&node->team);
  const double more = busy_before + (double)of->given[node->id].busy - (double)node->team.busy_ticks;
  set_busy(&node->team, more, 0);
  const double gain = within(node->team.gain_ticks - gain_of(node, more), fmin(of->model->gain_limit_ticks, elapsed));
  node->team.gain_ticks = gain;
  node->gain_possible.low = fmin(node->gain_possible.low, gain);
  node->gain_possible.high = fmax(fmin(node->gain_possible.high + change->elsewhere * node->gain_share, elapsed), gain);
  const double by_lengths = fmax(gain - gain_before, 0) * change->of_lengths;
  node->gain_interval.low = fmax(gain - sure_less - gain_of(node, change->more) - by_lengths, node->gain_possible.low);
  node->gain_interval.high =
      fmin(gain + sure_more + gain_of(node, change->less) + by_lengths, node->gain_possible.high);
}

static void add_gain(struct hd_model *model, const struct hd_node *node, double before) {
  model->gain_ticks += node->team.gain_ticks - before;
  model->gain_interval.low += node->gain_interval.low - before;
  model->gain_interval.high += node->gain_interval.high - before;
}

static void resolve_regions(struct hd_resolution *of, const struct change *changes) {
  struct hd_model *model = of->model;
  for (uint32_t i = 1; i < model->node_count; i++) {
    struct hd_node *node = &model->nodes[i];
    const double before = node->team.gain_ticks;
    node->gain_interval = node->gain_possible = (struct hd_bracket){before, before};
    if (of->place[i] != i)
      continue;
    if (node->team.capacity_ticks > 0 && changes[i].as_busy + changes[i].as_waits > 0) {
      if (changes[i].gained != 0)
        set_busy(&node->team, changes[i].gained, busiest_of(of, i));
      set_gain(model, node, &changes[i]);
    }
    if (hd_resolve_has_refused(of, node))
      resolve_refused(of, node, &changes[i]);
    if (of->place[node->parent] == 0)
      add_gain(model, node, before);
  }
}

static double processors_of(const struct hd_model *model) {
  return model->header.max_threads > 0 ? model->header.max_threads : 1;
}

/* ---- marks and busy times of callpaths ---- */

/* What a doacross loop's waits are no window tells. */
static void mark(struct hd_node *node) {
  for (int kind = 0; kind < HD_MARKS_KINDS; kind++) {
    uint32_t *marks = &node->marks[kind];
    *marks = (*marks & HD_MARK_SINKS ? *marks : *marks & ~(uint32_t)HD_MARK_GAIN_UNKNOWN) | HD_MARK_ESTIMATED;
  }
}

/* Up to the program. */
static void mark_all(struct hd_resolution *of) {
  struct hd_model *model = of->model;
  for (uint32_t i = model->node_count; i-- > 0;) {
    struct hd_node *node = &model->nodes[i], *parent = &model->nodes[node->parent];
    node->resolved_ticks -= (double)of->gained[i];
    if (of->is_estimated[of->place[i]] || node->marks[HD_MARKS_OF_CONSTRUCTS] & HD_MARK_ESTIMATED) {
      mark(node);
      parent->marks[HD_MARKS_OF_CONSTRUCTS] |= HD_MARK_ESTIMATED;
    }
    if (i > 0)
      parent->resolved_ticks += node->resolved_ticks;
  }
}

void hd_resolve_gains(struct hd_resolution *of) {
  struct hd_model *model = of->model;
  struct change *changes = find_changes(of);
  double more = 0;
  for (uint32_t i = 0; i < model->node_count; i++)
    more -= (double)of->gained[i];
  model->gain_limit_ticks = within(model->gain_limit_ticks + more / processors_of(model), (double)model->elapsed_ticks);
  model->gain_interval = (struct hd_bracket){model->gain_ticks, model->gain_ticks};
  resolve_constructs(of);
  resolve_regions(of, changes);
  model->gain_ticks = fmin(model->gain_ticks, model->gain_limit_ticks);
  model->gain_interval.low = fmin(model->gain_interval.low, model->gain_ticks);
  model->gain_interval.high = fmin(fmax(model->gain_interval.high, model->gain_ticks), (double)model->elapsed_ticks);
  mark_all(of);
  free(changes);
}

struct errors {
  double less, more; /* of the regions in it, or it is itself */
  double own;        /* what its constructs have of its region's estimate */
};

static struct hd_bracket busy_interval(const struct hd_node *node, const struct errors *errors, double elsewhere) {
  const double busy = (double)node->inclusive_ticks[HD_BUSY];
  return (struct hd_bracket){.low = fmax(busy - errors->less - errors->own, 0),
                             .high = busy + errors->more + elsewhere};
}

/* Of regions and the program, as of their gains. Of a construct in a region only what is possible is known: what is
 * unresolved anywhere in the region may have been spent in it. */
void hd_resolve_busy_intervals(struct hd_resolution *of) {
  struct hd_model *model = of->model;
  struct change *changes = find_changes(of);
  struct errors *errors = hd_new(model->node_count, sizeof *errors);
  for (uint32_t i = model->node_count; i-- > 0;) {
    struct hd_node *node = &model->nodes[i];
    const struct change *place = &changes[of->place[i]];
    struct errors *own = &errors[i], *above = &errors[node->parent];
    const bool is_place = of->place[i] == i;
    own->less += is_place ? place->less : 0;
    own->more += is_place ? place->more : 0;
    own->own += is_place ? 0 : (double)of->gained[i] + (double)of->as_busy[i];
    node->busy_interval = busy_interval(node, own, is_place ? 0 : place->as_busy + place->as_waits);
    if (i == 0)
      break;
    above->less += own->less;
    above->more += own->more;
    above->own += is_place || of->place[node->parent] == node->parent ? 0 : own->own;
  }
  free(errors);
  free(changes);
}
