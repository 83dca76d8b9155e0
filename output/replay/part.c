/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/replay/part.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/live/interval.h"
#include "output/model/lazy_rows.h"
#include "output/model/locks.h"
#include "output/model/memory.h"
#include "output/model/paths.h"
#include "output/model/rollup.h"
#include "output/reader/open.h"
#include "output/replay/quiet.h"
#include "output/replay/replay.h"
#include "output/trace/entry.h"
#include "output/trace/limits.h"
#include "output/trace/size.h"
#include "output/trace/stretches.h"
#include "output/writer/profile_writer.h"

/* ---- the file of a run that had ended then ---- */

static struct hd_file_header header_of(const struct hd_replay *replay) {
  enum {
    OF_ITS_END = HD_FILE_COMPLETE | HD_FILE_EXIT_KNOWN | HD_FILE_RECOVERED | HD_FILE_STOPPED | HD_FILE_KILLED,
    UNKNOWN = HD_FILE_CPU_TIME,
    OF_ITS_TRACE = HD_FILE_TRACE_WHEN | HD_FILE_TRACE_CONCURRENCY
  };
  struct hd_file_header header = replay->model->header;
  header.flags = (header.flags & ~(uint32_t)(OF_ITS_END | UNKNOWN | OF_ITS_TRACE)) | HD_FILE_SNAPSHOT | HD_FILE_PART;
  header.end_ticks = replay->until_ticks;
  header.paused_ticks = header.paused_at_ticks = header.stop_paused_ticks = header.pauses = 0;
  header.event_count = header.event_slots = header.counts_record_bytes = 0;
  header.lost_samples = header.unplaced_samples = 0;
  header.path_flags = replay->header.path_flags;
  header.path_open = replay->header.path_open;
  header.path_until_ticks = replay->header.path_until_ticks;
  header.lock_flags = replay->header.lock_flags;
  header.lost_locks = replay->header.lost_locks;
  header.trace_limit_bytes = header.trace_full_ticks = 0;
  return header;
}

static bool is_kept(uint32_t type) {
  return type == HD_BLOCK_PROFILES || type == HD_BLOCK_MODULES || type == HD_BLOCK_TEXT;
}

static void write_known(const struct hd_replay *replay, struct hd_writer *writer) {
  const struct hd_row_source *source = replay->model->source;
  for (uint32_t i = 0; i < source->block_count; i++) {
    const struct hd_reader_block *block = &source->blocks[i];
    const size_t each = block->header->type == HD_BLOCK_TEXT ? 1 : block->record_bytes;
    if (is_kept(block->header->type))
      hd_writer_add_block(writer, block->header, source->bytes + block->content, block->header->count * each);
  }
}

static void write_rows(const struct hd_replay *replay, struct hd_writer *writer) {
  hd_writer_begin_block(writer, HD_BLOCK_ROWS);
  for (uint32_t i = 0; i < replay->model->row_count; i++)
    hd_writer_add_row(writer, &replay->rows[i]);
}

static struct hd_membership_record membership(const struct hd_replay_place *place, uint32_t thread) {
  return (struct hd_membership_record){
      .team = place->team, .thread = thread, .begin_ticks = place->begin_ticks, .busy_at_begin = place->busy_at_begin};
}

/* One that began later has no life yet. */
static struct hd_thread_record thread_of(const struct hd_replay *replay, uint32_t id) {
  const struct hd_replay_thread *thread = &replay->threads[id];
  const uint64_t last = thread->threads > 0 ? thread->since_ticks : replay->until_ticks;
  struct hd_thread_record record = {.id = id,
                                    .kind = replay->model->threads[id].kind,
                                    .begin_ticks = thread->threads > 0 ? thread->begin_ticks : last,
                                    .end_ticks = thread->state == HD_STATE_COUNT ? last : 0,
                                    .last_ticks = last,
                                    .busy_ticks = thread->busy_ticks,
                                    .apart_ticks = thread->apart_ticks,
                                    .threads = thread->threads};
  if (thread->place_count > 0 && !thread->places[0].leads)
    record.member = membership(&thread->places[0], id);
  return record;
}

static void write_threads(const struct hd_replay *replay, struct hd_writer *writer) {
  hd_writer_begin_block(writer, HD_BLOCK_THREADS);
  for (uint32_t i = 0; i < replay->model->thread_count; i++) {
    const struct hd_thread_record record = thread_of(replay, i);
    hd_writer_add(writer, &record, sizeof record);
  }
}

