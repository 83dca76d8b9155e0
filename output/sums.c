/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file sums.c
 * Rows in the order of nodes and threads; sums over rows, threads and the tree. Linear in the size of the file.
 */
#include "output/reader.h"

#include <stdlib.h>

#include "output/adding.h"
#include "output/kinds.h"

static void add_ticks(uint64_t to[HD_STATE_COUNT], const uint64_t from[HD_STATE_COUNT]) {
  for (int state = 0; state < HD_STATE_COUNT; state++)
    to[state] += from[state];
}

static void add_entries(struct hd_entries *to, const struct hd_entries *from) {
  for (int caller = 0; caller < HD_ENTRY_STATES; caller++)
    for (int own = 0; own < HD_ENTRY_STATES; own++) {
      to->visits[caller][own] += from->visits[caller][own];
      to->ticks[caller][own] += from->ticks[caller][own];
    }
}

/* They become rows, which are then joined with those of the same node and thread. */
static bool append_entries(struct hd_reader *reader) {
  const size_t count = (size_t)reader->row_count + reader->entry_count + 1;
  struct hd_row *rows = realloc(reader->rows, count * sizeof *rows);
  if (!rows)
    return hd_reader_fail(reader, "out of memory");
  reader->rows = rows;
  for (uint32_t i = 0; i < reader->entry_count; i++)
    rows[reader->row_count++] = reader->entries[i];
  return true;
}

enum key { BY_THREAD, BY_NODE };

static uint32_t key_of(const struct hd_row *row, enum key key) {
  return key == BY_THREAD ? row->thread : row->node;
}

/* One pass of a radix sort: stable. `starts` has room for every key and one more, all zero. */
static void sort_pass(const struct hd_row *from, struct hd_row *to, uint32_t count, uint32_t *starts, uint32_t keys,
                      enum key key) {
  for (uint32_t i = 0; i < count; i++)
    starts[key_of(&from[i], key) + 1]++;
  for (uint32_t i = 0; i < keys; i++)
    starts[i + 1] += starts[i];
  for (uint32_t i = 0; i < count; i++)
    to[starts[key_of(&from[i], key)]++] = from[i];
}

/* Two rows of the same node and thread become one. */
static uint32_t merge_equal(struct hd_row *rows, uint32_t count) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (kept > 0 && rows[kept - 1].node == rows[i].node && rows[kept - 1].thread == rows[i].thread) {
      add_ticks(rows[kept - 1].ticks, rows[i].ticks);
      rows[kept - 1].visits += rows[i].visits;
      rows[kept - 1].cpu_ns += rows[i].cpu_ns;
      hd_add_intrusion(&rows[kept - 1].intrusion, &rows[i].intrusion);
      add_entries(&rows[kept - 1].entries, &rows[i].entries);
    } else {
      rows[kept++] = rows[i];
    }
  }
  return kept;
}

static bool sort_rows(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  uint32_t *thread_starts = calloc((size_t)model->thread_count + 2, sizeof *thread_starts);
  uint32_t *node_starts = calloc((size_t)model->node_count + 2, sizeof *node_starts);
  struct hd_row *by_thread = calloc((size_t)reader->row_count + 1, sizeof *by_thread);
  const bool enough = thread_starts && node_starts && by_thread;
  if (enough) {
    sort_pass(reader->rows, by_thread, reader->row_count, thread_starts, model->thread_count, BY_THREAD);
    sort_pass(by_thread, reader->rows, reader->row_count, node_starts, model->node_count, BY_NODE);
    model->row_count = merge_equal(reader->rows, reader->row_count);
    model->rows = reader->rows;
    reader->rows = NULL;
  }
  free(thread_starts);
  free(node_starts);
  free(by_thread);
  return enough || hd_reader_fail(reader, "out of memory");
}

