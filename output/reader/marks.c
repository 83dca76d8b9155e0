/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file marks.c
 * Which numbers lack something, or hold what is not theirs, because events were switched off for a time, or because the
 * runtime does not report them. Known is in which nodes constructs of which class began without being observed; what
 * follows from it for these nodes, those below and those above is found here.
 */
#include "output/reader/reader_internal.h"

#include <stdlib.h>
#include <string.h>

#include "output/model/format_names.h"
#include "support/command/memory.h"

enum {
  ENTRY = 1u << HD_CLASS_ENTRY,
  MUTEX = 1u << HD_CLASS_MUTEX,
  SECTION = 1u << HD_REFUSED_SECTION,
  TASK = 1u << HD_CLASS_TASK,
  CALL = 1u << HD_CLASS_CALL,
  WORK = 1u << HD_CLASS_WORK,
  SYNC = 1u << HD_CLASS_SYNC
};

/** By node, for marks of one kind. */
struct marking {
  struct hd_model *model;
  enum hd_marks_of of;
  uint32_t *home; /* the node in whose numbers its own are: for constructs those of a routine are what is around it */
  uint32_t *refused; /* by home */
  uint32_t *region;  /* the innermost one that the node is, or lies in; 0: none */
  uint32_t *tasks;   /* by region: TASK, if tasks that were not observed began anywhere in it */
  uint32_t *outer;   /* the outermost region likewise */
  uint32_t *rising;  /* by outermost region: the marks that rise to it */
};

/* ---- what follows for those below ---- */

static bool is_barrier(enum hd_kind kind) {
  return kind == HD_KIND_BARRIER_IMPLICIT || kind == HD_KIND_BARRIER || kind == HD_KIND_REDUCTION;
}

/* Constructs of which classes may enclose one of a kind. Sections lie in others seldom, and both are off alike but for
 * the moment in which they are switched on. The barrier that closes a loop is the loop's. */
static uint32_t enclosing(enum hd_kind kind) {
  if (is_barrier(kind))
    return CALL | WORK;
  if (kind == HD_KIND_BARRIER_EXPLICIT || (hd_kind_is_worksharing(kind) && kind != HD_KIND_TASKLOOP))
    return CALL;
  return CALL | TASK | WORK | (hd_kind_event_classes(kind) & MUTEX ? 0u : (uint32_t)SECTION);
}

static uint32_t marks_from_above(const struct marking *marking, const struct hd_node *node) {
  const struct hd_node *parent = &marking->model->nodes[node->parent];
  const uint32_t refused = marking->refused[marking->home[parent->id]];
  const uint32_t unseen_tasks = marking->tasks[marking->region[parent->id]];
  uint32_t marks = parent->marks[marking->of] & (HD_MARK_MISSED | HD_MARK_MISPLACED);
  if (parent->shares.refused > 0)
    marks |= HD_MARK_MISSED;
  if ((refused & hd_kind_event_classes(node->kind)) || (node->kind == HD_KIND_TASK && unseen_tasks))
    marks |= HD_MARK_MISSED;
  if (refused & enclosing(node->kind))
    marks |= HD_MARK_MISPLACED | (node->kind == HD_KIND_BARRIER ? HD_MARK_RENAMED : 0u);
  return marks;
}

/* ---- what follows for the node itself ---- */

/* Threads wait in it; or at its end. */
static bool may_wait(enum hd_kind kind) {
  return (kind >= HD_KIND_TASKWAIT && kind <= HD_KIND_REDUCTION) || kind == HD_KIND_OTHER ||
         hd_kind_is_worksharing(kind);
}

