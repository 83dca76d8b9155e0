/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which region a construct is in, what its threads wait for together, and what is in each region. */
#include <math.h>
#include <stdlib.h>

#include "output/analysis/findings/findings_internal.h"
#include "output/model/format_names.h"
#include "support/command/memory.h"

static bool waits_at_end(const struct hd_node *node) {
  return node->team.instances > 0 && !hd_kind_is_region(node->kind);
}

static bool is_task(enum hd_kind kind) {
  return kind == HD_KIND_TASK || kind == HD_KIND_TASKLOOP;
}

static bool is_loop(enum hd_kind kind) {
  return hd_kind_of_site(kind) == HD_KIND_LOOP;
}

static uint64_t mutex_ticks(const struct hd_node *node) {
  return node->ticks[HD_WAIT_CRITICAL] + node->ticks[HD_WAIT_LOCK] + node->ticks[HD_WAIT_ORDERED] +
         node->ticks[HD_WAIT_ATOMIC];
}

/* ---- where a node is ---- */

static void find_places(struct hd_diagnosis *diagnosis) {
  const struct hd_model *model = diagnosis->model;
  for (uint32_t i = 1; i < model->node_count; i++) { /* parents come before their children */
    const struct hd_node *node = &model->nodes[i];
    const bool begins = hd_kind_is_region(node->kind);
    diagnosis->region[i] = begins ? i : diagnosis->region[node->parent];
    diagnosis->outermost[i] = diagnosis->outermost[node->parent];
    if (begins && diagnosis->outermost[i] == 0)
      diagnosis->outermost[i] = i;
    const bool apart = begins || (diagnosis->region[i] != 0 && waits_at_end(node));
    diagnosis->group[i] = apart ? i : diagnosis->group[node->parent];
  }
}

/* ---- what is in a region ---- */

static void keep_largest(const struct hd_model *model, uint32_t *kept, uint32_t node,
                         uint64_t (*size)(const struct hd_node *node)) {
  if (*kept == 0 || size(&model->nodes[node]) > size(&model->nodes[*kept]))
    *kept = node;
}

static uint64_t busy_inside(const struct hd_node *node) {
  return node->inclusive_ticks[HD_BUSY];
}

static uint64_t entries_of(const struct hd_node *node) {
  return node->visits;
}

/* The thread that created nearly all tasks of a construct right in its region, where no single or masked construct says
 * so: there are none in GCC's code, or the program asks for a thread's number. HD_NONE: several did. */
static uint32_t only_creator(const struct hd_diagnosis *diagnosis, const struct hd_node *task) {
  const struct hd_row *rows = diagnosis->model->rows + task->row_first;
  for (uint32_t i = 0; task->parent == diagnosis->region[task->id] && i < task->row_count; i++)
    if (rows[i].shares.created > 0 && (double)rows[i].shares.created >= 0.9 * (double)task->shares.created)
      return rows[i].thread;
  return HD_NONE;
}

/* Whether a single or masked construct created it, and no other task, not even one of the same place; or one thread. */
static bool has_one_producer(const struct hd_diagnosis *diagnosis, const struct hd_node *task) {
  const struct hd_node *nodes = diagnosis->model->nodes;
  uint32_t above = task->parent;
  if (task->flags & HD_PROFILE_RECURSIVE)
    return false;
  while (above != diagnosis->region[task->id] && !is_task(nodes[above].kind) && !hd_kind_is_for_one(nodes[above].kind))
    above = nodes[above].parent;
  return hd_kind_is_for_one(nodes[above].kind) || only_creator(diagnosis, task) != HD_NONE;
}

static void add_task(struct hd_diagnosis *diagnosis, struct hd_region_facts *facts, const struct hd_node *node) {
  const bool is_known = node->name.line > 0, was_known = diagnosis->model->nodes[facts->task].name.line > 0;
  if (is_known && !was_known)
    facts->task = node->id;
  if (is_known == was_known)
    keep_largest(diagnosis->model, &facts->task, node->id, entries_of);
  if (node->flags & HD_PROFILE_DEPENDS)
    keep_largest(diagnosis->model, &facts->dependent, node->id, busy_inside);
  if (node->kind == HD_KIND_TASK) {
    facts->task_count += node->visits;
    facts->alone_count += has_one_producer(diagnosis, node) ? node->visits : 0;
  }
}

