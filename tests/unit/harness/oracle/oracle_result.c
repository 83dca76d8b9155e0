/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "oracle_critical.h"
#include "oracle_data.h"

#include <stdlib.h>
#include <string.h>

void *or_grown(void *memory, size_t bytes) {
  memory = realloc(memory, bytes);
  if (!memory)
    abort();
  return memory;
}

void *or_grown_by_one(void *memory, size_t count, size_t bytes) {
  return (count & (count - 1)) == 0 ? or_grown(memory, (count > 0 ? 2 * count : 1) * bytes) : memory;
}

static uint32_t add_node(struct or_result *result, const struct or_path *path) {
  if (result->node_count == result->node_limit) {
    result->node_limit = result->node_limit ? 2 * result->node_limit : 64;
    result->nodes = or_grown(result->nodes, result->node_limit * sizeof *result->nodes);
  }
  result->nodes[result->node_count] = (struct or_node){.path = *path};
  return result->node_count++;
}

struct or_result *or_new(unsigned depth, unsigned cycle_limit) {
  struct or_result *result = calloc(1, sizeof *result);
  if (!result)
    abort();
  result->depth = depth;
  result->cycle_limit = cycle_limit;
  add_node(result, &(struct or_path){0}); /* the program */
  return result;
}

void or_free(struct or_result *result) {
  for (uint32_t i = 0; i < result->node_count; i++)
    free(result->nodes[i].rows);
  for (uint32_t i = 0; i < result->thread_count; i++) {
    free(result->threads[i].busy);
    free(result->threads[i].marks);
  }
  or_free_levels(result, result->levels);
  or_critical_free(result->critical);
  free(result->instances);
  free(result->entries);
  free(result->nodes);
  free(result);
}

uint32_t or_new_thread(struct or_result *result, uint64_t begin) {
  struct or_life *life = &result->threads[result->thread_count];
  life->begin = life->owner_begin = begin;
  life->owners = 1;
  return result->thread_count++;
}

void or_take_over(struct or_result *result, uint32_t thread, uint64_t begin) {
  struct or_life *life = &result->threads[thread];
  life->apart += begin - life->end;
  life->owner_begin = begin;
  life->owners++;
}

void or_set_lifetime(struct or_result *result, uint32_t thread, uint64_t end) {
  result->threads[thread].end = end;
}

static bool same_path(const struct or_path *a, const struct or_path *b) {
  if (a->count != b->count)
    return false;
  for (uint32_t i = 0; i < a->count; i++)
    if (a->sites[i].kind != b->sites[i].kind || a->sites[i].code != b->sites[i].code)
      return false;
  return true;
}

static uint32_t place_of(const struct or_path *path) {
  uint64_t hash = path->count;
  for (uint32_t i = 0; i < path->count; i++)
    hash = (hash ^ path->sites[i].code ^ (uint64_t)path->sites[i].kind << 48) * 0x9E3779B97F4A7C15u;
  return (uint32_t)(hash >> 32) % OR_BUCKETS;
}

uint32_t or_find(const struct or_result *result, const struct or_path *path) {
  if (path->count == 0)
    return 0;
  uint32_t i = result->index[place_of(path)];
  while (i && !same_path(&result->nodes[i].path, path))
    i = result->nodes[i].next;
  return i ? i : FK_NONE;
}

static uint32_t intern(struct or_result *result, const struct or_path *path) {
  uint32_t found = or_find(result, path);
  if (found != FK_NONE)
    return found;
  uint32_t *first = &result->index[place_of(path)];
  uint32_t added = add_node(result, path);
  result->nodes[added].next = *first;
  return *first = added;
}

static struct or_path below(const struct or_result *result, uint32_t node, uint32_t kind, uint64_t code) {
  struct or_path path = result->nodes[node].path;
  if (path.count == OR_MAX_PATH)
    abort();
  path.sites[path.count++] = (struct or_site){.kind = hd_kind_of_site(kind), .code = code};
  return path;
}

/* Do the first n sites end in the same `count` sites as the whole path? */
static bool ends_alike(const struct or_path *path, uint32_t n, uint32_t count) {
  const struct or_site *a = path->sites + n - count, *b = path->sites + path->count - count;
  for (uint32_t i = 0; i < count; i++)
    if (a[i].kind != b[i].kind || a[i].code != b[i].code)
      return false;
  return true;
}

