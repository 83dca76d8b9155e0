/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "oracle_critical.h"

#include <stdlib.h>
#include <string.h>

#include "output/model/paths.h"

enum { BARRIERS = 256, JOIN = BARRIERS - 1 };

struct chain {
  uint64_t length;
  uint64_t *ticks; /* by node */
  uint32_t limit;
};

struct group {
  struct group *outer;
  struct chain tasks;
};

struct or_strand {
  struct chain chain;
  struct chain children; /* the longest of those that have ended */
  struct or_strand *creator;
  struct group *group;    /* that its tasks belong to */
  struct group *in_group; /* that it belongs to */
  struct or_strand *root; /* the outermost explicit task around it, or itself */
  uint32_t node;          /* roots: the task's */
  uint32_t running;       /* and tasks of its tree */
  uint64_t begin, end;    /* and of the tree's longest chain */
  uint64_t work;
  bool undeferred;
  bool has_ended;
  struct or_dependences dependences;
};

struct team {
  struct or_strand *creator;
  struct chain fork, tasks, joined;
  uint64_t work;
  struct chain barriers[BARRIERS];
  bool is_over[BARRIERS];
};

struct or_critical {
  struct chain longest;
  struct team *teams; /* by region */
  uint32_t team_count;
  struct lock {
    uint64_t id;
    uint32_t region;
    struct chain chain;
  } *locks;
  uint32_t lock_count;
  struct or_critical_sum {
    uint64_t span, work, instances;
  } *sums; /* by node */
  uint32_t sum_limit;
  struct or_strand **strands; /* all there have been */
  size_t strand_count;
  struct group **groups;
  size_t group_count;
};

/* ---- chains ---- */

static void grow(uint64_t **ticks, uint32_t *limit, uint32_t needed) {
  if (needed <= *limit)
    return;
  *ticks = or_grown(*ticks, needed * sizeof **ticks);
  memset(*ticks + *limit, 0, (needed - *limit) * sizeof **ticks);
  *limit = needed;
}

static void copy(struct chain *to, const struct chain *from) {
  grow(&to->ticks, &to->limit, from->limit);
  if (to->limit > 0)
    memset(to->ticks, 0, to->limit * sizeof *to->ticks);
  if (from->limit > 0)
    memcpy(to->ticks, from->ticks, from->limit * sizeof *to->ticks);
  to->length = from->length;
}

static void take_longer(struct chain *to, const struct chain *from) {
  if (from->length > to->length)
    copy(to, from);
}

/* ---- strands ---- */

static struct or_critical *path_of(struct oracle *o) {
  struct or_critical *path = o->result->critical;
  if (path->teams)
    return path;
  path->team_count = o->script->region_count;
  path->teams = calloc(path->team_count + 1, sizeof *path->teams);
  if (!path->teams)
    abort();
  return path;
}

static struct or_strand *strand_of(struct oracle *o, struct or_task *task) {
  struct or_critical *path = path_of(o);
  if (task->strand)
    return task->strand;
  path->strands = or_grown_by_one(path->strands, path->strand_count, sizeof *path->strands);
  task->strand = calloc(1, sizeof *task->strand);
  if (!task->strand)
    abort();
  return path->strands[path->strand_count++] = task->strand;
}

/* To the tree that it belongs to, to the regions around it, and to the trees of the tasks that opened those. */
static void add_work(struct oracle *o, struct or_task *task, uint64_t ticks) {
  struct or_strand *root = strand_of(o, task)->root;
  if (root)
    root->work += ticks;
  for (uint32_t region = task->inside; region != FK_NONE; region = o->regions[region].outer) {
    struct team *team = &path_of(o)->teams[region];
    team->work += ticks;
    if (team->creator && team->creator->root)
      team->creator->root->work += ticks;
  }
}

