/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/callpaths/callpath_truncate.h"

#include <stdlib.h>
#include <string.h>

#include "output/analysis/callpaths/callpath_filter.h"
#include "output/analysis/callpaths/slots.h"
#include "output/model/accumulate.h"
#include "output/model/counts.h"
#include "output/model/lazy_rows.h"
#include "output/model/histories.h"
#include "output/model/locks.h"
#include "output/model/loops.h"
#include "output/model/memory.h"
#include "output/model/paths.h"
#include "output/model/rollup.h"
#include "output/model/samples.h"
#include "output/model/tasks.h"
#include "support/command/memory.h"

struct fold {
  struct hd_model *model;
  uint32_t depth;
  struct hd_node *nodes; /* the new ones: parents before children */
  uint32_t count, limit;
  uint32_t *map;         /* by old node: the new one */
  struct hd_slots slots; /* of new nodes; the program is never looked up */
  uint32_t *owner;       /* by old node: the one whose counts hold its own */
  uint32_t *path;        /* the last sites of an old node's callpath, innermost first */
  struct hd_row *rows;
  uint32_t row_count;
  struct part *parts; /* by new node */
};

/* What a new node is made of. */
struct part {
  uint32_t active;     /* old nodes in it in which a thread was busy */
  uint32_t running;    /* old nodes in it */
  uint32_t solid;      /* old nodes that are no recursive leaf, and new ones below it */
  uint32_t pairs;      /* of old nodes in it that were busy at the same time */
  uint64_t pair_ticks; /* for how long, summed over the pairs */
};

/* ---- where a callpath goes ---- */

static bool same_site(const struct hd_node *a, const struct hd_node *b) {
  if (hd_kind_of_site(a->kind) != hd_kind_of_site(b->kind) || a->module != b->module)
    return false;
  if (a->kind == HD_KIND_PHASE && a->name.function && b->name.function)
    return strcmp(a->name.function, b->name.function) == 0;
  return a->module == HD_NONE ? a->address == b->address : a->offset == b->offset;
}

static uint32_t *slot_for(const struct fold *fold, uint32_t parent, const struct hd_node *site) {
  const uint64_t place = site->kind == HD_KIND_PHASE ? 0 : site->module == HD_NONE ? site->address : site->offset;
  uint64_t hash =
      ((uint64_t)parent << 32 ^ (uint64_t)hd_kind_of_site(site->kind) << 24 ^ site->module) * 0x9e3779b97f4a7c15u;
  uint32_t *slot = hd_slot_first(&fold->slots, hd_slot_hash(hash ^ place ^ hash >> 29));
  for (; *slot != 0; slot = hd_slot_next(&fold->slots, slot))
    if (fold->nodes[*slot].parent == parent && same_site(&fold->nodes[*slot], site))
      break;
  return slot;
}

static void make_room(struct fold *fold) {
  fold->limit *= 2;
  fold->nodes = hd_grow(fold->nodes, fold->limit, sizeof *fold->nodes);
  free(fold->slots.numbers);
  fold->slots = hd_slots_new(fold->limit);
  for (uint32_t i = 1; i < fold->count; i++)
    *slot_for(fold, fold->nodes[i].parent, &fold->nodes[i]) = i;
}

/* The new node of `site` below `parent`. */
static uint32_t find_or_add(struct fold *fold, uint32_t parent, const struct hd_node *site) {
  const uint32_t known = *slot_for(fold, parent, site);
  if (known != 0) {
    fold->nodes[known].kind = fold->nodes[known].kind == site->kind ? site->kind : HD_KIND_LOOP;
    return known;
  }
  if (fold->count == fold->limit)
    make_room(fold);
  const uint32_t id = *slot_for(fold, parent, site) = fold->count++;
  fold->nodes[id] = (struct hd_node){
      .id = id,
      .parent = parent,
      .depth = fold->nodes[parent].depth + 1,
      .module = site->module,
      .kind = site->kind,
      .flags = site->flags & (HD_PROFILE_IN_RUNTIME | HD_PROFILE_TAIL_CALL),
      .target = id,
      .offset = site->offset,
      .address = site->address,
      .gain_share = site->gain_share,
      .told_apart = hd_kind_is_told_apart(site->kind, fold->model->header.counters_at) != 0,
      .counts_reach = INT32_MAX,
      .name = site->name,
      .name_cached = site->name_cached,
      .name_fresh = site->name_fresh,
  };
  return id;
}

