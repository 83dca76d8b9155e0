/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/reader/reader_internal.h"

#include <stdarg.h>
#include <stdio.h>

#include "output/model/memory.h"
#include "store/seal.h"

bool hd_reader_fail(struct hd_reader *reader, const char *format, ...) {
  const int used = snprintf(reader->error, reader->error_bytes, "%s: ", reader->path);
  if (used < 0 || (size_t)used >= reader->error_bytes)
    return false;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reader->error + used, reader->error_bytes - (size_t)used, format, arguments);
  va_end(arguments);
  return false;
}

/* Of journals there is one in each block; what follows it is checked when it is used. */
static const size_t record_bytes_of[HD_BLOCK_TYPE_LAST + 1] = {
    [HD_BLOCK_PROFILES] = sizeof(struct hd_profile_record),
    [HD_BLOCK_ROWS] = sizeof(struct hd_row_record),
    [HD_BLOCK_THREADS] = sizeof(struct hd_thread_record),
    [HD_BLOCK_TOTALS] = sizeof(struct hd_total_record),
    [HD_BLOCK_TEAMS] = sizeof(struct hd_team_record),
    [HD_BLOCK_MODULES] = sizeof(struct hd_module_record),
    [HD_BLOCK_TEXT] = 1, /* `count` is bytes */
    [HD_BLOCK_RING] = sizeof(struct hd_ring_record),
    [HD_BLOCK_TALLIES] = sizeof(struct hd_tally_record),
    [HD_BLOCK_LEVELS] = sizeof(struct hd_level_record),
    [HD_BLOCK_ENTRIES] = sizeof(struct hd_entry_record),
    [HD_BLOCK_STACK] = sizeof(struct hd_stack_record),
    [HD_BLOCK_OVERLAPS] = sizeof(struct hd_overlap_record),
    [HD_BLOCK_TIMELINE] = sizeof(struct hd_timeline_record),
    [HD_BLOCK_EVENTS] = sizeof(struct hd_event_record),
    [HD_BLOCK_COSTS] = sizeof(struct hd_costs_record),
    [HD_BLOCK_SWITCHES] = sizeof(struct hd_switch_record),
    [HD_BLOCK_JOURNAL] = sizeof(struct hd_journal_record),
    [HD_BLOCK_DELAYS] = sizeof(struct hd_delay_record),
    [HD_BLOCK_MEMBERSHIPS] = sizeof(struct hd_membership_record),
    [HD_BLOCK_SAMPLES] = sizeof(struct hd_sample_record),
    [HD_BLOCK_CHUNKS] = sizeof(struct hd_chunks_record),
    [HD_BLOCK_PATHS] = sizeof(struct hd_path_record),
    [HD_BLOCK_WATCHED] = sizeof(struct hd_watched_record),
    [HD_BLOCK_PATH_STEPS] = sizeof(struct hd_path_step_record),
    [HD_BLOCK_TASKS] = sizeof(struct hd_tasks_record),
    [HD_BLOCK_LOCKS] = sizeof(struct hd_lock_record),
    [HD_BLOCK_LOCK_PAIRS] = sizeof(struct hd_lock_pair_record),
    [HD_BLOCK_HISTORIES] = sizeof(struct hd_history_record),
    [HD_BLOCK_TRACE] = 1, /* `count` is bytes */
    [HD_BLOCK_TRACE_STRETCHES] = sizeof(struct hd_trace_stretch_record),
};

static size_t record_bytes(const struct hd_reader *reader, unsigned type) {
  if (type == HD_BLOCK_COUNTS)
    return reader->model->header.counts_record_bytes;
  return type <= HD_BLOCK_TYPE_LAST ? record_bytes_of[type] : 0;
}

static bool take_block(struct hd_reader *reader, uint32_t unit, const struct hd_block_header *block) {
  const size_t each = record_bytes(reader, block->type);
  if (block->magic != HD_BLOCK_MAGIC || each == 0)
    return hd_reader_fail(reader, "damaged: block %u has no valid header", unit);
  if (block->span == 0 || block->span > reader->unit_count - unit)
    return hd_reader_fail(reader, "damaged: block %u is larger than the file", unit);
  if (reader->sealed && !hd_seal_block_holds(block))
    return hd_reader_fail(reader, "damaged: block %u is not the one that was saved (checksum)", unit);
  const uint64_t room = (uint64_t)block->span * HD_BLOCK_BYTES - HD_BLOCK_HEADER_BYTES;
  const uint64_t limit = block->type == HD_BLOCK_JOURNAL ? 1 : room / each;
  if (block->count > limit)
    return hd_reader_fail(reader, "damaged: block %u holds more than fits into it", unit);
  const uint64_t first = reader->record_count[block->type];
  if (first + block->count >= HD_NONE && block->type != HD_BLOCK_TRACE) /* nobody counts its bytes with 32 bits */
    return hd_reader_fail(reader, "damaged: too many records");
  for (uint32_t i = 0; i < block->span; i++)
    reader->unit_block[unit + i] = reader->source->block_count;
  reader->source->blocks[reader->source->block_count++] =
      (struct hd_reader_block){.header = block,
                               .content = HD_HEADER_BYTES + (uint64_t)unit * HD_BLOCK_BYTES + HD_BLOCK_HEADER_BYTES,
                               .first = (uint32_t)first,
                               .record_bytes = (uint32_t)each};
  reader->record_count[block->type] = first + block->count;
  if (block->type == HD_BLOCK_TRACE)
    hd_row_source_drop(reader->source, HD_HEADER_BYTES + (uint64_t)unit * HD_BLOCK_BYTES,
                       block->span * (size_t)HD_BLOCK_BYTES);
  return true;
}