/* Those of primaries. */
static void write_memberships(const struct hd_replay *replay, struct hd_writer *writer) {
  hd_writer_begin_block(writer, HD_BLOCK_MEMBERSHIPS);
  for (uint32_t i = 0; i < replay->model->thread_count; i++) {
    const struct hd_replay_thread *thread = &replay->threads[i];
    for (uint32_t j = 0; j < thread->place_count; j++) {
      const struct hd_membership_record record = membership(&thread->places[j], i);
      if (thread->places[j].leads && thread->places[j].has_begun)
        hd_writer_add(writer, &record, sizeof record);
    }
  }
}

static void write_logs(const struct hd_replay *replay, struct hd_writer *writer) {
  for (uint32_t i = 0; i < replay->model->thread_count; i++) {
    replay->logs[i]->ended = replay->threads[i].state == HD_STATE_COUNT;
    hd_writer_begin_block(writer, HD_BLOCK_RING);
    hd_writer_add(writer, replay->logs[i], sizeof *replay->logs[i]);
  }
}

/* Stacks have blocks of their own. */
static void write_records(const struct hd_replay *replay, struct hd_writer *writer) {
  for (uint32_t type = HD_BLOCK_PROFILES; type <= HD_BLOCK_TYPE_LAST; type++) {
    const struct hd_replay_records *records = &replay->records[type];
    for (uint32_t i = 0; i < records->count; i++) {
      if (i == 0 || type == HD_BLOCK_STACK)
        hd_writer_begin_block(writer, (enum hd_block_type)type);
      hd_writer_add(writer, records->items[i], records->bytes);
    }
  }
}

static void write_samples(const struct hd_replay *replay, struct hd_writer *writer) {
  hd_writer_begin_block(writer, HD_BLOCK_SAMPLES);
  for (uint32_t i = 0; i < replay->samples.count; i++) {
    const struct hd_model_sample *sample = &replay->samples.items[i];
    const struct hd_sample_record record = {.address = sample->address,
                                            .place = hd_sample_place(sample->node, sample->state, sample->module),
                                            .count = sample->count,
                                            .taken = sample->taken};
    hd_writer_add(writer, &record, sizeof record);
  }
}

static bool read_back(const struct hd_replay *replay, struct hd_model **then, char *error, size_t error_bytes) {
  struct hd_writer writer = {0};
  const struct hd_file_header header = header_of(replay);
  hd_writer_begin(&writer, &header);
  write_known(replay, &writer);
  write_rows(replay, &writer);
  write_threads(replay, &writer);
  write_memberships(replay, &writer);
  write_records(replay, &writer);
  write_samples(replay, &writer);
  write_logs(replay, &writer);
  const bool done = hd_writer_end(&writer) &&
                    hd_profile_parse(replay->model->path, writer.bytes, writer.size, then, error, error_bytes);
  hd_writer_free(&writer);
  if (done && replay->lacks_stacks)
    (*then)->entries_known = false;
  return done;
}

bool hd_part_until(const struct hd_model *model, uint64_t ticks, struct hd_model **then, char *error,
                   size_t error_bytes) {
  struct hd_replay replay;
  *then = NULL;
  const bool done =
      hd_replay_run(&replay, model, ticks, error, error_bytes) && read_back(&replay, then, error, error_bytes);
  hd_replay_free(&replay);
  return done;
}

/* ---- what must run one after the other ---- */

static bool has_whole_trace(const struct hd_model *model) {
  struct hd_trace_size size;
  return hd_trace_size(model, &size) && !size.only_concurrency && hd_trace_limits(model, NULL, NULL) == 0;
}

void hd_part_add_order(struct hd_model *model) {
  struct hd_model *replayed;
  char error[PATH_MAX + 256];
  if ((model->path_known && model->locks_known) || !has_whole_trace(model) ||
      !hd_part_until(model, model->end_ticks, &replayed, error, sizeof error))
    return;
  if (!model->path_known && replayed->path_known)
    hd_paths_copy(model, replayed);
  if (!model->locks_known && replayed->locks_known)
    hd_locks_copy(model, replayed);
  hd_model_free(replayed);
  hd_model_roll_up(model);
}

/* ---- of a part ---- */

static uint64_t ticks_at(const struct hd_model *model, double seconds) {
  const double since_load = seconds / model->seconds_per_tick - (double)model->before_ticks;
  return since_load > 0 ? model->header.loaded_ticks + (uint64_t)llround(since_load) : model->header.loaded_ticks;
}

static bool fail(const struct hd_model *model, char *error, size_t error_bytes, const char *why) {
  snprintf(error, error_bytes, "%s: %s", model->path, why);
  return false;
}

