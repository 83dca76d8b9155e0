/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/trace/lulls.h"

#include <stdlib.h>

#include "output/trace/stretches.h"
#include "output/trace/walk.h"
#include "support/command/memory.h"

/* ---- when ---- */

struct search {
  const struct hd_lull_condition *condition;
  struct hd_lulls *lulls;
  struct hd_trace_stretches traced;
  uint32_t stretch; /* of these the present one, or the next */
  uint32_t busy;    /* threads, since then: */
  uint64_t since_ticks;
  bool has_begun;
  struct hd_lull open;
  bool is_open;
};

static void add_lull(struct hd_lulls *lulls, const struct hd_lull *lull) {
  if (lulls->count == lulls->limit) {
    lulls->limit = 2 * lulls->limit + 16;
    lulls->items = hd_grow(lulls->items, lulls->limit, sizeof *lulls->items);
  }
  lulls->items[lulls->count++] = *lull;
  lulls->found++;
  lulls->ticks += hd_lull_ticks(lull);
}

static void end_lull(struct search *search) {
  if (search->is_open && hd_lull_ticks(&search->open) >= search->condition->least_ticks)
    add_lull(search->lulls, &search->open);
  search->is_open = false;
}

/* Where the trace goes on or begins at that time. */
static bool is_traced(struct search *search, uint64_t ticks) {
  const struct hd_trace_stretches *traced = &search->traced;
  while (search->stretch < traced->count && traced->items[search->stretch].to_ticks <= ticks)
    search->stretch++;
  return search->stretch < traced->count && traced->items[search->stretch].from_ticks <= ticks;
}

/* Until then as many threads were busy as are now. */
static void pass(struct search *search, uint64_t ticks) {
  const uint64_t since = search->since_ticks;
  search->since_ticks = ticks;
  if (search->busy > search->condition->busy_most || !is_traced(search, since)) {
    end_lull(search);
    return;
  }
  if (!search->is_open)
    search->open = (struct hd_lull){.from_ticks = since};
  search->open.to_ticks = ticks;
  search->open.busy_ticks += search->busy * (ticks - since);
  search->is_open = true;
}

/* Of several changes at one instant only the last one counts: one thread goes on where another stops. */
static bool find(void *context, const struct hd_trace_entry *entry) {
  struct search *search = context;
  if (!search->has_begun)
    search->since_ticks = entry->ticks;
  search->has_begun = true;
  if (entry->ticks > search->since_ticks)
    pass(search, entry->ticks);
  search->busy += (uint32_t)(entry->now.state == HD_BUSY) - (uint32_t)(entry->before.state == HD_BUSY);
  return true;
}

static int by_length(const void *a, const void *b) {
  const struct hd_lull *left = a, *right = b;
  if (hd_lull_ticks(left) != hd_lull_ticks(right))
    return hd_lull_ticks(left) > hd_lull_ticks(right) ? -1 : 1;
  return (left->from_ticks > right->from_ticks) - (left->from_ticks < right->from_ticks);
}

bool hd_lulls_find(const struct hd_model *model, const struct hd_lull_condition *condition, struct hd_lulls *lulls,
                   char *error, size_t error_bytes) {
  struct search search = {.condition = condition, .lulls = lulls, .traced = hd_trace_stretches_find(model)};
  *lulls = (struct hd_lulls){0};
  const bool read = hd_trace_walk_changes(model, find, &search, error, error_bytes);
  end_lull(&search);
  hd_trace_stretches_free(&search.traced);
  if (lulls->count > 0)
    qsort(lulls->items, lulls->count, sizeof *lulls->items, by_length);
  return read;
}

void hd_lulls_cut(struct hd_lulls *lulls, uint32_t most) {
  if (most > 0 && lulls->count > most)
    lulls->count = most; /* they have no shares yet */
}

void hd_lulls_free(struct hd_lulls *lulls) {
  for (uint32_t i = 0; i < lulls->count; i++)
    free(lulls->items[i].shares);
  free(lulls->items);
}

/* ---- what threads did ---- */

static int by_place(const void *a, const void *b) {
  const struct hd_lull_share *left = a, *right = b;
  if (left->place.state != right->place.state)
    return left->place.state < right->place.state ? -1 : 1;
  if (left->place.node != right->place.node)
    return left->place.node < right->place.node ? -1 : 1;
  return (left->thread > right->thread) - (left->thread < right->thread);
}

/* One of each. */
static void join_shares(struct hd_lull *lull) {
  uint32_t joined = 0;
  if (lull->share_count > 0)
    qsort(lull->shares, lull->share_count, sizeof *lull->shares, by_place);
  for (uint32_t i = 0; i < lull->share_count; i++) {
    struct hd_lull_share *last = joined > 0 ? &lull->shares[joined - 1] : NULL;
    if (last && by_place(last, &lull->shares[i]) == 0)
      last->ticks += lull->shares[i].ticks;
    else
      lull->shares[joined++] = lull->shares[i];
  }
  lull->share_count = joined;
}

static void add_share(struct hd_lull *lull, const struct hd_lull_share *share) {
  if (lull->share_count == lull->share_limit) {
    join_shares(lull);
    if (2 * lull->share_count >= lull->share_limit) {
      lull->share_limit = 2 * lull->share_limit + 16;
      lull->shares = hd_grow(lull->shares, lull->share_limit, sizeof *lull->shares);
    }
  }
  lull->shares[lull->share_count++] = *share;
}

struct look {
  struct hd_lull **lulls; /* in the order of time */
  uint32_t count;
};

static int by_time(const void *a, const void *b) {
  const struct hd_lull *left = *(struct hd_lull *const *)a, *right = *(struct hd_lull *const *)b;
  return (left->from_ticks > right->from_ticks) - (left->from_ticks < right->from_ticks);
}

/* The first one that ends later. */
static uint32_t first_after(const struct look *look, uint64_t ticks) {
  uint32_t low = 0, high = look->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (look->lulls[middle]->to_ticks > ticks)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* What the thread did until this entry. */
static bool share(void *context, const struct hd_trace_entry *entry) {
  const struct look *look = context;
  if (entry->before.state == HD_STATE_COUNT)
    return true;
  for (uint32_t i = first_after(look, entry->since_ticks); i < look->count; i++) {
    struct hd_lull *lull = look->lulls[i];
    const uint64_t from = entry->since_ticks > lull->from_ticks ? entry->since_ticks : lull->from_ticks;
    const uint64_t to = entry->ticks < lull->to_ticks ? entry->ticks : lull->to_ticks;
    if (to <= from)
      break;
    add_share(lull, &(struct hd_lull_share){entry->before, entry->thread, to - from});
  }
  return true;
}

bool hd_lulls_look(const struct hd_model *model, struct hd_lulls *lulls, char *error, size_t error_bytes) {
  struct look look = {.lulls = hd_new((size_t)lulls->count + 1, sizeof *look.lulls), .count = lulls->count};
  for (uint32_t i = 0; i < lulls->count; i++)
    look.lulls[i] = &lulls->items[i];
  qsort(look.lulls, look.count, sizeof *look.lulls, by_time);
  const bool read = hd_trace_walk_changes(model, share, &look, error, error_bytes);
  for (uint32_t i = 0; i < lulls->count; i++)
    join_shares(&lulls->items[i]);
  free(look.lulls);
  return read;
}
