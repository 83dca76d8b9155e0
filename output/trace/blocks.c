/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/trace/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "support/command/memory.h"

struct hd_trace_record hd_trace_block_record(const struct hd_model *model, const struct hd_reader_block *block) {
  struct hd_trace_record record;
  memcpy(&record, (const char *)model->source->bytes + block->content, sizeof record);
  return record;
}

static int by_owner(const void *a, const void *b) {
  const struct hd_trace_block *left = a, *right = b;
  if (left->owner != right->owner)
    return left->owner < right->owner ? -1 : 1;
  return (left->number > right->number) - (left->number < right->number);
}

/* Not one that was not yet begun when the program was killed. */
static bool is_of_trace(const struct hd_model *model, const struct hd_block_header *header) {
  return header->type == HD_BLOCK_TRACE && header->owner < model->thread_count &&
         header->count >= sizeof(struct hd_trace_record);
}

static uint32_t count_blocks(const struct hd_model *model) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < model->source->block_count; i++)
    count += is_of_trace(model, model->source->blocks[i].header);
  return count;
}

struct hd_trace_blocks hd_trace_blocks_find(const struct hd_model *model) {
  struct hd_trace_blocks blocks = {.items = hd_new((size_t)count_blocks(model) + 1, sizeof *blocks.items)};
  for (uint32_t i = 0; i < model->source->block_count; i++) {
    const struct hd_reader_block *block = &model->source->blocks[i];
    if (is_of_trace(model, block->header))
      blocks.items[blocks.count++] =
          (struct hd_trace_block){block, block->header->owner, hd_trace_block_record(model, block).number};
  }
  qsort(blocks.items, blocks.count, sizeof *blocks.items, by_owner);
  return blocks;
}

void hd_trace_blocks_free(struct hd_trace_blocks *blocks) {
  free(blocks->items);
}

/* Where the last block begins before which one is missing. */
static uint64_t last_gap(const struct hd_model *model, const struct hd_trace_blocks *blocks) {
  const struct hd_trace_block *items = blocks->items;
  uint64_t last = 0;
  for (uint32_t i = 0; i < blocks->count; i++) {
    const bool is_first = i == 0 || items[i].owner != items[i - 1].owner;
    const uint64_t ticks = hd_trace_block_record(model, items[i].block).ticks;
    if (items[i].number != (is_first ? 0 : items[i - 1].number + 1) && ticks > last)
      last = ticks;
  }
  return last;
}

/* Of the threads without a block the last end. */
static uint64_t last_end(const struct hd_model *model, const struct hd_trace_blocks *blocks) {
  uint64_t last = 0;
  for (uint32_t thread = 0, i = 0; thread < model->thread_count; thread++) {
    if ((i == blocks->count || blocks->items[i].owner != thread) && model->threads[thread].end_ticks > last)
      last = model->threads[thread].end_ticks;
    while (i < blocks->count && blocks->items[i].owner == thread)
      i++;
  }
  return last;
}

/* What is missing of a thread ends where the next block that is there begins; of a thread that has none, with itself:
 * unless it may never have had one. */
uint64_t hd_trace_blocks_from(const struct hd_model *model, const struct hd_trace_blocks *blocks) {
  if (model->header.flags & HD_FILE_TRACE_LULLS) /* what is missing lies in no stretch */
    return 0;
  uint64_t from = last_gap(model, blocks);
  if (from > 0 && !hd_trace_has_condition(model)) {
    const uint64_t end = last_end(model, blocks);
    from = end > from ? end : from;
  }
  return from < model->end_ticks ? from : model->end_ticks;
}

uint64_t hd_trace_blocks_bytes(const struct hd_trace_blocks *blocks) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < blocks->count; i++)
    bytes += (uint64_t)blocks->items[i].block->header->span * HD_BLOCK_BYTES;
  return bytes;
}
