/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/trace/size.h"

#include <stdio.h>

#include "output/trace/blocks.h"
#include "output/trace/stretches.h"

enum { BLOCK_MOST = 256 << 10 }; /* what the library asks for at once, at most */

static void measure_stretches(const struct hd_model *model, struct hd_trace_size *size) {
  struct hd_trace_stretches stretches = hd_trace_stretches_from(model, size->from_ticks);
  size->stretch_count = stretches.count;
  for (uint32_t i = 0; i < stretches.count; i++)
    size->stretch_ticks += stretches.items[i].to_ticks - stretches.items[i].from_ticks;
  hd_trace_stretches_free(&stretches);
}

bool hd_trace_size(const struct hd_model *model, struct hd_trace_size *size) {
  *size = (struct hd_trace_size){.bytes = model->renumbered ? 0 : model->trace_bytes,
                                 .limit_bytes = model->header.trace_limit_bytes,
                                 .full_ticks = model->header.trace_full_ticks,
                                 .has_condition = hd_trace_has_condition(model),
                                 .only_concurrency = model->header.flags & HD_FILE_TRACE_CONCURRENCY};
  if (model->renumbered || (size->bytes == 0 && !size->has_condition))
    return false;
  struct hd_trace_blocks blocks = hd_trace_blocks_find(model);
  size->from_ticks = hd_trace_blocks_from(model, &blocks);
  size->begins_late = size->from_ticks > 0 || size->has_condition || model->trace_window.from_ticks > 0;
  measure_stretches(model, size);
  size->lacked_room = size->full_ticks > 0 && hd_trace_blocks_bytes(&blocks) + BLOCK_MOST <= size->limit_bytes;
  hd_trace_blocks_free(&blocks);
  return true;
}

bool hd_trace_is_there(const struct hd_model *model) {
  struct hd_trace_size size;
  if (hd_trace_size(model, &size))
    return true;
  if (model->renumbered && model->trace_bytes > 0)
    fprintf(stderr, "heddle: %s: its trace has whole callpaths: leave --depth out\n", model->path);
  else
    fprintf(stderr, "heddle: %s has no trace: 'heddle run --trace' makes one\n", model->path);
  return false;
}

bool hd_trace_is_full(const struct hd_model *model) {
  if (!hd_trace_is_there(model))
    return false;
  if (model->header.flags & HD_FILE_TRACE_CONCURRENCY)
    fprintf(stderr,
            "heddle: %s: its trace has only changes of the number of busy threads: 'heddle run --trace' has all\n",
            model->path);
  return !(model->header.flags & HD_FILE_TRACE_CONCURRENCY);
}