static bool can_be_cut(const struct hd_model *model, char *error, size_t error_bytes) {
  struct hd_trace_size size;
  if (!hd_trace_size(model, &size))
    return fail(model, error, error_bytes, "it has no trace ('heddle run --trace'): only the whole run is known");
  if (size.only_concurrency)
    return fail(model, error, error_bytes,
                "its trace has only changes of the number of busy threads: 'heddle run --trace' has all");
  return true;
}

/* Of all that the trace has; the run's end is no time. */
static struct hd_trace_window window_of(const struct hd_model *model, const struct hd_run_part *wanted) {
  struct hd_trace_window window = {0, 0};
  const uint64_t to = ticks_at(model, wanted->to_seconds);
  if (wanted->from_seconds > 0)
    window.from_ticks = ticks_at(model, wanted->from_seconds);
  if (wanted->to_seconds > 0 && to < model->end_ticks)
    window.to_ticks = to;
  return window;
}

static bool fail_for_nothing(const struct hd_model *model, const struct hd_run_part *wanted, char *error,
                             size_t error_bytes) {
  struct hd_trace_stretches all = hd_trace_stretches_find(model);
  const double to = wanted->to_seconds > 0 ? wanted->to_seconds : hd_trace_seconds(model, model->end_ticks);
  if (all.count == 0)
    snprintf(error, error_bytes, "%s: its trace has nothing of the run: the condition of --trace-when never held",
             model->path);
  else
    snprintf(error, error_bytes, "%s: nothing lies between %g s and %g s: its trace %s %.6f s, and ends at %.6f s",
             model->path, wanted->from_seconds, to, all.count > 1 ? "has several stretches, begins at" : "begins at",
             hd_trace_seconds(model, all.items[0].from_ticks),
             hd_trace_seconds(model, all.items[all.count - 1].to_ticks));
  hd_trace_stretches_free(&all);
  return false;
}

bool hd_part_show(struct hd_model *model, const struct hd_run_part *wanted, char *error, size_t error_bytes) {
  if (!can_be_cut(model, error, error_bytes))
    return false;
  model->trace_window = window_of(model, wanted);
  struct hd_trace_stretches shown = hd_trace_stretches_find(model);
  bool has_any = false;
  for (uint32_t i = 0; i < shown.count; i++)
    has_any = has_any || shown.items[i].from_ticks < shown.items[i].to_ticks;
  hd_trace_stretches_free(&shown);
  if (has_any)
    return true;
  model->trace_window = (struct hd_trace_window){0, 0};
  return fail_for_nothing(model, wanted, error, error_bytes);
}

/* ---- a profile of it ---- */

struct cutting {
  uint64_t from_ticks; /* 0: from the program's start */
  uint64_t to_ticks;
  bool is_late;         /* the trace begins later than the run, */
  uint64_t begin_ticks; /* then; or the stretch of it does */
  bool lacks_begin;     /* a region was open where the part would begin */
};

static void note_limit(void *context, const char *text) {
  hd_model_add_note(context, "the trace %s", text);
}

static void note_part(struct hd_model *part, const struct hd_model *model, const struct cutting *cutting) {
  hd_model_add_note(part,
                    "this is the part of the run from %.6f s to %.6f s, from its trace: counters, Heddle's own "
                    "cost, chunks and tasks one by one, critical path and holders of locks are not known of parts",
                    cutting->from_ticks ? hd_trace_seconds(model, cutting->from_ticks) : 0,
                    hd_trace_seconds(model, cutting->to_ticks));
  hd_trace_limits(model, note_limit, part);
  if (cutting->lacks_begin)
    hd_model_add_note(part,
                      "until %.6f s a parallel region was open that had begun before %.6f s, where the trace begins: "
                      "who its team was is not known, so that time is left out",
                      hd_trace_seconds(model, cutting->from_ticks), hd_trace_seconds(model, cutting->begin_ticks));
  if (cutting->is_late && !part->entries_known)
    hd_model_add_note(part, "threads had called routines before the trace begins: whether calls were made while other "
                            "threads were busy, and how long they took, is not known; own times are");
}

/* `from_ticks`: 0: from the program's start. */
static bool cut(const struct hd_model *model, uint64_t from_ticks, uint64_t to_ticks, struct hd_model **part,
                char *error, size_t error_bytes) {
  struct hd_model *earlier = NULL;
  if (!hd_part_until(model, to_ticks, part, error, error_bytes))
    return false;
  if (from_ticks == 0)
    return true;
  if (hd_part_until(model, from_ticks, &earlier, error, error_bytes)) {
    hd_interval_make(*part, earlier); /* of one run */
    hd_model_free(earlier);
    return true;
  }
  hd_model_free(*part);
  *part = NULL;
  return false;
}