uint32_t or_step(struct or_result *result, uint32_t node, uint32_t kind, uint64_t code) {
  struct or_path path = below(result, node, kind, code);
  for (uint32_t n = result->cycle_limit; n < path.count && !result->depth; n++)
    if (ends_alike(&path, n, result->cycle_limit))
      path.count = n;
  if (result->depth && path.count > result->depth) {
    uint32_t drop = path.count - result->depth;
    memmove(path.sites, path.sites + drop, result->depth * sizeof *path.sites);
    path.count = result->depth;
  }
  return intern(result, &path);
}

uint32_t or_call(struct or_result *result, uint32_t node, uint64_t code, uint32_t to) {
  struct or_path path = below(result, node, HD_KIND_ROUTINE, code);
  result->nodes[to].called = true;
  if (result->depth || path.count == result->nodes[to].path.count)
    return to;
  uint32_t back = intern(result, &path);
  result->nodes[back].back = true;
  result->nodes[back].target = to;
  return back;
}

struct or_row *or_row_of(struct or_result *result, uint32_t node_index, uint32_t thread) {
  struct or_node *node = &result->nodes[node_index];
  if (node->row_limit <= thread) {
    node->row_limit = thread < 8 ? 8 : 2 * thread;
    node->rows = or_grown(node->rows, node->row_limit * sizeof *node->rows);
  }
  while (node->row_count <= thread)
    node->rows[node->row_count++] = (struct or_row){0};
  return &node->rows[thread];
}

void or_visit(struct or_result *result, uint32_t node, uint32_t thread) {
  or_row_of(result, node, thread)->visits++;
}

struct hd_shares *or_shares(struct or_result *result, uint32_t node, uint32_t thread) {
  return &or_row_of(result, node, thread)->shares;
}

void or_add(struct or_result *result, uint32_t node, uint32_t thread, enum hd_state state, uint64_t from, uint64_t to) {
  struct or_life *life = &result->threads[thread];
  or_row_of(result, node, thread)->ticks[state] += to - from;
  if (state != HD_BUSY || from == to)
    return;
  if (life->busy_count == life->busy_limit) {
    life->busy_limit = life->busy_limit ? 2 * life->busy_limit : 64;
    life->busy = or_grown(life->busy, life->busy_limit * sizeof *life->busy);
  }
  life->busy[life->busy_count++] = (struct or_busy){.from = from, .to = to, .node = node};
}

static uint64_t busy_between(const struct or_result *result, uint32_t thread, uint64_t from, uint64_t to) {
  const struct or_life *life = &result->threads[thread];
  uint64_t sum = 0;
  size_t first = 0, after = life->busy_count; /* the first that ends after `from` lies between these two */
  while (first < after) {
    size_t middle = first + (after - first) / 2;
    if (life->busy[middle].to > from)
      after = middle;
    else
      first = middle + 1;
  }
  for (size_t i = first; i < life->busy_count && life->busy[i].from < to; i++) {
    uint64_t begin = life->busy[i].from > from ? life->busy[i].from : from;
    uint64_t end = life->busy[i].to < to ? life->busy[i].to : to;
    sum += end > begin ? end - begin : 0;
  }
  return sum;
}

void or_add_member(struct or_region *region, uint32_t index, uint32_t thread, uint64_t begin) {
  while (region->member_count <= index) {
    region->members = or_grown_by_one(region->members, region->member_count, sizeof *region->members);
    region->members[region->member_count++] = (struct or_member){0};
  }
  region->members[index] = (struct or_member){.present = true, .thread = thread, .begin = begin};
}

void or_arrive(struct or_region *region, uint32_t index, uint32_t n, struct or_share share) {
  while (region->construct_count <= n) {
    region->constructs = or_grown_by_one(region->constructs, region->construct_count, sizeof *region->constructs);
    region->constructs[region->construct_count++] = (struct or_construct){0};
  }
  struct or_construct *construct = &region->constructs[n];
  while (construct->share_count <= index) {
    construct->shares = or_grown_by_one(construct->shares, construct->share_count, sizeof *construct->shares);
    construct->shares[construct->share_count++] = (struct or_share){0};
  }
  construct->shares[index] = share;
}

