/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/losses.h"

#include <stdlib.h>
#include <string.h>

#include "output/kinds.h"

static const struct {
  const char *id;
  const char *words;
} names[HD_LOSS_COUNT] = {
    [HD_LOSS_SERIAL] = {"serial", "serial"},
    [HD_LOSS_IMBALANCE] = {"imbalance", "imbalance"},
    [HD_LOSS_BARRIER] = {"barrier_explicit", "barriers"},
    [HD_LOSS_LOCKS] = {"locks", "locks"},
    [HD_LOSS_TASKS] = {"tasks", "tasks"},
    [HD_LOSS_RUNTIME] = {"runtime", "runtime"},
    [HD_LOSS_OTHER] = {"other", "other waits"},
    [HD_LOSS_INFLATION] = {"work_inflation", "work grew"},
};

const char *hd_loss_id(enum hd_loss loss) {
  return names[loss].id;
}

const char *hd_loss_words(enum hd_loss loss) {
  return names[loss].words;
}

/* Damaged files may hold any numbers: sums wrap around. */
static void add(int64_t *to, int64_t number, int64_t factor) {
  *to = (int64_t)((uint64_t)*to + (uint64_t)number * (uint64_t)factor);
}

void hd_losses_add(struct hd_losses *to, const struct hd_losses *from, int64_t factor) {
  add(&to->capacity, from->capacity, factor);
  add(&to->busy, from->busy, factor);
  for (int loss = 0; loss < HD_LOSS_COUNT; loss++)
    add(&to->lost[loss], from->lost[loss], factor);
}

/* ---- how many threads ---- */

static uint32_t asked_threads(const struct hd_model *model) {
  static const char name[] = "OMP_NUM_THREADS=";
  for (size_t i = 0; i < model->environment.count; i++)
    if (strncmp(model->environment.items[i], name, sizeof name - 1) == 0) {
      const unsigned long asked = strtoul(model->environment.items[i] + sizeof name - 1, NULL, 10);
      return asked < UINT32_MAX ? (uint32_t)asked : 0;
    }
  return 0;
}

struct change {
  uint64_t tick;
  int by;
};

/* A thread that ends makes room for one that begins at the same tick. */
static int compare_changes(const void *a, const void *b) {
  const struct change *left = a;
  const struct change *right = b;
  if (left->tick != right->tick)
    return left->tick < right->tick ? -1 : 1;
  return left->by - right->by;
}

/* Threads that never did anything but idle are the runtime's own (those that help with `target nowait`). */
static bool took_part(const struct hd_thread *thread) {
  return hd_ticks_all(thread->ticks) > thread->ticks[HD_IDLE];
}

static bool count_alive(const struct hd_model *model, uint32_t *most) {
  struct change *changes = calloc((size_t)model->thread_count * 2 + 1, sizeof *changes);
  size_t count = 0;
  if (!changes)
    return false;
  for (uint32_t i = 0; i < model->thread_count; i++)
    if (took_part(&model->threads[i])) {
      changes[count++] = (struct change){model->threads[i].begin_ticks, 1};
      changes[count++] = (struct change){model->threads[i].end_ticks, -1};
    }
  qsort(changes, count, sizeof *changes, compare_changes);
  int alive = 0;
  for (size_t i = 0; i < count; i++) {
    alive += changes[i].by;
    if (alive > (int)*most)
      *most = (uint32_t)alive;
  }
  free(changes);
  return true;
}

/* ---- what lies below a node, in the same team ---- */

/** Of a node and all below it, but not of what is in regions nested there, whose threads wait for each other. */
struct below {
  uint64_t busy;
  uint64_t locks;        /* waits */
  uint64_t singles;      /* busy in singles at whose end nobody waits */
  uint64_t synchronized; /* busy in constructs at whose end all wait */
  bool barriers;         /* the team waits for each other somewhere */
  bool tasks;
};

static uint64_t lock_waits(const uint64_t ticks[HD_STATE_COUNT]) {
  return ticks[HD_WAIT_CRITICAL] + ticks[HD_WAIT_LOCK] + ticks[HD_WAIT_ORDERED] + ticks[HD_WAIT_ATOMIC];
}

