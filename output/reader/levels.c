/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file levels.c
 * What the sweep knows: takes tallies, entries and teams over where the program's last sweep left them, feeds them the
 * transitions that are still in the rings, and closes them at the end of the profile. Exact concurrency comes of it;
 * teams.c has the rest.
 */
#include <stdlib.h>
#include <string.h>

#include "output/model/accumulate.h"
#include "output/model/format_names.h"
#include "output/model/histories.h"
#include "output/model/memory.h"
#include "output/reader/reader_internal.h"
#include "support/command/memory.h"
#include "sweep/batch.h"
#include "sweep/tallies.h"
#include "sweep/timeline.h"

struct finisher {
  struct hd_reader *reader;
  struct hd_tallies tallies;
  struct hd_tally_record **records; /* by index; NULL: never filled */
  struct hd_ring_record **rings;    /* by index, copies. NULL: its thread had not come further than to the index */
  uint32_t ring_count;              /* blocks for rings */
  uint32_t busy_count;              /* rings whose thread was busy when the last sweep ended */
  uint32_t active_count;            /* tallies that counted something then */
};

/* Calls `take` for copies of the records of a type, which live as long as the model and may be changed, until it
 * returns false. A large team has a million records of levels: a block's are copied at once. */
typedef bool taker(struct finisher *finisher, void *record, uint32_t index);

static bool each(struct finisher *finisher, enum hd_block_type type, taker *take) {
  const struct hd_row_source *source = finisher->reader->source;
  for (uint32_t i = 0; i < source->block_count; i++) {
    const struct hd_reader_block *block = &source->blocks[i];
    if (block->header->type != type)
      continue;
    char *copies = hd_model_copy(finisher->reader->model, source->bytes + block->content,
                                 (size_t)block->header->count * block->record_bytes);
    for (uint32_t j = 0; j < block->header->count; j++)
      if (!take(finisher, copies + (size_t)j * block->record_bytes, block->first + j))
        return false;
  }
  return true;
}

enum { LEVEL_BYTES_LEAST = 1 << 20, LEVEL_BYTES_EACH = 128 /* for each byte of the file */ };

bool hd_reader_take_level_bytes(struct hd_reader *reader, uint64_t bytes) {
  if (bytes > reader->level_bytes)
    return hd_reader_fail(reader, "damaged: levels that no such program can reach");
  reader->level_bytes -= bytes;
  return true;
}

/* ---- what the last sweep left ---- */

static bool take_tally(struct finisher *finisher, void *bytes, uint32_t index) {
  struct hd_tally_record *record = bytes;
  const struct hd_model *model = finisher->reader->model;
  if (record->what == 0) { /* the program was killed before it was filled */
    finisher->tallies.tally_count = index + 1;
    return true;
  }
  if (record->what > HD_TALLY_ELAPSED || record->profile >= model->node_count ||
      hd_tallies_find(&finisher->tallies, record->profile, (enum hd_tally_what)record->what))
    return hd_reader_fail(finisher->reader, "damaged: tally %u is not valid", index);
  hd_need(hd_tallies_restore(&finisher->tallies, record));
  finisher->records[index] = record;
  finisher->active_count += record->count > 0;
  return true;
}

/* A level's place in its tally, and in the model. */
static bool take_level_room(struct finisher *finisher, const struct hd_tally *tally, uint32_t first) {
  enum { PART_BYTES = sizeof(struct hd_tally_levels) + HD_LEVELS_PER_RECORD * sizeof(uint64_t) };
  const uint32_t needed = first / HD_LEVELS_PER_RECORD + 1;
  return needed <= tally->level_limit ||
         hd_reader_take_level_bytes(finisher->reader, (uint64_t)(needed - tally->level_limit) * PART_BYTES);
}

static bool take_levels(struct finisher *finisher, void *bytes, uint32_t index) {
  struct hd_level_record *record = bytes;
  struct hd_reader *reader = finisher->reader;
  const uint64_t rings = reader->record_count[HD_BLOCK_RING];
  const bool merged = reader->model->header.flags & HD_FILE_MERGED;
  const uint64_t most = merged ? reader->model->thread_count : rings; /* threads that can be busy at once */
  if (record->tally >= reader->record_count[HD_BLOCK_TALLIES] || record->first % HD_LEVELS_PER_RECORD != 0 ||
      record->first > most)
    return hd_reader_fail(reader, "damaged: levels %u are not valid", index);
  const struct hd_tally_record *tally = finisher->records[record->tally];
  if (!tally)
    return true;
  if (!take_level_room(finisher, hd_tallies_find(&finisher->tallies, tally->profile, (enum hd_tally_what)tally->what),
                       record->first))
    return false;
  hd_need(hd_tallies_restore_levels(&finisher->tallies, tally->profile, (enum hd_tally_what)tally->what, record));
  return true;
}