/* A wait in which a task begins that is not observed is busy from then on; but at a region's end it stays a wait. */
static uint32_t marks_of_own(const struct marking *marking, const struct hd_node *node) {
  const uint32_t refused = marking->refused[node->id];
  uint32_t marks = refused & ~(uint32_t)ENTRY ? HD_MARK_HOLDS : 0;
  if (refused & ENTRY)
    marks |= HD_MARK_HANDS | HD_MARK_RUNTIME;
  if (node->shares.refused > 0)
    marks |= HD_MARK_REGIONS;
  if (refused & MUTEX)
    marks |= HD_MARK_QUEUES;
  if (refused & HD_REFUSED_SINKS)
    marks |= HD_MARK_SINKS;
  if ((refused & SYNC) || ((refused & TASK) && may_wait(node->kind)))
    marks |= HD_MARK_MEETS;
  if ((refused & TASK) && hd_kind_is_region(node->kind))
    marks |= HD_MARK_WORK;
  if ((refused & SYNC) && hd_kind_is_worksharing(node->kind))
    marks |= HD_MARK_UNCLOSED;
  return marks;
}

/* What ran as a part of one node, and belongs below another one of its region; both are in the region's own numbers. */
static void mark_moved(const struct marking *marking) {
  struct hd_model *model = marking->model;
  for (uint32_t i = model->node_count; i-- > 1;) { /* children have larger ids */
    struct hd_node *node = &model->nodes[i];
    const bool task = node->kind == HD_KIND_TASK && (node->marks[marking->of] & HD_MARK_MISSED);
    if (hd_kind_is_region(node->kind))
      continue;
    if (task || (marking->refused[i] & TASK))
      node->marks[marking->of] |= HD_MARK_MOVED;
    if (!hd_kind_is_region(model->nodes[node->parent].kind))
      model->nodes[node->parent].marks[marking->of] |= node->marks[marking->of] & HD_MARK_MOVED;
  }
}

static void mark_around_regions(const struct marking *marking) {
  struct hd_model *model = marking->model;
  for (uint32_t i = model->node_count; i-- > 1;) /* children have larger ids */
    model->nodes[model->nodes[i].parent].marks[marking->of] |= model->nodes[i].marks[marking->of] & HD_MARK_REGIONS;
}

/* ---- what follows for what happened at the same time ---- */

static bool has_several_initial_threads(const struct hd_model *model) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < model->thread_count; i++)
    count += model->threads[i].kind == HD_THREAD_INITIAL ? model->threads[i].threads : 0;
  return count > 1;
}

static void mark_levels(const struct marking *marking) {
  struct hd_model *model = marking->model;
  uint32_t any = 0;
  for (uint32_t i = 0; i < model->node_count; i++) {
    const uint32_t rising = model->nodes[i].marks[marking->of] & HD_MARKS_OF_LEVELS;
    marking->rising[marking->outer[i]] |= rising;
    any |= rising;
  }
  const bool all = any && has_several_initial_threads(model);
  for (uint32_t i = 0; i < model->node_count; i++)
    if (all || (i == 0 ? any : marking->rising[marking->outer[i]]))
      model->nodes[i].marks[marking->of] |= HD_MARK_LEVELS;
}

/* ---- all marks of one kind ---- */

static void survey(struct marking *marking) {
  const struct hd_model *model = marking->model;
  const bool constructs = marking->of == HD_MARKS_OF_CONSTRUCTS;
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    const bool region = hd_kind_is_region(node->kind);
    const uint32_t outer = i == 0 ? 0 : marking->outer[node->parent];
    marking->home[i] = constructs && node->kind == HD_KIND_ROUTINE ? marking->home[node->parent] : i;
    marking->region[i] = region ? i : i == 0 ? 0 : marking->region[node->parent];
    marking->outer[i] = region && outer == 0 ? i : outer;
    marking->refused[marking->home[i]] |= node->refused & ~(constructs ? (uint32_t)CALL : 0u);
    marking->tasks[marking->region[i]] |= node->refused & TASK;
  }
}

