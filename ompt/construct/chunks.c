/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/construct/chunks.h"

#include "callpath/code/wrappers.h"
#include "ompt/construct/lengths.h"
#include "ompt/shared/clock.h"
#include "ompt/thread/thread.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/memory_budget.h"

/* ---- a loop ---- */

void hd_chunks_begin_loop(struct hd_frame *loop, bool is_kept) {
  const struct heddle_iterations *all = hd_wrappers_loop();
  loop->loop = (struct hd_frame_loop){.is_kept = is_kept && all, .by_runtime = hd_wrappers_loop_is_by_runtime()};
  if (!loop->loop.is_kept)
    return;
  loop->loop.first = all->first;
  loop->loop.step = all->step;
  loop->loop.count = all->count;
  loop->loop.buckets_each = all->count > 0 ? HD_SPACE_BUCKETS / (double)all->count : 0;
}

static void note_bounds(struct hd_chunks_record *record, const struct hd_frame_loop *loop) {
  const bool is_same = record->first == loop->first && record->step == loop->step && record->count == loop->count;
  if ((record->flags & HD_CHUNKS_BOUNDS) && !is_same)
    record->flags |= HD_CHUNKS_VARY;
  record->first = loop->first;
  record->step = loop->step;
  record->count = loop->count;
  record->flags |= HD_CHUNKS_BOUNDS | (loop->by_runtime ? HD_CHUNKS_RUNTIME : 0);
}

static struct hd_chunks_record *make(struct hd_thread *thread, uint32_t profile) {
  struct hd_thread_chunks *mine = &thread->chunks;
  const size_t bytes = sizeof(struct hd_chunks_record) + hd_index_growth_bytes(&mine->index);
  if (!hd_memory_has_room(HD_MEMORY_PATH, bytes))
    return NULL;
  HD_KEEP_ERRNO;
  if ((!mine->index.slots && !hd_index_init(&mine->index)) || !hd_index_make_room(&mine->index))
    return NULL;
  struct hd_chunks_record *record =
      hd_store_add(&hd_store, &mine->cursor, HD_BLOCK_CHUNKS, thread->record->id, sizeof *record);
  if (!record)
    return NULL;
  record->profile = profile;
  hd_index_add(&mine->index, profile, record);
  hd_store_publish(&mine->cursor);
  return record;
}

/* Of this thread and the loop's profile; NULL: there is no room for one. */
static struct hd_chunks_record *find(struct hd_thread *thread, uint32_t profile) {
  struct hd_chunks_record *found = thread->chunks.index.slots ? hd_index_find(&thread->chunks.index, profile) : NULL;
  return found ? found : make(thread, profile);
}

/* ---- a chunk ---- */

void hd_chunks_take(struct hd_frame *frame, const struct heddle_iterations *chunk) {
  struct hd_frame_loop *loop = &frame->loop;
  const uint64_t from_first = chunk->first - loop->first;
  loop->has_chunk = loop->is_kept;
  loop->begin_ticks = 0;
  loop->chunk_count = chunk->count;
  loop->chunk_first = loop->step == 1  ? from_first
                      : loop->step > 0 ? from_first / (uint64_t)loop->step
                      : loop->step < 0 ? (0 - from_first) / (0 - (uint64_t)loop->step)
                                       : 0;
}

static uint32_t bucket_of(const struct hd_frame_loop *loop, uint64_t iteration) {
  const double bucket = (double)iteration * loop->buckets_each;
  return bucket < HD_SPACE_BUCKETS ? (uint32_t)bucket : HD_SPACE_BUCKETS - 1;
}

/* Each iteration is taken to have lasted as long as the others of its chunk. */
static void add_to_space(struct hd_chunks_record *record, const struct hd_frame_loop *loop, uint64_t ticks) {
  uint64_t at = loop->chunk_first, left = loop->chunk_count, ticks_left = ticks;
  const uint32_t last = bucket_of(loop, at + left - 1);
  for (uint32_t bucket = bucket_of(loop, at); bucket < last; bucket++) {
    const double next = (bucket + 1) / loop->buckets_each; /* the first iteration of the next bucket, or just before */
    const uint64_t until = (uint64_t)next + ((double)(uint64_t)next < next);
    const uint64_t count = until > at ? until - at : 0;
    if (count >= left)
      break;
    const uint64_t part = (uint64_t)((double)ticks_left * ((double)count / (double)left));
    record->iterations[bucket] += count;
    record->ticks[bucket] += part;
    at += count;
    left -= count;
    ticks_left -= part;
  }
  record->iterations[last] += left;
  record->ticks[last] += ticks_left;
}

void hd_chunks_finish_observed(struct hd_thread *thread, struct hd_frame *frame, uint64_t now) {
  struct hd_frame_loop *loop = &frame->loop;
  const uint64_t ticks = now > loop->begin_ticks ? now - loop->begin_ticks : 0;
  loop->begin_ticks = 0;
  if (!loop->chunks) {
    loop->chunks = find(thread, frame->row->profile);
    loop->is_kept = loop->chunks != NULL;
    if (!loop->chunks)
      return;
    note_bounds(loop->chunks, loop);
  }
  struct hd_chunks_record *record = loop->chunks;
  hd_lengths_add(&record->lengths, ticks);
  if (loop->chunk_count > 0)
    add_to_space(record, loop, ticks);
}
