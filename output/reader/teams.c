/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file teams.c
 * Takes what the program's last sweep knew of teams, their totals and delays, lets the sweep's book add what the rings
 * still hold, and brings the result into the model.
 *
 * The book changes copies. It adds idle time to cells of rows, too: those stay as they are in the file, which may be
 * large, and what was added becomes rows of its own.
 */
#include "output/reader/reader_internal.h"

#include <string.h>

#include "output/model/accumulate.h"
#include "output/model/memory.h"
#include "support/command/memory.h"

/* ---- lists ---- */

static void append(struct hd_reader *reader, struct hd_reader_list *list, void *record) {
  if (list->count == list->limit) {
    void **records = hd_model_allocate(reader->model, (2 * (size_t)list->limit + 16) * sizeof *records);
    if (list->count > 0)
      memcpy(records, list->records, list->count * sizeof *records);
    list->records = records;
    list->limit = 2 * list->limit + 16;
  }
  list->records[list->count++] = record;
}

/* Those of a type, in the order of the file. */
static void copy_records(struct hd_reader *reader, enum hd_block_type type, struct hd_reader_list *list) {
  const struct hd_row_source *source = reader->source;
  for (uint32_t i = 0; i < source->block_count; i++) {
    const struct hd_reader_block *block = &source->blocks[i];
    if (block->header->type != type)
      continue;
    char *copies = hd_model_copy(reader->model, source->bytes + block->content,
                                 (size_t)block->header->count * block->record_bytes);
    for (uint32_t j = 0; j < block->header->count; j++)
      append(reader, list, copies + (size_t)j * block->record_bytes);
  }
}

void *hd_reader_add_record(void *context, enum hd_block_type type, size_t bytes) {
  struct hd_reader *reader = context;
  void *record = hd_model_allocate(reader->model, bytes);
  if (type == HD_BLOCK_TEAMS)
    append(reader, &reader->teams, record);
  else if (type == HD_BLOCK_TOTALS)
    append(reader, &reader->totals, record);
  else if (type == HD_BLOCK_DELAYS)
    append(reader, &reader->delays, record);
  return record;
}

static struct hd_row_cell *lend_cell(void *context, uint64_t offset) {
  struct hd_reader *reader = context;
  uint32_t kind;
  const struct hd_row_record *row = hd_reader_find_team_cell(reader, offset, &kind);
  if (!row)
    return NULL;
  struct hd_reader_idle *idle = hd_model_allocate(reader->model, sizeof *idle);
  *idle = (struct hd_reader_idle){.row = row, .kind = kind, .next = reader->idles};
  reader->idles = idle;
  return &idle->cell;
}

/* ---- what the last sweep left ---- */

static bool is_valid_team(const struct hd_reader *reader, const struct hd_team_record *team) {
  const uint32_t nodes = reader->model->node_count;
  if (!(team->flags & HD_TEAM_OPEN))
    return true;
  for (size_t i = 0; i < sizeof team->barriers / sizeof *team->barriers; i++)
    if (team->barriers[i].profile >= nodes || team->barriers[i].work >= nodes)
      return false;
  return team->profile < nodes && team->primary < reader->model->thread_count;
}

/* Only a merged file has totals of teams whose size was never known. */
static bool is_valid_total(const struct hd_reader *reader, const struct hd_total_record *total) {
  const bool merged = reader->model->header.flags & HD_FILE_MERGED;
  return total->profile < reader->model->node_count && total->thread < reader->model->thread_count &&
         (total->team_size > 0 || merged || (hd_total_is_empty(total) && total->merged == 0));
}

static bool restore_teams(struct hd_reader *reader, struct hd_tallies *tallies) {
  copy_records(reader, HD_BLOCK_TEAMS, &reader->teams);
  for (uint32_t i = 0; i < reader->teams.count; i++) {
    struct hd_team_record *team = reader->teams.records[i];
    if (!is_valid_team(reader, team))
      return hd_reader_fail(reader, "damaged: team %u is not valid", i);
    hd_need(hd_teams_restore_team(&tallies->teams, team));
  }
  return true;
}

