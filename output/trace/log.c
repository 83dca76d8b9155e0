/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/trace/log.h"

#include <stdio.h>
#include <string.h>

#include "output/model/lazy_rows.h"

void hd_trace_log_start(struct hd_trace_log *log, const struct hd_model *model, uint32_t thread) {
  *log = (struct hd_trace_log){.thread = thread};
  log->next.now.state = HD_STATE_COUNT;
  log->next.what = hd_trace_has_condition(model) ? (uint32_t)HD_TRACE_LEAVES : (uint32_t)HD_WHAT_NOTHING;
}

static bool fail(struct hd_trace_reading *reading, const struct hd_trace_log *log, const char *why) {
  if (!reading->failed)
    snprintf(reading->error, reading->error_bytes, "%s: damaged: the trace of thread %u: %s", reading->model->path,
             log->thread, why);
  reading->failed = true;
  return false;
}

/* What is not there counts as 0: whoever asks looks at `at` afterwards. */
static uint32_t take_byte(struct hd_trace_log *log) {
  if (log->at < log->end)
    return *log->at++;
  log->at = log->end + 1;
  return 0;
}

static uint64_t take_long(struct hd_trace_log *log) {
  uint64_t number = 0;
  uint32_t byte = 0x80;
  for (unsigned shift = 0; shift < 64 && byte & 0x80 && log->at <= log->end; shift += 7) {
    byte = take_byte(log);
    number |= (uint64_t)(byte & 0x7f) << shift;
  }
  return number;
}

