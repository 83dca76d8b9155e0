/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/losses/losses.h"

#include <stdlib.h>
#include <string.h>

#include "output/model/format_names.h"
#include "output/model/lazy_rows.h"
#include "support/command/memory.h"

void hd_losses_add(struct hd_losses *to, const struct hd_losses *from, int64_t factor) {
  const uint64_t times = (uint64_t)factor;
  hd_losses_plus(&to->capacity, times * (uint64_t)from->capacity);
  hd_losses_plus(&to->busy, times * (uint64_t)from->busy);
  for (int loss = 0; loss < HD_LOSS_COUNT; loss++)
    hd_losses_plus(&to->lost[loss], times * (uint64_t)from->lost[loss]);
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

/* One that the runtime did not make, and that slept for most of its life: it waits for another one to end. */
static bool only_waited(const struct hd_model *model, const struct hd_model_thread *thread) {
  const double wanted_ns = (double)thread->account.ran_ns + (double)thread->account.queued_ns;
  const double lived_ns = (double)thread->lifetime_ticks * model->seconds_per_tick * 1e9;
  return thread->kind != HD_THREAD_WORKER && thread->account.known && wanted_ns < 0.2 * lived_ns;
}

/* Threads that never did anything but idle are the runtime's own (those that help with `target nowait`). */
static bool took_part(const struct hd_model *model, const struct hd_model_thread *thread) {
  const bool worked = thread->took_part || hd_ticks_all(thread->ticks) > thread->ticks[HD_IDLE];
  return worked && !only_waited(model, thread);
}

uint32_t hd_losses_count_alive(const struct hd_model *model) {
  struct change *changes = hd_new((size_t)model->thread_count * 2, sizeof *changes);
  size_t count = 0;
  for (uint32_t i = 0; i < model->thread_count; i++)
    if (took_part(model, &model->threads[i])) {
      changes[count++] = (struct change){model->threads[i].begin_ticks, 1};
      changes[count++] = (struct change){model->threads[i].end_ticks, -1};
    }
  qsort(changes, count, sizeof *changes, compare_changes);
  int alive = 0, most = 0;
  for (size_t i = 0; i < count; i++) {
    alive += changes[i].by;
    most = alive > most ? alive : most;
  }
  free(changes);
  return (uint32_t)most;
}

bool hd_losses_have_too_many_threads(const struct hd_model *model) {
  return model->header.max_threads > 0 && !(model->header.flags & HD_FILE_MERGED) &&
         hd_losses_count_alive(model) > model->header.max_threads;
}

/* ---- by node ---- */

/* All but the waits at implicit barriers. GCC's code does not tell an explicit barrier from the end of a static loop.
 */
static void divide_node(const struct hd_node *node, struct hd_losses *losses) {
  losses->busy = (int64_t)node->ticks[HD_BUSY];
  for (int state = 0; state < HD_STATE_COUNT; state++) {
    const bool is_loop_end = state == HD_WAIT_OTHER && node->kind == HD_KIND_BARRIER;
    const enum hd_loss loss = is_loop_end ? HD_LOSS_IMBALANCE : hd_state_loss((enum hd_state)state);
    if (loss != HD_LOSS_NONE)
      hd_losses_plus(&losses->lost[loss], node->ticks[state]);
  }
  if (hd_kind_is_region(node->kind))
    hd_losses_plus(&losses->lost[HD_LOSS_RUNTIME], node->team.idle_ticks);
}

static int64_t explained(const struct hd_losses *losses) {
  int64_t sum = losses->busy;
  for (int loss = 0; loss < HD_LOSS_COUNT; loss++)
    hd_losses_plus(&sum, (uint64_t)losses->lost[loss]);
  return sum;
}

enum hd_loss_place hd_loss_place_of(enum hd_kind kind, enum hd_loss_place above) {
  if (hd_kind_is_region(kind))
    return above == HD_PLACE_OUTSIDE ? HD_PLACE_REGION : HD_PLACE_NESTED;
  return above == HD_PLACE_OUTSIDE ? HD_PLACE_OUTSIDE : HD_PLACE_INSIDE;
}

static void divide_nodes(struct hd_loss_book *book) {
  for (uint32_t i = 0; i < book->model->node_count; i++) { /* parents come before their children */
    const struct hd_node *node = &book->model->nodes[i];
    book->place[i] = i == 0 ? HD_PLACE_OUTSIDE : (uint8_t)hd_loss_place_of(node->kind, book->place[node->parent]);
    divide_node(node, &book->inclusive[i]);
  }
}

struct search {
  const struct hd_loss_book *book;
  bool found;
};

static void look_for_workers(void *context, const struct hd_row *times) {
  struct search *search = context;
  search->found |= times->ticks[HD_BUSY] > 0 && times->node > 0 &&
                   search->book->place[times->node] == HD_PLACE_OUTSIDE &&
                   search->book->model->threads[times->thread].kind == HD_THREAD_WORKER;
}

/* A routine that was called outside of regions and then, through one, by its own callees has one profile for both: it
 * is outside of regions though workers ran it. What regions it opened ran within each other, and have no capacity of
 * the program's of their own. */
static bool leads_back_outside(const struct hd_loss_book *book) {
  const struct hd_model *model = book->model;
  uint64_t elapsed_ticks = 0;
  struct search search = {book, false};
  for (uint32_t i = 1; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    if (book->place[i] == HD_PLACE_REGION)
      elapsed_ticks += node->team.elapsed_ticks;
  }
  hd_model_each_times(model, look_for_workers, &search);
  return search.found || elapsed_ticks > model->elapsed_ticks;
}

static void nest_recursive_regions(struct hd_loss_book *book, bool *below) {
  const struct hd_model *model = book->model;
  for (uint32_t i = 1; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    below[i] = below[node->parent] || (node->flags & HD_PROFILE_RECURSIVE);
    if (below[i] && book->place[i] == HD_PLACE_REGION) {
      book->place[i] = HD_PLACE_NESTED;
      book->recursive = true;
    }
  }
}

static void find_recursive_regions(struct hd_loss_book *book) {
  if (!leads_back_outside(book))
    return;
  bool *below = hd_new(book->model->node_count, sizeof *below);
  nest_recursive_regions(book, below);
  free(below);
}

/* What nothing accounts for is capacity that had no work. Threads that left one nested team may have begun in the next
 * before the first was over: then its idle time was counted twice. */
static uint64_t find_rest(struct hd_losses *losses, uint64_t threads, uint64_t elapsed_ticks) {
  losses->capacity = (int64_t)(threads * elapsed_ticks);
  const int64_t rest = (int64_t)((uint64_t)losses->capacity - (uint64_t)explained(losses));
  if (rest >= 0)
    return (uint64_t)rest;
  hd_losses_plus(&losses->lost[HD_LOSS_RUNTIME], (uint64_t)rest);
  return 0;
}

uint64_t hd_losses_mpi_outside(const struct hd_loss_book *book) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < book->model->node_count; i++)
    if (book->place[i] == HD_PLACE_OUTSIDE)
      sum += hd_ticks_in_mpi(book->model->nodes[i].ticks);
  return sum;
}

