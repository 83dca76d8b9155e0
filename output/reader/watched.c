/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file watched.c
 * What windows saw, without the idle time of workers, which the sweep has found.
 */
#include <string.h>

#include "output/model/memory.h"
#include "output/model/watched.h"
#include "output/reader/reader_internal.h"

static bool take_record(struct hd_reader *reader, const void *bytes, uint32_t index) {
  struct hd_watched_record copy = *(const struct hd_watched_record *)bytes, *record = &copy;
  struct hd_model *model = reader->model;
  if (record->profile >= model->node_count || record->thread >= model->thread_count)
    return hd_reader_fail(reader, "damaged: what windows saw (%u) belongs to no callpath or thread", index);
  struct hd_watched *watched = &model->watched[model->watched_count++];
  *watched = (struct hd_watched){.node = record->profile,
                                 .thread = record->thread,
                                 .of_regions = record->of_regions != 0,
                                 .visits = record->visits};
  memcpy(watched->ticks, record->ticks, sizeof watched->ticks);
  memcpy(watched->intrusion, record->intrusion, sizeof watched->intrusion);
  hd_watched_end_window(record);
  watched->spread.windows = record->windows;
  memcpy(watched->spread.sums, record->sums, sizeof watched->spread.sums);
  memcpy(watched->spread.products, record->products, sizeof watched->spread.products);
  return true;
}

static bool is_watched(uint32_t kind) {
  return kind == HD_CELL_WATCHED_TEAM || kind == HD_CELL_REGIONS_TEAM;
}

static struct hd_watched *add(struct hd_model *model, uint32_t node, uint32_t thread, bool of_regions) {
  struct hd_watched *watched = &model->watched[model->watched_count++];
  *watched = (struct hd_watched){.node = node, .thread = thread, .of_regions = of_regions};
  return watched;
}

/* It is outside regions that the thread was idle: of that windows of regions tell, too. */
static void take_idle(struct hd_model *model, const struct hd_row_record *row, uint32_t kind, uint64_t ticks) {
  const bool of_regions = kind == HD_CELL_REGIONS_TEAM;
  add(model, row->profile, row->thread, of_regions)->ticks[HD_WAIT_BARRIER_IMPLICIT] = 0 - ticks;
  if (of_regions)
    add(model, 0, row->thread, true)->ticks[HD_IDLE] = ticks;
}

/* In the file, or found by the reader. `take`: else they are only counted. */
static size_t each_idle(const struct hd_reader *reader, bool take) {
  size_t count = 0;
  for (struct hd_records at = hd_records_of(reader->source, HD_BLOCK_ROWS); hd_records_next(&at);) {
    const struct hd_row_record *row = at.record;
    for (uint32_t cell = 0; cell < HD_ROW_CELLS; cell++) {
      const uint32_t kind = hd_row_kind(row, cell);
      count += is_watched(kind);
      if (take && is_watched(kind))
        take_idle(reader->model, row, kind, row->cells[cell].ticks);
    }
  }
  for (const struct hd_reader_idle *idle = reader->idles; idle; idle = idle->next) {
    count += is_watched(idle->kind);
    if (take && is_watched(idle->kind))
      take_idle(reader->model, idle->row, idle->kind, idle->cell.ticks);
  }
  return count;
}

bool hd_reader_take_watched(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  const size_t most = (size_t)reader->record_count[HD_BLOCK_WATCHED] + 2 * each_idle(reader, false);
  model->watched = hd_model_allocate(model, (most + 1) * sizeof *model->watched);
  if (!hd_reader_each(reader, HD_BLOCK_WATCHED, take_record))
    return false;
  each_idle(reader, true);
  model->watched_count = hd_watched_join(model->watched, model->watched_count);
  return true;
}