static void add_rows(struct hd_model *model) {
  for (uint32_t i = 0; i < model->row_count; i++) {
    const struct hd_row *row = &model->rows[i];
    struct hd_node *node = &model->nodes[row->node];
    if (node->row_count++ == 0)
      node->row_first = i;
    node->visits += row->visits;
    node->cpu_ns += row->cpu_ns;
    add_entries(&node->entries, &row->entries);
    add_ticks(node->ticks, row->ticks);
    add_ticks(node->inclusive_ticks, row->ticks);
    hd_add_intrusion(&node->intrusion, &row->intrusion);
    hd_add_intrusion(&node->intrusion_inclusive, &row->intrusion);
    hd_add_intrusion(&model->threads[row->thread].intrusion, &row->intrusion);
    hd_add_intrusion(&model->intrusion, &row->intrusion);
    add_ticks(model->threads[row->thread].ticks, row->ticks);
    add_ticks(model->ticks, row->ticks);
  }
}

/* Levels that a node or one below it reaches. */
static bool make_inclusive_levels(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  for (uint32_t i = model->node_count; i-- > 0;) {
    struct hd_node *node = &model->nodes[i];
    struct hd_levels *inclusive = &node->busy_at_inclusive;
    struct hd_levels *above = &model->nodes[node->parent].busy_at_inclusive;
    if (inclusive->count < node->busy_at.count)
      inclusive->count = node->busy_at.count;
    if (above->count < inclusive->count)
      above->count = inclusive->count;
  }
  for (uint32_t i = 0; i < model->node_count; i++) {
    struct hd_levels *inclusive = &model->nodes[i].busy_at_inclusive;
    inclusive->ticks = hd_model_allocate(model, (inclusive->count + 1) * sizeof *inclusive->ticks);
    if (!inclusive->ticks)
      return hd_reader_fail(reader, "out of memory");
  }
  return true;
}

static void add_levels(struct hd_levels *to, const struct hd_levels *from) {
  for (uint32_t k = 0; k < from->count; k++)
    to->ticks[k] += from->ticks[k];
}

static void sum_levels(struct hd_model *model, struct hd_node *node) {
  add_levels(&node->busy_at_inclusive, &node->busy_at);
  node->wall_share_ticks = hd_levels_wall_share(&node->busy_at, UINT32_MAX);
  node->wall_share_inclusive_ticks = hd_levels_wall_share(&node->busy_at_inclusive, UINT32_MAX);
  if (node->id > 0)
    add_levels(&model->nodes[node->parent].busy_at_inclusive, &node->busy_at_inclusive);
}

static void finish_node(const struct hd_reader *reader, struct hd_node *node) {
  node->visits_concurrent =
      node->entries.visits[HD_SEQUENTIAL][HD_CONCURRENT] + node->entries.visits[HD_CONCURRENT][HD_CONCURRENT];
  if (node->id == 0)
    node->visits = 1;
  else if (hd_kind_is_region(node->kind))
    node->visits = node->team.instances;
  if (node->team.gain_ticks < 0) /* late events can make a team look busier than it could be, by a little */
    node->team.gain_ticks = 0;
  if (reader->model->level_count <= node->team.team_max)
    reader->model->level_count = node->team.team_max + 1;
  if (hd_kind_is_region(node->kind) && !reader->in_region[node->id])
    reader->model->gain_ticks += node->team.gain_ticks;
}

bool hd_reader_sum_up(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  if (!append_entries(reader) || !sort_rows(reader) || !make_inclusive_levels(reader))
    return false;
  add_rows(model);
  model->level_count = model->time_at.count;
  for (uint32_t i = model->node_count; i-- > 0;) {
    struct hd_node *node = &model->nodes[i];
    finish_node(reader, node);
    sum_levels(model, node);
    node->cpu_inclusive_ns += node->cpu_ns;
    if (i == 0)
      break;
    /* children have larger ids: all of them have been added to this one */
    add_ticks(model->nodes[node->parent].inclusive_ticks, node->inclusive_ticks);
    hd_add_intrusion(&model->nodes[node->parent].intrusion_inclusive, &node->intrusion_inclusive);
    model->nodes[node->parent].cpu_inclusive_ns += node->cpu_inclusive_ns;
  }
  return true;
}
