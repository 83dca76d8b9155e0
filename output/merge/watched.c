/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file watched.c
 * What windows saw in all the runs of a sum.
 */
#include <stdlib.h>
#include <string.h>

#include "output/merge/merge_internal.h"
#include "output/model/watched.h"

static struct hd_watched scaled(const struct hd_merge *merge, size_t run, const struct hd_watched *from) {
  struct hd_watched watched = *from;
  watched.node = merge->united->node_of[run][from->node];
  for (int state = 0; state < HD_STATE_COUNT; state++)
    watched.ticks[state] *= merge->factors[run];
  for (int class = 0; class < HD_INTRUSION_CLASSES; class ++)
    watched.intrusion[class] = hd_merge_scale(watched.intrusion[class], merge->factors[run]);
  for (int i = 0; i < 2; i++)
    watched.spread.sums[i] *= merge->factors[run];
  for (int i = 0; i < 3; i++)
    watched.spread.products[i] *= (double)merge->factors[run] * (double)merge->factors[run];
  return watched;
}

void hd_merge_write_watched(struct hd_merge *merge) {
  uint32_t count = 0;
  size_t most = 1;
  for (size_t i = 0; i < merge->count; i++)
    most += merge->models[i]->watched_count;
  struct hd_watched *all = hd_new(most, sizeof *all);
  for (size_t i = 0; i < merge->count; i++)
    for (uint32_t j = 0; j < merge->models[i]->watched_count; j++)
      all[count++] = scaled(merge, i, &merge->models[i]->watched[j]);
  count = hd_watched_join(all, count);
  if (count > 0)
    hd_writer_begin_block(merge->writer, HD_BLOCK_WATCHED);
  for (uint32_t i = 0; i < count; i++) {
    struct hd_watched_record record = {
        .profile = all[i].node, .thread = all[i].thread, .of_regions = all[i].of_regions, .visits = all[i].visits};
    memcpy(record.ticks, all[i].ticks, sizeof record.ticks);
    memcpy(record.intrusion, all[i].intrusion, sizeof record.intrusion);
    record.windows = all[i].spread.windows;
    memcpy(record.sums, all[i].spread.sums, sizeof record.sums);
    memcpy(record.products, all[i].spread.products, sizeof record.products);
    hd_writer_add(merge->writer, &record, sizeof record);
  }
  free(all);
}