/* Its last sites, built from the program: as callpath.c does while it collects. */
static void map_node(struct fold *fold, uint32_t id) {
  const struct hd_node *nodes = fold->model->nodes;
  uint32_t length = 0, at = 0;
  for (uint32_t i = id; i != 0 && length < fold->depth; i = nodes[i].parent)
    fold->path[length++] = i;
  while (length-- > 0)
    at = find_or_add(fold, at, &nodes[fold->path[length]]);
  fold->map[id] = at;
}

static void map_nodes(struct fold *fold) {
  const struct hd_node *program = &fold->model->nodes[0];
  fold->nodes[0] = (struct hd_node){.kind = HD_KIND_PROGRAM,
                                    .module = program->module,
                                    .offset = program->offset,
                                    .address = program->address,
                                    .name = program->name,
                                    .gain_share = 1,
                                    .told_apart = true,
                                    .counts_reach = INT32_MAX};
  fold->count = 1;
  for (uint32_t i = 1; i < fold->model->node_count; i++)
    if (!(fold->model->nodes[i].flags & HD_NODE_GONE))
      map_node(fold, i);
}

/* ---- what it takes along ---- */

static void add_node(struct fold *fold, const struct hd_node *from) {
  struct hd_node *to = &fold->nodes[fold->map[from->id]];
  struct part *part = &fold->parts[to->id];
  if (from->flags & HD_NODE_GONE)
    return;
  to->flags |= from->flags & ~(uint32_t)HD_PROFILE_BACK;
  to->refused |= from->refused;
  for (int of = 0; of < HD_MARKS_KINDS; of++)
    to->marks[of] |= from->marks[of];
  to->untold_ticks += from->untold_ticks;
  to->visits += from->visits;
  to->visits_concurrent += from->visits_concurrent;
  to->cpu_ns += from->cpu_ns;
  hd_accumulate_shares(&to->shares, &from->shares);
  to->unpaired_ticks += from->unpaired_ticks;
  hd_accumulate_entries(&to->entries, &from->entries);
  hd_accumulate_ticks(to->ticks, from->ticks);
  hd_accumulate_intrusion(&to->intrusion, &from->intrusion);
  hd_accumulate_unresolved(&to->unresolved, &from->unresolved);
  hd_accumulate_team(&to->team, &from->team);
  hd_widen_levels(&to->busy_at, &from->busy_at);
  hd_widen_levels(&to->elapsed_at, &from->elapsed_at);
  part->active += from->active_ticks > 0;
  part->solid += !(from->flags & HD_PROFILE_BACK);
  to->running_ticks = part->running++ == 0 ? from->running_ticks : HD_TICKS_UNKNOWN;
  if (from->active_ticks == HD_TICKS_UNKNOWN || to->active_ticks == HD_TICKS_UNKNOWN)
    to->active_ticks = HD_TICKS_UNKNOWN;
  else
    to->active_ticks += from->active_ticks;
}

/* A recursive leaf stays one if it is nothing else, and has nothing below it. */
static void mark_leaves(struct fold *fold) {
  for (uint32_t i = 1; i < fold->count; i++)
    fold->parts[fold->nodes[i].parent].solid++;
  for (uint32_t i = 1; i < fold->model->node_count; i++) {
    const struct hd_node *from = &fold->model->nodes[i];
    struct hd_node *to = &fold->nodes[fold->map[i]];
    if ((from->flags & HD_NODE_GONE) || !(from->flags & HD_PROFILE_BACK) || fold->parts[to->id].solid > 0)
      continue;
    to->flags |= HD_PROFILE_BACK;
    to->target = fold->map[from->target];
  }
}

static void room_for(struct hd_model *model, struct hd_levels *levels) {
  levels->ticks = hd_model_allocate(model, (levels->count + 2) * sizeof *levels->ticks);
}

static void add_levels(struct fold *fold) {
  for (uint32_t i = 0; i < fold->count; i++) {
    room_for(fold->model, &fold->nodes[i].busy_at);
    room_for(fold->model, &fold->nodes[i].elapsed_at);
  }
  for (uint32_t i = 0; i < fold->model->node_count; i++) {
    const struct hd_node *from = &fold->model->nodes[i];
    if (from->flags & HD_NODE_GONE)
      continue;
    hd_accumulate_levels(&fold->nodes[fold->map[i]].busy_at, &from->busy_at);
    hd_accumulate_levels(&fold->nodes[fold->map[i]].elapsed_at, &from->elapsed_at);
  }
}

/* ---- rows ---- */

