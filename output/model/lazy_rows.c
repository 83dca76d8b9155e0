/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file lazy_rows.c
 * Makes rows and teams' totals from the records of the file when somebody asks for them. All records have been checked.
 */
#include "output/model/lazy_rows.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "output/model/accumulate.h"

enum { FIRST_EXTRA = 64 };

/* ---- what they are made of ---- */

struct hd_row *hd_row_source_add(struct hd_row_source *source) {
  if (source->extra_count == source->extra_limit) {
    const uint32_t limit = source->extra_limit ? 2 * source->extra_limit : FIRST_EXTRA;
    struct hd_row *grown = realloc(source->extra, limit * sizeof *grown);
    if (!grown)
      return NULL;
    source->extra = grown;
    source->extra_limit = limit;
  }
  struct hd_row *row = &source->extra[source->extra_count++];
  *row = (struct hd_row){0};
  return row;
}

void hd_row_source_clear(struct hd_row_source *source) {
  if (source->mapped)
    munmap(source->memory, source->memory_bytes);
  else
    free(source->memory);
  free(source->blocks);
  free(source->extra);
  free(source->in_extra);
  *source = (struct hd_row_source){0};
}

/* ---- one row ---- */

struct hd_row hd_row_of_record(const struct hd_row_record *record) {
  struct hd_row row = {
      .node = record->profile, .thread = record->thread, .visits = record->visits, .cpu_ns = record->cpu_ns};
  memcpy(row.ticks, record->ticks, sizeof row.ticks);
  memcpy(row.intrusion.ticks, record->intrusion, sizeof row.intrusion.ticks);
  row.intrusion.merged = record->merged;
  return row;
}

struct hd_row hd_row_of_entries(const struct hd_entry_record *record) {
  struct hd_row row = {.node = record->profile, .thread = record->thread};
  memcpy(row.entries.visits, record->visits, sizeof row.entries.visits);
  memcpy(row.entries.ticks, record->ticks, sizeof row.entries.ticks);
  return row;
}

/* ---- in order ---- */

struct piece {
  uint32_t node, thread;
};

/* Everything that becomes rows, numbered: the file's rows, its entries, the extra rows. */
struct pieces {
  const struct hd_model *model;
  const struct hd_row_source *source;
  uint32_t count;
  struct piece *keys;   /* by number */
  const void **records; /* likewise; which sort of record, its number tells */
  uint32_t entries_from, extra_from;
  uint32_t *order; /* numbers, by node, then thread */
};

static uint64_t count_records(const struct hd_row_source *source, enum hd_block_type type) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < source->block_count; i++)
    count += source->blocks[i].header->type == type ? source->blocks[i].header->count : 0;
  return count;
}

static void add_piece(struct pieces *pieces, const void *record, uint32_t node, uint32_t thread) {
  pieces->keys[pieces->count] = (struct piece){node, thread};
  pieces->records[pieces->count++] = record;
}

static void add_rows(struct pieces *pieces, const struct hd_reader_block *block) {
  const struct hd_row_record *records = (const void *)(pieces->source->bytes + block->content);
  for (uint32_t i = 0; i < block->header->count; i++)
    add_piece(pieces, &records[i], records[i].profile, records[i].thread);
}

static void add_entries(struct pieces *pieces, const struct hd_reader_block *block) {
  const struct hd_entry_record *records = (const void *)(pieces->source->bytes + block->content);
  for (uint32_t i = 0; i < block->header->count; i++)
    if (!pieces->source->in_extra[records[i].thread])
      add_piece(pieces, &records[i], records[i].profile, records[i].thread);
}

static void add_all(struct pieces *pieces) {
  const struct hd_row_source *source = pieces->source;
  for (uint32_t i = 0; i < source->block_count; i++)
    if (source->blocks[i].header->type == HD_BLOCK_ROWS)
      add_rows(pieces, &source->blocks[i]);
  pieces->entries_from = pieces->count;
  for (uint32_t i = 0; pieces->model->entries_known && i < source->block_count; i++)
    if (source->blocks[i].header->type == HD_BLOCK_ENTRIES)
      add_entries(pieces, &source->blocks[i]);
  pieces->extra_from = pieces->count;
  for (uint32_t i = 0; i < source->extra_count; i++)
    add_piece(pieces, &source->extra[i], source->extra[i].node, source->extra[i].thread);
}

static uint32_t key_of(const struct piece *piece, bool by_node) {
  return by_node ? piece->node : piece->thread;
}

/* One pass of a radix sort: stable. `from` NULL: the order of the numbers. */
static bool sort_pass(const struct pieces *pieces, const uint32_t *from, uint32_t *to, uint32_t keys, bool by_node) {
  uint32_t *starts = calloc((size_t)keys + 2, sizeof *starts);
  if (!starts)
    return false;
  for (uint32_t i = 0; i < pieces->count; i++)
    starts[key_of(&pieces->keys[i], by_node) + 1]++;
  for (uint32_t i = 0; i < keys; i++)
    starts[i + 1] += starts[i];
  for (uint32_t i = 0; i < pieces->count; i++) {
    const uint32_t number = from ? from[i] : i;
    to[starts[key_of(&pieces->keys[number], by_node)]++] = number;
  }
  free(starts);
  return true;
}

static bool sort(struct pieces *pieces) {
  uint32_t *by_thread = calloc((size_t)pieces->count + 1, sizeof *by_thread);
  pieces->order = calloc((size_t)pieces->count + 1, sizeof *pieces->order);
  const bool done = by_thread && pieces->order &&
                    sort_pass(pieces, NULL, by_thread, pieces->model->thread_count, false) &&
                    sort_pass(pieces, by_thread, pieces->order, pieces->model->node_count, true);
  free(by_thread);
  return done;
}