static void add_node(struct hd_diagnosis *diagnosis, const struct hd_node *node) {
  const struct hd_model *model = diagnosis->model;
  struct hd_region_facts *facts = &diagnosis->facts[diagnosis->region[node->id]];
  if (mutex_ticks(node) > 0)
    keep_largest(model, &facts->lock, node->id, mutex_ticks);
  if (hd_kind_is_for_one(node->kind) && !waits_at_end(node))
    keep_largest(model, &facts->for_one, node->id, busy_inside);
  if (is_loop(node->kind) && !waits_at_end(node))
    keep_largest(model, &facts->loop, node->id, busy_inside);
  if (node->kind == HD_KIND_SECTIONS && !waits_at_end(node))
    keep_largest(model, &facts->sections, node->id, busy_inside);
  if (is_task(node->kind))
    add_task(diagnosis, facts, node);
  facts->has_taskloop |= node->kind == HD_KIND_TASKLOOP;
  facts->creation_ticks += (double)node->ticks[HD_RUNTIME_TASK_CREATION];
  const bool is_estimated = node->marks[HD_MARKS_OF_CALLPATHS] & HD_MARK_ESTIMATED;
  facts->unseen_tasks |= !is_estimated && node->refused >> HD_CLASS_TASK & 1;
}

static void add_region(struct hd_diagnosis *diagnosis, const struct hd_node *node) {
  struct hd_region_facts *facts = &diagnosis->facts[node->id];
  const struct hd_team_totals *team = &node->team;
  const double threads = hd_team_threads(team);
  facts->team = fmax(threads > 0 ? threads : (double)team->team_max, 1);
  facts->uneven_ticks = team->busy_max_ticks > team->busy_ticks ? team->busy_max_ticks - team->busy_ticks : 0;
}

static double busy_of(const struct hd_diagnosis *diagnosis, const struct hd_node *node, uint32_t thread) {
  const struct hd_row *rows = diagnosis->model->rows + node->row_first;
  for (uint32_t i = 0; i < node->row_count; i++)
    if (rows[i].thread == thread)
      return (double)rows[i].ticks[HD_BUSY];
  return 0;
}

/* What a thread does in a region whose tasks it creates alone. */
static void add_producing_thread(struct hd_diagnosis *diagnosis, const struct hd_node *task) {
  const struct hd_node *region = &diagnosis->model->nodes[diagnosis->region[task->id]];
  const uint32_t thread = task->kind == HD_KIND_TASK ? only_creator(diagnosis, task) : HD_NONE;
  double *producing = &diagnosis->facts[region->id].producing_ticks;
  if (thread != HD_NONE)
    *producing = fmax(*producing, busy_of(diagnosis, region, thread));
}

/* Busy time in tasks, and in what created them; a region itself is not told apart from what else is in it, unless only
 * one thread creates its tasks. */
static void add_task_times(struct hd_diagnosis *diagnosis) {
  const struct hd_model *model = diagnosis->model;
  bool *below = hd_new(model->node_count, sizeof *below);
  bool *creates = hd_new(model->node_count, sizeof *creates);
  for (uint32_t i = model->node_count; i-- > 1;) { /* children come before their parents */
    const struct hd_node *node = &model->nodes[i];
    struct hd_region_facts *facts = &diagnosis->facts[diagnosis->region[i]];
    creates[node->parent] |= is_task(node->kind);
    if (creates[i] && !is_task(node->kind) && diagnosis->region[i] != i)
      facts->producing_ticks += (double)node->ticks[HD_BUSY];
  }
  for (uint32_t i = 1; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    below[i] = !hd_kind_is_region(node->kind) && (below[node->parent] || is_task(node->kind));
    if (below[i])
      diagnosis->facts[diagnosis->region[i]].task_ticks += node->ticks[HD_BUSY];
  }
  for (uint32_t i = 1; i < model->node_count; i++)
    if (diagnosis->region[i] != 0)
      add_producing_thread(diagnosis, &model->nodes[i]);
  free(below);
  free(creates);
}

/* ---- who had most to do ---- */

struct work {
  uint64_t sum, most;
  uint32_t busiest;
};

static void add_rows(const struct hd_diagnosis *diagnosis, const struct hd_node *node, struct work *work) {
  const struct hd_row *rows = diagnosis->model->rows + node->row_first;
  for (uint32_t i = 0; i < node->row_count; i++) {
    uint64_t *busy = &diagnosis->by_thread[rows[i].thread];
    *busy += rows[i].ticks[HD_BUSY];
    work->sum += rows[i].ticks[HD_BUSY];
    if (*busy > work->most) {
      work->most = *busy;
      work->busiest = rows[i].thread;
    }
  }
}

