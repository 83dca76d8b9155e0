/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/loops.h"

#include <stdlib.h>

#include "output/model/lengths.h"

static int by_node(const void *a, const void *b) {
  const struct hd_model_loop *left = a, *right = b;
  return (left->node > right->node) - (left->node < right->node);
}

void hd_loop_add(struct hd_model_loop *to, const struct hd_model_loop *from) {
  if (!(to->flags & HD_CHUNKS_BOUNDS)) {
    to->first = from->first;
    to->step = from->step;
    to->count = from->count;
  }
  if (to->first != from->first || to->step != from->step || to->count != from->count)
    to->flags |= HD_CHUNKS_VARY;
  to->flags |= from->flags;
  hd_lengths_join(&to->lengths, &from->lengths);
  for (uint32_t i = 0; i < HD_SPACE_BUCKETS; i++) {
    to->ticks[i] += from->ticks[i];
    to->iterations[i] += from->iterations[i];
  }
}

uint32_t hd_loops_join(struct hd_model_loop *loops, uint32_t count) {
  uint32_t joined = 0;
  if (count > 0)
    qsort(loops, count, sizeof *loops, by_node);
  for (uint32_t i = 0; i < count; i++)
    if (joined > 0 && loops[joined - 1].node == loops[i].node)
      hd_loop_add(&loops[joined - 1], &loops[i]);
    else
      loops[joined++] = loops[i];
  return joined;
}

const struct hd_model_loop *hd_loops_find(const struct hd_model *model, uint32_t node) {
  const struct hd_model_loop wanted = {.node = node};
  return model->loop_count > 0 ? bsearch(&wanted, model->loops, model->loop_count, sizeof wanted, by_node) : NULL;
}