static void mark(struct hd_model *model, enum hd_marks_of of) {
  struct marking marking = {.model = model, .of = of};
  uint32_t **const arrays[] = {&marking.home,  &marking.refused, &marking.region,
                               &marking.tasks, &marking.outer,   &marking.rising};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i] = hd_new(model->node_count, sizeof **arrays[i]);
  survey(&marking);
  for (uint32_t i = 0; i < model->node_count; i++) /* parents come before their children */
    model->nodes[i].marks[of] = (i == 0 ? 0 : marks_from_above(&marking, &model->nodes[i])) |
                                (marking.home[i] == i ? marks_of_own(&marking, &model->nodes[i]) : 0);
  mark_moved(&marking);
  mark_around_regions(&marking);
  mark_levels(&marking);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    free(*arrays[i]);
}

/* ---- what is not known at all ---- */

enum { GAIN_UNKNOWN_PART = 10 }; /* waits were not observed for more than one of so many parts of the time */

static uint64_t bounded(uint64_t ticks, uint64_t most) {
  return ticks < most ? ticks : most;
}

/* For how long a region of this node ran, or what is outside all; of other nodes that is not known. */
static uint64_t ran_ticks(const struct hd_model *model, const struct hd_node *node) {
  if (node->id == 0)
    return model->elapsed_ticks - bounded(model->inside_ticks, model->elapsed_ticks);
  if (!hd_kind_is_region(node->kind))
    return UINT64_MAX;
  const bool known = node->running_ticks > 0 && node->running_ticks < node->team.elapsed_ticks;
  return known ? node->running_ticks : node->team.elapsed_ticks;
}

static void add(uint64_t *sum, uint64_t ticks) {
  if (__builtin_add_overflow(*sum, ticks, sum))
    *sum = UINT64_MAX;
}

/* What is spared now is known, and since when; what was spared earlier is not. */
static bool knows_where(const struct hd_switch *from) {
  return from->in_part && from->times == 1 && from->off_ticks > 0 && from->on_ticks == 0;
}

static void add_in_part(const struct hd_model *model, const struct hd_switch *from, uint64_t *off_ticks) {
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    const bool is_spared = node->spared >> from->event_class & 1;
    const uint64_t until = node->spared_ticks > from->off_ticks ? node->spared_ticks - from->off_ticks : 0;
    if (i == 0 || hd_kind_is_region(node->kind))
      add(&off_ticks[i], is_spared ? bounded(until, from->ticks) : from->ticks);
  }
}

/* Returns for how long it was off everywhere. */
static uint64_t add_switches(const struct hd_model *model, const uint32_t *region, uint32_t event_class,
                             uint64_t *off_ticks) {
  uint64_t everywhere = 0;
  for (uint32_t i = 0; i < model->switch_count; i++) {
    const struct hd_switch *from = &model->switches[i];
    if (from->event_class != event_class)
      continue;
    if (knows_where(from))
      add_in_part(model, from, off_ticks);
    else
      add(from->asked ? &everywhere : &off_ticks[region[from->node]], from->ticks);
  }
  return everywhere;
}

/* All the time of a doacross loop may be waits; if the loop was not observed, that of its region. */
static void add_doacross(const struct hd_model *model, const uint32_t *region, uint64_t *off_ticks) {
  uint32_t *loops = hd_new(model->node_count, sizeof *loops); /* the innermost one in the node's region; 0: none */
  for (uint32_t i = 0; i < model->node_count; i++) {          /* parents come before their children */
    const struct hd_node *node = &model->nodes[i];
    const bool is_loop = hd_kind_is_worksharing(node->kind);
    loops[i] = is_loop ? i : hd_kind_is_region(node->kind) ? 0 : loops[node->parent];
    if (!(node->refused & HD_REFUSED_SINKS))
      continue;
    if (loops[i] != 0)
      off_ticks[loops[i]] = model->nodes[loops[i]].team.elapsed_ticks;
    else
      off_ticks[region[i]] = ran_ticks(model, &model->nodes[region[i]]);
  }
  free(loops);
}

