/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file lazy_rows.c
 * Makes rows from the records of the file when somebody asks for them. All records have been checked.
 */
#include "output/model/lazy_rows.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "output/model/accumulate.h"
#include "support/command/memory.h"

/* ---- what they are made of ---- */

struct hd_row *hd_row_source_add(struct hd_row_source *source) {
  if (source->extra_count == source->extra_limit) {
    source->extra_limit = 2 * source->extra_limit + 64;
    source->extra = hd_grow(source->extra, source->extra_limit, sizeof *source->extra);
  }
  struct hd_row *row = &source->extra[source->extra_count++];
  *row = (struct hd_row){0};
  return row;
}

void hd_row_source_drop(const struct hd_row_source *source, uint64_t offset, size_t bytes) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  const uint64_t first = (offset + page - 1) / page * page, end = (offset + bytes) / page * page;
  if (source->mapped && end > first)
    madvise((char *)source->memory + first, end - first, MADV_DONTNEED);
}

void hd_row_source_clear(struct hd_row_source *source) {
  if (source->mapped)
    munmap(source->memory, source->memory_bytes);
  else
    free(source->memory);
  free(source->extra);
}

/* ---- one row ---- */

struct hd_row hd_row_of_record(const struct hd_row_record *record) {
  struct hd_row row = {
      .node = record->profile, .thread = record->thread, .refused = record->refused, .visits = record->visits};
  for (uint32_t i = 0; i < HD_ROW_CELLS; i++) {
    const struct hd_row_cell *cell = &record->cells[i];
    const uint32_t kind = hd_row_kind(record, i);
    if (kind < HD_STATE_COUNT) {
      int64_t *intrusion = &row.intrusion.ticks[hd_intrusion_class_of(kind)];
      *intrusion = hd_add_signed(*intrusion, cell->intrusion);
      row.ticks[kind] += cell->ticks;
    } else if (hd_cell_is_idle(kind)) {
      row.ticks[HD_WAIT_BARRIER_IMPLICIT] -= cell->ticks; /* the reader has made the thread's idle row of it */
      hd_accumulate_unresolved_cell(&row.unresolved, cell, kind);
    } else if (kind == HD_CELL_CPU) {
      row.cpu_ns += cell->ticks;
    } else {
      hd_accumulate_cell(&row.shares, cell, kind);
      hd_accumulate_unresolved_cell(&row.unresolved, cell, kind);
    }
  }
  return row;
}

struct hd_row hd_row_of_entries(const struct hd_entry_record *record) {
  struct hd_row row = {.node = record->profile, .thread = record->thread};
  memcpy(row.entries.visits, record->visits, sizeof row.entries.visits);
  memcpy(row.entries.ticks, record->ticks, sizeof row.entries.ticks);
  return row;
}

/* ---- in order ---- */

/* Something that becomes a row, or part of one. */
struct piece {
  uint32_t node, thread;
  const void *record;
  uint32_t type; /* of its block; 0: an extra row */
};

static uint32_t count_records(const struct hd_row_source *source, enum hd_block_type type) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < source->block_count; i++)
    count += source->blocks[i].header->type == type ? source->blocks[i].header->count : 0;
  return count;
}

/* In the order of the file; the extra rows come last. */
static uint32_t list_pieces(const struct hd_model *model, struct piece *pieces) {
  const struct hd_row_source *source = model->source;
  uint32_t count = 0;
  for (struct hd_records at = hd_records_of(source, HD_BLOCK_ROWS); hd_records_next(&at);) {
    const struct hd_row_record *row = at.record;
    pieces[count++] = (struct piece){row->profile, row->thread, row, HD_BLOCK_ROWS};
  }
  for (struct hd_records at = hd_records_of(source, HD_BLOCK_ENTRIES); model->entries_known && hd_records_next(&at);) {
    const struct hd_entry_record *entry = at.record;
    if (!hd_row_source_may_change(source, entry->thread))
      pieces[count++] = (struct piece){entry->profile, entry->thread, entry, HD_BLOCK_ENTRIES};
  }
  for (uint32_t i = 0; i < source->extra_count; i++) {
    const struct hd_row *row = &source->extra[i];
    pieces[count++] = (struct piece){row->node, row->thread, row, 0};
  }
  return count;
}

