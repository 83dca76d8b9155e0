/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Explicit tasks: creation, taskwait, taskgroup, dependences. */
#include "support/inprocess/heap.h"
#include "sweep/path/path_internal.h"

/* A task that no task has created, with all that come of it. */
struct tree {
  uint32_t profile;
  uint32_t running; /* tasks of it that have not ended */
  uint64_t begin_ticks;
  uint64_t longest_ticks;
  uint64_t work_ticks;
};

/* Something that a task feeds at its end, or goes on from when it begins. */
struct link {
  struct link *next;
  struct hd_path_sink *sink;
};

struct hd_path_task {
  struct hd_path_item item; /* key: the address of its data */
  struct hd_path_strand strand;
  struct hd_path_team *team;
  struct hd_path_sink *siblings; /* its creator's */
  struct hd_path_sink *in_group; /* NULL: it is in none */
  struct tree *tree;
  struct link *before, *after; /* by dependences: what it goes on from, and what goes on from it */
  bool undeferred;
  bool has_begun;
};

/* What tasks of one creator depend on: its tasks are a row of sets, each of which waits for the one before it. A task
 * that writes is a set by itself; any number that read, exclude one another or join in writing are one until something
 * else comes. */
struct hd_path_variable {
  struct hd_path_item item;      /* key: its address */
  struct hd_path_variable *next; /* of the same creator */
  enum hd_order kind;            /* of the last set */
  struct hd_path_sink *set;      /* NULL: there is none yet */
  struct hd_path_sink *before;   /* of the set before that; NULL: none */
};

/* ---- sinks and groups ---- */

static struct hd_path_sink *make_sink(struct hd_path_book *book) {
  struct hd_path_sink *sink = hd_heap_allocate_for(HD_MEMORY_ORDER, 1, sizeof *sink);
  book->chains.has_failed |= !sink;
  if (sink)
    sink->holders = 1;
  return sink;
}

static struct hd_path_sink *hold(struct hd_path_sink *sink) {
  if (sink)
    sink->holders++;
  return sink;
}

static void release(struct hd_path_book *book, struct hd_path_sink *sink) {
  if (!sink || --sink->holders > 0)
    return;
  hd_chain_release(&book->chains, sink->longest);
  hd_heap_free(sink);
}

static void feed(struct hd_path_book *book, struct hd_path_sink *sink, struct hd_chain *chain) {
  if (sink)
    hd_chain_take_longer(&book->chains, &sink->longest, chain);
}

static void go_on_from(struct hd_path_book *book, struct hd_path_strand *strand, const struct hd_path_sink *sink) {
  if (sink)
    hd_chain_take_longer(&book->chains, &strand->chain, sink->longest);
}

static struct hd_path_group *hold_group(struct hd_path_group *group) {
  if (group)
    group->holders++;
  return group;
}

static void release_group(struct hd_path_book *book, struct hd_path_group *group) {
  while (group && --group->holders == 0) {
    struct hd_path_group *outer = group->outer;
    release(book, group->tasks);
    hd_heap_free(group);
    group = outer;
  }
}

static void link_to(struct hd_path_book *book, struct link **list, struct hd_path_sink *sink) {
  struct link *link = sink ? hd_heap_allocate_for(HD_MEMORY_ORDER, 1, sizeof *link) : NULL;
  book->chains.has_failed |= sink && !link;
  if (!link)
    return;
  *link = (struct link){*list, hold(sink)};
  *list = link;
}

static void free_links(struct hd_path_book *book, struct link **list) {
  while (*list) {
    struct link *link = *list;
    *list = link->next;
    release(book, link->sink);
    hd_heap_free(link);
  }
}

/* ---- what tasks depend on ---- */

static void free_variables(struct hd_path_book *book, struct hd_path_strand *strand) {
  while (strand->variables) {
    struct hd_path_variable *variable = strand->variables;
    strand->variables = variable->next;
    release(book, variable->set);
    release(book, variable->before);
    hd_heap_free(variable);
  }
  hd_path_free_index(&strand->by_address);
}

static struct hd_path_variable *variable_of(struct hd_path_book *book, struct hd_path_strand *creator,
                                            uint64_t address) {
  struct hd_path_variable *variable = hd_path_find(&creator->by_address, address);
  if (variable)
    return variable;
  variable = hd_path_make(&creator->by_address, address, sizeof *variable);
  book->chains.has_failed |= !variable;
  if (!variable)
    return NULL;
  variable->kind = HD_ORDER_WRITES_ALL;
  variable->set = hold(creator->all_memory);
  variable->next = creator->variables;
  creator->variables = variable;
  return variable;
}

static void begin_set(struct hd_path_book *book, struct hd_path_variable *variable, enum hd_order kind) {
  release(book, variable->before);
  variable->before = variable->set;
  variable->set = make_sink(book);
  variable->kind = kind;
}

