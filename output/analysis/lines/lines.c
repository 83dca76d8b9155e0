/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/lines/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/callpaths/callpath_filter.h"
#include "output/analysis/callpaths/slots.h"
#include "output/model/accumulate.h"
#include "output/model/place.h"
#include "support/command/memory.h"

/* What is needed only while the view is made. */
struct build {
  struct hd_lines *view;
  struct hd_line *joined; /* in the order of their first node: parents before children */
  struct hd_slots slots;  /* of joined lines; the program is never looked up */
  uint32_t *first_child;  /* by line, into children; two more than lines */
  uint32_t *children;
  uint32_t *position; /* by joined line: where it stands in the view */
};

/* The joined line of a node, made if there is none yet. */
static uint32_t find_line(struct build *build, const struct hd_node *node, uint32_t parent_line) {
  uint32_t *slot = hd_slot_first(&build->slots, hd_place_hash(parent_line, node));
  for (; *slot != 0; slot = hd_slot_next(&build->slots, slot)) {
    const struct hd_line *line = &build->joined[*slot];
    if (line->parent == parent_line && hd_place_is_same(line->node, node) &&
        ((line->node->flags ^ node->flags) & HD_PROFILE_SHORTENED) == 0)
      return *slot;
  }
  const uint32_t index = *slot = build->view->count++;
  build->joined[index] =
      (struct hd_line){.node = node, .parent = parent_line, .depth = build->joined[parent_line].depth + 1};
  return index;
}

static void add_own(struct hd_line *line, const struct hd_node *node) {
  line->own_busy_ticks += node->ticks[HD_BUSY];
  line->own_wall_share_ticks += node->wall_share_ticks;
}

/* Inclusive ticks of a node already hold those of the nodes below it, so lines need no summing up the tree. */
static void add_node(struct hd_line *line, const struct hd_node *node, enum hd_marks_of marks) {
  line->flags |= node->flags;
  line->marks |= node->marks[marks];
  line->measured |= hd_node_is_measured(node);
  line->visits += node->visits;
  line->visits_concurrent += node->visits_concurrent;
  for (int state = 0; state < HD_STATE_COUNT; state++)
    line->ticks[state] += node->inclusive_ticks[state];
  hd_accumulate_intrusion(&line->intrusion, &node->intrusion_inclusive);
  hd_accumulate_unresolved(&line->unresolved, &node->unresolved_inclusive);
  line->wall_share_ticks += node->wall_share_inclusive_ticks;
  hd_accumulate_team(&line->team, &node->team);
  line->gain_interval.low += node->gain_interval.low;
  line->gain_interval.high += node->gain_interval.high;
  hd_accumulate_shares(&line->shares, &node->shares);
}

/* A routine that gets no line is part of the line above: so are its own time, and what lies below it hangs there. */
static void join_nodes(struct build *build, enum hd_lines_kind lines) {
  const struct hd_model *model = build->view->model;
  build->joined[0] = (struct hd_line){.node = &model->nodes[0]};
  build->view->count = 1;
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    const bool passed = (node->kind == HD_KIND_ROUTINE && lines == HD_LINES_CONSTRUCTS) || (node->flags & HD_NODE_GONE);
    uint32_t line = i == 0 ? 0 : build->view->line_of_node[node->parent];
    if (i > 0 && !passed)
      line = find_line(build, node, line);
    build->view->line_of_node[i] = line;
    if (!passed)
      add_node(&build->joined[line], node,
               lines == HD_LINES_CONSTRUCTS ? HD_MARKS_OF_CONSTRUCTS : HD_MARKS_OF_CALLPATHS);
    add_own(&build->joined[line], node);
  }
}

static const struct hd_levels *elapsed_of(const struct hd_model *model, const struct hd_node *node) {
  return node->id == 0 ? &model->time_at : &node->elapsed_at;
}