static bool take_overlap(struct finisher *finisher, void *bytes, uint32_t index) {
  struct hd_overlap_record *record = bytes;
  if (record->ticks == 0)
    return true;
  if (record->a >= record->b || record->b >= finisher->reader->model->node_count)
    return hd_reader_fail(finisher->reader, "damaged: overlap %u is not valid", index);
  hd_need(hd_overlaps_restore(&finisher->tallies.overlaps, record));
  return true;
}

static bool take_timeline(struct finisher *finisher, void *bytes, uint32_t index) {
  (void)index;
  if (finisher->tallies.timeline || !hd_timeline_is_valid(bytes))
    return hd_reader_fail(finisher->reader, "damaged: its timeline is not valid");
  finisher->tallies.timeline = bytes;
  return true;
}

static bool take_history(struct finisher *finisher, void *bytes, uint32_t index) {
  (void)index;
  if (finisher->tallies.timeline)
    hd_histories_restore(&finisher->tallies, bytes);
  return true;
}

/* A routine has one for every row. They change only if their thread had something left to say: most never do. */
static bool take_entry(struct hd_reader *reader, const void *bytes, uint32_t index) {
  const struct hd_entry_record *record = bytes;
  struct hd_model *model = reader->model;
  if (record->profile >= model->node_count || (record->thread >= model->thread_count && record->thread != HD_NONE))
    return hd_reader_fail(reader, "damaged: entries %u belong to no callpath or thread", index);
  if (hd_row_source_may_change(reader->source, record->thread))
    return true;
  const struct hd_row row = hd_row_of_entries(record);
  hd_accumulate_entries(&model->nodes[record->profile].entries, &row.entries);
  return true;
}

/* The book changes its own copies. */
static void take_living_entries(struct finisher *finisher) {
  const struct hd_reader *reader = finisher->reader;
  for (struct hd_records at = hd_records_of(reader->source, HD_BLOCK_ENTRIES); hd_records_next(&at);) {
    const struct hd_entry_record *record = at.record;
    if (hd_row_source_may_change(reader->source, record->thread))
      hd_need(hd_entries_restore(&finisher->tallies.entries,
                                 (void *)hd_model_copy(reader->model, at.record, sizeof *record)));
  }
}

/* No more parts than the file can hold, each with its entries' states. */
static bool is_valid_stack(const struct finisher *finisher, const struct hd_stack_record *stack) {
  const uint64_t parts = finisher->reader->record_count[HD_BLOCK_STACK];
  if (stack->ring >= finisher->ring_count || !finisher->rings[stack->ring] || stack->level % HD_STACK_LENGTH != 0 ||
      stack->level / HD_STACK_LENGTH >= parts)
    return false;
  for (uint32_t i = 0; i < HD_STACK_LENGTH; i++)
    if (stack->entries[i].caller >= HD_ENTRY_STATES || stack->entries[i].own >= HD_ENTRY_STATES)
      return false;
  return true;
}

/* Rings have been taken before. */
static bool take_stack(struct finisher *finisher, void *bytes, uint32_t index) {
  struct hd_stack_record *record = bytes;
  if (!is_valid_stack(finisher, record))
    return hd_reader_fail(finisher->reader, "damaged: the stack %u is not valid", index);
  hd_need(hd_entries_restore_stack(&finisher->tallies.entries, &finisher->rings[record->ring]->sweep, record));
  return true;
}

/* ---- what is still in the rings ---- */

static bool is_valid(const struct finisher *finisher, const struct hd_transition *transition) {
  const uint32_t nodes = finisher->reader->model->node_count;
  const uint32_t operand = HD_WHAT_OPERAND(transition->what);
  const enum hd_what what = hd_what_of(transition);
  const bool is_free = what == HD_WHAT_RETURN || what == HD_WHAT_TEAM || what == HD_WHAT_ORDER; /* no profile */
  const bool needs_busy = what == HD_WHAT_CALL || what == HD_WHAT_TASK;
  return (transition->busy < nodes || (transition->busy == HD_NONE && !needs_busy)) && (is_free || operand < nodes);
}