void or_close(struct or_region *region, uint32_t n, uint32_t index, uint64_t end) {
  region->constructs[n].shares[index].end = end;
}

static uint64_t largest(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static struct or_share share_of(const struct or_region *region, uint32_t n, uint32_t index) {
  const struct or_construct *construct = &region->constructs[n];
  return index < construct->share_count ? construct->shares[index] : (struct or_share){0};
}

static bool is_single(const struct or_result *result, const struct or_share *share) {
  const struct or_path *path = &result->nodes[share->node].path;
  return path->count && path->sites[path->count - 1].kind == HD_KIND_SINGLE;
}

/* The construct that a team's n-th barrier closes. Of one that the primary does not observe nothing is known. */
static void add_construct(struct or_result *result, const struct or_region *region, uint32_t n) {
  const struct or_construct *construct = &region->constructs[n];
  const struct or_share first = share_of(region, n, 0);
  struct hd_team_totals *team = &result->nodes[first.node].team;
  uint64_t most = 0;
  if (region->gcc && construct->share_count && is_single(result, &construct->shares[construct->share_count - 1]))
    return; /* its end is not told, so it has no totals */
  if (!first.arrived)
    return;
  if (first.end) {
    team->instances++;
    team->elapsed_ticks += first.end - first.begin;
  }
  for (uint32_t i = 0; i < region->team_size && i < construct->share_count; i++) {
    const struct or_share *share = &construct->shares[i];
    if (!share->end)
      continue;
    uint32_t thread = region->members[i].thread;
    uint64_t busy = busy_between(result, thread, share->begin, share->work_end) +
                    busy_between(result, thread, share->arrival, share->end);
    result->nodes[share->node].team.busy_ticks += busy;
    result->nodes[share->node].team.capacity_ticks += share->work_end - share->begin + share->end - share->arrival;
    most = largest(most, busy);
  }
  if (first.end)
    team->busy_max_ticks += most * region->team_size;
}

static void add_members(struct or_result *result, const struct or_region *region, uint64_t join, uint64_t end) {
  struct hd_team_totals *team = &result->nodes[region->node].team;
  uint64_t most = 0;
  for (uint32_t i = 0; i < region->team_size; i++) {
    const struct or_member *member = &region->members[i];
    if (i >= region->member_count || !member->present) {
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

static void add_instance(struct or_result *result, uint32_t node, uint64_t from, uint64_t to) {
  if (from == to)
    return;
  if (result->instance_count == result->instance_limit) {
    result->instance_limit = result->instance_limit ? 2 * result->instance_limit : 64;
    result->instances = or_grown(result->instances, result->instance_limit * sizeof *result->instances);
  }
  result->instances[result->instance_count++] = (struct or_instance){.from = from, .to = to, .node = node};
}

void or_end_region(struct or_result *result, const struct or_region *region, uint64_t script_end) {
  if (!region->begin && !region->end)
    return; /* an initial thread's own */
  uint64_t end = region->end ? region->end : script_end;
  uint64_t join = region->join < end ? region->join : end;
  struct hd_team_totals *team = &result->nodes[region->node].team;
  team->instances += !region->unasked;
  team->open_instances += !region->end && !region->unasked;
  if (!region->recursive) {
    add_instance(result, region->node, region->begin, end);
    team->elapsed_ticks += end - region->begin;
  }
  if (!region->recursive && region->team_size) {
    team->capacity_ticks += region->team_size * (end - region->begin);
    add_members(result, region, join, end);
  }
  for (uint32_t i = 0; i < region->construct_count; i++)
    add_construct(result, region, i);
}

void or_set_span(struct or_result *result, uint64_t begin, uint64_t end) {
  result->begin = begin;
  result->end = end;
  result->levels = or_integrate(result);
  or_settle_entries(result);
}

void or_free_region(struct or_region *region) {
  for (uint32_t i = 0; i < region->construct_count; i++)
    free(region->constructs[i].shares);
  free(region->members);
  free(region->constructs);
}
