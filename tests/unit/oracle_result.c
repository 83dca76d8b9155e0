/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "oracle_result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PATH 64
#define MAX_NODES 20000

struct site {
  uint32_t kind;
  uint64_t code;
};

struct path {
  struct site sites[MAX_PATH];
  uint32_t count;
};

struct row {
  uint64_t visits;
  uint64_t ticks[HD_STATE_COUNT];
};

struct node {
  struct path path;
  struct row *rows; /* by thread */
  uint32_t row_count;
  struct hd_team_totals team;
};

struct busy {
  uint64_t from, to;
};

struct life {
  uint64_t begin, end;
  struct busy *busy; /* in time's order */
  size_t busy_count, busy_limit;
};

struct or_result {
  unsigned depth;
  struct node nodes[MAX_NODES];
  uint32_t node_count;
  struct life threads[FK_MAX_THREADS];
  uint32_t thread_count;
};

static void *grown(void *memory, size_t bytes) {
  memory = realloc(memory, bytes);
  if (!memory)
    abort();
  return memory;
}

struct or_result *or_new(unsigned depth) {
  struct or_result *result = calloc(1, sizeof *result);
  if (!result)
    abort();
  result->depth = depth;
  result->node_count = 1; /* the program: an empty path */
  return result;
}

void or_free(struct or_result *result) {
  for (uint32_t i = 0; i < result->node_count; i++)
    free(result->nodes[i].rows);
  for (uint32_t i = 0; i < result->thread_count; i++)
    free(result->threads[i].busy);
  free(result);
}

uint32_t or_new_thread(struct or_result *result, uint64_t begin) {
  result->threads[result->thread_count].begin = begin;
  return result->thread_count++;
}

void or_set_lifetime(struct or_result *result, uint32_t thread, uint64_t end) {
  result->threads[thread].end = end;
}

static bool same_path(const struct path *a, const struct path *b) {
  if (a->count != b->count)
    return false;
  for (uint32_t i = 0; i < a->count; i++)
    if (a->sites[i].kind != b->sites[i].kind || a->sites[i].code != b->sites[i].code)
      return false;
  return true;
}

static uint32_t intern(struct or_result *result, const struct path *path) {
  for (uint32_t i = 0; i < result->node_count; i++)
    if (same_path(&result->nodes[i].path, path))
      return i;
  if (result->node_count == MAX_NODES)
    abort();
  result->nodes[result->node_count].path = *path;
  return result->node_count++;
}

uint32_t or_step(struct or_result *result, uint32_t node, uint32_t kind, uint64_t code) {
  struct path path = result->nodes[node].path;
  for (uint32_t i = 0; i < path.count && !result->depth; i++) {
    if (path.sites[i].kind == kind && path.sites[i].code == code) {
      path.count = i + 1;
      return intern(result, &path);
    }
  }
  if (path.count == MAX_PATH)
    abort();
  path.sites[path.count++] = (struct site){.kind = kind, .code = code};
  if (result->depth && path.count > result->depth) {
    uint32_t drop = path.count - result->depth;
    memmove(path.sites, path.sites + drop, result->depth * sizeof *path.sites);
    path.count = result->depth;
  }
  return intern(result, &path);
}

static struct row *row_of(struct or_result *result, uint32_t node_index, uint32_t thread) {
  struct node *node = &result->nodes[node_index];
  while (node->row_count <= thread) {
    node->rows = grown(node->rows, (node->row_count + 1) * sizeof *node->rows);
    node->rows[node->row_count++] = (struct row){0};
  }
  return &node->rows[thread];
}

void or_visit(struct or_result *result, uint32_t node, uint32_t thread) {
  row_of(result, node, thread)->visits++;
}

void or_add(struct or_result *result, uint32_t node, uint32_t thread, enum hd_state state, uint64_t from, uint64_t to) {
  struct life *life = &result->threads[thread];
  row_of(result, node, thread)->ticks[state] += to - from;
  if (state != HD_BUSY || from == to)
    return;
  if (life->busy_count == life->busy_limit) {
    life->busy_limit = life->busy_limit ? 2 * life->busy_limit : 64;
    life->busy = grown(life->busy, life->busy_limit * sizeof *life->busy);
  }
  life->busy[life->busy_count++] = (struct busy){.from = from, .to = to};
}

static uint64_t busy_between(const struct or_result *result, uint32_t thread, uint64_t from, uint64_t to) {
  const struct life *life = &result->threads[thread];
  uint64_t sum = 0;
  for (size_t i = 0; i < life->busy_count; i++) {
    uint64_t begin = life->busy[i].from > from ? life->busy[i].from : from;
    uint64_t end = life->busy[i].to < to ? life->busy[i].to : to;
    sum += end > begin ? end - begin : 0;
  }
  return sum;
}

