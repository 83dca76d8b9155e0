/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file match_by_name.c
 * Callpaths of different builds. They are united one depth after the other, for the parents must be: first each build's
 * nodes at one place of the source become one *spot*, then spots of different builds become one.
 */
#include <stdlib.h>
#include <string.h>

#include "output/unify/line_alignment.h"
#include "output/unify/same_build.h"
#include "output/unify/unified_tree_internal.h"
#include "support/command/memory.h"

/* One of the present depth. */
struct spot {
  struct hd_united_key key;
  struct hd_source_line line;
  uint32_t number;
};

/* What is kept of every spot, by number. */
struct spot_state {
  struct hd_united_key key;
  uint32_t leader;   /* of those that are one: the earliest build's. HD_NONE: not met yet */
  uint32_t id;       /* leaders: united; 0: not yet */
  uint32_t taken_by; /* leaders: the latest build that has it, and one */
  bool moved;        /* leaders: not all are at one line */
  size_t run;        /* of the first node */
  const struct hd_node *node;
};

struct naming {
  struct hd_uniting *uniting;
  uint32_t *build_of;   /* by run */
  uint32_t build_count; /* runs that are not known to be of one build are of two */
  uint32_t **by_depth;  /* by run: its nodes */
  uint32_t **likeness;  /* by run and node: equal if they look alike inside */
  uint32_t *files;      /* by text: so many builds have that file */
  uint32_t *done;       /* by run: so many of them are united */
  uint32_t *end;        /* by run: where those of the present depth end */
  struct spot_state *states;
  struct spot *spots;
  struct hd_source_line *lines; /* of two builds */
  uint32_t *match;
};

/* ---- which spots may be one ---- */

static int compare_numbers(uint64_t a, uint64_t b) {
  return a < b ? -1 : a > b;
}

/* What is in one function, below one parent; but not the function itself. */
static int compare_groups(const struct hd_united_key *a, const struct hd_united_key *b) {
  int order = compare_numbers(a->parent, b->parent);
  order = order != 0 ? order : compare_numbers(a->function, b->function);
  order = order != 0 ? order : compare_numbers(a->file, b->file);
  return order != 0 ? order : compare_numbers(a->kind == HD_KIND_ROUTINE, b->kind == HD_KIND_ROUTINE);
}

static int by_group_and_line(const void *left, const void *right) {
  const struct spot *a = left;
  const struct spot *b = right;
  int order = compare_groups(&a->key, &b->key);
  order = order != 0 ? order : compare_numbers(a->key.build, b->key.build);
  order = order != 0 ? order : compare_numbers(a->line.line, b->line.line);
  return order != 0 ? order : compare_numbers(a->line.kind, b->line.kind);
}

/* Where no line is known, the offset in its module: no line is that large. */
static struct hd_source_line line_of(const struct naming *naming, const struct spot_state *state) {
  const struct hd_united_key *key = &state->key;
  const uint64_t module = key->module == HD_NONE ? 0xffff : key->module % 0xffff + 1;
  return (struct hd_source_line){.line = key->by_line ? key->site : module << 48 | (key->site & 0xffffffffffff),
                                 .kind = key->kind << 16 | key->flags,
                                 .likeness = naming->likeness[state->run][state->node->id]};
}

static bool is_same_function(const struct hd_node *a, const struct hd_node *b) {
  return a->name.function && b->name.function && strcmp(a->name.function, b->name.function) == 0;
}

static const struct hd_node *parent_of(const struct naming *naming, const struct spot_state *state) {
  return &naming->uniting->united->models[state->run]->nodes[state->node->parent];
}

/* By how much the parent has moved, if it is in the same function. */
static uint64_t first_distance(const struct naming *naming, const struct spot_state *a, const struct spot_state *b) {
  const struct hd_node *before = parent_of(naming, a);
  const struct hd_node *after = parent_of(naming, b);
  if (before->name.line == 0 || after->name.line == 0 || !is_same_function(before, a->node) ||
      !is_same_function(after, b->node))
    return 0;
  return (uint64_t)after->name.line - before->name.line;
}