static bool is_valid_sweep(const struct finisher *finisher, const struct hd_ring_record *ring) {
  const struct hd_model *model = finisher->reader->model;
  const struct hd_ring_sweep *sweep = &ring->sweep;
  return ring->head - sweep->tail <= HD_RING_LENGTH && sweep->thread < model->thread_count &&
         (sweep->busy == HD_NONE || sweep->busy < model->node_count) &&
         (sweep->busy_before == HD_NONE || sweep->busy_before < model->node_count) &&
         sweep->base_state < HD_ENTRY_STATES && sweep->waits_in <= finisher->reader->teams.count &&
         sweep->height <= (finisher->reader->record_count[HD_BLOCK_STACK] + 1) * HD_STACK_LENGTH;
}

/* Times do not decrease, and nothing is later than the end of the profile, unless the file is damaged. */
static bool check_transitions(struct finisher *finisher, struct hd_ring_record *ring) {
  uint64_t last = ring->sweep.tick;
  uint32_t slots;
  for (uint64_t n = ring->sweep.tail; n != ring->head; n += slots) {
    struct hd_transition *transition = hd_log_at(ring, n);
    slots = hd_what_slots(transition->what);
    if (slots > ring->head - n || !is_valid(finisher, transition))
      return hd_reader_fail(finisher->reader, "damaged: a transition of thread %u is not valid", ring->sweep.thread);
    if (transition->ticks > finisher->reader->model->end_ticks)
      transition->ticks = finisher->reader->model->end_ticks;
    if (transition->ticks < last)
      transition->ticks = last;
    last = transition->ticks;
  }
  return true;
}

static bool take_ring(struct finisher *finisher, void *bytes, uint32_t number) {
  struct hd_ring_record *ring = bytes;
  const uint32_t index = ring->sweep.index;
  if (index >= finisher->ring_count || finisher->rings[index])
    return hd_reader_fail(finisher->reader, "damaged: the index of ring %u is not valid", number);
  finisher->rings[index] = ring;
  if (ring->sweep.tail == 0)
    ring->sweep.busy = ring->sweep.busy_before = HD_NONE;
  if (!is_valid_sweep(finisher, ring))
    return hd_reader_fail(finisher->reader, "damaged: the ring of thread %u is not valid", ring->sweep.thread);
  if (!check_transitions(finisher, ring))
    return false;
  if (finisher->tallies.instant)
    hd_commit_catch_up(&finisher->tallies, ring);
  finisher->busy_count += ring->sweep.busy != HD_NONE;
  if (ring->head != ring->sweep.tail || ring->sweep.height > 0)
    finisher->reader->source->in_extra[ring->sweep.thread] = true;
  if (!ring->ended)
    finisher->reader->ring_of[ring->sweep.thread] = &ring->sweep;
  return true;
}

/* The newest transition, or what the last sweep left. */
static struct hd_transition last_of(struct hd_ring_record *ring) {
  struct hd_transition last = {.ticks = ring->sweep.tick, .busy = ring->sweep.busy};
  for (uint64_t n = ring->sweep.tail; n != ring->head; n += hd_what_slots(last.what))
    last = *hd_log_at(ring, n);
  return last;
}

/* A thread names its new state before its log does: a kill may come between the two. */
static void complete(const struct finisher *finisher, const struct hd_thread_record *record,
                     struct hd_ring_record *ring) {
  enum hd_state state;
  const struct hd_row_record *row = hd_reader_find_cell(finisher->reader, record->open_cell, &state);
  const struct hd_transition last = last_of(ring);
  const uint32_t busy = row && state == HD_BUSY ? row->profile : HD_NONE;
  if (!row || record->end_ticks != 0 || record->last_ticks <= last.ticks || busy == last.busy ||
      ring->head - ring->sweep.tail >= HD_RING_LENGTH)
    return;
  *hd_log_at(ring, ring->head++) = (struct hd_transition){.ticks = record->last_ticks, .busy = busy};
  finisher->reader->source->in_extra[record->id] = true;
}

static void complete_all(const struct finisher *finisher) {
  for (struct hd_records at = hd_records_of(finisher->reader->source, HD_BLOCK_THREADS); hd_records_next(&at);) {
    const struct hd_thread_record *record = at.record;
    const struct hd_ring_sweep *sweep = finisher->reader->ring_of[record->id];
    if (sweep)
      complete(finisher, record, finisher->rings[sweep->index]);
  }
}

/* Every busy thread is in one callpath, and every instance that runs has its record, if there was space: settling all
 * that count would otherwise take long. */