void or_critical_add(struct oracle *o, struct or_task *task, uint32_t node, uint64_t ticks) {
  struct or_strand *strand = strand_of(o, task);
  struct chain *chain = &strand->chain;
  add_work(o, task, ticks);
  grow(&chain->ticks, &chain->limit, node + 1);
  chain->ticks[node] += ticks;
  chain->length += ticks;
  take_longer(&path_of(o)->longest, chain);
}

static void sum_up(struct oracle *o, uint32_t node, uint64_t span, uint64_t work) {
  struct or_critical *path = path_of(o);
  if (node >= path->sum_limit) {
    path->sums = or_grown(path->sums, (node + 1) * sizeof *path->sums);
    memset(path->sums + path->sum_limit, 0, (node + 1 - path->sum_limit) * sizeof *path->sums);
    path->sum_limit = node + 1;
  }
  path->sums[node].span += span;
  path->sums[node].work += work;
  path->sums[node].instances++;
}

/* ---- regions ---- */

static void on_parallel(struct oracle *o, struct or_task *task, const struct fk_event *e) {
  struct team *team = &path_of(o)->teams[e->region];
  struct chain *chain = &strand_of(o, task)->chain;
  const struct or_region *region = &o->regions[e->region];
  if (e->op == FK_PARALLEL_BEGIN) {
    copy(&team->fork, chain);
    team->creator = strand_of(o, task);
    return;
  }
  copy(chain, &team->joined);
  take_longer(chain, &team->tasks);
  take_longer(&path_of(o)->longest, chain);
  if (!region->recursive)
    sum_up(o, region->node, chain->length - team->fork.length, team->work);
}

static void on_implicit(struct oracle *o, const struct fk_event *e) {
  struct or_task *task = &o->tasks[e->task];
  if (e->flags & ompt_task_initial && !e->level)
    return;
  if (e->endpoint == ompt_scope_begin)
    copy(&strand_of(o, task)->chain, &path_of(o)->teams[task->region].fork);
  else if (task->index == 0)
    copy(&path_of(o)->teams[task->region].joined, &strand_of(o, task)->chain);
}

static void on_barrier(struct oracle *o, struct or_task *task, const struct fk_event *e, bool is_join) {
  struct team *team = task->region == FK_NONE ? NULL : &path_of(o)->teams[task->region];
  const uint32_t number = is_join ? JOIN : task->barriers + (e->endpoint == ompt_scope_begin);
  struct chain *chain = &strand_of(o, task)->chain;
  if (!team || o->regions[task->region].team_size == 1)
    return;
  if (number >= BARRIERS)
    abort();
  if (e->endpoint == ompt_scope_begin) {
    take_longer(&team->barriers[number], chain);
  } else if (!is_join || task->index == 0) {
    if (!team->is_over[number])
      take_longer(&team->barriers[number], &team->tasks);
    team->is_over[number] = true;
    take_longer(chain, &team->barriers[number]);
  }
}

/* ---- waits for tasks ---- */

static struct group *make_group(struct or_critical *path, struct group *outer) {
  path->groups = or_grown_by_one(path->groups, path->group_count, sizeof *path->groups);
  struct group *group = calloc(1, sizeof *group);
  if (!group)
    abort();
  group->outer = outer;
  path->groups[path->group_count++] = group;
  return group;
}

static void on_group(struct oracle *o, struct or_task *task, const struct fk_event *e) {
  struct or_strand *strand = strand_of(o, task);
  if (e->op == FK_SYNC_REGION && e->endpoint == ompt_scope_begin) {
    strand->group = make_group(path_of(o), strand->group);
  } else if (e->op == FK_SYNC_WAIT && e->endpoint == ompt_scope_end) {
    take_longer(&strand->chain, &strand->group->tasks);
    strand->group = strand->group->outer;
  }
}

static void on_sync(struct oracle *o, struct or_task *task, const struct fk_event *e) {
  if (e->kind == ompt_sync_region_taskgroup)
    on_group(o, task, e);
  else if (e->op == FK_SYNC_REGION)
    return;
  else if (e->kind == ompt_sync_region_taskwait && e->endpoint == ompt_scope_end)
    take_longer(&strand_of(o, task)->chain, &strand_of(o, task)->children);
  else if (or_is_join(o, e) || or_is_barrier(e->kind))
    on_barrier(o, task, e, or_is_join(o, e));
}