void or_add_member(struct or_region *region, uint32_t index, uint32_t thread, uint64_t begin) {
  if (!region->members && !(region->members = calloc(FK_MAX_THREADS, sizeof *region->members)))
    abort();
  region->members[index] = (struct or_member){.present = true, .thread = thread, .begin = begin};
}

void or_arrive(struct or_region *region, uint32_t index, uint32_t n, uint32_t node, struct or_share share) {
  while (region->construct_count <= n) {
    region->constructs = grown(region->constructs, (region->construct_count + 1) * sizeof *region->constructs);
    memset(&region->constructs[region->construct_count++], 0, sizeof *region->constructs);
  }
  region->constructs[n].shares[index] = share;
  region->constructs[n].node = node;
}

void or_close(struct or_region *region, uint32_t n, uint32_t index, uint64_t end) {
  region->constructs[n].shares[index].end = end;
}

static uint64_t largest(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* The n-th construct of a team. Its busiest thread is known when the primary has passed the next one, or the join. */
static void add_construct(struct or_result *result, const struct or_region *region, uint32_t n, bool joined) {
  const struct or_construct *construct = &region->constructs[n];
  struct hd_team_totals *team = &result->nodes[construct->node].team;
  const struct or_share *first = &construct->shares[0];
  bool passed = joined || (n + 1 < region->construct_count && region->constructs[n + 1].shares[0].end);
  uint64_t most = 0;
  const struct path *path = &result->nodes[construct->node].path;
  if (region->gcc && path->sites[path->count - 1].kind == HD_KIND_SINGLE)
    return; /* its end is not told, so it has no totals */
  if (first->end) {
    team->instances++;
    team->elapsed_ticks += first->end - first->begin;
  }
  for (uint32_t i = 0; i < region->team_size; i++) {
    const struct or_share *share = &construct->shares[i];
    if (!share->end)
      continue;
    uint32_t thread = region->members[i].thread;
    uint64_t busy = busy_between(result, thread, share->begin, share->work_end) +
                    busy_between(result, thread, share->arrival, share->end);
    team->busy_ticks += busy;
    team->capacity_ticks += share->work_end - share->begin + share->end - share->arrival;
    most = largest(most, busy);
  }
  if (first->end && passed)
    team->busy_max_ticks += most * region->team_size;
}

static void add_members(struct or_result *result, const struct or_region *region, uint64_t join, uint64_t end) {
  struct hd_team_totals *team = &result->nodes[region->node].team;
  uint64_t most = 0;
  for (uint32_t i = 0; i < region->team_size; i++) {
    const struct or_member *member = &region->members[i];
    if (!member->present) {
      team->idle_ticks += end - region->begin;
      continue;
    }
    uint64_t busy = busy_between(result, member->thread, member->begin, join);
    team->busy_ticks += busy;
    most = largest(most, busy);
    if (i > 0)
      team->idle_ticks += member->begin - region->begin + (end - join);
  }
  team->busy_max_ticks += most * region->team_size;
}

void or_end_region(struct or_result *result, const struct or_region *region, uint64_t script_end) {
  if (!region->begin && !region->end)
    return; /* an initial thread's own */
  uint64_t end = region->end ? region->end : script_end;
  uint64_t join = region->join < end ? region->join : end;
  struct hd_team_totals *team = &result->nodes[region->node].team;
  team->instances++;
  team->open_instances += !region->end;
  if (!region->recursive && region->team_size) {
    team->elapsed_ticks += end - region->begin;
    team->capacity_ticks += region->team_size * (end - region->begin);
    add_members(result, region, join, end);
  }
  for (uint32_t i = 0; i < region->construct_count; i++)
    add_construct(result, region, i, region->end || region->join <= end);
}

void or_free_region(struct or_region *region) {
  free(region->members);
  free(region->constructs);
}

/* Comparison with a profile. */

static char difference[1000];

static const char *describe(const struct path *path) {
  static char text[600];
  size_t used = 0;
  text[0] = '\0';
  for (uint32_t i = 0; i < path->count && used < sizeof text - 40; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "/%u@%" PRIx64, path->sites[i].kind, path->sites[i].code);
  return text[0] ? text : "program";
}

static void path_of_node(const struct hd_model *model, const struct hd_node *node, struct path *path) {
  if (node->id == 0) {
    path->count = 0;
    return;
  }
  path_of_node(model, &model->nodes[node->parent], path);
  path->sites[path->count++] = (struct site){.kind = node->kind, .code = node->address};
}

static const struct hd_node *find_node(const struct hd_model *model, const struct path *path) {
  for (uint32_t i = 0; i < model->node_count; i++) {
    struct path other;
    path_of_node(model, &model->nodes[i], &other);
    if (same_path(&other, path))
      return &model->nodes[i];
  }
  return NULL;
}

static bool differ(const struct path *path, const char *what, uint32_t thread, uint64_t expected, uint64_t found) {
  if (expected == found)
    return false;
  snprintf(difference, sizeof difference, "%s: %s of thread %d: expected %" PRIu64 ", found %" PRIu64, describe(path),
           what, (int)thread, expected, found);
  return true;
}

static const char *const state_names[HD_STATE_COUNT] = {
    "busy",    "barrier_implicit", "barrier_explicit", "taskwait",   "taskgroup", "critical", "lock",
    "ordered", "atomic",           "reduction",        "other wait", "runtime",   "idle",
};

static bool visits_differ(const struct node *node, const struct hd_model *model, const struct hd_node *found) {
  for (uint32_t thread = 0; thread < model->thread_count && found->id != 0; thread++) {
    const struct hd_row *row = hd_model_row(model, found->id, thread);
    uint64_t expected = thread < node->row_count ? node->rows[thread].visits : 0;
    if (differ(&node->path, "visits", thread, expected, row ? row->visits : 0))
      return true;
  }
  return false;
}

static bool ticks_differ(const struct node *node, const struct hd_model *model, const struct hd_node *found) {
  static const struct hd_row empty;
  for (uint32_t thread = 0; thread < model->thread_count; thread++) {
    const struct hd_row *row = hd_model_row(model, found->id, thread);
    struct row expected = thread < node->row_count ? node->rows[thread] : (struct row){0};
    row = row ? row : &empty;
    for (int state = 0; state < HD_STATE_COUNT; state++)
      if (differ(&node->path, state_names[state], thread, expected.ticks[state], row->ticks[state]))
        return true;
  }
  return false;
}

static bool totals_differ(const struct node *node, const struct hd_node *found) {
  const struct hd_team_totals *expected = &node->team;
  const struct path *path = &node->path;
  return differ(path, "instances", FK_NONE, expected->instances, found->team.instances) ||
         differ(path, "open instances", FK_NONE, expected->open_instances, found->team.open_instances) ||
         differ(path, "elapsed", FK_NONE, expected->elapsed_ticks, found->team.elapsed_ticks) ||
         differ(path, "capacity", FK_NONE, expected->capacity_ticks, found->team.capacity_ticks) ||
         differ(path, "team busy", FK_NONE, expected->busy_ticks, found->team.busy_ticks) ||
         differ(path, "largest busy", FK_NONE, expected->busy_max_ticks, found->team.busy_max_ticks) ||
         differ(path, "team idle", FK_NONE, expected->idle_ticks, found->team.idle_ticks);
}

static bool node_differs(const struct node *node, const struct hd_model *model) {
  const struct hd_node *found = find_node(model, &node->path);
  if (found)
    return visits_differ(node, model, found) || ticks_differ(node, model, found) || totals_differ(node, found);
  snprintf(difference, sizeof difference, "%s: not in the profile", describe(&node->path));
  return true;
}

/* A node that the oracle does not know may only be a step on the way to one that it knows (bounded depth). */
static bool is_unexpected(const struct or_result *result, const struct hd_model *model, const struct hd_node *node) {
  struct path path;
  path_of_node(model, node, &path);
  for (uint32_t i = 0; i < result->node_count; i++)
    if (same_path(&result->nodes[i].path, &path))
      return false;
  if (node->visits == 0 && hd_ticks_all(node->ticks) == 0)
    return false;
  snprintf(difference, sizeof difference, "%s: in the profile, but not expected", describe(&path));
  return true;
}

const char *or_difference(const struct or_result *result, const struct hd_model *model) {
  static const struct path program;
  if (differ(&program, "number of threads", FK_NONE, result->thread_count, model->thread_count))
    return difference;
  for (uint32_t i = 0; i < result->thread_count; i++)
    if (differ(&program, "begin", i, result->threads[i].begin, model->threads[i].begin_ticks) ||
        differ(&program, "end", i, result->threads[i].end, model->threads[i].end_ticks))
      return difference;
  for (uint32_t i = 0; i < result->node_count; i++)
    if (node_differs(&result->nodes[i], model))
      return difference;
  for (uint32_t i = 1; i < model->node_count; i++)
    if (is_unexpected(result, model, &model->nodes[i]))
      return difference;
  return NULL;
}

/* Threads are numbered as they are heard of, which the real clock's runs decide for themselves: sums over threads. */
const char *or_count_difference(const struct or_result *result, const struct hd_model *model) {
  for (uint32_t i = 1; i < result->node_count; i++) {
    const struct node *node = &result->nodes[i];
    const struct hd_node *found = find_node(model, &node->path);
    uint64_t visits = 0;
    for (uint32_t thread = 0; thread < node->row_count; thread++)
      visits += node->rows[thread].visits;
    uint64_t seen = 0;
    for (uint32_t thread = 0; found && thread < model->thread_count; thread++) {
      const struct hd_row *row = hd_model_row(model, found->id, thread);
      seen += row ? row->visits : 0;
    }
    if (differ(&node->path, "visits of all threads", FK_NONE, visits, seen) ||
        differ(&node->path, "instances", FK_NONE, node->team.instances, found ? found->team.instances : 0))
      return difference;
  }
  return NULL;
}
