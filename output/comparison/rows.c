/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file rows.c
 * Which callpaths are one row: those that end at one place of the source, in one row.
 */
#include <stdlib.h>
#include <string.h>

#include "output/comparison/comparison_internal.h"
#include "output/model/format_names.h"
#include "support/command/memory.h"

/** What ends at one place, below one group: a row or, when calling routines tell rows apart, a step towards one. */
struct group {
  uint32_t united; /* the first */
  uint32_t parent;
  uint32_t first_child, last_child, next; /* HD_NONE: none */
  uint32_t row;                           /* HD_NONE: it is none */
  enum hd_loss_place place;
};

struct grouping {
  struct hd_comparison *comparison;
  struct group *groups; /* 0 is the program */
  uint32_t count;
  uint32_t *group_of; /* by united node */
};

static bool makes_row(enum hd_kind kind, enum hd_loss_place above) {
  return hd_kind_is_region(kind) || (above != HD_PLACE_OUTSIDE && hd_kind_is_worksharing(kind));
}

static bool makes_step(const struct grouping *grouping, enum hd_kind kind) {
  return grouping->comparison->options.callpaths && (kind == HD_KIND_ROUTINE || kind == HD_KIND_PHASE);
}

static uint32_t find_child(const struct grouping *grouping, uint32_t parent, uint32_t united) {
  const struct hd_united *all = grouping->comparison->united;
  uint32_t child = grouping->groups[parent].first_child;
  while (child != HD_NONE && !hd_united_place_is_same(all, grouping->groups[child].united, united))
    child = grouping->groups[child].next;
  return child;
}

static uint32_t add_child(struct grouping *grouping, uint32_t parent, uint32_t united) {
  const uint32_t index = grouping->count++;
  struct group *above = &grouping->groups[parent];
  grouping->groups[index] = (struct group){
      .united = united,
      .parent = parent,
      .first_child = HD_NONE,
      .last_child = HD_NONE,
      .next = HD_NONE,
      .row = HD_NONE,
      .place = hd_loss_place_of(grouping->comparison->united->nodes[united].node->kind, above->place),
  };
  if (above->last_child == HD_NONE)
    above->first_child = index;
  else
    grouping->groups[above->last_child].next = index;
  above->last_child = index;
  return index;
}

/* The loop of a `parallel for`: it has no barrier of its own, and beside the region's row its own would tell of work
 * alone, as if nobody had waited for it. */
static bool is_combined(const struct grouping *grouping, uint32_t above, uint32_t united) {
  const struct hd_united_node *nodes = grouping->comparison->united->nodes;
  const struct hd_node *outer = nodes[grouping->groups[above].united].named;
  const struct hd_node *inner = nodes[united].named;
  return hd_kind_is_region(outer->kind) && !hd_kind_is_region(inner->kind) && inner->name.line != 0 &&
         inner->name.line == outer->name.line && inner->name.file && outer->name.file &&
         strcmp(inner->name.file, outer->name.file) == 0;
}

static void group_nodes(struct grouping *grouping) {
  const struct hd_united *united = grouping->comparison->united;
  grouping->groups[0] = (struct group){.first_child = HD_NONE, .last_child = HD_NONE, .next = HD_NONE, .row = HD_NONE};
  grouping->count = 1;
  for (uint32_t i = 1; i < united->node_count; i++) { /* parents come before their children */
    const enum hd_kind kind = united->nodes[i].node->kind;
    const uint32_t above = grouping->group_of[united->nodes[i].parent];
    grouping->group_of[i] = above;
    if (!makes_row(kind, grouping->groups[above].place) && !makes_step(grouping, kind))
      continue;
    if (is_combined(grouping, above, i))
      continue;
    const uint32_t found = find_child(grouping, above, i);
    grouping->group_of[i] = found != HD_NONE ? found : add_child(grouping, above, i);
    grouping->comparison->heads[i] = makes_row(kind, grouping->groups[above].place);
  }
}

static enum hd_compared_kind row_kind(const struct group *group) {
  switch (group->place) {
  case HD_PLACE_REGION:
    return HD_COMPARED_REGION;
  case HD_PLACE_NESTED:
    return HD_COMPARED_NESTED;
  default:
    return HD_COMPARED_CONSTRUCT;
  }
}

static uint32_t row_above(const struct grouping *grouping, const struct group *group) {
  uint32_t above = group->parent;
  while (above != 0 && grouping->groups[above].row == HD_NONE)
    above = grouping->groups[above].parent;
  return above == 0 ? HD_NONE : grouping->groups[above].row;
}

static void add_row(struct grouping *grouping, struct group *group) {
  struct hd_comparison *comparison = grouping->comparison;
  const enum hd_loss_place above = grouping->groups[group->parent].place;
  if (!makes_row(comparison->united->nodes[group->united].node->kind, above))
    return;
  group->row = comparison->row_count++;
  comparison->rows[group->row] =
      (struct hd_compared_row){.kind = row_kind(group), .parent = row_above(grouping, group), .united = group->united};
}

/* Depth first: each row is followed by those in it. */
static void number_rows(struct grouping *grouping) {
  struct hd_comparison *comparison = grouping->comparison;
  comparison->rows[0] = (struct hd_compared_row){.kind = HD_COMPARED_PROGRAM, .parent = HD_NONE};
  comparison->rows[1] = (struct hd_compared_row){.kind = HD_COMPARED_OUTSIDE, .parent = HD_NONE};
  comparison->row_count = 2;
  uint32_t at = grouping->groups[0].first_child;
  while (at != HD_NONE) {
    struct group *group = &grouping->groups[at];
    add_row(grouping, group);
    uint32_t next = group->first_child;
    for (uint32_t up = at; next == HD_NONE && up != 0; up = grouping->groups[up].parent)
      next = grouping->groups[up].next;
    at = next;
  }
}

static void tell_rows(const struct grouping *grouping) {
  struct hd_comparison *comparison = grouping->comparison;
  for (uint32_t i = 0; i < comparison->united->node_count; i++) {
    const struct group *group = &grouping->groups[grouping->group_of[i]];
    comparison->row_of[i] = group->row != HD_NONE ? group->row : row_above(grouping, group);
  }
}

void hd_comparison_make_rows(struct hd_comparison *comparison) {
  const size_t nodes = comparison->united->node_count;
  struct grouping grouping = {.comparison = comparison,
                              .groups = hd_new(nodes + 1, sizeof *grouping.groups),
                              .group_of = hd_new(nodes + 1, sizeof *grouping.group_of)};
  comparison->rows = hd_new(nodes + 2, sizeof *comparison->rows);
  comparison->row_of = hd_new(nodes + 1, sizeof *comparison->row_of);
  comparison->heads = hd_new(nodes + 1, sizeof *comparison->heads);
  group_nodes(&grouping);
  number_rows(&grouping);
  tell_rows(&grouping);
  free(grouping.groups);
  free(grouping.group_of);
}