/* Children have larger ids: what is below a node has been added to it when it is met. */
static void join_below(const struct hd_model *model, struct below *below) {
  for (uint32_t i = model->node_count; i-- > 1;) {
    const struct hd_node *node = &model->nodes[i];
    struct below *own = &below[i];
    struct below *above = &below[node->parent];
    const bool waits_at_end = node->team.instances > 0;
    own->busy += node->ticks[HD_BUSY];
    own->locks += lock_waits(node->ticks);
    own->tasks |= node->kind == HD_KIND_TASK || node->kind == HD_KIND_TASKLOOP;
    if (hd_kind_is_region(node->kind)) {
      above->busy += own->busy; /* it is the outer team's work, too */
      continue;
    }
    above->busy += own->busy;
    above->locks += own->locks;
    above->tasks |= own->tasks;
    above->barriers |= own->barriers || waits_at_end || node->kind == HD_KIND_BARRIER_EXPLICIT ||
                       node->kind == HD_KIND_BARRIER || node->kind == HD_KIND_BARRIER_IMPLICIT;
    above->synchronized += waits_at_end ? own->busy : own->synchronized;
    above->singles += node->kind == HD_KIND_SINGLE && !waits_at_end ? own->busy : own->singles;
  }
}

/* ---- waits at implicit barriers ---- */

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t difference(uint64_t larger, uint64_t less) {
  return larger > less ? larger - less : 0;
}

/* How long the others can have waited because one thread was busy for longer, at most. At the last barrier of a region
 * that has others inside, that is only known by what was done outside of those constructs that have their own: nobody
 * waits for work that is not there. */
static uint64_t explained_by_work(const struct hd_node *node, const struct below *below, uint64_t others) {
  if (node->team.instances == 0) /* it has no totals: such a barrier's own */
    return UINT64_MAX;
  if (hd_kind_is_region(node->kind) && below->barriers)
    return others * difference(below->busy, below->synchronized);
  return difference(node->team.busy_max_ticks, node->team.busy_ticks);
}

/* `others`: how many threads can wait for one. */
static void divide_barrier(const struct hd_node *node, const struct below *below, uint64_t others,
                           struct hd_losses *losses) {
  uint64_t wait = node->ticks[HD_WAIT_BARRIER_IMPLICIT];
  if (below->tasks) {
    add(&losses->lost[HD_LOSS_TASKS], (int64_t)wait, 1);
    return;
  }
  const uint64_t alone = node->kind == HD_KIND_SINGLE ? below->busy : below->singles;
  uint64_t work = node->kind == HD_KIND_SINGLE ? others * alone : explained_by_work(node, below, others);
  const uint64_t unequal = smaller(wait, work);
  const uint64_t serial = smaller(unequal, others * alone);
  add(&losses->lost[HD_LOSS_SERIAL], (int64_t)serial, 1);
  add(&losses->lost[HD_LOSS_IMBALANCE], (int64_t)(unequal - serial), 1);
  wait -= unequal;
  const uint64_t locks = smaller(wait, others * below->locks);
  add(&losses->lost[HD_LOSS_LOCKS], (int64_t)locks, 1);
  add(&losses->lost[HD_LOSS_RUNTIME], (int64_t)(wait - locks), 1);
}

/* ---- by node ---- */

static void divide_node(const struct hd_node *node, const struct below *below, uint64_t others,
                        struct hd_losses *losses) {
  const uint64_t *ticks = node->ticks;
  /* GCC's code does not tell an explicit barrier from the end of a static loop. */
  const enum hd_loss unknown = node->kind == HD_KIND_BARRIER ? HD_LOSS_IMBALANCE : HD_LOSS_OTHER;
  losses->busy = (int64_t)ticks[HD_BUSY];
  losses->lost[HD_LOSS_BARRIER] = (int64_t)ticks[HD_WAIT_BARRIER_EXPLICIT];
  losses->lost[HD_LOSS_TASKS] = (int64_t)(ticks[HD_WAIT_TASKWAIT] + ticks[HD_WAIT_TASKGROUP]);
  losses->lost[HD_LOSS_LOCKS] = (int64_t)lock_waits(ticks);
  losses->lost[HD_LOSS_IMBALANCE] = (int64_t)ticks[HD_WAIT_REDUCTION];
  add(&losses->lost[unknown], (int64_t)ticks[HD_WAIT_OTHER], 1);
  losses->lost[HD_LOSS_RUNTIME] = (int64_t)ticks[HD_RUNTIME];
  if (hd_kind_is_region(node->kind))
    add(&losses->lost[HD_LOSS_RUNTIME], (int64_t)node->team.idle_ticks, 1);
  divide_barrier(node, below, others, losses);
}