/* One that was not filled yet when the program was killed stands for none. */
static bool restore_totals(struct hd_reader *reader, struct hd_tallies *tallies) {
  const bool merged = reader->model->header.flags & HD_FILE_MERGED;
  copy_records(reader, HD_BLOCK_TOTALS, &reader->totals);
  for (uint32_t i = 0; i < reader->totals.count; i++) {
    struct hd_total_record *total = reader->totals.records[i];
    if (!is_valid_total(reader, total))
      return hd_reader_fail(reader, "damaged: total %u is not valid", i);
    if (!merged)
      total->open = 0;
    if (!merged && total->team_size > 0)
      hd_need(hd_totals_restore(&tallies->teams.totals, total));
  }
  return true;
}

static bool restore_delays(struct hd_reader *reader, struct hd_tallies *tallies) {
  copy_records(reader, HD_BLOCK_DELAYS, &reader->delays);
  for (uint32_t i = 0; i < reader->delays.count; i++) {
    struct hd_delay_record *delay = reader->delays.records[i];
    const bool is_filled = delay->ticks != 0 || delay->base != 0 || delay->arrived != 0;
    if (delay->thread >= reader->model->thread_count)
      return hd_reader_fail(reader, "damaged: delay %u is no thread's", i);
    hd_need(!is_filled || hd_teams_restore_delay(&tallies->teams, delay));
  }
  return true;
}

bool hd_reader_restore_teams(struct hd_reader *reader, struct hd_tallies *tallies) {
  tallies->teams.cell_at = lend_cell;
  tallies->teams.context = reader;
  return restore_teams(reader, tallies) && restore_totals(reader, tallies) && restore_delays(reader, tallies);
}

/* ---- into the model ---- */

static struct hd_row *add_idle(struct hd_reader *reader, uint32_t node, uint32_t thread, enum hd_state state,
                               uint64_t ticks) {
  struct hd_row *row = hd_row_source_add(reader->source);
  row->node = node;
  row->thread = thread;
  row->ticks[state] = ticks;
  return row;
}

static void move_idle_time(struct hd_reader *reader) {
  for (const struct hd_reader_idle *idle = reader->idles; idle; idle = idle->next) {
    if (idle->cell.ticks == 0)
      continue;
    struct hd_row *wait =
        add_idle(reader, idle->row->profile, idle->row->thread, HD_WAIT_BARRIER_IMPLICIT, 0 - idle->cell.ticks);
    hd_accumulate_unresolved_cell(&wait->unresolved, &idle->cell, idle->kind);
    add_idle(reader, 0, idle->row->thread, HD_IDLE, idle->cell.ticks);
  }
}

/* What the program's last sweep had taken out of waits; hd_reader_add_rows() has found it. */
static void add_known_idle_time(struct hd_reader *reader) {
  for (uint32_t i = 0; i < reader->model->thread_count; i++)
    if (reader->idle_ticks[i] > 0)
      add_idle(reader, 0, i, HD_IDLE, reader->idle_ticks[i]);
}

/* Waits at barriers were delayed: a part of the primary's row. */
static void add_merged(struct hd_reader *reader, const struct hd_total_record *total) {
  if (total->merged == 0)
    return;
  struct hd_row *row = hd_row_source_add(reader->source);
  row->node = total->profile;
  row->thread = total->thread;
  row->intrusion.merged = total->merged;
}

/* The last words of some members were never written. */
static void settle_teams(struct hd_reader *reader, struct hd_tallies *tallies) {
  for (uint32_t i = 0; i < reader->teams.count; i++) {
    const struct hd_team_record *team = reader->teams.records[i];
    if (team->flags & HD_TEAM_ENDED)
      hd_teams_close(&tallies->teams, i, team->end_ticks);
  }
}

void hd_reader_fill_teams(struct hd_reader *reader, struct hd_tallies *tallies) {
  struct hd_model *model = reader->model;
  settle_teams(reader, tallies);
  for (uint32_t i = 0; i < reader->delays.count; i++) {
    const struct hd_delay_record *delay = reader->delays.records[i];
    int64_t *late = &model->threads[delay->thread].late_ticks;
    *late = hd_add_signed(*late, delay->ticks);
  }
  for (uint32_t i = 0; i < reader->totals.count; i++)
    add_merged(reader, reader->totals.records[i]);
  add_known_idle_time(reader);
  move_idle_time(reader);
}