static bool check_active(struct finisher *finisher) {
  const uint64_t most = 1 + (uint64_t)finisher->busy_count + finisher->reader->record_count[HD_BLOCK_TEAMS];
  return finisher->active_count <= most || (finisher->reader->model->header.flags & HD_FILE_FULL) ||
         hd_reader_fail(finisher->reader, "damaged: %u tallies count, %llu at most can", finisher->active_count,
                        (unsigned long long)most);
}

/* Those that there are. */
static uint32_t list_rings(const struct finisher *finisher, struct hd_ring_record **rings) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < finisher->ring_count; i++)
    if (finisher->rings[i])
      rings[count++] = finisher->rings[i];
  return count;
}

static void finish(struct finisher *finisher) {
  const uint64_t end = finisher->reader->model->end_ticks;
  struct hd_ring_record **rings = hd_new((size_t)finisher->ring_count + 1, sizeof(struct hd_ring_record *));
  const uint32_t count = list_rings(finisher, rings);
  void *memory = hd_new(1, hd_window_bytes(finisher->ring_count));
  struct hd_batch batch;
  finisher->tallies.level = finisher->busy_count;
  hd_tallies_resume(&finisher->tallies);
  hd_batch_init(&batch, &finisher->tallies);
  hd_batch_plan(&batch, hd_window_make(memory, finisher->ring_count), rings, count, UINT64_MAX);
  while (hd_batch_help(&batch))
    ;
  for (uint32_t i = 0; i < count; i++)
    hd_entries_close(&finisher->tallies.entries, &rings[i]->sweep, end);
  hd_tallies_end(&finisher->tallies, end);
  hd_batch_free(&batch);
  free(memory);
  free(rings);
}

/* ---- into the model ---- */

/* They become rows, if they are a thread's. */
static void fill_entries(struct finisher *finisher) {
  const struct hd_entry_book *book = &finisher->tallies.entries;
  const struct hd_reader *reader = finisher->reader;
  for (uint32_t i = 0; book->slots && i <= book->mask; i++) {
    const struct hd_entry_record *record = book->slots[i];
    const struct hd_row row = record ? hd_row_of_entries(record) : (struct hd_row){0};
    if (record && record->thread == HD_NONE)
      hd_accumulate_entries(&reader->model->nodes[record->profile].entries, &row.entries);
    else if (record)
      *hd_row_source_add(reader->source) = row;
  }
}

static void copy_levels(struct finisher *finisher, uint32_t node, enum hd_tally_what what, struct hd_levels *levels) {
  const struct hd_tally *tally = hd_tallies_find(&finisher->tallies, node, what);
  const uint32_t most = tally ? tally->level_limit * HD_LEVELS_PER_RECORD : 0;
  levels->ticks = hd_model_allocate(finisher->reader->model, (most + 2) * sizeof *levels->ticks);
  for (uint32_t k = 0; k < most; k++) {
    const struct hd_level_record *record = tally->levels[k / HD_LEVELS_PER_RECORD].record;
    levels->ticks[k] = record ? record->ticks[k % HD_LEVELS_PER_RECORD] : 0;
    if (levels->ticks[k] > 0)
      levels->count = k + 1;
  }
}

/* The time before the load of the tool: one thread was busy, outside any region. There is room for level 1. */
static void add_time_before(struct hd_levels *levels, uint64_t ticks) {
  if (ticks == 0)
    return;
  levels->ticks[1] += ticks;
  if (levels->count < 2)
    levels->count = 2;
}

static void fill_node(struct finisher *finisher, struct hd_node *node) {
  const struct hd_tally *tally = hd_tallies_find(&finisher->tallies, node->id, HD_TALLY_BUSY);
  if (tally) {
    node->active_ticks = tally->record->active_ticks;
    node->unpaired_ticks = tally->record->unpaired_ticks;
  }
  const struct hd_tally *running = hd_tallies_find(&finisher->tallies, node->id, HD_TALLY_ELAPSED);
  if (running)
    node->running_ticks = running->record->active_ticks;
  copy_levels(finisher, node->id, HD_TALLY_BUSY, &node->busy_at);
  if (hd_kind_is_region(node->kind))
    copy_levels(finisher, node->id, HD_TALLY_ELAPSED, &node->elapsed_at);
}

static void fill_model(struct finisher *finisher) {
  struct hd_model *model = finisher->reader->model;
  struct hd_node *program = &model->nodes[0];
  copy_levels(finisher, 0, HD_TALLY_PROGRAM, &model->time_at);
  for (uint32_t i = 0; i < model->node_count; i++)
    fill_node(finisher, &model->nodes[i]);
  const uint64_t before = model->thread_count > 0 ? model->before_ticks : 0;
  add_time_before(&model->time_at, before);
  add_time_before(&program->busy_at, before);
  program->active_ticks += before;
  model->time_at.ticks[0] += model->before_ticks - before; /* no thread was ever heard of */
  program->elapsed_at = model->time_at;
  model->timeline = finisher->tallies.timeline;
}