/* Of those that exclude one another each goes on from what has run of its set when it begins. */
static void depend_on(struct hd_path_book *book, struct hd_path_task *task, struct hd_path_variable *variable,
                      enum hd_order kind) {
  if (kind == HD_ORDER_WRITES || kind != variable->kind)
    begin_set(book, variable, kind);
  link_to(book, &task->before, variable->before);
  if (kind == HD_ORDER_EXCLUDES)
    link_to(book, &task->before, variable->set);
  link_to(book, &task->after, variable->set);
}

/* On all variables that its creator's tasks have named, and those that they will. */
static void depend_on_all(struct hd_path_book *book, struct hd_path_strand *creator, struct hd_path_task *task) {
  for (struct hd_path_variable *variable = creator->variables; variable; variable = variable->next)
    depend_on(book, task, variable, HD_ORDER_WRITES);
  link_to(book, &task->before, creator->all_memory);
  release(book, creator->all_memory);
  creator->all_memory = make_sink(book);
  link_to(book, &task->after, creator->all_memory);
}

static void depend(struct hd_path_book *book, struct hd_path_strand *creator, const struct hd_log_order *told,
                   enum hd_order kind) {
  struct hd_path_task *task = hd_path_find(&book->tasks, told->a);
  if (task && kind == HD_ORDER_WRITES_ALL) {
    depend_on_all(book, creator, task);
    return;
  }
  struct hd_path_variable *variable = task ? variable_of(book, creator, told->b) : NULL;
  if (variable)
    depend_on(book, task, variable, kind);
}

static void go_on_from_all(struct hd_path_book *book, struct hd_path_strand *strand, struct link **list) {
  for (const struct link *link = *list; link; link = link->next)
    go_on_from(book, strand, link->sink);
  free_links(book, list);
}

/* ---- strands ---- */

struct hd_path_strand *hd_path_current(const struct hd_path_ring *ring) {
  struct hd_path_level *level = hd_path_top(ring);
  return level->task ? &level->task->strand : &level->strand;
}

void hd_path_work(struct hd_path_task *task, uint64_t ticks) {
  if (task->tree)
    task->tree->work_ticks += ticks;
}

void hd_path_free_strand(struct hd_path_book *book, struct hd_path_strand *strand) {
  free_variables(book, strand);
  hd_chain_release(&book->chains, strand->chain);
  release(book, strand->children);
  release(book, strand->all_memory);
  release_group(book, strand->group);
  *strand = (struct hd_path_strand){0};
}

static void leave_tree(struct hd_path_book *book, struct hd_path_task *task, uint64_t ticks) {
  struct tree *tree = task->tree;
  if (!tree)
    return;
  if (tree->longest_ticks < ticks)
    tree->longest_ticks = ticks;
  if (--tree->running > 0)
    return;
  if (tree->longest_ticks >= tree->begin_ticks)
    hd_path_sum_up(book, tree->profile, tree->longest_ticks - tree->begin_ticks, tree->work_ticks);
  hd_heap_free(tree);
}

/* `ticks`: how long its chain was when it ended; 0: it has not. */
static void free_task(struct hd_path_book *book, struct hd_path_task *task, uint64_t ticks) {
  leave_tree(book, task, ticks);
  if (task->team) {
    task->team->running_tasks--;
    hd_path_check_barriers(book, task->team);
  }
  free_links(book, &task->before);
  free_links(book, &task->after);
  hd_path_free_strand(book, &task->strand);
  release(book, task->siblings);
  release(book, task->in_group);
  hd_path_release_team(book, task->team);
  hd_path_take_out(&book->tasks, &task->item);
  hd_heap_free(task);
}

/* ---- creation ---- */

static struct tree *make_tree(struct hd_path_book *book, const struct hd_path_strand *creator, uint32_t profile) {
  struct tree *tree = hd_heap_allocate_for(HD_MEMORY_ORDER, 1, sizeof *tree);
  book->chains.has_failed |= !tree;
  if (tree)
    *tree = (struct tree){.profile = profile, .begin_ticks = hd_chain_ticks(creator->chain)};
  return tree;
}

static void belong(struct hd_path_book *book, const struct hd_path_level *level, struct hd_path_strand *creator,
                   struct hd_path_task *task, uint32_t profile) {
  task->strand.chain = hd_chain_hold(creator->chain);
  task->strand.group = hold_group(creator->group);
  task->siblings = hold(creator->children);
  task->in_group = creator->group ? hold(creator->group->tasks) : NULL;
  task->tree = level->task ? level->task->tree : make_tree(book, creator, profile);
  if (task->tree)
    task->tree->running++;
  task->team = level->team;
  if (task->team) {
    task->team->holders++;
    task->team->running_tasks++;
  }
}