/* While a process waits in MPI outside all regions none of its threads has work. Returns what is left. */
static uint64_t charge_mpi(const struct hd_loss_book *book, struct hd_losses *losses, uint64_t rest) {
  const uint64_t others = (book->threads - 1) * hd_losses_mpi_outside(book);
  const uint64_t theirs = others < rest ? others : rest;
  hd_losses_plus(&losses->lost[HD_LOSS_MPI], theirs);
  return rest - theirs;
}

static void sum_up(struct hd_loss_book *book) {
  const struct hd_model *model = book->model;
  for (uint32_t i = model->node_count; i-- > 0;) { /* children have larger ids: they have been added */
    const struct hd_node *node = &model->nodes[i];
    struct hd_losses *own = &book->inclusive[i];
    uint64_t rest = 0;
    if (i == 0)
      rest = charge_mpi(book, own, find_rest(own, book->threads, model->elapsed_ticks));
    else if (book->place[i] == HD_PLACE_REGION && node->team.elapsed_ticks > 0)
      rest = find_rest(own, book->threads, node->team.elapsed_ticks);
    else
      own->capacity = explained(own);
    if (i > 0) {
      hd_losses_add(&book->inclusive[node->parent], own, 1);
      book->inclusive[node->parent].capacity = 0;
    }
    hd_losses_plus(&own->lost[HD_LOSS_SERIAL], rest);
  }
  book->program = book->inclusive[0];
}

static uint32_t largest_team(const struct hd_model *model) {
  uint32_t most = 1;
  for (uint32_t i = 1; i < model->node_count; i++)
    if (hd_kind_is_region(model->nodes[i].kind) && model->nodes[i].team.team_max > most)
      most = model->nodes[i].team.team_max;
  return most;
}

struct hd_loss_book *hd_loss_book_new(const struct hd_model *model) {
  struct hd_loss_book *book = hd_new(1, sizeof *book);
  *book = (struct hd_loss_book){
      .model = model, .asked_threads = asked_threads(model), .alive_threads = hd_losses_count_alive(model)};
  book->inclusive = hd_new(model->node_count, sizeof *book->inclusive);
  book->own = hd_new(model->node_count, sizeof *book->own);
  book->place = hd_new(model->node_count, sizeof *book->place);
  book->threads = largest_team(model); /* a program may have been killed before all of a team were alive */
  if (book->threads < book->asked_threads)
    book->threads = book->asked_threads;
  if (book->threads < book->alive_threads)
    book->threads = book->alive_threads;
  divide_nodes(book);
  hd_losses_divide_barriers(book);
  find_recursive_regions(book);
  memcpy(book->own, book->inclusive, model->node_count * sizeof *book->own);
  sum_up(book);
  return book;
}

void hd_loss_book_free(struct hd_loss_book *book) {
  if (!book)
    return;
  free(book->inclusive);
  free(book->own);
  free(book->place);
  free(book);
}