/* Gives each line room for as many levels as its nodes have. */
static void make_level_room(struct build *build) {
  const struct hd_model *model = build->view->model;
  size_t needed = 1;
  for (uint32_t i = 0; i < model->node_count; i++) {
    struct hd_line *line = &build->joined[build->view->line_of_node[i]];
    hd_widen_levels(&line->busy_at, &model->nodes[i].busy_at);
    hd_widen_levels(&line->elapsed_at, elapsed_of(model, &model->nodes[i]));
  }
  for (uint32_t i = 0; i < build->view->count; i++)
    needed += (size_t)build->joined[i].busy_at.count + build->joined[i].elapsed_at.count;
  uint64_t *room = build->view->level_ticks = hd_new(needed, sizeof *room);
  for (uint32_t i = 0; i < build->view->count; i++) {
    struct hd_line *line = &build->joined[i];
    line->busy_at.ticks = room;
    line->elapsed_at.ticks = room += line->busy_at.count;
    room += line->elapsed_at.count;
  }
}

static void sum_levels(struct build *build) {
  const struct hd_model *model = build->view->model;
  const bool known = model->levels_known;
  if (known)
    make_level_room(build);
  for (uint32_t i = 0; known && i < model->node_count; i++) {
    struct hd_line *line = &build->joined[build->view->line_of_node[i]];
    hd_accumulate_levels(&line->busy_at, &model->nodes[i].busy_at);
    hd_accumulate_levels(&line->elapsed_at, elapsed_of(model, &model->nodes[i]));
  }
  for (uint32_t i = 0; i < build->view->count; i++) {
    struct hd_line *line = &build->joined[i];
    if (!known || (line->wall_share_ticks <= 0 && line->ticks[HD_BUSY] > 0)) /* the latter: there was no space */
      line->wall_share_ticks = NAN;
  }
}

/* Parents come before their children: the team around a construct is known when the construct is met. */
static void find_losses(struct build *build) {
  uint32_t *team = build->position; /* borrowed */
  for (uint32_t i = 0; i < build->view->count; i++) {
    struct hd_line *line = &build->joined[i];
    const uint32_t outer = i == 0 ? 1 : team[line->parent];
    team[i] = line->team.team_max > 0 ? line->team.team_max : outer;
    line->team.gain_ticks = fmin(line->team.gain_ticks, build->view->model->gain_limit_ticks); /* of several nodes */
    line->loss_ticks = line->team.instances > 0 && line->team.capacity_ticks > 0
                           ? line->team.gain_ticks
                           : line->node->gain_share * (double)hd_ticks_waiting(line->ticks) / team[i];
  }
}

static double sort_key(const struct hd_line *line, enum hd_sort sort) {
  switch (sort) {
  case HD_SORT_ELAPSED:
    return hd_team_elapsed(&line->team);
  case HD_SORT_BUSY:
  case HD_SORT_INCLUSIVE:
    return (double)line->ticks[HD_BUSY];
  case HD_SORT_SELF:
    return (double)line->own_busy_ticks;
  case HD_SORT_WAIT:
    return (double)hd_ticks_waiting(line->ticks);
  case HD_SORT_WALL:
    return isnan(line->wall_share_ticks) ? 0 : line->wall_share_ticks;
  case HD_SORT_CALLS:
    return (double)line->visits;
  case HD_SORT_IMBALANCE:
    return line->team.busy_ticks > 0 ? (double)line->team.busy_max_ticks / (double)line->team.busy_ticks : 0;
  default:
    return line->loss_ticks;
  }
}

static bool has_gain(const struct hd_line *line) {
  return line->team.instances > 0 && hd_team_elapsed(&line->team) > 0;
}

