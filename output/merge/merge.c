/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/merge/merge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/merge/merge_internal.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "output/unify/clock_scale.h"
#include "output/unify/same_build.h"

/* ---- is it the same program? ---- */

/* A library that was rebuilt does no harm: what lies in it is two things. */
static bool check_programs(struct hd_merge *merge) {
  size_t first, second;
  const struct hd_module *module;
  const enum hd_same_program same = hd_same_program(merge->models, merge->count, &first, &second, &module);
  const struct hd_model *a = merge->models[first];
  const struct hd_model *b = merge->models[second];
  if (same == HD_OTHER_PROGRAM)
    return hd_merge_fail(merge, "%s is a run of %s, %s one of %s; --force merges them anyway", a->path,
                         a->header.program, b->path, b->header.program);
  if (same == HD_OTHER_BUILD && strcmp(hd_base_name(module->path), b->header.program) == 0)
    return hd_merge_fail(merge, "%s and %s are runs of different builds of %s; --force merges them anyway", a->path,
                         b->path, a->header.program);
  return true;
}

/* ---- clock ---- */

/* The header's clock: the common one, unless the first run's will do. */
static bool join_clocks(struct hd_merge *merge) {
  double seconds_per_tick;
  if (!hd_clocks_join(merge->models, merge->count, merge->factors, &seconds_per_tick))
    return hd_merge_fail(merge, "the runs' clocks are too different");
  struct hd_file_header *header = &merge->header;
  bool in_ns = true;
  for (size_t i = 0; i < merge->count; i++)
    in_ns = in_ns && merge->models[i]->header.clock_kind == header->clock_kind && header->clock_kind != HD_CLOCK_TSC;
  if (in_ns || merge->count == 1)
    return true;
  header->clock_kind = HD_CLOCK_TSC;
  header->clock_first = (struct hd_clock_pair){0, 0};
  header->clock_last = (struct hd_clock_pair){(uint64_t)llround(1e3 / seconds_per_tick), 1000000000000u};
  return header->clock_last.ticks > 0 || hd_merge_fail(merge, "the runs' clocks are too different");
}

/* ---- header ---- */

