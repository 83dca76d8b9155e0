/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file profile_builder.h
 * Builds profile files in memory, so that tests of the reader know every number in them. One tick is one nanosecond.
 *
 * Pointers to records stay valid until builder_free(). A record's block is found or made; each block is one unit.
 */
#ifndef HEDDLE_PROFILE_BUILDER_H
#define HEDDLE_PROFILE_BUILDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/model.h"
#include "output/reader/open.h"

enum { BUILDER_UNITS = 256 };

struct builder {
  char *bytes;
  size_t size;
  uint32_t units; /* that there is room for */
  struct hd_file_header *header;
  uint32_t profiles, threads, modules, rings, teams;
  struct hd_block_header *newest[HD_BLOCK_TYPE_LAST + 1];
};

/* A run from tick 1000 to tick 2000 that the runtime closed, with nothing in it but the program. */
static inline void builder_init_with(struct builder *builder, uint32_t units) {
  *builder = (struct builder){.size = HD_HEADER_BYTES, .units = units};
  builder->bytes = calloc(1, HD_HEADER_BYTES + (size_t)units * HD_BLOCK_BYTES);
  assert_non_null(builder->bytes);
  struct hd_file_header *header = builder->header = (void *)builder->bytes;
  hd_layout_set(header);
  header->flags = HD_FILE_COMPLETE;
  header->pid = 42;
  header->rank = -1;
  header->max_threads = 4;
  header->clock_kind = HD_CLOCK_EXTERNAL;
  header->loaded_ticks = 1000;
  header->end_ticks = 2000;
  strcpy(header->host, "loom");
  strcpy(header->program, "app");
}

static inline void builder_init(struct builder *builder) {
  builder_init_with(builder, BUILDER_UNITS);
}

static inline void builder_free(struct builder *builder) {
  free(builder->bytes);
}

static inline struct hd_block_header *builder_block(struct builder *builder, enum hd_block_type type, uint32_t span) {
  struct hd_block_header *block = (void *)(builder->bytes + builder->size);
  assert_true(builder->header->block_count + span <= builder->units);
  *block = (struct hd_block_header){.magic = HD_BLOCK_MAGIC, .type = (uint16_t)type, .span = span, .owner = HD_NONE};
  builder->header->block_count += span;
  builder->size += (size_t)span * HD_BLOCK_BYTES;
  builder->newest[type] = block;
  return block;
}

static inline uint32_t builder_span(size_t bytes) {
  return (uint32_t)((bytes + HD_BLOCK_HEADER_BYTES + HD_BLOCK_BYTES - 1) / HD_BLOCK_BYTES);
}

static inline void *builder_record(struct builder *builder, enum hd_block_type type, size_t bytes) {
  struct hd_block_header *block = builder->newest[type];
  if (!block || (block->count + 1) * bytes > block->span * HD_BLOCK_BYTES - HD_BLOCK_HEADER_BYTES)
    block = builder_block(builder, type, builder_span(bytes));
  return (char *)block + HD_BLOCK_HEADER_BYTES + bytes * block->count++;
}

static inline struct hd_profile_record *builder_profile(struct builder *builder, uint32_t parent, enum hd_kind kind) {
  struct hd_profile_record *record = builder_record(builder, HD_BLOCK_PROFILES, sizeof *record);
  record->id = builder->profiles++;
  record->parent = parent;
  record->kind = (uint16_t)kind;
  record->module = HD_NONE;
  record->address = record->offset = 0x1000 + record->id;
  return record;
}

static inline struct hd_thread_record *builder_thread(struct builder *builder, enum hd_thread_kind kind, uint64_t begin,
                                                      uint64_t last) {
  struct hd_thread_record *record = builder_record(builder, HD_BLOCK_THREADS, sizeof *record);
  record->id = builder->threads++;
  record->threads = 1;
  record->kind = kind;
  record->begin_ticks = begin;
  record->last_ticks = last;
  return record;
}

static inline struct hd_row_record *builder_row(struct builder *builder, uint32_t profile, uint32_t thread) {
  struct hd_row_record *record = builder_record(builder, HD_BLOCK_ROWS, sizeof *record);
  record->profile = profile;
  record->thread = thread & (HD_ROW_THREADS_MOST - 1);
  return record;
}

/* The row's cell for a state (or hd_cell_kind): no more than three of them. */
static inline struct hd_row_cell *builder_cell(struct hd_row_record *row, uint32_t kind) {
  struct hd_row_cell *cell = hd_row_claim(row, kind);
  assert_non_null(cell);
  return cell;
}

/* All zero. */
static inline struct hd_costs_record *builder_costs(struct builder *builder, uint32_t thread) {
  struct hd_costs_record *record = builder_record(builder, HD_BLOCK_COSTS, sizeof *record);
  record->thread = thread;
  return record;
}

