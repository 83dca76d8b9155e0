/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file totals.c
 * Sums over rows, threads and the tree. Linear in the size of the file, with no memory for each row.
 */
#include "output/reader/reader_internal.h"

#include "output/model/accumulate.h"
#include "output/model/format_names.h"
#include "output/model/rollup.h"
#include "output/reader/gains.h"

static void add_intrusion(struct hd_intrusion *to, const struct hd_row_cell *from, uint32_t kind) {
  int64_t *place = &to->ticks[hd_intrusion_class_of(kind)];
  *place = hd_add_signed(*place, from->intrusion);
}

static void add_cell(struct hd_node *node, struct hd_model_thread *thread, const struct hd_row_cell *cell,
                     uint32_t kind) {
  if (kind == HD_CELL_CPU) {
    node->cpu_ns += cell->ticks;
    return;
  }
  if (kind >= HD_STATE_COUNT) {
    hd_accumulate_cell(&node->shares, cell, kind);
    hd_accumulate_unresolved_cell(&node->unresolved, cell, kind);
    hd_accumulate_unresolved_cell(&thread->unresolved, cell, kind);
    return;
  }
  node->ticks[kind] += cell->ticks;
  thread->ticks[kind] += cell->ticks;
  add_intrusion(&node->intrusion, cell, kind);
  add_intrusion(&thread->intrusion, cell, kind);
}

/* A part of the thread's wait for its team's end that becomes the program's: it was idle then. */
static void move_idle(struct hd_reader *reader, const struct hd_row_record *row, uint64_t ticks) {
  reader->model->nodes[row->profile].ticks[HD_WAIT_BARRIER_IMPLICIT] -= ticks;
  reader->model->threads[row->thread].ticks[HD_WAIT_BARRIER_IMPLICIT] -= ticks;
  reader->idle_ticks[row->thread] += ticks;
}

/* Ten million times for a large team: what can be added up later is. */
static void add_row(struct hd_reader *reader, const struct hd_row_record *row) {
  struct hd_model *model = reader->model;
  struct hd_node *node = &model->nodes[row->profile];
  struct hd_model_thread *thread = &model->threads[row->thread];
  const uint32_t refused = row->refused | (node->flags & HD_PROFILE_SINKS ? HD_REFUSED_SINKS : 0u);
  node->visits += row->visits;
  node->refused |= refused;
  thread->refused |= refused;
  for (uint32_t i = 0; i < HD_ROW_CELLS; i++) {
    const uint32_t kind = hd_row_kind(row, i);
    if (hd_cell_is_idle(kind))
      move_idle(reader, row, row->cells[i].ticks);
    if (kind != HD_CELL_TEAM && kind < HD_CELL_KINDS)
      add_cell(node, thread, &row->cells[i], kind);
  }
}

bool hd_reader_add_rows(struct hd_reader *reader) {
  for (struct hd_records at = hd_records_of(reader->source, HD_BLOCK_ROWS); hd_records_next(&at);) {
    const struct hd_row_record *row = at.record;
    if (row->profile >= reader->model->node_count || row->thread >= reader->model->thread_count)
      return hd_reader_fail(reader, "damaged: row %u belongs to no callpath or thread", at.index);
    add_row(reader, row);
  }
  return true;
}

static void add_extra(struct hd_model *model, const struct hd_row *row) {
  struct hd_node *node = &model->nodes[row->node];
  struct hd_model_thread *thread = &model->threads[row->thread];
  hd_accumulate_entries(&node->entries, &row->entries);
  hd_accumulate_ticks(node->ticks, row->ticks);
  hd_accumulate_ticks(thread->ticks, row->ticks);
  hd_accumulate_intrusion(&node->intrusion, &row->intrusion);
  hd_accumulate_intrusion(&thread->intrusion, &row->intrusion);
  hd_accumulate_unresolved(&node->unresolved, &row->unresolved);
  hd_accumulate_unresolved(&thread->unresolved, &row->unresolved);
}

static void add_threads(struct hd_model *model) {
  for (uint32_t i = 0; i < model->thread_count; i++) {
    hd_accumulate_ticks(model->ticks, model->threads[i].ticks);
    hd_accumulate_intrusion(&model->intrusion, &model->threads[i].intrusion);
    hd_accumulate_unresolved(&model->unresolved, &model->threads[i].unresolved);
  }
}

static void finish_node(const struct hd_reader *reader, struct hd_node *node) {
  node->visits_concurrent =
      node->entries.visits[HD_SEQUENTIAL][HD_CONCURRENT] + node->entries.visits[HD_CONCURRENT][HD_CONCURRENT];
  if (node->id == 0)
    node->visits = 1;
  else if (hd_kind_is_region(node->kind))
    node->visits = node->team.instances + node->shares.refused;
  if (node->team.gain_ticks < 0) /* late events can make a team look busier than it could be, by a little */
    node->team.gain_ticks = 0;
  if (reader->model->level_count <= node->team.team_max)
    reader->model->level_count = node->team.team_max + 1;
}

bool hd_reader_sum_up(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  if (!hd_reader_take_level_bytes(reader, hd_model_widen_levels(model)))
    return false;
  for (uint32_t i = 0; i < reader->source->extra_count; i++)
    add_extra(model, &reader->source->extra[i]);
  add_threads(model);
  model->level_count = model->time_at.count;
  for (uint32_t i = model->node_count; i-- > 0;) /* children have larger ids */
    finish_node(reader, &model->nodes[i]);
  hd_gains_limit(model, reader->in_region);
  hd_reader_mark(reader);
  hd_model_roll_up(model);
  hd_reader_mark_gains(model);
  return true;
}
