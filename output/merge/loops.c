/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file loops.c
 * The chunks of a sum's loops. Lengths were sorted by each run's own clock.
 */
#include <stdlib.h>
#include <string.h>

#include "output/merge/merge_internal.h"
#include "output/model/lengths.h"
#include "output/model/loops.h"

static struct hd_model_loop scaled_loop(const struct hd_merge *merge, size_t run, const struct hd_model_loop *from) {
  struct hd_model_loop loop = *from;
  loop.node = merge->united->node_of[run][from->node];
  hd_lengths_stretch(&loop.lengths, merge->factors[run]);
  for (uint32_t i = 0; i < HD_SPACE_BUCKETS; i++)
    loop.ticks[i] *= merge->factors[run];
  return loop;
}

static void write_loops(struct hd_merge *merge, const struct hd_model_loop *loops, uint32_t count) {
  if (count > 0)
    hd_writer_begin_block(merge->writer, HD_BLOCK_CHUNKS);
  for (uint32_t i = 0; i < count; i++) {
    const struct hd_model_loop *loop = &loops[i];
    struct hd_chunks_record record = {.profile = loop->node,
                                      .flags = loop->flags,
                                      .first = loop->first,
                                      .step = loop->step,
                                      .count = loop->count,
                                      .lengths = loop->lengths};
    memcpy(record.ticks, loop->ticks, sizeof record.ticks);
    memcpy(record.iterations, loop->iterations, sizeof record.iterations);
    hd_writer_add(merge->writer, &record, sizeof record);
  }
}

void hd_merge_write_loops(struct hd_merge *merge) {
  uint32_t count = 0;
  size_t most = 1;
  for (size_t i = 0; i < merge->count; i++)
    most += merge->models[i]->loop_count;
  struct hd_model_loop *loops = hd_new(most, sizeof *loops);
  for (size_t i = 0; i < merge->count; i++)
    for (uint32_t j = 0; j < merge->models[i]->loop_count; j++)
      loops[count++] = scaled_loop(merge, i, &merge->models[i]->loops[j]);
  write_loops(merge, loops, hd_loops_join(loops, count));
  free(loops);
}