static uint32_t count_rows(const struct pieces *pieces) {
  uint32_t count = 0;
  const struct piece *last = NULL;
  for (uint32_t i = 0; i < pieces->count; i++) {
    const struct piece *piece = &pieces->keys[pieces->order[i]];
    count += !last || last->node != piece->node || last->thread != piece->thread;
    last = piece;
  }
  return count;
}

static struct hd_row row_of(const struct pieces *pieces, uint32_t number) {
  if (number < pieces->entries_from)
    return hd_row_of_record(pieces->records[number]);
  if (number < pieces->extra_from)
    return hd_row_of_entries(pieces->records[number]);
  return *(const struct hd_row *)pieces->records[number];
}

static bool join(struct pieces *pieces, struct hd_model *model) {
  const uint32_t rows = count_rows(pieces);
  model->rows = malloc(((size_t)rows + 1) * sizeof *model->rows);
  if (!model->rows)
    return false;
  for (uint32_t i = 0; i < model->node_count; i++)
    model->nodes[i].row_first = model->nodes[i].row_count = 0;
  model->row_count = 0;
  for (uint32_t i = 0; i < pieces->count; i++) {
    const struct hd_row row = row_of(pieces, pieces->order[i]);
    struct hd_row *last = model->row_count > 0 ? &model->rows[model->row_count - 1] : NULL;
    if (last && last->node == row.node && last->thread == row.thread) {
      hd_add_row(last, &row);
      continue;
    }
    if (model->nodes[row.node].row_count++ == 0)
      model->nodes[row.node].row_first = model->row_count;
    model->rows[model->row_count++] = row;
  }
  return true;
}

/* ---- on request ---- */

/* The model is what it was, but for what can now be looked at. */
bool hd_model_need_rows(const struct hd_model *read_only) {
  struct hd_model *model = (struct hd_model *)read_only;
  struct hd_row_source *source = model->source;
  if (!source || source->rows_made)
    return true;
  const uint64_t most =
      count_records(source, HD_BLOCK_ROWS) + count_records(source, HD_BLOCK_ENTRIES) + source->extra_count;
  struct pieces pieces = {.model = model, .source = source};
  pieces.keys = malloc((most + 1) * sizeof *pieces.keys);
  pieces.records = malloc((most + 1) * sizeof *pieces.records);
  bool done = most < HD_NONE && pieces.keys && pieces.records;
  if (done) {
    add_all(&pieces);
    done = sort(&pieces) && join(&pieces, model);
  }
  free(pieces.keys);
  free(pieces.records);
  free(pieces.order);
  source->rows_made = done;
  return done;
}

const struct hd_row *hd_model_row(const struct hd_model *model, uint32_t node, uint32_t thread) {
  const struct hd_node *at = &model->nodes[node];
  if (!hd_model_need_rows(model))
    return NULL;
  uint32_t low = at->row_first;
  uint32_t high = at->row_first + at->row_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (model->rows[middle].thread < thread)
      low = middle + 1;
    else
      high = middle;
  }
  const bool found = low < at->row_first + at->row_count && model->rows[low].thread == thread;
  return found ? &model->rows[low] : NULL;
}

static void visit_block(const struct hd_row_source *source, const struct hd_reader_block *block,
                        hd_times_visitor *visit, void *context) {
  const struct hd_row_record *records = (const void *)(source->bytes + block->content);
  for (uint32_t i = 0; i < block->header->count; i++)
    visit(context, records[i].profile, records[i].thread, records[i].ticks);
}

void hd_model_each_times(const struct hd_model *model, hd_times_visitor *visit, void *context) {
  const struct hd_row_source *source = model->source;
  if (!source || source->rows_made) {
    for (uint32_t i = 0; i < model->row_count; i++)
      visit(context, model->rows[i].node, model->rows[i].thread, model->rows[i].ticks);
    return;
  }
  for (uint32_t i = 0; i < source->block_count; i++)
    if (source->blocks[i].header->type == HD_BLOCK_ROWS)
      visit_block(source, &source->blocks[i], visit, context);
  for (uint32_t i = 0; i < source->extra_count; i++)
    visit(context, source->extra[i].node, source->extra[i].thread, source->extra[i].ticks);
}

/* ---- teams ---- */

static void add_parts(struct hd_model *model, const struct hd_reader_block *block) {
  const struct hd_total_record *records = (const void *)(model->source->bytes + block->content);
  const bool merged = model->header.flags & HD_FILE_MERGED;
  for (uint32_t i = 0; i < block->header->count; i++)
    if (!hd_total_is_empty(&records[i], merged))
      model->team_parts[model->team_part_count++] =
          (struct hd_team_part){records[i].profile, records[i].thread, hd_team_totals_of(&records[i], merged)};
}

/* Those of instances that had not ended are there already. */
bool hd_model_need_team_parts(const struct hd_model *read_only) {
  struct hd_model *model = (struct hd_model *)read_only;
  struct hd_row_source *source = model->source;
  if (!source || source->parts_made)
    return true;
  const uint64_t most = model->team_part_count + count_records(source, HD_BLOCK_TOTALS) + 1;
  struct hd_team_part *grown = realloc(model->team_parts, most * sizeof *grown);
  if (!grown)
    return false;
  model->team_parts = grown;
  for (uint32_t i = 0; i < source->block_count; i++)
    if (source->blocks[i].header->type == HD_BLOCK_TOTALS)
      add_parts(model, &source->blocks[i]);
  source->parts_made = true;
  return true;
}
