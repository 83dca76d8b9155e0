/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/trace/visit.h"

#include <stdlib.h>

#include "output/model/format_names.h"
#include "output/trace/blocks.h"
#include "output/trace/names.h"
#include "support/command/memory.h"

void hd_trace_visit_start(struct hd_trace_visit *visit, const struct hd_model *model, uint64_t whole_from_ticks) {
  visit->model = model;
  visit->whole_from_ticks = whole_from_ticks;
  visit->stretches = hd_trace_stretches_from(model, whole_from_ticks);
  visit->is_in = whole_from_ticks == 0 && !hd_trace_has_condition(model) && model->trace_window.from_ticks == 0;
  visit->is_window = model->trace_window.from_ticks > 0 || model->trace_window.to_ticks > 0;
  visit->goes_on = true;
  visit->last = hd_new((size_t)model->thread_count + 1, sizeof *visit->last);
  visit->workers = hd_new((size_t)model->thread_count + 1, sizeof *visit->workers);
  for (uint32_t i = 0; i < model->thread_count; i++)
    visit->last[i].now.state = HD_STATE_COUNT;
  hd_trace_primaries_start(&visit->primaries, model->thread_count);
}

void hd_trace_visit_free(struct hd_trace_visit *visit) {
  hd_trace_stretches_free(&visit->stretches);
  hd_trace_primaries_free(&visit->primaries);
  free(visit->workers);
  free(visit->last);
}

bool hd_trace_visit_wants(const struct hd_trace_visit *visit) {
  return visit->goes_on && visit->stretch < visit->stretches.count;
}

void hd_trace_visit_tell(struct hd_trace_visit *visit, struct hd_trace_entry entry) {
  struct hd_trace_entry *last = &visit->last[entry.thread];
  entry.before = last->now;
  entry.since_ticks = last->ticks;
  *last = entry;
  if (visit->is_in)
    visit->goes_on = visit->goes_on && visit->visit(visit->context, &entry);
}

/* ---- workers whose wait is over ---- */

/* The worker idles, outside all regions. */
static void tell_idle(struct hd_trace_visit *visit, uint64_t ticks, uint32_t thread) {
  hd_trace_visit_tell(visit,
                      (struct hd_trace_entry){.ticks = ticks, .thread = thread, .now = {0, HD_IDLE}, .inferred = true});
}

void hd_trace_visit_join(struct hd_trace_visit *visit, const struct hd_trace_entry *entry) {
  hd_trace_primaries_note_joined(&visit->primaries, entry->team);
  for (uint32_t i = 0; i < visit->model->thread_count; i++) {
    struct hd_trace_worker *worker = &visit->workers[i];
    if (!worker->waits || worker->team != entry->team)
      continue;
    worker->waits = false;
    tell_idle(visit, entry->ticks, i);
  }
}

/* Whether the team's primary has not joined it. `otherwise`: that is not known. One that is not there has ended, unless
 * it is silent to the end. */
static bool may_be_led(const struct hd_trace_visit *visit, uint32_t team, bool otherwise) {
  const uint32_t thread = HD_TEAM_RING(team);
  if (thread < visit->model->thread_count && visit->last[thread].now.state == HD_STATE_COUNT &&
      !visit->model->threads[thread].stay.known)
    return false;
  return hd_trace_primaries_lead(&visit->primaries, team, otherwise);
}

/* The worker's arrival may be noted later than the team's join. Of one before the stretch the primary says whether it
 * has joined. */
void hd_trace_visit_finish(struct hd_trace_visit *visit, uint32_t thread, bool is_earlier) {
  struct hd_trace_worker *worker = &visit->workers[thread];
  worker->waits = !hd_trace_primaries_have_joined(&visit->primaries, worker->team);
  if (is_earlier) /* where the stretch begins all primaries will have said so */
    worker->waits = !visit->is_in || may_be_led(visit, worker->team, worker->waits);
  if (!worker->waits)
    tell_idle(visit, visit->last[thread].ticks, thread);
}

/* ---- where stretches begin and end ---- */

static bool is_in(const struct hd_model *model, uint32_t node, uint32_t around) {
  while (node > around)
    node = model->nodes[node].parent;
  return node == around;
}