static void add_row(struct fold *fold, const struct hd_row *from) {
  struct hd_row *last = fold->row_count > 0 ? &fold->rows[fold->row_count - 1] : NULL;
  struct hd_node *node = &fold->nodes[from->node];
  if (last && last->node == from->node && last->thread == from->thread) {
    hd_accumulate_row(last, from);
    return;
  }
  if (node->row_count++ == 0)
    node->row_first = fold->row_count;
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there are rows, or fold_rows() had not come here */
  fold->rows[fold->row_count++] = *from; /* which lies at or behind that place */
}

static void fold_rows(struct fold *fold) {
  fold->rows = hd_new(fold->model->row_count, sizeof *fold->rows);
  uint32_t count = 0;
  for (uint32_t i = 0; i < fold->model->row_count; i++) {
    const struct hd_row *row = &fold->model->rows[i];
    if (fold->model->nodes[row->node].flags & HD_NODE_GONE)
      continue;
    fold->rows[count] = *row;
    fold->rows[count++].node = fold->map[row->node];
  }
  qsort(fold->rows, count, sizeof *fold->rows, hd_compare_pairs);
  for (uint32_t i = 0; i < count; i++) {
    const struct hd_row row = fold->rows[i];
    add_row(fold, &row);
  }
}

/* ---- who was busy at the same time ---- */

/* Pairs inside one new node are no overlap of two any more. */
static uint32_t map_overlaps(struct fold *fold, struct hd_overlap *overlaps) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < fold->model->overlap_count; i++) {
    const struct hd_overlap *from = &fold->model->overlaps[i];
    const uint32_t a = fold->map[from->a], b = fold->map[from->b];
    if (a == b) {
      fold->parts[a].pairs++;
      fold->parts[a].pair_ticks += from->ticks;
    } else {
      overlaps[count++] = (struct hd_overlap){a < b ? a : b, a < b ? b : a, from->ticks};
    }
  }
  if (count > 0)
    qsort(overlaps, count, sizeof *overlaps, hd_compare_pairs);
  return count;
}

/* Sums of several pairs are exact when the parts of neither node were ever busy together: then no instant is in two. */
static uint32_t join_overlaps(const struct fold *fold, struct hd_overlap *overlaps, uint32_t count) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    struct hd_overlap *last = kept > 0 ? &overlaps[kept - 1] : NULL;
    const struct hd_overlap from = overlaps[i];
    if (!last || hd_compare_pairs(last, &from) != 0)
      overlaps[kept++] = from;
    else if (last->ticks == HD_TICKS_UNKNOWN || from.ticks == HD_TICKS_UNKNOWN || fold->parts[from.a].pairs > 0 ||
             fold->parts[from.b].pairs > 0)
      last->ticks = HD_TICKS_UNKNOWN;
    else
      last->ticks += from.ticks;
  }
  return kept;
}

/* Active at any time in one of several: the sum less what two of them had in common, unless three may have had. Two
 * pairs are too few for that. */
static void fix_active(struct fold *fold) {
  const bool whole = fold->model->header.lost_overlap_ticks == 0;
  for (uint32_t i = 0; i < fold->count; i++) {
    struct hd_node *node = &fold->nodes[i];
    const struct part *part = &fold->parts[i];
    if (part->active < 2 || node->active_ticks == HD_TICKS_UNKNOWN)
      continue;
    const bool known = whole && node->unpaired_ticks == 0 && part->pairs <= 2 && part->pair_ticks <= node->active_ticks;
    node->active_ticks = known ? node->active_ticks - part->pair_ticks : HD_TICKS_UNKNOWN;
  }
}

static void fold_overlaps(struct fold *fold) {
  struct hd_model *model = fold->model;
  struct hd_overlap *overlaps = hd_model_allocate(model, ((size_t)model->overlap_count + 1) * sizeof *overlaps);
  model->overlap_count = join_overlaps(fold, overlaps, map_overlaps(fold, overlaps));
  model->overlaps = overlaps;
}

/* ---- counts ---- */

static uint32_t common_ancestor(const struct hd_node *nodes, uint32_t a, uint32_t b) {
  while (a != b)
    if (nodes[a].depth > nodes[b].depth)
      a = nodes[a].parent;
    else if (nodes[a].depth < nodes[b].depth)
      b = nodes[b].parent;
    else {
      a = nodes[a].parent;
      b = nodes[b].parent;
    }
  return a;
}