int hd_line_compare(const struct hd_line *a, const struct hd_line *b, enum hd_sort sort) {
  /* Of callpaths that are cut to their ends, constructs stand beside the regions that they are part of. */
  if (sort == HD_SORT_GAIN && a->parent == 0 && b->parent == 0 && has_gain(a) != has_gain(b))
    return has_gain(a) ? -1 : 1;
  if (sort != HD_SORT_NAME) {
    const double key_a = sort_key(a, sort);
    const double key_b = sort_key(b, sort);
    if (key_a != key_b)
      return key_a > key_b ? -1 : 1;
    if (a->ticks[HD_BUSY] != b->ticks[HD_BUSY])
      return a->ticks[HD_BUSY] > b->ticks[HD_BUSY] ? -1 : 1;
  }
  return hd_place_compare(a->node, b->node);
}

struct order {
  const struct hd_line *lines;
  enum hd_sort sort;
};

static int compare_indices(const void *a, const void *b, void *context) {
  const struct order *order = context;
  return hd_line_compare(&order->lines[*(const uint32_t *)a], &order->lines[*(const uint32_t *)b], order->sort);
}

/* Afterwards line i's children are children[first_child[i]] to children[first_child[i + 1] - 1]. */
static void sort_children(struct build *build, enum hd_sort sort) {
  const uint32_t count = build->view->count;
  uint32_t *first = build->first_child;
  for (uint32_t i = 1; i < count; i++)
    first[build->joined[i].parent + 2]++;
  for (uint32_t i = 2; i < count + 2; i++)
    first[i] += first[i - 1];
  for (uint32_t i = 1; i < count; i++)
    build->children[first[build->joined[i].parent + 1]++] = i;
  struct order order = {build->joined, sort};
  for (uint32_t i = 0; i < count; i++)
    qsort_r(build->children + first[i], first[i + 1] - first[i], sizeof *build->children, compare_indices, &order);
}

/* A line's place is after its parent and the subtrees of the siblings before it. */
static void lay_out(struct build *build) {
  struct hd_lines *view = build->view;
  struct hd_line *joined = build->joined;
  for (uint32_t i = view->count; i-- > 0;) {
    joined[i].subtree++;
    if (i > 0)
      joined[joined[i].parent].subtree += joined[i].subtree;
  }
  build->position[0] = 0;
  for (uint32_t i = 0; i < view->count; i++) {
    uint32_t at = build->position[i] + 1;
    for (uint32_t child = build->first_child[i]; child < build->first_child[i + 1]; child++) {
      build->position[build->children[child]] = at;
      at += joined[build->children[child]].subtree;
    }
  }
  for (uint32_t i = 0; i < view->count; i++) {
    view->lines[build->position[i]] = joined[i];
    view->lines[build->position[i]].parent = build->position[joined[i].parent];
  }
  for (uint32_t i = 0; i < view->model->node_count; i++)
    view->line_of_node[i] = build->position[view->line_of_node[i]];
}

struct hd_lines *hd_lines_new(const struct hd_model *model, enum hd_sort sort, enum hd_lines_kind lines) {
  const uint32_t nodes = model->node_count;
  struct hd_lines *view = hd_new(1, sizeof *view);
  struct build build = {.view = view, .slots = hd_slots_new(nodes), .joined = hd_new(nodes, sizeof *build.joined)};
  build.first_child = hd_new((size_t)nodes + 2, sizeof *build.first_child);
  build.children = hd_new(nodes, sizeof *build.children);
  build.position = hd_new(nodes, sizeof *build.position);
  view->model = model;
  view->lines = hd_new(nodes, sizeof *view->lines);
  view->line_of_node = hd_new(nodes, sizeof *view->line_of_node);
  join_nodes(&build, lines);
  sum_levels(&build);
  find_losses(&build);
  sort_children(&build, sort);
  lay_out(&build);
  free(build.slots.numbers);
  free(build.joined);
  free(build.first_child);
  free(build.children);
  free(build.position);
  return view;
}

void hd_lines_free(struct hd_lines *view) {
  if (!view)
    return;
  free(view->lines);
  free(view->line_of_node);
  free(view->level_ticks);
  free(view->batch.masks);
  free(view->batch.sums);
  free(view);
}