static void forget_rows(const struct hd_diagnosis *diagnosis, const struct hd_node *node) {
  const struct hd_row *rows = diagnosis->model->rows + node->row_first;
  for (uint32_t i = 0; i < node->row_count; i++)
    diagnosis->by_thread[rows[i].thread] = 0;
}

static uint64_t lacked(const struct hd_diagnosis *diagnosis, uint32_t node, const struct work *work) {
  const uint64_t team = diagnosis->model->nodes[diagnosis->region[node]].team.team_max;
  return team * work->most > work->sum ? team * work->most - work->sum : 0;
}

static void find_groups(struct hd_diagnosis *diagnosis) {
  const struct hd_model *model = diagnosis->model;
  uint32_t *first = hd_new(model->node_count, sizeof *first);
  uint32_t *next = hd_new(model->node_count, sizeof *next);
  for (uint32_t i = 1; i < model->node_count; i++) {
    next[i] = first[diagnosis->group[i]];
    first[diagnosis->group[i]] = i;
  }
  for (uint32_t group = 1; group < model->node_count; group++) {
    struct work work = {0};
    for (uint32_t i = diagnosis->group[group] == group ? first[group] : 0; i != 0; i = next[i])
      add_rows(diagnosis, &model->nodes[i], &work);
    for (uint32_t i = diagnosis->group[group] == group ? first[group] : 0; i != 0; i = next[i])
      forget_rows(diagnosis, &model->nodes[i]);
    diagnosis->uneven[group] = lacked(diagnosis, group, &work);
  }
  free(first);
  free(next);
}

uint64_t hd_diagnosis_uneven_together(const struct hd_diagnosis *diagnosis, uint32_t region) {
  const struct hd_node *nodes = diagnosis->model->nodes;
  struct work work = {0};
  for (uint32_t i = region; i != 0; i = diagnosis->next[i])
    add_rows(diagnosis, &nodes[i], &work);
  for (uint32_t i = region; i != 0; i = diagnosis->next[i])
    forget_rows(diagnosis, &nodes[i]);
  return lacked(diagnosis, region, &work);
}

static void list_nodes(struct hd_diagnosis *diagnosis) {
  uint32_t *last = hd_new(diagnosis->model->node_count, sizeof *last);
  for (uint32_t i = 1; i < diagnosis->model->node_count; i++) {
    const uint32_t region = diagnosis->region[i];
    if (last[region] != 0)
      diagnosis->next[last[region]] = i;
    last[region] = i;
  }
  free(last);
}

static void make(struct hd_diagnosis *diagnosis) {
  const size_t count = diagnosis->model->node_count;
  diagnosis->region = hd_new(count, sizeof *diagnosis->region);
  diagnosis->outermost = hd_new(count, sizeof *diagnosis->outermost);
  diagnosis->group = hd_new(count, sizeof *diagnosis->group);
  diagnosis->next = hd_new(count, sizeof *diagnosis->next);
  diagnosis->facts = hd_new(count, sizeof *diagnosis->facts);
  diagnosis->uneven = hd_new(count, sizeof *diagnosis->uneven);
  diagnosis->by_thread = hd_new(diagnosis->model->thread_count, sizeof *diagnosis->by_thread);
}

void hd_diagnosis_free_facts(struct hd_diagnosis *diagnosis) {
  free(diagnosis->region);
  free(diagnosis->outermost);
  free(diagnosis->group);
  free(diagnosis->next);
  free(diagnosis->facts);
  free(diagnosis->uneven);
  free(diagnosis->by_thread);
}

void hd_diagnosis_find_facts(struct hd_diagnosis *diagnosis) {
  const struct hd_model *model = diagnosis->model;
  make(diagnosis);
  find_places(diagnosis);
  list_nodes(diagnosis);
  for (uint32_t i = 1; i < model->node_count; i++) {
    if (diagnosis->region[i] == i)
      add_region(diagnosis, &model->nodes[i]);
    if (diagnosis->region[i] != 0)
      add_node(diagnosis, &model->nodes[i]);
  }
  add_task_times(diagnosis);
  find_groups(diagnosis);
}
