/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file profile_sample.h
 * A small profile with one of everything but concurrency, for tests that damage it.
 */
#ifndef HEDDLE_TESTS_PROFILE_SAMPLE_H
#define HEDDLE_TESTS_PROFILE_SAMPLE_H

#include "profile_builder.h"

struct sample {
  struct builder builder;
  struct hd_profile_record *region, *loop;
  struct hd_thread_record *thread;
  struct hd_row_record *row;
  struct hd_total_record *total;
  struct hd_team_record *team;
  struct hd_membership_record *member;
  struct hd_ring_record *ring;
  struct hd_delay_record *delay;
  struct hd_event_record *event;
  struct hd_counts_record *counts;
  struct hd_costs_record *costs;
  struct hd_switch_record *switched;
  struct hd_sample_record *sampled;
  struct hd_chunks_record *chunks;
  struct hd_tasks_record *tasks;
  struct hd_path_record *path;
  struct hd_path_step_record *step;
  struct hd_lock_record *lock;
  struct hd_lock_pair_record *pair;
  struct hd_watched_record *watched;
};

/* One of everything. */
static inline void make_sample_with(struct sample *sample, uint32_t units) {
  struct builder *builder = &sample->builder;
  builder_init_with(builder, units);
  builder_module(builder, "/bin/app");
  builder_profile(builder, 0, HD_KIND_PROGRAM);
  sample->region = builder_profile(builder, 0, HD_KIND_PARALLEL);
  sample->loop = builder_profile(builder, 1, HD_KIND_LOOP);
  sample->region->module = 0;
  sample->thread = builder_thread(builder, HD_THREAD_INITIAL, 1000, 1100);
  sample->row = builder_row(builder, 1, 0);
  builder_cell(sample->row, HD_BUSY)->ticks = 100;
  sample->total = builder_total(builder, 1, 1);
  sample->total->instances = 1;
  sample->team = builder_team(builder, 1);
  sample->team->begin_ticks = 1050;
  sample->team->team_size = 1;
  sample->member = builder_primary(builder, sample->team, 1050, 0);
  sample->delay = builder_record(builder, HD_BLOCK_DELAYS, sizeof *sample->delay);
  *sample->delay = (struct hd_delay_record){.thread = 0, .ticks = 3, .base = 1, .arrived = 2};
  sample->thread->open_cell = builder_offset(builder, builder_cell(sample->row, HD_WAIT_BARRIER_IMPLICIT));
  sample->ring = builder_waiting(builder, 0, sample->team);
  sample->ring->sweep.idle_cell = builder_offset(builder, builder_cell(sample->row, HD_CELL_TEAM));
  builder_text(builder, HD_TEXT_NOTE, 0, "note", 4);
  builder_name(builder, 2, "f", "f.c", "3");
  builder_counters(builder, 2, 2, HD_COUNTERS_AT_LOOP);
  builder_event(builder, "ONE", 1);
  sample->event = builder_event(builder, "TWO", 2);
  builder_counts(builder, 1, 0);
  sample->counts = builder_counts(builder, 2, 0);
  builder_count(sample->counts, 1, HD_COUNT_BUSY, 7);
  builder_text(builder, HD_TEXT_GROUP, 0, "g\nMETRICS\n", 10);
  sample->costs = builder_costs(builder, 0);
  sample->costs->kinds[HD_EVENT_WORK_END] =
      (struct hd_event_cost){.count = 10, .charged = 4, .total_ticks = 8, .ticks = 2};
  sample->switched = builder_switch(builder, HD_CLASS_TASK, 0, 2);
  sample->sampled = builder_sampled(builder, 2, HD_BUSY, 0, 0x1234, 5);
  sample->chunks = builder_record(builder, HD_BLOCK_CHUNKS, sizeof *sample->chunks);
  *sample->chunks = (struct hd_chunks_record){.profile = 2, .flags = HD_CHUNKS_BOUNDS, .step = 1, .count = 64};
  sample->chunks->lengths.counts[3] = sample->chunks->iterations[0] = sample->chunks->ticks[0] = 1;
  sample->tasks = builder_record(builder, HD_BLOCK_TASKS, sizeof *sample->tasks);
  *sample->tasks =
      (struct hd_tasks_record){.profile = 2, .run = {.ticks = 12, .longest_ticks = 9, .counts = {0, 1, 0, 1}}};
  sample->path = builder_record(builder, HD_BLOCK_PATHS, sizeof *sample->path);
  *sample->path = (struct hd_path_record){
      .profile = 1, .path_ticks = 60, .span_ticks = 60, .work_ticks = 90, .instances = 2, .earliest_ticks = 5};
  sample->step = builder_record(builder, HD_BLOCK_PATH_STEPS, sizeof *sample->step);
  *sample->step = (struct hd_path_step_record){.from = HD_NONE, .to = 1, .ticks = 60, .count = 1};
  sample->lock = builder_record(builder, HD_BLOCK_LOCKS, sizeof *sample->lock);
  *sample->lock = (struct hd_lock_record){.profile = 2, .waits = 2, .handover_ticks = 3, .holds = 2, .hold_ticks = 9};
  sample->pair = builder_record(builder, HD_BLOCK_LOCK_PAIRS, sizeof *sample->pair);
  *sample->pair = (struct hd_lock_pair_record){.profile = 2, .holder = 2, .ticks = 4, .count = 1};
  builder->header->lock_flags = HD_LOCKS_ASKED | HD_LOCKS_KNOWN;
  builder->header->path_flags = HD_PATH_ASKED | HD_PATH_KNOWN;
  builder->header->path_open = 1;
  builder->header->path_until_ticks = 1090;
  builder->header->control.count = 3;
  builder->header->control.acts[0].word = hd_control_word(1, HD_CONTROL_OFF, HD_CLASS_TASK, 20000);
  builder->header->control.acts[1].word = hd_control_word(2, HD_CONTROL_BUDGET, 0, 10000);
  builder->header->control.acts[2].word = hd_control_word(3, HD_CONTROL_OFF_UNDER, HD_CLASS_MUTEX, 2);
  sample->watched = builder_record(builder, HD_BLOCK_WATCHED, sizeof *sample->watched);
  *sample->watched = (struct hd_watched_record){.profile = 2, .visits = 3, .ticks = {20}, .intrusion = {5}};
}

static inline void make_sample(struct sample *sample) {
  make_sample_with(sample, BUILDER_UNITS);
}

#endif