static int64_t explained(const struct hd_losses *losses) {
  int64_t sum = losses->busy;
  for (int loss = 0; loss < HD_LOSS_COUNT; loss++)
    add(&sum, losses->lost[loss], 1);
  return sum;
}

static enum hd_loss_place place_of(const struct hd_node *node, enum hd_loss_place above) {
  if (hd_kind_is_region(node->kind))
    return above == HD_PLACE_OUTSIDE ? HD_PLACE_REGION : HD_PLACE_NESTED;
  return above == HD_PLACE_OUTSIDE ? HD_PLACE_OUTSIDE : HD_PLACE_INSIDE;
}

/* Parents come before their children: the team around a node is known when the node is met. */
static void divide_nodes(struct hd_loss_book *book, const struct below *below, uint32_t *teams) {
  const struct hd_model *model = book->model;
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    book->place[i] = i == 0 ? HD_PLACE_OUTSIDE : (uint8_t)place_of(node, book->place[node->parent]);
    teams[i] = i == 0 ? 1 : teams[node->parent];
    if (hd_kind_is_region(node->kind) && node->team.team_max > 0)
      teams[i] = node->team.team_max;
    divide_node(node, &below[i], teams[i] - 1, &book->inclusive[i]);
  }
}

/* What nothing accounts for is capacity that had no work. */
static void give_capacity(struct hd_losses *losses, uint64_t threads, uint64_t elapsed_ticks) {
  losses->capacity = (int64_t)(threads * elapsed_ticks);
  const int64_t rest = explained(losses);
  add(&losses->lost[HD_LOSS_SERIAL], losses->capacity, 1);
  add(&losses->lost[HD_LOSS_SERIAL], rest, -1);
}

static void sum_up(struct hd_loss_book *book) {
  const struct hd_model *model = book->model;
  for (uint32_t i = model->node_count; i-- > 1;) {
    const struct hd_node *node = &model->nodes[i];
    struct hd_losses *own = &book->inclusive[i];
    hd_losses_add(&book->inclusive[node->parent], own, 1);
    if (book->place[i] == HD_PLACE_REGION && node->team.elapsed_ticks > 0)
      give_capacity(own, book->threads, node->team.elapsed_ticks);
    else
      own->capacity = explained(own);
  }
  give_capacity(&book->inclusive[0], book->threads, model->elapsed_ticks);
  book->program = book->inclusive[0];
}

struct hd_loss_book *hd_loss_book_new(const struct hd_model *model) {
  struct hd_loss_book *book = calloc(1, sizeof *book);
  struct below *below = calloc(model->node_count, sizeof *below);
  uint32_t *teams = calloc(model->node_count, sizeof *teams);
  if (book) {
    book->model = model;
    book->inclusive = calloc(model->node_count, sizeof *book->inclusive);
    book->place = calloc(model->node_count, sizeof *book->place);
  }
  const bool enough =
      book && below && teams && book->inclusive && book->place && count_alive(model, &book->alive_threads);
  if (enough) {
    book->asked_threads = asked_threads(model);
    book->threads = book->asked_threads > book->alive_threads ? book->asked_threads : book->alive_threads;
    book->threads = book->threads > 0 ? book->threads : 1; /* none was measured */
    join_below(model, below);
    divide_nodes(book, below, teams);
    sum_up(book);
  } else {
    hd_loss_book_free(book);
    book = NULL;
  }
  free(below);
  free(teams);
  return book;
}

void hd_loss_book_free(struct hd_loss_book *book) {
  if (!book)
    return;
  free(book->inclusive);
  free(book->place);
  free(book);
}