static uint32_t take_number(struct hd_trace_log *log) {
  const uint64_t number = take_long(log);
  return number <= UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static uint64_t take_time(struct hd_trace_log *log, unsigned length) {
  uint64_t ticks = 0;
  if (length == HD_TRACE_LONG)
    return take_long(log);
  for (unsigned i = 0; i <= length; i++)
    ticks |= (uint64_t)take_byte(log) << 8 * i;
  return ticks;
}

static uint64_t take_name(struct hd_trace_log *log, uint32_t kind) {
  const uint64_t number = kind == HD_TRACE_NO_NAME ? 0 : take_long(log);
  if (number == 0)
    return 0;
  return log->told_names[kind] += (number - 1) >> 1 ^ (0 - ((number - 1) & 1));
}

/* A node, unless it is something else. */
static bool names_node(uint32_t what) {
  return what != HD_WHAT_TEAM && what != HD_WHAT_ORDER && what != HD_WHAT_RETURN && what != HD_TRACE_SAMPLE;
}

static bool take_sample(struct hd_trace_reading *reading, struct hd_trace_log *log, struct hd_trace_entry *entry) {
  entry->told = entry->now;
  entry->operand--;
  return (entry->operand == HD_NONE || entry->operand < reading->model->module_count) ||
         fail(reading, log, "a module that there is not");
}

static bool take_mark(struct hd_trace_reading *reading, struct hd_trace_log *log, struct hd_trace_entry *entry) {
  const uint32_t mark = take_byte(log), what = mark & HD_TRACE_WHAT;
  struct hd_trace_names names = {HD_TRACE_NO_NAME, HD_TRACE_NO_NAME};
  entry->operand = mark & HD_TRACE_HERE ? entry->now.node : take_number(log);
  entry->what = what;
  entry->uncounted = mark & HD_TRACE_UNCOUNTED;
  if (what >= HD_TRACE_KIND_COUNT || (what == HD_WHAT_ORDER && entry->operand > HD_ORDER_FAILED))
    return fail(reading, log, "an event of no kind that is known");
  if (hd_trace_names_team(what) && !(mark & HD_TRACE_SAME_TEAM)) {
    const uint32_t ring = take_number(log);
    log->told_team = HD_TEAM(ring, take_number(log));
  }
  entry->team = log->told_team;
  if (hd_trace_has_number(what))
    entry->number = take_number(log);
  if (what == HD_WHAT_TEAM) {
    entry->regions_before = entry->number >> HD_LOG_BEFORE_SHIFT;
    entry->number &= (1u << HD_LOG_BEFORE_SHIFT) - 1;
  }
  if (what == HD_WHAT_ORDER)
    names = hd_trace_names_of((enum hd_order)entry->operand);
  else if (what == HD_TRACE_CHUNK)
    names = hd_trace_names_of_chunk;
  else if (what == HD_TRACE_SAMPLE)
    names = hd_trace_names_of_sample;
  entry->a = hd_trace_is_work(what) ? take_long(log) : take_name(log, names.a);
  entry->b = hd_trace_is_work(what) ? take_long(log) : take_name(log, names.b);
  entry->told_a = entry->a;
  entry->told_b = entry->b;
  entry->gap_ticks = hd_trace_is_work(what) ? take_long(log) : 0;
  if (what == HD_TRACE_SAMPLE)
    return take_sample(reading, log, entry);
  return !names_node(entry->what) || entry->operand < reading->model->node_count ||
         fail(reading, log, "a callpath that there is not");
}

/* What threads told while a running program's file was copied is later than the profile's end. */
static bool is_later(const struct hd_model *model, uint64_t ticks) {
  return ticks > model->end_ticks && (!model->ended || model->header.flags & HD_FILE_SNAPSHOT);
}

static bool end_log(struct hd_trace_log *log) {
  log->at = log->end;
  log->block = log->block_count;
  return false;
}

static bool take_entry(struct hd_trace_reading *reading, struct hd_trace_log *log) {
  struct hd_trace_entry entry = {.thread = log->thread, .before = log->next.now, .since_ticks = log->next.ticks};
  const uint32_t first = take_byte(log);
  const uint32_t code = first & HD_TRACE_STATE,
                 state = hd_trace_state_of(code == HD_TRACE_STATE ? take_byte(log) : code);
  const uint64_t ticks = take_time(log, first >> HD_TRACE_LENGTH_SHIFT);
  const uint32_t step = first & HD_TRACE_MOVES ? take_number(log) : 0;
  entry.ticks = log->next.ticks + ticks;
  entry.now = (struct hd_trace_place){log->next.now.node + (step >> 1 ^ (0 - (step & 1))), state};
  if (first & HD_TRACE_MARKS && !take_mark(reading, log, &entry))
    return false;
  if (log->at > log->end)
    return fail(reading, log, "a block ends within an event");
  if (is_later(reading->model, entry.ticks))
    return end_log(log);
  if (entry.ticks < log->next.ticks || entry.ticks > reading->model->end_ticks)
    return fail(reading, log, "a time after the end of the profile");
  if (entry.now.node >= reading->model->node_count)
    return fail(reading, log, "a callpath that there is not");
  log->next = entry;
  return true;
}

/* It has been read. */
static void drop(const struct hd_model *model, const struct hd_reader_block *block) {
  hd_row_source_drop(model->source, block->content, block->header->count);
}

/* A block begins where the one before ends, if that is there. */
static bool begin_block(struct hd_trace_reading *reading, struct hd_trace_log *log) {
  const struct hd_reader_block *block = log->blocks[log->block++].block;
  if (log->block > 1)
    drop(reading->model, log->blocks[log->block - 2].block);
  const struct hd_trace_record record = hd_trace_block_record(reading->model, block);
  log->at = (const uint8_t *)reading->model->source->bytes + block->content + sizeof record;
  log->end = log->at + (block->header->count - sizeof record);
  log->told_team = HD_NONE;
  if (is_later(reading->model, record.ticks))
    return end_log(log);
  memset(log->told_names, 0, sizeof log->told_names);
  if (record.profile >= reading->model->node_count || record.state > HD_STATE_COUNT || record.ticks < log->next.ticks ||
      record.ticks > reading->model->end_ticks)
    return fail(reading, log, "a block does not go on where the one before ends");
  log->next = (struct hd_trace_entry){.ticks = record.ticks,
                                      .thread = log->thread,
                                      .before = log->next.now,
                                      .now = {record.profile, record.state},
                                      .since_ticks = log->next.ticks};
  log->is_cut = record.number != log->next_number;
  log->waits_in = log->is_cut ? record.waits_in : HD_NONE;
  log->next_number = record.number + 1;
  return true;
}

static bool may_be_told(const struct hd_model *model, uint32_t before, uint32_t now) {
  return !(model->header.flags & HD_FILE_TRACE_CONCURRENCY) || before == HD_STATE_COUNT ||
         (before == HD_BUSY) != (now == HD_BUSY);
}

/* A thread that was killed, or goes on, may have changed its state, and not told the trace yet. */
static bool take_stay(const struct hd_trace_reading *reading, struct hd_trace_log *log) {
  const struct hd_model *model = reading->model;
  const struct hd_stay *stay = &model->threads[log->thread].stay;
  const bool was_away = log->next.what == HD_TRACE_LEAVES;
  const uint64_t since = was_away && stay->since_ticks < log->next.ticks ? log->next.ticks : stay->since_ticks;
  if (log->has_stay || model->header.trace_full_ticks > 0 || !stay->known || since < log->next.ticks ||
      since > model->end_ticks || (log->next.now.state == HD_STATE_COUNT && !was_away) ||
      !may_be_told(model, log->next.now.state, stay->state))
    return false;
  log->has_stay = true;
  log->next = (struct hd_trace_entry){.ticks = since,
                                      .thread = log->thread,
                                      .before = log->next.now,
                                      .now = {stay->node, (uint32_t)stay->state},
                                      .since_ticks = log->next.ticks,
                                      .inferred = true};
  return true;
}

bool hd_trace_log_advance(struct hd_trace_reading *reading, struct hd_trace_log *log) {
  const struct hd_trace_place place = log->next.now;
  log->waits_in = HD_NONE;
  while (log->at == log->end && log->block < log->block_count) {
    if (!begin_block(reading, log))
      return false;
    if (log->waits_in != HD_NONE || log->next.now.node != place.node || log->next.now.state != place.state)
      return true; /* where a thread begins, or blocks are missing; others repeat where it is */
  }
  return log->at < log->end ? take_entry(reading, log) : log->block == log->block_count && take_stay(reading, log);
}