/* ---- locks ---- */

static struct lock *lock_of(struct or_critical *path, uint64_t id) {
  for (uint32_t i = 0; i < path->lock_count; i++)
    if (path->locks[i].id == id)
      return &path->locks[i];
  path->locks = or_grown_by_one(path->locks, path->lock_count, sizeof *path->locks);
  path->locks[path->lock_count] = (struct lock){.id = id};
  return &path->locks[path->lock_count++];
}

static void on_mutex(struct oracle *o, struct or_task *task, const struct fk_event *e) {
  struct lock *lock = lock_of(path_of(o), e->wait_id);
  if (e->op == FK_MUTEX_RELEASED) {
    copy(&lock->chain, &strand_of(o, task)->chain);
    lock->region = task->inside;
  } else if (lock->region == task->inside) {
    take_longer(&strand_of(o, task)->chain, &lock->chain);
  }
}

/* ---- tasks ---- */

static void on_create(struct oracle *o, struct or_task *task, const struct fk_event *e) {
  struct or_strand *creator = strand_of(o, task);
  struct or_strand *strand = strand_of(o, &o->tasks[e->next]);
  if (e->flags & ompt_task_taskwait) {
    strand->creator = creator;
    return;
  }
  copy(&strand->chain, &creator->chain);
  strand->creator = creator;
  strand->group = strand->in_group = creator->group;
  strand->undeferred = e->flags & ompt_task_undeferred;
  strand->root = creator->root ? creator->root : strand;
  if (strand->root == strand) {
    strand->begin = creator->chain.length;
    strand->node = FK_NONE;
  }
  strand->root->running++;
}

static void end_task(struct oracle *o, struct or_task *task) {
  struct or_strand *strand = strand_of(o, task);
  struct or_strand *root = strand->root;
  strand->has_ended = true;
  take_longer(&strand->creator->children, &strand->chain);
  if (strand->in_group)
    take_longer(&strand->in_group->tasks, &strand->chain);
  if (strand->undeferred)
    take_longer(&strand->creator->chain, &strand->chain);
  if (task->inside != FK_NONE)
    take_longer(&path_of(o)->teams[task->inside].tasks, &strand->chain);
  if (root->end < strand->chain.length)
    root->end = strand->chain.length;
  if (strand == root)
    root->node = task->open[0].node;
  if (--root->running == 0)
    sum_up(o, root->node, root->end - root->begin, root->work);
}

/* From all of its creator's tasks that it had to wait for. */
static void go_on_from_all(struct oracle *o, struct or_strand *strand) {
  const struct or_critical *path = path_of(o);
  bool is_earlier = true;
  for (size_t i = 0; i < path->strand_count; i++) {
    const struct or_strand *other = path->strands[i];
    is_earlier &= other != strand;
    if (other == strand || other->creator != strand->creator ||
        !or_waits_for(&strand->dependences, &other->dependences, is_earlier, other->has_ended))
      continue;
    if (!other->has_ended && other->root)
      abort(); /* the script breaks what it says */
    take_longer(&strand->chain, &other->chain);
  }
}

static void on_schedule(struct oracle *o, const struct fk_event *e) {
  if (e->kind == ompt_task_complete || e->kind == ompt_task_cancel)
    end_task(o, &o->tasks[e->task]);
  struct or_strand *wait = e->kind == ompt_taskwait_complete ? strand_of(o, &o->tasks[e->task]) : NULL;
  if (wait)
    go_on_from_all(o, wait);
  if (wait && wait->creator)
    take_longer(&wait->creator->chain, &wait->chain);
  if (wait || o->tasks[e->next].started)
    return;
  struct or_strand *next = strand_of(o, &o->tasks[e->next]);
  if (next->dependences.count > 0)
    go_on_from_all(o, next);
}