static uint32_t larger(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

/* The worst answer of any run. */
static uint64_t worse_answers(uint64_t a, uint64_t b) {
  uint64_t worse = 0;
  for (uint32_t i = 0; i < HD_CALLBACK_COUNT; i++) {
    const uint64_t first = hd_registered(a, (enum hd_callback)i);
    const uint64_t second = hd_registered(b, (enum hd_callback)i);
    worse |= (!second || (first && first < second) ? first : second) << (HD_REGISTERED_BITS * i);
  }
  return worse;
}

static void add_counters(struct hd_file_header *to, const struct hd_file_header *from, uint64_t factor) {
  to->unknown_events += from->unknown_events;
  to->unmatched_events += from->unmatched_events;
  to->lost_threads += from->lost_threads;
  to->folded_paths += from->folded_paths;
  to->lost_callbacks |= from->lost_callbacks;
  to->registered = worse_answers(to->registered, from->registered);
  to->lost_tallies += from->lost_tallies;
  to->lost_overlap_ticks += from->lost_overlap_ticks * factor;
  to->left_routines += from->left_routines;
  to->unmatched_routines += from->unmatched_routines;
  to->unmatched_phases += from->unmatched_phases;
  to->nested_signals += from->nested_signals;
  to->lost_entries += from->lost_entries;
  to->cut_callers += from->cut_callers;
  to->paused_ticks += from->paused_ticks * factor;
  to->stop_paused_ticks += (from->flags & HD_FILE_STOPPED ? from->stop_paused_ticks : from->paused_ticks) * factor;
  to->pauses += from->pauses;
  to->dormant_ticks += from->dormant_ticks * factor;
  to->late_threads += from->late_threads;
  to->late_ticks += from->late_ticks * factor;
  to->lost_samples += from->lost_samples;
  to->unplaced_samples += from->unplaced_samples;
  to->unsampled_threads += from->unsampled_threads;
  to->children += from->children;
  to->unmeasured_children += from->unmeasured_children;
}

static uint64_t laxest(uint64_t a, uint64_t b) {
  return a == 0 || b == 0 ? 0 : a > b ? a : b;
}

/* What bounded the measurement: the laxest bound, the largest memory. */
static void add_bounds(struct hd_file_header *to, const struct hd_file_header *from, uint64_t factor) {
  to->budget_ppm = laxest(to->budget_ppm, from->budget_ppm);
  to->outside_ticks =
      from->outside_ticks * factor > to->outside_ticks ? from->outside_ticks * factor : to->outside_ticks;
  to->start_ticks += from->start_ticks * factor;
  to->lost_switches += from->lost_switches;
  to->memory_limit_bytes = laxest(to->memory_limit_bytes, from->memory_limit_bytes);
  if (from->memory_bytes > to->memory_bytes)
    to->memory_bytes = from->memory_bytes;
  to->shortened_paths += from->shortened_paths;
}

/* Flags that hold for the sum when they hold for all runs, and those for which one will do. */
enum {
  FLAGS_ALL = HD_FILE_COMPLETE | HD_FILE_EXIT_KNOWN | HD_FILE_CPU_TIME | HD_FILE_GOMP,
  FLAGS_ANY = HD_FILE_FULL | HD_FILE_ROUTINES | HD_FILE_STOPPED | HD_FILE_DORMANT
};

static void join_header(struct hd_file_header *to, const struct hd_file_header *from) {
  to->flags = (to->flags & from->flags & FLAGS_ALL) | ((to->flags | from->flags) & FLAGS_ANY) |
              (to->flags & HD_FILE_KILLED); /* it belongs to the status */
  if (to->exit_status == 0) {
    to->exit_status = from->exit_status;
    to->flags = (to->flags & ~(uint32_t)HD_FILE_KILLED) | (from->flags & HD_FILE_KILLED);
  }
  to->rank = to->rank == from->rank ? to->rank : -1;
  to->ranks = to->ranks == from->ranks ? to->ranks : 0;
  to->pid = to->pid == from->pid ? to->pid : 0;
  to->max_threads = larger(to->max_threads, from->max_threads);
  if (to->online_processors < from->online_processors)
    to->online_processors = from->online_processors;
  to->callpath_depth =
      to->callpath_depth == 0 || from->callpath_depth == 0 ? 0 : larger(to->callpath_depth, from->callpath_depth);
  to->cycle_limit = larger(to->cycle_limit, from->cycle_limit);
  to->unwind_depth = larger(to->unwind_depth, from->unwind_depth);
  if (from->begin_epoch_ns != 0 && (to->begin_epoch_ns == 0 || from->begin_epoch_ns < to->begin_epoch_ns))
    to->begin_epoch_ns = from->begin_epoch_ns;
}

/* The first run's, then what the others add. Its times are set with the threads: what went before the load of the tool
 * is part of the threads' own time already. */
static void make_header(struct hd_merge *merge) {
  struct hd_file_header *header = &merge->header;
  for (size_t i = 0; i < merge->count; i++)
    join_header(header, &merge->models[i]->header);
  header->flags |= HD_FILE_MERGED;
  header->begin_ns = header->paused_at_ticks = 0;
  memset(&header->unknown_events, 0,
         offsetof(struct hd_file_header, host) - offsetof(struct hd_file_header, unknown_events));
  header->stop_paused_ticks = 0;
  header->parent_pid = header->children = header->unmeasured_children = 0;
  memset(header->child_pids, 0, sizeof header->child_pids);
  header->before_ticks = header->outside_ticks = header->lost_switches = header->shortened_paths = 0;
  header->start_ticks = 0;
  header->dormant_ticks = header->late_threads = header->late_ticks = 0;
  header->lost_samples = header->unplaced_samples = header->unsampled_threads = 0;
  header->path_flags = header->path_open = 0; /* each run has its own */
  header->path_until_ticks = 0;
  header->lock_flags = header->lost_locks = 0;
  memset(&header->control, 0, sizeof header->control);
  for (size_t i = 0; i < merge->count; i++) {
    const struct hd_model *model = merge->models[i];
    add_counters(header, &model->header, merge->factors[i]);
    add_bounds(header, &model->header, merge->factors[i]);
    header->before_ticks += model->thread_count > 0 ? model->uncounted_ticks * merge->factors[i] : 0;
  }
}

/* ---- the sum ---- */

static void find_known(struct hd_merge *merge) {
  merge->levels_known = merge->cpu_known = true;
  for (size_t i = 0; i < merge->count; i++) {
    merge->levels_known = merge->levels_known && merge->models[i]->levels_known;
    merge->cpu_known = merge->cpu_known && (merge->models[i]->header.flags & HD_FILE_CPU_TIME);
  }
}

static bool add_up(struct hd_merge *merge) {
  find_known(merge);
  merge->factors = hd_new(merge->count, sizeof *merge->factors);
  merge->header = merge->models[0]->header;
  if (!join_clocks(merge))
    return false;
  make_header(merge);
  if (!hd_merge_tree(merge))
    return false;
  hd_merge_rows(merge);
  hd_merge_levels(merge);
  hd_merge_counts(merge);
  hd_merge_join_sample_periods(merge);
  hd_merge_threads(merge); /* the header needs their times */
  hd_merge_mark_threads(merge);
  return true;
}

static bool write_file(struct hd_merge *merge) {
  struct hd_writer *writer = merge->writer;
  hd_writer_begin(writer, &merge->header);
  hd_merge_write_tree(merge);
  hd_merge_write_threads(merge);
  hd_merge_write_rows(merge);
  hd_merge_write_teams(merge);
  hd_merge_write_overhead(merge);
  hd_merge_write_levels(merge);
  hd_merge_write_counts(merge);
  hd_merge_write_samples(merge);
  hd_merge_write_loops(merge);
  hd_merge_write_tasks(merge);
  hd_merge_write_watched(merge);
  hd_writer_begin_block(writer, HD_BLOCK_TEXT);
  hd_merge_write_texts(merge);
  hd_merge_write_names(merge);
  return hd_writer_end(writer) || hd_merge_fail(merge, "the sum is larger than a profile can be");
}

/* What was read from damaged inputs may add up to what the reader refuses: then it is not written. */
static bool check_file(struct hd_merge *merge) {
  struct hd_model *sum = NULL;
  char error[256];
  if (!hd_profile_parse("the sum", merge->writer->bytes, merge->writer->size, &sum, error, sizeof error))
    return hd_merge_fail(merge, "cannot be merged: %s", error);
  bool whole = true;
  for (uint32_t i = 0; i < sum->thread_count; i++)
    whole = whole && hd_model_thread_is_whole(sum, i);
  hd_model_free(sum);
  return whole || hd_merge_fail(merge, "cannot be merged: a thread's times do not add up to its lifetime");
}

static void release(struct hd_merge *merge) {
  for (uint32_t i = 0; merge->merged && i < merge->united->node_count; i++) {
    free(merge->merged[i].busy_at.ticks);
    free(merge->merged[i].elapsed_at.ticks);
  }
  free(merge->factors);
  free(merge->merged);
  hd_united_free(merge->united);
  free(merge->rows);
  free(merge->threads);
  free(merge->time_at.ticks);
  free(merge->counts.origins);
  free(merge->counts.records);
  free(merge->counts.notes.items);
}

bool hd_merge(struct hd_model *const *models, size_t count, bool force, struct hd_writer *writer, char *error,
              size_t error_bytes) {
  struct hd_merge merge = {
      .models = models, .count = count, .writer = writer, .error = error, .error_bytes = error_bytes};
  const bool done = (force || check_programs(&merge)) && add_up(&merge) && write_file(&merge) && check_file(&merge);
  release(&merge);
  return done;
}