/* The innermost region that each node is, or lies in; 0: none. */
static uint32_t *find_regions(const struct hd_model *model) {
  uint32_t *region = hd_new(model->node_count, sizeof *region);
  for (uint32_t i = 1; i < model->node_count; i++)
    region[i] = hd_kind_is_region(model->nodes[i].kind) ? i : region[model->nodes[i].parent];
  return region;
}

/* `everywhere`: at any node for so long besides; which part of it a node ran in is not known. */
static void rise_untold(struct hd_model *model, uint64_t *off_ticks, uint64_t everywhere) {
  for (uint32_t i = model->node_count; i-- > 0;) { /* children have larger ids */
    struct hd_node *node = &model->nodes[i];
    uint64_t *above = &off_ticks[node->parent];
    const uint64_t ticks = off_ticks[i];
    uint64_t all = 0;
    if (__builtin_add_overflow(ticks, everywhere, &all))
      all = UINT64_MAX;
    node->untold_ticks = all > node->untold_ticks ? all : node->untold_ticks;
    if (i > 0 && __builtin_add_overflow(*above, bounded(ticks, ran_ticks(model, node)), above))
      *above = UINT64_MAX;
  }
}

/* Of doacross loops, or of the class that was off for longest. */
static void find_untold(struct hd_model *model) {
  uint64_t *off_ticks = hd_new(model->node_count, sizeof *off_ticks);
  uint32_t *region = find_regions(model);
  add_doacross(model, region, off_ticks);
  rise_untold(model, off_ticks, 0);
  for (uint32_t c = 0; c < HD_CLASS_COUNT; c++) {
    if (!(HD_CLASSES_OF_WAITS >> c & 1) && c != HD_CLASS_REGION)
      continue;
    memset(off_ticks, 0, model->node_count * sizeof *off_ticks);
    const uint64_t everywhere = add_switches(model, region, c, off_ticks);
    rise_untold(model, off_ticks, everywhere);
  }
  free(region);
  free(off_ticks);
}

static bool is_gain_unknown(const struct hd_model *model, const struct hd_node *node) {
  const uint64_t whole = node->id == 0 ? model->elapsed_ticks : ran_ticks(model, node);
  return model->header.lost_switches > 0 || node->untold_ticks > whole / GAIN_UNKNOWN_PART ||
         node->shares.refused > node->visits / GAIN_UNKNOWN_PART;
}

/* A construct's gain is known as little as its region's; and of doacross loops it never is. */
void hd_reader_mark_gains(struct hd_model *model) {
  bool *unknown = hd_new(model->node_count, sizeof *unknown);
  for (uint32_t i = 0; i < model->node_count; i++) {
    struct hd_node *node = &model->nodes[i];
    const bool own = i == 0 || hd_kind_is_region(node->kind);
    unknown[i] = own ? is_gain_unknown(model, node) : unknown[node->parent];
    for (int of = 0; of < HD_MARKS_KINDS; of++)
      if (node->marks[of] & (unknown[i] ? HD_MARKS_OF_UNTOLD : own ? 0u : (uint32_t)HD_MARK_SINKS))
        node->marks[of] |= HD_MARK_GAIN_UNKNOWN;
  }
  free(unknown);
}

/* ---- all of it ---- */

void hd_reader_mark(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  uint32_t unheard = 0;
  for (uint32_t i = 0; i < model->node_count; i++) {
    struct hd_node *node = &model->nodes[i];
    node->unheard |= i == 0 ? 0 : model->nodes[node->parent].unheard;
    node->refused |= node->unheard;
    if (node->unheard & MUTEX)
      node->refused |= SECTION;
    model->refused |= node->refused;
    unheard |= node->unheard;
  }
  for (uint32_t i = 0; i < model->thread_count; i++)
    model->threads[i].refused |= unheard;
  mark(model, HD_MARKS_OF_CONSTRUCTS);
  mark(model, HD_MARKS_OF_CALLPATHS);
  find_untold(model);
}