/* The node whose counts a node's own are in may have become one that is not above it any more. */
static void fold_reach(struct fold *fold) {
  const struct hd_node *nodes = fold->model->nodes;
  for (uint32_t i = 0; i < fold->model->node_count; i++) {
    struct hd_node *to = &fold->nodes[fold->map[i]];
    int32_t reach = nodes[i].counts_reach;
    fold->owner[i] = nodes[i].told_apart || i == 0 ? i : fold->owner[nodes[i].parent];
    if (nodes[i].flags & HD_NODE_GONE)
      continue;
    if (reach >= 0 && reach != INT32_MAX)
      reach = (int32_t)fold->nodes[common_ancestor(fold->nodes, to->id, fold->map[fold->owner[i]])].depth;
    to->told_apart |= nodes[i].told_apart;
    to->counts_lost |= nodes[i].counts_lost;
    to->counts_reach = reach < to->counts_reach ? reach : to->counts_reach;
  }
}

static void fold_counts(struct fold *fold) {
  struct hd_model *model = fold->model;
  fold_reach(fold);
  for (uint32_t i = 0; i < model->counts_count; i++)
    model->counts[i].node = fold->map[model->counts[i].node];
}

/* ---- all of it ---- */

static void fill(struct fold *fold) {
  fold->parts = hd_new(fold->count, sizeof *fold->parts);
  for (uint32_t i = 0; i < fold->model->node_count; i++)
    add_node(fold, &fold->model->nodes[i]);
  mark_leaves(fold);
  fold_counts(fold);
  add_levels(fold);
  fold_rows(fold);
  fold_overlaps(fold);
}

static void give(struct fold *fold) {
  struct hd_model *model = fold->model;
  struct hd_node *nodes = model->nodes;
  struct hd_row *rows = model->rows;
  fix_active(fold);
  for (uint32_t i = 0; i < model->team_part_count; i++)
    model->team_parts[i].node = fold->map[model->team_parts[i].node];
  for (uint32_t i = 0; i < model->switch_count; i++) /* out of focus: the program */
    model->switches[i].node = fold->map[model->switches[i].node];
  for (uint32_t i = 0; i < model->sample_count; i++)
    model->samples[i].node = fold->map[model->samples[i].node];
  model->sample_count = hd_samples_join(model->samples, model->sample_count);
  for (uint32_t i = 0; i < model->loop_count; i++)
    model->loops[i].node = fold->map[model->loops[i].node];
  model->loop_count = hd_loops_join(model->loops, model->loop_count);
  for (uint32_t i = 0; i < model->task_count; i++)
    model->tasks[i].node = fold->map[model->tasks[i].node];
  model->task_count = hd_tasks_join(model->tasks, model->task_count);
  for (uint32_t i = 0; i < model->path_count; i++)
    model->paths[i].node = fold->map[model->paths[i].node];
  model->path_count = hd_paths_join(model->paths, model->path_count);
  for (uint32_t i = 0; i < model->step_count; i++) {
    struct hd_model_step *step = &model->steps[i];
    step->from = step->from == HD_NONE ? HD_NONE : fold->map[step->from];
    step->to = fold->map[step->to];
  }
  model->step_count = hd_steps_join(model->steps, model->step_count);
  for (uint32_t i = 0; i < model->history_count; i++)
    model->histories[i].node = fold->map[model->histories[i].node];
  model->history_count = hd_histories_join(model->histories, model->history_count);
  hd_locks_map(model, fold->map);
  model->nodes = fold->nodes;
  model->renumbered = true;
  model->node_count = fold->count;
  model->rows = fold->rows;
  model->row_count = fold->row_count;
  model->header.callpath_depth = fold->depth;
  fold->nodes = nodes; /* to be freed */
  fold->rows = rows;
}

void hd_callpath_truncate(struct hd_model *model, uint32_t depth) {
  const uint32_t now = model->header.callpath_depth, nodes = model->node_count;
  if (depth == 0 || (now != 0 && now <= depth))
    return;
  struct fold fold = {.model = model, .depth = depth, .limit = nodes, .slots = hd_slots_new(nodes)};
  hd_model_need_rows(model);
  fold.nodes = hd_new(nodes, sizeof *fold.nodes);
  fold.map = hd_new(nodes, sizeof *fold.map);
  fold.owner = hd_new(nodes, sizeof *fold.owner);
  fold.path = hd_new(depth < nodes ? depth : nodes, sizeof *fold.path);
  map_nodes(&fold);
  fill(&fold);
  give(&fold);
  hd_model_sort_counts(model);
  hd_model_roll_up(model);
  hd_model_sum_counts(model);
  free(fold.nodes);
  free(fold.rows);
  free(fold.slots.numbers);
  free(fold.map);
  free(fold.owner);
  free(fold.path);
  free(fold.parts);
}