bool hd_reader_walk_blocks(struct hd_reader *reader) {
  reader->unit_block = hd_model_allocate(reader->model, (size_t)reader->unit_count * sizeof *reader->unit_block);
  reader->source->blocks =
      hd_model_allocate(reader->model, (size_t)reader->unit_count * sizeof *reader->source->blocks);
  for (uint32_t unit = 0; unit < reader->unit_count;) {
    const struct hd_block_header *block =
        (const void *)(reader->bytes + HD_HEADER_BYTES + (size_t)unit * HD_BLOCK_BYTES);
    if (!take_block(reader, unit, block))
      return false;
    unit += block->span;
  }
  return true;
}

bool hd_reader_each(struct hd_reader *reader, enum hd_block_type type, hd_reader_taker *take) {
  for (struct hd_records at = hd_records_of(reader->source, type); hd_records_next(&at);)
    if (!take(reader, at.record, at.index))
      return false;
  return true;
}

static const struct hd_reader_block *find_block(const struct hd_reader *reader, uint64_t offset,
                                                enum hd_block_type type) {
  if (offset < HD_HEADER_BYTES)
    return NULL;
  const uint64_t unit = (offset - HD_HEADER_BYTES) / HD_BLOCK_BYTES;
  if (unit >= reader->unit_count)
    return NULL;
  const struct hd_reader_block *block = &reader->source->blocks[reader->unit_block[unit]];
  return block->header->type == type && offset >= block->content ? block : NULL;
}

/* `kind`: a state or enum hd_cell_kind. */
static const struct hd_row_record *find_any_cell(const struct hd_reader *reader, uint64_t offset, uint32_t *kind) {
  const struct hd_reader_block *block = find_block(reader, offset, HD_BLOCK_ROWS);
  if (!block)
    return NULL;
  const uint64_t index = (offset - block->content) / sizeof(struct hd_row_record);
  const uint64_t within = (offset - block->content) % sizeof(struct hd_row_record);
  const size_t cells = offsetof(struct hd_row_record, cells);
  if (index >= block->header->count || within < cells || (within - cells) % sizeof(struct hd_row_cell) != 0)
    return NULL;
  const struct hd_row_record *row =
      (const struct hd_row_record *)(const void *)(reader->bytes + block->content) + index;
  const uint32_t cell = (uint32_t)((within - cells) / sizeof(struct hd_row_cell));
  *kind = hd_row_kind(row, cell);
  return cell == 0 || *kind != HD_BUSY ? row : NULL; /* else it is free */
}

const struct hd_row_record *hd_reader_find_cell(const struct hd_reader *reader, uint64_t offset, enum hd_state *state) {
  uint32_t kind;
  const struct hd_row_record *row = find_any_cell(reader, offset, &kind);
  if (!row || kind >= HD_STATE_COUNT)
    return NULL;
  *state = (enum hd_state)kind;
  return row;
}

const struct hd_row_record *hd_reader_find_team_cell(const struct hd_reader *reader, uint64_t offset, uint32_t *kind) {
  const struct hd_row_record *row = find_any_cell(reader, offset, kind);
  return row && hd_cell_is_idle(*kind) ? row : NULL;
}

bool hd_reader_find_counts(const struct hd_reader *reader, uint64_t offset, uint32_t *counts, uint32_t *class) {
  const uint32_t bytes = reader->model->header.counts_record_bytes;
  const struct hd_reader_block *block = find_block(reader, offset, HD_BLOCK_COUNTS);
  if (!block)
    return false;
  const uint64_t index = (offset - block->content) / bytes;
  const uint64_t within = (offset - block->content) % bytes;
  const size_t first = offsetof(struct hd_counts_record, missing);
  if (index >= block->header->count || within < first || (within - first) % sizeof(uint64_t) != 0 ||
      (within - first) / sizeof(uint64_t) >= HD_COUNT_CLASSES)
    return false;
  *counts = block->first + (uint32_t)index;
  *class = (uint32_t)((within - first) / sizeof(uint64_t));
  return true;
}