/* ---- all ---- */

void or_critical_take(struct oracle *o, struct or_thread *thread, const struct fk_event *e) {
  struct or_task *task = or_task_of(o, thread);
  switch (e->op) {
  case FK_PARALLEL_BEGIN:
  case FK_PARALLEL_END:
    on_parallel(o, task, e);
    break;
  case FK_IMPLICIT_TASK:
    on_implicit(o, e);
    break;
  case FK_SYNC_REGION:
  case FK_SYNC_WAIT:
    on_sync(o, task, e);
    break;
  case FK_MUTEX_ACQUIRED:
  case FK_MUTEX_RELEASED:
    on_mutex(o, task, e);
    break;
  case FK_TASK_CREATE:
    on_create(o, task, e);
    break;
  case FK_TASK_SCHEDULE:
    on_schedule(o, e);
    break;
  case FK_DEPENDENCES:
    or_depend(&strand_of(o, &o->tasks[e->task])->dependences, e);
    break;
  default:
    break;
  }
}

/* ---- the result ---- */

void or_critical_begin(struct or_result *result) {
  result->critical = calloc(1, sizeof *result->critical);
  if (!result->critical)
    abort();
}

static void free_teams(struct or_critical *path) {
  for (uint32_t i = 0; path->teams && i < path->team_count; i++) {
    struct team *team = &path->teams[i];
    free(team->fork.ticks);
    free(team->tasks.ticks);
    free(team->joined.ticks);
    for (uint32_t j = 0; j < BARRIERS; j++)
      free(team->barriers[j].ticks);
  }
  free(path->teams);
}

void or_critical_free(struct or_critical *path) {
  if (!path)
    return;
  free_teams(path);
  for (uint32_t i = 0; i < path->lock_count; i++)
    free(path->locks[i].chain.ticks);
  for (size_t i = 0; i < path->strand_count; i++) {
    free(path->strands[i]->chain.ticks);
    free(path->strands[i]->children.ticks);
    free(path->strands[i]->dependences.all);
    free(path->strands[i]);
  }
  for (size_t i = 0; i < path->group_count; i++) {
    free(path->groups[i]->tasks.ticks);
    free(path->groups[i]);
  }
  free(path->locks);
  free(path->strands);
  free(path->groups);
  free(path->sums);
  free(path->longest.ticks);
  free(path);
}

static bool differs_at(const struct or_result *result, uint32_t node, const struct hd_model_path *found) {
  const struct or_critical *path = result->critical;
  const struct or_critical_sum none = {0};
  const struct or_critical_sum *sum = node < path->sum_limit ? &path->sums[node] : &none;
  const uint64_t own = node < path->longest.limit ? path->longest.ticks[node] : 0;
  return or_differ(&result->nodes[node].path, "instances with a span", FK_NONE, sum->instances, found->instances) ||
         or_differ(&result->nodes[node].path, "work", FK_NONE, sum->work, found->work_ticks) ||
         or_differ(&result->nodes[node].path, "span", FK_NONE, sum->span, found->span_ticks) ||
         or_differ(&result->nodes[node].path, "part of the critical path", FK_NONE, own, found->own_ticks);
}

const char *or_path_difference(const struct or_result *result, const struct hd_model *model) {
  const struct hd_model_path none = {0};
  uint32_t *oracle_node = or_match_nodes(result, model);
  const struct hd_node **found = or_match_back(result, model, oracle_node);
  bool differs = !model->path_known;
  for (uint32_t i = 0; i < result->node_count && !differs; i++) {
    const struct hd_model_path *part = found[i] ? hd_paths_find(model, found[i]->id) : NULL;
    differs = differs_at(result, i, part ? part : &none);
  }
  free(found);
  free(oracle_node);
  return !differs ? NULL : model->path_known ? or_last_difference() : "the critical path is not known";
}