/* Once, from tick 1000 on. */
static inline struct hd_switch_record *builder_switch(struct builder *builder, enum hd_event_class class,
                                                      uint32_t thread, uint32_t profile) {
  struct hd_switch_record *record = builder_record(builder, HD_BLOCK_SWITCHES, sizeof *record);
  *record = (struct hd_switch_record){
      .event_class = class, .thread = thread, .profile = profile, .times = 1, .off_ticks = 1000};
  return record;
}

/* Something of the class began there, on thread 0, and was not observed. */
static inline void builder_refuse(struct builder *builder, enum hd_event_class class, uint32_t profile) {
  const uint32_t section = class == HD_CLASS_MUTEX ? 1u << HD_REFUSED_SECTION : 0;
  builder_row(builder, profile, 0)->refused = (1u << class | section) & 63u;
}

static inline struct hd_total_record *builder_total(struct builder *builder, uint32_t profile, uint32_t team_size) {
  struct hd_total_record *record = builder_record(builder, HD_BLOCK_TOTALS, sizeof *record);
  record->profile = profile;
  record->team_size = team_size;
  return record;
}

/* A region that runs; nothing else is known of it yet. The number of its team is that of the record. */
static inline struct hd_team_record *builder_team(struct builder *builder, uint32_t profile) {
  struct hd_team_record *record = builder_record(builder, HD_BLOCK_TEAMS, sizeof *record);
  record->team = HD_TEAM(0, builder->teams++);
  record->profile = profile;
  record->flags = HD_TEAM_OPEN;
  return record;
}

/* One of its workers began its implicit task at `ticks`. */
static inline void builder_begin_worker(struct hd_team_record *team, struct hd_thread_record *worker, uint64_t ticks,
                                        uint64_t busy_at_begin) {
  team->begun++;
  team->begun_ticks += ticks;
  worker->member = (struct hd_membership_record){
      .team = team->team, .thread = worker->id, .begin_ticks = ticks, .busy_at_begin = busy_at_begin};
}

/* What a team's primary notes of its own part in it. */
static inline struct hd_membership_record *builder_primary(struct builder *builder, const struct hd_team_record *team,
                                                           uint64_t ticks, uint64_t busy_at_begin) {
  struct hd_membership_record *record = builder_record(builder, HD_BLOCK_MEMBERSHIPS, sizeof *record);
  *record = (struct hd_membership_record){
      .team = team->team, .thread = team->primary, .begin_ticks = ticks, .busy_at_begin = busy_at_begin};
  return record;
}

/* Found `count` times at an address of a module, or of none. */
static inline struct hd_sample_record *builder_sampled(struct builder *builder, uint32_t profile, uint32_t state,
                                                       uint32_t module, uint64_t address, uint64_t count) {
  struct hd_sample_record *record = builder_record(builder, HD_BLOCK_SAMPLES, sizeof *record);
  *record = (struct hd_sample_record){
      .address = address, .place = hd_sample_place(profile, state, module), .count = count, .taken = count};
  builder->header->sample_period_ns = 4000000;
  return record;
}

static inline uint32_t builder_module(struct builder *builder, const char *path) {
  struct hd_module_record *record = builder_record(builder, HD_BLOCK_MODULES, sizeof *record);
  record->id = builder->modules++;
  strcpy(record->path, path);
  return record->id;
}

static inline void builder_text(struct builder *builder, enum hd_text_kind kind, uint32_t id, const char *text,
                                size_t bytes) {
  const size_t padded = sizeof(struct hd_text_record) + ((bytes + 7) & ~(size_t)7);
  struct hd_block_header *block = builder->newest[HD_BLOCK_TEXT];
  if (!block || block->count + padded > block->span * HD_BLOCK_BYTES - HD_BLOCK_HEADER_BYTES)
    block = builder_block(builder, HD_BLOCK_TEXT, builder_span(padded));
  struct hd_text_record *record = (void *)((char *)block + HD_BLOCK_HEADER_BYTES + block->count);
  *record = (struct hd_text_record){.kind = (uint16_t)kind, .id = id, .bytes = (uint32_t)bytes};
  memcpy(record + 1, text, bytes);
  block->count += (uint32_t)padded;
}

static inline void builder_name(struct builder *builder, uint32_t profile, const char *function, const char *file,
                                const char *line) {
  char text[1024];
  char *end = stpcpy(stpcpy(stpcpy(text, function) + 1, file) + 1, line) + 1;
  builder_text(builder, HD_TEXT_NAME, profile, text, (size_t)(end - text));
}