static void fill_histories(struct finisher *finisher) {
  struct hd_model *model = finisher->reader->model;
  const struct hd_histories *histories = &finisher->tallies.histories;
  model->histories = hd_model_allocate(model, (histories->count + 1) * sizeof *model->histories);
  for (uint32_t i = 0; i < histories->count; i++) {
    struct hd_history_record *record = histories->tallies[i]->history;
    const uint64_t since = record->since_ticks - finisher->tallies.timeline->origin_ticks;
    model->histories[i] = (struct hd_history){record->profile, since, record->buckets};
    model->history_width_ticks = record->width_ticks; /* of all the same: they go up to the same end */
  }
  model->history_count = hd_histories_join(model->histories, histories->count);
}

static void fill_overlaps(struct finisher *finisher) {
  struct hd_model *model = finisher->reader->model;
  const struct hd_overlaps *overlaps = &finisher->tallies.overlaps;
  model->overlaps = hd_model_allocate(model, (overlaps->record_count + 1) * sizeof *model->overlaps);
  for (uint32_t i = 0; i < overlaps->record_count; i++) {
    const struct hd_overlap_record *record = overlaps->records[i];
    if (record->ticks > 0)
      model->overlaps[model->overlap_count++] = (struct hd_overlap){record->a, record->b, record->ticks};
  }
  if (model->overlap_count > 0)
    qsort(model->overlaps, model->overlap_count, sizeof *model->overlaps, hd_compare_pairs);
}

static bool take_all(struct finisher *finisher) {
  return each(finisher, HD_BLOCK_TALLIES, take_tally) && each(finisher, HD_BLOCK_LEVELS, take_levels) &&
         each(finisher, HD_BLOCK_OVERLAPS, take_overlap) && each(finisher, HD_BLOCK_TIMELINE, take_timeline) &&
         each(finisher, HD_BLOCK_HISTORIES, take_history) &&
         hd_reader_restore_teams(finisher->reader, &finisher->tallies) && each(finisher, HD_BLOCK_RING, take_ring) &&
         each(finisher, HD_BLOCK_STACK, take_stack) && hd_reader_each(finisher->reader, HD_BLOCK_ENTRIES, take_entry);
}

/* Killed while it started. */
static void forget_entries(struct hd_model *model) {
  for (uint32_t i = 0; i < model->node_count; i++)
    model->nodes[i].entries = (struct hd_entries){0};
}

static bool read_levels(struct finisher *finisher) {
  struct hd_reader *reader = finisher->reader;
  struct hd_model *model = reader->model;
  const bool merged = model->header.flags & HD_FILE_MERGED;
  for (uint32_t i = 0; i < reader->source->block_count; i++)
    finisher->ring_count += reader->source->blocks[i].header->type == HD_BLOCK_RING;
  finisher->records = hd_model_allocate(model, reader->record_count[HD_BLOCK_TALLIES] * sizeof *finisher->records);
  finisher->rings = hd_model_allocate(model, finisher->ring_count * sizeof *finisher->rings);
  if (!take_all(finisher))
    return false;
  take_living_entries(finisher);
  if ((!finisher->tallies.timeline && !merged) || !finisher->tallies.instant || finisher->tallies.instant->count == 0) {
    forget_entries(model);
    return true;
  }
  if (!merged && !check_active(finisher))
    return false;
  if (!merged)
    complete_all(finisher);
  if (!merged)
    finish(finisher);
  model->levels_known = model->entries_known = true;
  fill_model(finisher);
  if (!merged)
    fill_histories(finisher);
  fill_overlaps(finisher);
  fill_entries(finisher);
  return true;
}

bool hd_reader_take_levels(struct hd_reader *reader) {
  struct finisher finisher = {.reader = reader};
  reader->level_bytes = LEVEL_BYTES_LEAST + (uint64_t)reader->size * LEVEL_BYTES_EACH;
  hd_tallies_init(&finisher.tallies, hd_reader_add_record, reader, &reader->model->header);
  const bool done = read_levels(&finisher);
  if (done)
    hd_reader_fill_teams(reader, &finisher.tallies);
  hd_tallies_free(&finisher.tallies);
  return done;
}