/* Lines of one known build do not move: a library may have been rebuilt, but not what these lie in. */
static bool may_move(const struct naming *naming, const struct spot *a, const struct spot *b) {
  const struct hd_united *united = naming->uniting->united;
  const struct spot_state *before = &naming->states[a->number];
  const struct spot_state *after = &naming->states[b->number];
  if (a->key.function == HD_NONE)
    return false;
  if (before->node->module == HD_NONE || after->node->module == HD_NONE)
    return true;
  const uint32_t module = united->module_of[before->run][before->node->module];
  return module != united->module_of[after->run][after->node->module] ||
         united->modules[module].module->build_id_bytes == 0;
}

/* ---- spots of different builds that are one ---- */

/* Whether all of them have one; else none does, or hardly. */
static bool set_lines(const struct spot *spots, size_t count, struct hd_source_line *lines) {
  bool known = true;
  for (size_t i = 0; i < count; i++) {
    lines[i] = spots[i].line;
    known = known && spots[i].key.by_line;
  }
  return known;
}

static void unite_two(struct naming *naming, const struct spot *a, const struct spot *b) {
  struct spot_state *state = &naming->states[b->number];
  struct spot_state *leader = &naming->states[naming->states[a->number].leader];
  const uint32_t build = b->key.build + 1;
  if (state->leader != b->number || leader->taken_by == build)
    return;
  state->leader = naming->states[a->number].leader;
  leader->taken_by = build;
  leader->moved = leader->moved || a->line.line != b->line.line;
}

/* Which of b's spots are which of a's, in naming->match. */
static void match(const struct naming *naming, const struct spot *a, size_t a_count, const struct spot *b,
                  size_t b_count) {
  struct hd_source_line *before = naming->lines;
  struct hd_source_line *after = naming->lines + a_count;
  const bool a_known = set_lines(a, a_count, before);
  const bool b_known = set_lines(b, b_count, after);
  if (!may_move(naming, a, b))
    hd_lines_match(before, a_count, after, b_count, naming->match);
  else if (!a_known || !b_known) /* compilers put code where they like */
    hd_lines_in_order(before, a_count, after, b_count, naming->match);
  else
    hd_lines_align(before, a_count, after, b_count,
                   first_distance(naming, &naming->states[a->number], &naming->states[b->number]), naming->match);
}

/* Two builds' spots of one group. */
static void unite_builds(struct naming *naming, const struct spot *a, size_t a_count, const struct spot *b,
                         size_t b_count) {
  match(naming, a, a_count, b, b_count);
  for (size_t i = 0; i < a_count; i++)
    if (naming->match[i] != HD_NONE)
      unite_two(naming, &a[i], &b[naming->match[i]]);
}

static bool all_united(const struct naming *naming, const struct spot *spots, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (naming->states[spots[i].number].leader == spots[i].number)
      return false;
  return true;
}

static size_t count_of_build(const struct spot *spots, size_t count) {
  size_t same = 1;
  while (same < count && spots[same].key.build == spots[0].key.build)
    same++;
  return same;
}

/* Each build with those before it. */
static void unite_group(struct naming *naming, const struct spot *spots, size_t count) {
  size_t b_count;
  for (size_t b = count_of_build(spots, count); b < count; b += b_count) {
    b_count = count_of_build(spots + b, count - b);
    size_t a_count;
    for (size_t a = 0; a < b && !all_united(naming, spots + b, b_count); a += a_count) {
      a_count = count_of_build(spots + a, b - a);
      unite_builds(naming, spots + a, a_count, spots + b, b_count);
    }
  }
}

static struct spot spot_of(const struct naming *naming, uint32_t number) {
  const struct spot_state *state = &naming->states[number];
  return (struct spot){state->key, line_of(naming, state), number};
}

