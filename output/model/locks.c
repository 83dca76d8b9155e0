/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/locks.h"

#include <stdlib.h>

#include "output/model/memory.h"

static int by_node(const void *a, const void *b) {
  const struct hd_model_lock *left = a, *right = b;
  return (left->node > right->node) - (left->node < right->node);
}

uint32_t hd_locks_join(struct hd_model_lock *locks, uint32_t count) {
  uint32_t joined = 0;
  if (count > 0)
    qsort(locks, count, sizeof *locks, by_node);
  for (uint32_t i = 0; i < count; i++) {
    struct hd_model_lock *last = joined > 0 ? &locks[joined - 1] : NULL;
    if (!last || last->node != locks[i].node) {
      locks[joined++] = locks[i];
      continue;
    }
    last->waits += locks[i].waits;
    last->handover_ticks += locks[i].handover_ticks;
    last->free_ticks += locks[i].free_ticks;
    last->handovers += locks[i].handovers;
    last->delay_ticks += locks[i].delay_ticks;
    last->hold_ticks += locks[i].hold_ticks;
    last->holds += locks[i].holds;
    last->elsewhere += locks[i].elsewhere;
  }
  return joined;
}

static int by_nodes(const void *a, const void *b) {
  const struct hd_model_lock_pair *left = a, *right = b;
  if (left->node != right->node)
    return left->node < right->node ? -1 : 1;
  return (left->holder > right->holder) - (left->holder < right->holder);
}

uint32_t hd_lock_pairs_join(struct hd_model_lock_pair *pairs, uint32_t count) {
  uint32_t joined = 0;
  if (count > 0)
    qsort(pairs, count, sizeof *pairs, by_nodes);
  for (uint32_t i = 0; i < count; i++) {
    struct hd_model_lock_pair *last = joined > 0 ? &pairs[joined - 1] : NULL;
    if (!last || by_nodes(last, &pairs[i]) != 0) {
      pairs[joined++] = pairs[i];
      continue;
    }
    last->ticks += pairs[i].ticks;
    last->count += pairs[i].count;
  }
  return joined;
}

void hd_locks_copy(struct hd_model *model, const struct hd_model *from) {
  model->locks = hd_model_copy(model, from->locks, from->lock_count * sizeof *from->locks);
  model->lock_pairs = hd_model_copy(model, from->lock_pairs, from->lock_pair_count * sizeof *from->lock_pairs);
  model->lock_count = from->lock_count;
  model->lock_pair_count = from->lock_pair_count;
  model->locks_known = true;
  model->header.lock_flags = from->header.lock_flags;
  model->header.lost_locks = from->header.lost_locks;
}

void hd_locks_map(struct hd_model *model, const uint32_t *map) {
  for (uint32_t i = 0; i < model->lock_count; i++)
    model->locks[i].node = map[model->locks[i].node];
  model->lock_count = hd_locks_join(model->locks, model->lock_count);
  for (uint32_t i = 0; i < model->lock_pair_count; i++) {
    model->lock_pairs[i].node = map[model->lock_pairs[i].node];
    model->lock_pairs[i].holder = map[model->lock_pairs[i].holder];
  }
  model->lock_pair_count = hd_lock_pairs_join(model->lock_pairs, model->lock_pair_count);
}

const char *hd_locks_missing(const struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  if (header->flags & HD_FILE_MERGED)
    return "the runs that were added up have holders of their own";
  if (!(header->lock_flags & HD_LOCKS_ASKED))
    return "it was not followed; 'heddle run --locks' does";
  if (!model->locks_known && (model->since_ticks > 0 || model->header.flags & HD_FILE_PART))
    return "it is known of whole runs only, not of parts";
  if ((model->refused | model->off_classes) & 1u << HD_CLASS_MUTEX)
    return "events of locks were switched off for a time; 'heddle run --locks --overhead off' observes all";
  if (!model->locks_known && header->flags & HD_FILE_COMPLETE)
    return "there was no memory for it; 'heddle run --locks --memory 64M' has more";
  return model->locks_known ? NULL : "the program was killed, or still runs: it is written at its end";
}

uint64_t hd_locks_waited(const struct hd_node *node) {
  return node->ticks[HD_WAIT_CRITICAL] + node->ticks[HD_WAIT_LOCK] + node->ticks[HD_WAIT_ORDERED] +
         node->ticks[HD_WAIT_ATOMIC];
}

const struct hd_model_lock *hd_locks_find(const struct hd_model *model, uint32_t node) {
  const struct hd_model_lock wanted = {.node = node};
  return model->lock_count > 0 ? bsearch(&wanted, model->locks, model->lock_count, sizeof wanted, by_node) : NULL;
}

const struct hd_model_lock_pair *hd_lock_pairs_of(const struct hd_model *model, uint32_t node, uint32_t *count) {
  uint32_t first = 0, last;
  while (first < model->lock_pair_count && model->lock_pairs[first].node < node)
    first++;
  for (last = first; last < model->lock_pair_count && model->lock_pairs[last].node == node;)
    last++;
  *count = last - first;
  return *count > 0 ? &model->lock_pairs[first] : NULL;
}