static void create(struct hd_path_book *book, struct hd_path_ring *ring, const struct hd_log_order *told) {
  struct hd_path_strand *creator = hd_path_current(ring);
  struct hd_path_task *old = hd_path_find(&book->tasks, told->a);
  if (old)
    free_task(book, old, 0); /* its end was not told */
  if (!creator->children)
    creator->children = make_sink(book);
  struct hd_path_task *task = hd_path_make(&book->tasks, told->a, sizeof *task);
  book->chains.has_failed |= !task;
  if (!task)
    return;
  task->undeferred = told->b & HD_ORDER_UNDEFERRED;
  if (!(told->b & HD_ORDER_ONLY_WAITS))
    belong(book, hd_path_top(ring), creator, task, (uint32_t)told->b);
}

/* ---- running ---- */

static void end(struct hd_path_book *book, struct hd_path_ring *ring, struct hd_path_task *task) {
  struct hd_chain *chain = task->strand.chain;
  feed(book, task->siblings, chain);
  feed(book, task->in_group, chain);
  for (const struct link *link = task->after; link; link = link->next)
    feed(book, link->sink, chain);
  if (task->undeferred)
    hd_chain_take_longer(&book->chains, &ring->finished, chain);
  if (task->team)
    hd_chain_take_longer(&book->chains, &task->team->tasks, chain);
  for (uint32_t i = 0; i < ring->level_count; i++)
    if (ring->levels[i].task == task)
      ring->levels[i].task = NULL;
  free_task(book, task, hd_chain_ticks(chain));
}

/* What is not known as an explicit task is the implicit one. */
static void switch_to(struct hd_path_book *book, struct hd_path_ring *ring, const struct hd_log_order *told) {
  struct hd_path_task *prior = told->a ? hd_path_find(&book->tasks, told->a) : NULL;
  if (prior)
    end(book, ring, prior);
  struct hd_path_task *next = hd_path_find(&book->tasks, told->b);
  hd_path_top(ring)->task = next;
  if (next && !next->has_begun)
    go_on_from_all(book, &next->strand, &next->before);
  if (next)
    next->has_begun = true;
  if (!ring->finished)
    return;
  hd_chain_take_longer(&book->chains, &hd_path_current(ring)->chain, ring->finished);
  hd_chain_release(&book->chains, ring->finished);
  ring->finished = NULL;
}

/* ---- waits ---- */

static void begin_group(struct hd_path_book *book, struct hd_path_strand *strand) {
  struct hd_path_group *group = hd_heap_allocate_for(HD_MEMORY_ORDER, 1, sizeof *group);
  book->chains.has_failed |= !group;
  if (!group)
    return;
  *group = (struct hd_path_group){.outer = strand->group, .tasks = make_sink(book), .holders = 1};
  strand->group = group;
}

static void end_group(struct hd_path_book *book, struct hd_path_strand *strand) {
  struct hd_path_group *group = strand->group;
  if (!group)
    return;
  go_on_from(book, strand, group->tasks);
  strand->group = hold_group(group->outer);
  release_group(book, group);
}

static void end_dependence_wait(struct hd_path_book *book, struct hd_path_strand *strand, struct hd_path_task *wait) {
  if (!wait)
    return;
  go_on_from_all(book, strand, &wait->before);
  free_task(book, wait, 0);
}

void hd_path_take_task(struct hd_path_book *book, struct hd_path_ring *ring, enum hd_order order,
                       const struct hd_log_order *told) {
  struct hd_path_strand *strand = hd_path_current(ring);
  switch (order) {
  case HD_ORDER_CREATE:
    create(book, ring, told);
    break;
  case HD_ORDER_SWITCH:
    switch_to(book, ring, told);
    break;
  case HD_ORDER_TASKWAIT:
    go_on_from(book, strand, strand->children);
    break;
  case HD_ORDER_GROUP:
    begin_group(book, strand);
    break;
  case HD_ORDER_GROUP_END:
    end_group(book, strand);
    break;
  case HD_ORDER_READS:
  case HD_ORDER_WRITES:
  case HD_ORDER_EXCLUDES:
  case HD_ORDER_JOINS:
  case HD_ORDER_WRITES_ALL:
    depend(book, strand, told, order);
    break;
  case HD_ORDER_DEPENDS_END:
    end_dependence_wait(book, strand, hd_path_find(&book->tasks, told->a));
    break;
  default:
    break;
  }
}

void hd_path_free_tasks(struct hd_path_book *book) {
  for (struct hd_path_task *task; (task = hd_path_any(&book->tasks));)
    free_task(book, task, 0);
  hd_path_free_index(&book->tasks);
}