/* Makes the profile one that holds time by level, from tick 1000 on: all of it is still to be added from the rings. */
static inline void builder_levels(struct builder *builder) {
  struct hd_tally_record *tally = builder_record(builder, HD_BLOCK_TALLIES, sizeof *tally);
  struct hd_timeline_record *timeline = builder_record(builder, HD_BLOCK_TIMELINE, sizeof *timeline);
  *tally = (struct hd_tally_record){.what = HD_TALLY_PROGRAM, .count = 1, .since_ticks = 1000};
  timeline->origin_ticks = timeline->until_ticks = 1000;
  timeline->width_ticks = 2;
}

/* A thread's ring, empty. */
static inline struct hd_ring_record *builder_ring(struct builder *builder, uint32_t thread) {
  struct hd_ring_record *ring = builder_record(builder, HD_BLOCK_RING, sizeof *ring);
  ring->sweep.index = builder->rings++;
  ring->sweep.thread = thread;
  ring->sweep.busy = HD_NONE;
  return ring;
}

/* The ring of a thread that has arrived at the end of its team's region, and was not heard of since. */
static inline struct hd_ring_record *builder_waiting(struct builder *builder, uint32_t thread,
                                                     const struct hd_team_record *team) {
  struct hd_ring_record *ring = builder_ring(builder, thread);
  ring->sweep.waits_in = HD_TEAM_NUMBER(team->team) + 1;
  return ring;
}

/* From `ticks` on the thread is busy in `busy` (HD_NONE: in nothing). What it carries is all zero; but of regions the
 * totals are the test's own. */
static inline void builder_turn(struct hd_ring_record *ring, uint64_t ticks, uint32_t busy, uint32_t what) {
  struct hd_transition *entry = hd_log_at(ring, ring->head);
  *entry = (struct hd_transition){ticks, busy, what};
  if (hd_what_of(entry) == HD_WHAT_REGION_BEGIN || hd_what_of(entry) == HD_WHAT_NESTED_BEGIN)
    ((struct hd_log_begin *)(void *)(entry + 1))->flags = HD_LOG_UNCOUNTED | HD_LOG_UNASKED;
  ring->head += hd_what_slots(what);
  ring->latest_ticks = ticks;
}

/* Turns the profile into one with counters; events and counts may then be added. `slots`: 0 without turns. */
static inline void builder_counters(struct builder *builder, uint32_t events, uint32_t slots, enum hd_counters_at at) {
  builder->header->event_count = events;
  builder->header->event_slots = slots;
  builder->header->counts_record_bytes = (uint32_t)HD_COUNTS_BYTES(events, slots);
  builder->header->counters_at = at;
}

static inline struct hd_event_record *builder_event(struct builder *builder, const char *name, uint32_t slot) {
  struct hd_event_record *record = builder_record(builder, HD_BLOCK_EVENTS, sizeof *record);
  strcpy(record->name, name);
  strcpy(record->source, "kernel");
  record->slot = slot;
  return record;
}

/* All zero. */
static inline struct hd_counts_record *builder_counts(struct builder *builder, uint32_t profile, uint32_t thread) {
  struct hd_counts_record *record = builder_record(builder, HD_BLOCK_COUNTS, builder->header->counts_record_bytes);
  record->profile = profile;
  record->thread = thread;
  return record;
}

static inline void builder_count(struct hd_counts_record *record, uint32_t event, enum hd_count_class class,
                                 uint64_t count) {
  ((uint64_t *)(record + 1))[event * HD_COUNT_CLASSES + class] = count;
}

/* Time in which it was a slot's turn; slots count from 1. */
static inline void builder_turns(const struct builder *builder, struct hd_counts_record *record, uint32_t slot,
                                 enum hd_count_class class, uint64_t ticks) {
  builder_count(record, builder->header->event_count + slot - 1, class, ticks);
}

static inline uint64_t builder_offset(const struct builder *builder, const void *record) {
  return (uint64_t)((const char *)record - builder->bytes);
}

/* The model, which must be readable. The caller frees it. */
static inline struct hd_model *builder_read(const struct builder *builder) {
  struct hd_model *model = NULL;
  char error[256] = "of an earlier try";
  if (!hd_profile_parse("test.heddle", builder->bytes, builder->size, &model, error, sizeof error))
    fail_msg("%s", error);
  assert_string_equal(error, "");
  return model;
}

/* The profile must be refused, with `reason` in the message. */
static inline void builder_refused(const struct builder *builder, const char *reason) {
  struct hd_model *model = NULL;
  char error[256] = "";
  assert_false(hd_profile_parse("test.heddle", builder->bytes, builder->size, &model, error, sizeof error));
  assert_null(model);
  if (!strstr(error, reason) || strncmp(error, "test.heddle: ", 13) != 0)
    fail_msg("expected \"%s\" in \"%s\"", reason, error);
}

#endif