/* The one stretch that the window shows. Where two meet, it may show a moment of the other, too. */
static bool find_stretch(const struct hd_model *model, struct hd_trace_stretch *stretch, char *error,
                         size_t error_bytes) {
  struct hd_trace_stretches shown = hd_trace_stretches_find(model);
  uint32_t count = 0;
  for (uint32_t i = 0; i < shown.count; i++)
    if (shown.items[i].from_ticks < shown.items[i].to_ticks && count++ == 0)
      *stretch = shown.items[i];
  hd_trace_stretches_free(&shown);
  if (count == 1)
    return true;
  char *text = hd_trace_stretches_text(model);
  snprintf(error, error_bytes,
           "%s: its trace has %" PRIu32 " stretches of that part ('--trace-when'), and not what lies between them: "
           "choose one with --from and --to: %s",
           model->path, count, text);
  free(text);
  return false;
}

/* As the trace has it, with what came before `ticks`. */
static uint64_t stretch_begin(struct hd_model *model, uint64_t ticks) {
  uint64_t begin = 0;
  model->trace_window = (struct hd_trace_window){0, 0};
  struct hd_trace_stretches all = hd_trace_stretches_find(model);
  for (uint32_t i = 0; i < all.count && all.items[i].from_ticks <= ticks + 1; i++)
    begin = all.items[i].from_ticks;
  hd_trace_stretches_free(&all);
  return begin;
}

static bool fail_for_regions(const struct hd_model *model, const struct cutting *cutting, char *error,
                             size_t error_bytes) {
  snprintf(error, error_bytes,
           "%s: from %.6f s, where its trace begins, to %.6f s there is no moment without an open parallel region: who "
           "the team is of one that had begun before is not known, so there is no profile of that. 'heddle trace "
           "--print' and 'heddle export -f chrome' show what happened",
           model->path, hd_trace_seconds(model, cutting->begin_ticks), hd_trace_seconds(model, cutting->to_ticks));
  return false;
}

/* The run is done again from a moment on when no region is open. */
static bool begin_late(struct hd_model *model, struct cutting *cutting, char *error, size_t error_bytes) {
  uint64_t quiet;
  cutting->begin_ticks = stretch_begin(model, cutting->from_ticks);
  model->trace_window = (struct hd_trace_window){cutting->begin_ticks - 1, cutting->to_ticks};
  if (!hd_quiet_find(model, &quiet, error, error_bytes))
    return false;
  if (quiet == 0 || quiet >= cutting->to_ticks)
    return fail_for_regions(model, cutting, error, error_bytes);
  model->trace_window = (struct hd_trace_window){quiet, 0};
  cutting->is_late = true;
  cutting->lacks_begin = quiet > cutting->from_ticks;
  if (cutting->lacks_begin || cutting->from_ticks == cutting->begin_ticks)
    cutting->from_ticks = quiet;
  return true;
}

bool hd_part_of(struct hd_model *model, const struct hd_run_part *wanted, struct hd_model **part, char *error,
                size_t error_bytes) {
  struct cutting cutting = {0};
  struct hd_trace_stretch stretch = {0, 0};
  struct hd_trace_size size;
  if (!hd_part_show(model, wanted, error, error_bytes) || !find_stretch(model, &stretch, error, error_bytes))
    return false;
  const bool begins_in_it = model->trace_window.from_ticks > 0;
  cutting.to_ticks = stretch.to_ticks;
  model->trace_window = (struct hd_trace_window){0, 0};
  hd_trace_size(model, &size);
  cutting.from_ticks = begins_in_it || size.begins_late ? stretch.from_ticks : 0;
  if ((size.begins_late && !begin_late(model, &cutting, error, error_bytes)) ||
      !cut(model, cutting.from_ticks, cutting.to_ticks, part, error, error_bytes))
    return false;
  model->trace_window = (struct hd_trace_window){0, 0};
  note_part(*part, model, &cutting);
  return true;
}

bool hd_part_open(const char *path, const struct hd_run_part *part, struct hd_model **model, char *error,
                  size_t error_bytes) {
  struct hd_model *whole;
  *model = NULL;
  if (!hd_profile_open(path, &whole, error, error_bytes))
    return false;
  if (!part || (part->from_seconds <= 0 && part->to_seconds <= 0)) {
    *model = whole;
    return true;
  }
  const bool done = hd_part_of(whole, part, model, error, error_bytes);
  hd_model_free(whole);
  return done;
}