static uint32_t key_of(const struct piece *piece, bool by_node) {
  return by_node ? piece->node : piece->thread;
}

/* One pass of a radix sort: stable. */
static void sort_pass(const struct piece *from, struct piece *to, uint32_t count, uint32_t keys, bool by_node) {
  uint32_t *starts = hd_new((size_t)keys + 2, sizeof *starts);
  for (uint32_t i = 0; i < count; i++)
    starts[key_of(&from[i], by_node) + 1]++;
  for (uint32_t i = 0; i < keys; i++)
    starts[i + 1] += starts[i];
  for (uint32_t i = 0; i < count; i++)
    to[starts[key_of(&from[i], by_node)]++] = from[i];
  free(starts);
}

static struct hd_row row_of(const struct piece *piece) {
  if (piece->type == HD_BLOCK_ROWS)
    return hd_row_of_record(piece->record);
  if (piece->type == HD_BLOCK_ENTRIES)
    return hd_row_of_entries(piece->record);
  return *(const struct hd_row *)piece->record;
}

/* `pieces` are in the order of nodes, then threads. */
static void join(struct hd_model *model, const struct piece *pieces, uint32_t count) {
  uint32_t rows = 0;
  for (uint32_t i = 0; i < count; i++)
    rows += i == 0 || hd_compare_pairs(&pieces[i - 1], &pieces[i]) != 0;
  model->rows = hd_grow(NULL, (size_t)rows + 1, sizeof *model->rows);
  for (uint32_t i = 0; i < model->node_count; i++)
    model->nodes[i].row_first = model->nodes[i].row_count = 0;
  model->row_count = 0;
  for (uint32_t i = 0; i < count; i++) {
    const struct hd_row row = row_of(&pieces[i]);
    if (i > 0 && hd_compare_pairs(&pieces[i - 1], &pieces[i]) == 0) {
      hd_accumulate_row(&model->rows[model->row_count - 1], &row);
      continue;
    }
    if (model->nodes[row.node].row_count++ == 0)
      model->nodes[row.node].row_first = model->row_count;
    model->rows[model->row_count++] = row;
  }
}

/* ---- on request ---- */

/* The model is what it was, but for what can now be looked at. */
void hd_model_need_rows(const struct hd_model *read_only) {
  struct hd_model *model = (struct hd_model *)read_only;
  struct hd_row_source *source = model->source;
  if (source->rows_made)
    return;
  const size_t most =
      (size_t)count_records(source, HD_BLOCK_ROWS) + count_records(source, HD_BLOCK_ENTRIES) + source->extra_count;
  hd_need(most < HD_NONE);
  struct piece *pieces = hd_grow(NULL, most + 1, sizeof *pieces);
  struct piece *by_thread = hd_grow(NULL, most + 1, sizeof *by_thread);
  const uint32_t count = list_pieces(model, pieces);
  sort_pass(pieces, by_thread, count, model->thread_count, false);
  sort_pass(by_thread, pieces, count, model->node_count, true);
  free(by_thread);
  join(model, pieces, count);
  free(pieces);
  source->rows_made = true;
}

const struct hd_row *hd_model_row(const struct hd_model *model, uint32_t node, uint32_t thread) {
  hd_model_need_rows(model);
  const struct hd_node *at = &model->nodes[node];
  const uint32_t wanted[] = {node, thread};
  return at->row_count == 0
             ? NULL
             : bsearch(wanted, model->rows + at->row_first, at->row_count, sizeof *model->rows, hd_compare_pairs);
}

void hd_model_each_times(const struct hd_model *model, hd_times_visitor *visit, void *context) {
  const struct hd_row_source *source = model->source;
  const struct hd_row *rows = source->rows_made ? model->rows : source->extra;
  const uint32_t count = source->rows_made ? model->row_count : source->extra_count;
  for (struct hd_records at = hd_records_of(source, HD_BLOCK_ROWS); !source->rows_made && hd_records_next(&at);) {
    const struct hd_row times = hd_row_of_record(at.record);
    visit(context, &times);
  }
  for (uint32_t i = 0; i < count; i++)
    visit(context, &rows[i]);
}