/* All of one depth: numbers first .. end - 1. */
static void unite_spots(struct naming *naming, uint32_t first, uint32_t end) {
  const size_t count = end - first;
  for (uint32_t i = first; i < end; i++)
    naming->spots[i - first] = spot_of(naming, i);
  qsort(naming->spots, count, sizeof *naming->spots, by_group_and_line);
  size_t size;
  for (size_t i = 0; i < count; i += size) {
    size = 1;
    while (i + size < count && compare_groups(&naming->spots[i].key, &naming->spots[i + size].key) == 0)
      size++;
    unite_group(naming, naming->spots + i, size);
  }
  for (uint32_t i = first; i < end; i++)
    naming->uniting->united->moved += naming->states[i].moved;
}

/* ---- depth by depth ---- */

static void find_spots(struct naming *naming, size_t run) {
  struct hd_united *united = naming->uniting->united;
  for (uint32_t i = naming->done[run]; i < naming->end[run]; i++) {
    const struct hd_node *node = &united->models[run]->nodes[naming->by_depth[run][i]];
    struct hd_united_key key = hd_united_key_of(naming->uniting, run, node);
    key.build = naming->build_of[run];
    if (key.file != HD_NONE && naming->files[key.file] < naming->build_count)
      key.file = HD_NONE; /* renamed, or compiled without lines elsewhere */
    const uint32_t spot = hd_intern(&naming->uniting->keys, &key, sizeof key);
    struct spot_state *state = &naming->states[spot];
    if (!state->node)
      *state = (struct spot_state){.key = key, .leader = spot, .run = run, .node = node};
    united->node_of[run][node->id] = spot; /* for now */
  }
}

static void take_spots(struct naming *naming, size_t run) {
  struct hd_united *united = naming->uniting->united;
  for (; naming->done[run] < naming->end[run]; naming->done[run]++) {
    const struct hd_node *node = &united->models[run]->nodes[naming->by_depth[run][naming->done[run]]];
    const uint32_t leader = naming->states[united->node_of[run][node->id]].leader;
    uint32_t *id = &naming->states[leader].id;
    *id = *id == 0 ? united->node_count : *id;
    hd_united_take(naming->uniting, run, node, *id);
  }
}

/* The runs' nodes of the next depth: true if there are any. */
static bool find_next(struct naming *naming) {
  const struct hd_united *united = naming->uniting->united;
  bool found = false;
  for (size_t run = 0; run < united->model_count; run++) {
    const struct hd_model *model = united->models[run];
    const uint32_t *order = naming->by_depth[run];
    uint32_t end = naming->done[run];
    while (end < model->node_count && model->nodes[order[end]].depth == model->nodes[order[naming->done[run]]].depth)
      end++;
    found = found || end > naming->done[run];
    naming->end[run] = end;
  }
  return found;
}

static void unite_nodes(struct naming *naming) {
  struct hd_uniting *uniting = naming->uniting;
  const struct hd_united *united = uniting->united;
  for (size_t run = 0; run < united->model_count; run++) {
    hd_united_take(uniting, run, &united->models[run]->nodes[0], 0);
    naming->done[run] = 1;
  }
  while (find_next(naming)) {
    const uint32_t first = uniting->keys.count;
    for (size_t run = 0; run < united->model_count; run++)
      find_spots(naming, run);
    unite_spots(naming, first, uniting->keys.count);
    for (size_t run = 0; run < united->model_count; run++)
      take_spots(naming, run);
  }
}

/* ---- what is known of the runs before ---- */

/* Numbers of nodes by depth. */
static uint32_t *sort_by_depth(const struct hd_model *model) {
  uint32_t *order = hd_new((size_t)model->node_count + 1, sizeof *order);
  uint32_t *first = hd_new((size_t)model->node_count + 2, sizeof *first); /* no depth is larger */
  for (uint32_t i = 0; i < model->node_count; i++)
    first[model->nodes[i].depth + 1]++;
  for (uint32_t i = 1; i < model->node_count; i++)
    first[i] += first[i - 1];
  for (uint32_t i = 0; i < model->node_count; i++)
    order[first[model->nodes[i].depth]++] = i;
  free(first);
  return order;
}