static uint32_t region_of(const struct hd_model *model, uint32_t node) {
  while (node > 0 && !hd_kind_is_region(model->nodes[node].kind))
    node = model->nodes[node].parent;
  return node;
}

/* Somebody is in the region who is not a worker at its end; a primary that opens or closes it is alone. */
static bool goes_on(const struct hd_trace_visit *visit, uint32_t region) {
  for (uint32_t i = 0; i < visit->model->thread_count; i++) {
    const struct hd_trace_place *place = &visit->last[i].now;
    const bool is_alone = place->state == HD_RUNTIME_FORK_JOIN && place->node == region;
    if (!visit->workers[i].waits && !is_alone && place->state < HD_IDLE && is_in(visit->model, place->node, region))
      return true;
  }
  return false;
}

static const struct hd_trace_stretch *stretch_of(const struct hd_trace_visit *visit) {
  return &visit->stretches.items[visit->stretch];
}

/* Whether a worker that waits does so no more when the stretch begins: that its team had joined may be among what is
 * missing. */
static bool has_left(const struct hd_trace_visit *visit, uint32_t thread) {
  const struct hd_trace_worker *worker = &visit->workers[thread];
  if (!worker->waits)
    return false;
  return !may_be_led(visit, worker->team, goes_on(visit, region_of(visit->model, visit->last[thread].now.node)));
}

static void forget_tasks(struct hd_trace_visit *visit) {
  if (visit->names)
    hd_names_forget_tasks(visit->names);
}

static void begin_stretch(struct hd_trace_visit *visit) {
  visit->is_in = true;
  if (visit->is_window) /* what it leaves out has not been seen */
    forget_tasks(visit);
  for (uint32_t i = 0; i < visit->model->thread_count; i++) {
    struct hd_trace_entry *last = &visit->last[i];
    if (has_left(visit, i)) {
      visit->workers[i].waits = false;
      last->now = (struct hd_trace_place){0, HD_IDLE};
    }
    const struct hd_trace_place now = last->now;
    last->now.state = HD_STATE_COUNT;
    if (now.state < HD_STATE_COUNT)
      hd_trace_visit_tell(
          visit,
          (struct hd_trace_entry){.ticks = stretch_of(visit)->from_ticks, .thread = i, .now = now, .is_bound = true});
  }
}

/* What they do is still known, unless they do something else before the next one begins. */
static void end_stretch(struct hd_trace_visit *visit) {
  for (uint32_t i = 0; i < visit->model->thread_count; i++) {
    struct hd_trace_entry *last = &visit->last[i];
    const struct hd_trace_place now = last->now;
    if (now.state == HD_STATE_COUNT)
      continue;
    hd_trace_visit_tell(visit,
                        (struct hd_trace_entry){.ticks = stretch_of(visit)->to_ticks,
                                                .thread = i,
                                                .now = {now.node, HD_STATE_COUNT},
                                                .is_bound = visit->is_window || hd_trace_has_condition(visit->model)});
    last->now = now;
  }
  visit->is_in = false;
  visit->stretch++;
  forget_tasks(visit);
}

/* Of those at the time from which a trace of the run's end is whole some may be missing; those at a window's begin
 * belong to what was before. Else what a thread says of the time before the stretch comes first. */
static bool is_behind_begin(const struct hd_trace_visit *visit, uint64_t ticks, bool is_earlier) {
  const uint64_t begin = stretch_of(visit)->from_ticks;
  const bool is_window = begin > 0 && begin == visit->model->trace_window.from_ticks,
             is_cut = begin > 0 && begin == visit->whole_from_ticks;
  if (is_window && is_earlier) /* the stretch may begin at the next moment */
    return ticks > begin + 1;
  return ticks > begin || (ticks == begin && !is_cut && !is_window && !is_earlier);
}

void hd_trace_visit_reach(struct hd_trace_visit *visit, uint64_t ticks, bool is_earlier) {
  while (visit->stretch < visit->stretches.count) {
    if (!visit->is_in && !is_behind_begin(visit, ticks, is_earlier))
      return;
    if (!visit->is_in)
      begin_stretch(visit);
    if (ticks <= stretch_of(visit)->to_ticks)
      return;
    end_stretch(visit);
  }
}

void hd_trace_visit_end(struct hd_trace_visit *visit) {
  hd_trace_visit_reach(visit, UINT64_MAX, false);
}