static uint32_t mix(uint32_t hash, uint32_t value) {
  hash = (hash ^ value) * 0x9e3779b1u;
  return hash ^ hash >> 15;
}

/* By what is below a node, in any order: kinds, how far down in the same function, and so on. */
static uint32_t *find_likeness(const struct hd_united *united, const struct hd_model *model) {
  uint32_t *likeness = hd_new((size_t)model->node_count + 1, sizeof *likeness);
  for (uint32_t i = model->node_count; --i > 0;) { /* parents come before their children */
    const struct hd_node *node = &model->nodes[i];
    const struct hd_node *parent = &model->nodes[node->parent];
    const bool below = node->name.line != 0 && parent->name.line != 0 && is_same_function(node, parent);
    const uint32_t inside = mix(mix(likeness[i], hd_united_kind_of(united, node)), below);
    likeness[node->parent] += mix(inside, below ? node->name.line - parent->name.line : 0);
  }
  return likeness;
}

static void count_files(struct naming *naming) {
  const struct hd_united *united = naming->uniting->united;
  uint32_t *latest = naming->match; /* by text: the latest build that has it, and one; not used yet */
  for (uint32_t build = 0; build < naming->build_count; build++)
    for (size_t run = 0; run < united->model_count; run++)
      for (uint32_t i = 0; naming->build_of[run] == build && i < united->models[run]->node_count; i++) {
        const char *file = united->models[run]->nodes[i].name.file;
        const uint32_t text = hd_intern_text(&naming->uniting->texts, file ? hd_base_name(file) : NULL);
        if (text != HD_NONE && latest[text] != build + 1) {
          latest[text] = build + 1;
          naming->files[text]++;
        }
      }
}

static void prepare(struct naming *naming, size_t most) {
  struct hd_model *const *models = naming->uniting->united->models;
  const size_t runs = naming->uniting->united->model_count;
  naming->build_of = hd_new(runs, sizeof *naming->build_of);
  naming->by_depth = hd_new(runs, sizeof *naming->by_depth);
  naming->likeness = hd_new(runs, sizeof *naming->likeness);
  naming->files = hd_new(most + 1, sizeof *naming->files); /* these are the first texts */
  naming->done = hd_new(runs, sizeof *naming->done);
  naming->end = hd_new(runs, sizeof *naming->end);
  naming->states = hd_new(most + 1, sizeof *naming->states);
  naming->spots = hd_new(most + 1, sizeof *naming->spots);
  naming->lines = hd_new(most + 1, sizeof *naming->lines);
  naming->match = hd_new(most + 1, sizeof *naming->match);
  for (size_t i = 0; i < runs; i++) {
    size_t same = 0;
    while (same < i && !hd_is_same_build(models[same], models[i]))
      same++;
    naming->build_of[i] = same < i ? naming->build_of[same] : naming->build_count++;
    naming->by_depth[i] = sort_by_depth(models[i]);
    naming->likeness[i] = find_likeness(naming->uniting->united, models[i]);
  }
  count_files(naming);
}

static void release(struct naming *naming, size_t runs) {
  for (size_t i = 0; i < runs; i++) {
    free(naming->by_depth[i]);
    free(naming->likeness[i]);
  }
  free(naming->build_of);
  free(naming->by_depth);
  free(naming->likeness);
  free(naming->files);
  free(naming->done);
  free(naming->end);
  free(naming->states);
  free(naming->spots);
  free(naming->lines);
  free(naming->match);
}

void hd_united_by_name(struct hd_uniting *uniting, size_t most) {
  struct naming naming = {.uniting = uniting};
  prepare(&naming, most);
  unite_nodes(&naming);
  release(&naming, uniting->united->model_count);
}
