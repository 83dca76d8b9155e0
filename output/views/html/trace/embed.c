/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/html/trace/embed.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/losses/causes.h"
#include "output/model/format_names.h"
#include "output/trace/open_regions.h"
#include "output/trace/size.h"
#include "output/views/html/trace/fold.h"
#include "support/command/memory.h"

struct column {
  uint8_t *bytes;
  size_t used, limit;
  uint64_t at_ticks; /* the last change */
  uint64_t to_ticks; /* until then the thread's last stretch is */
  uint64_t changes;
};

/* The instances of a region. */
struct instances {
  uint32_t count;
  struct hd_region_instance first, slowest;
};

struct hd_embedded_trace {
  const struct hd_model *model;
  struct hd_embedded_facts facts;
  uint64_t begin_ticks;
  struct column *threads;                   /* by thread */
  uint32_t (*place_of)[HD_STATE_COUNT + 1]; /* by node: its number in `places`, from 1; 0: none yet */
  struct hd_trace_place *places;
  uint32_t place_count, place_limit;
  struct instances *instances; /* by node */
  struct hd_open_regions *open;
};

/* ---- bytes ---- */

static void put_byte(struct column *column, uint8_t byte) {
  if (column->used == column->limit) {
    column->limit = 2 * column->limit + 64;
    column->bytes = hd_grow(column->bytes, column->limit, 1);
  }
  column->bytes[column->used++] = byte;
}

static void put_number(struct column *column, uint64_t number) {
  for (; number > 0x7f; number >>= 7)
    put_byte(column, (uint8_t)(number | 0x80));
  put_byte(column, (uint8_t)number);
}

static uint32_t number_of(struct hd_embedded_trace *trace, struct hd_trace_place place) {
  uint32_t *number = &trace->place_of[place.node][place.state];
  if (*number > 0)
    return *number;
  if (trace->place_count == trace->place_limit) {
    trace->place_limit = 2 * trace->place_limit + 64;
    trace->places = hd_grow(trace->places, trace->place_limit, sizeof *trace->places);
  }
  trace->places[trace->place_count++] = place;
  *number = trace->place_count;
  return *number;
}

static void put_time(struct column *column, uint64_t ticks) {
  put_number(column, ticks - column->at_ticks);
  column->at_ticks = ticks;
  column->changes++;
}

static void put_parts(struct column *column, const struct hd_stretch *stretch) {
  const double whole = (double)(stretch->to_ticks - stretch->from_ticks);
  uint32_t occurs = 0;
  for (int state = 0; state < HD_STATE_COUNT; state++)
    occurs |= (uint32_t)(stretch->ticks[state] > 0) << state;
  put_number(column, stretch->count);
  put_number(column, occurs);
  for (int state = 0; state < HD_STATE_COUNT; state++)
    if (stretch->ticks[state] > 0) {
      const long part = lround(255 * (double)stretch->ticks[state] / whole);
      put_byte(column, part < 1 ? 1 : (uint8_t)part);
    }
}

/* ---- stretches ---- */

static void put_gap(struct hd_embedded_trace *trace, struct column *column) {
  put_time(column, column->to_ticks);
  put_number(column, number_of(trace, (struct hd_trace_place){0, HD_STATE_COUNT}));
}

static void put_stretch(void *context, const struct hd_stretch *stretch) {
  struct hd_embedded_trace *trace = context;
  struct column *column = &trace->threads[stretch->thread];
  if (column->changes > 0 && column->to_ticks < stretch->from_ticks)
    put_gap(trace, column);
  put_time(column, stretch->from_ticks);
  if (stretch->ticks)
    put_byte(column, 0);
  put_number(column, number_of(trace, stretch->place));
  if (stretch->ticks)
    put_parts(column, stretch);
  column->to_ticks = stretch->to_ticks;
}

/* ---- what is in it ---- */

static void count_stretch(void *context, const struct hd_stretch *stretch) {
  struct hd_embedded_trace *trace = context;
  (void)stretch;
  trace->facts.changes++;
}

static uint64_t length_of(const struct hd_region_instance *instance) {
  return instance->end_ticks - instance->begin_ticks;
}

static void look(void *context, const struct hd_trace_entry *entry) {
  struct hd_embedded_trace *trace = context;
  struct hd_region_instance ended;
  if (!hd_open_regions_take(trace->open, entry, &ended))
    return;
  struct instances *instances = &trace->instances[ended.node];
  if (instances->count == 0 || ended.begin_ticks < instances->first.begin_ticks)
    instances->first = ended;
  if (instances->count == 0 || length_of(&ended) > length_of(&instances->slowest))
    instances->slowest = ended;
  instances->count++;
}

static void survey(struct hd_embedded_trace *trace) {
  struct hd_stretch_walk walk = {.take = count_stretch, .look = look, .context = trace};
  const struct hd_model *model = trace->model;
  char error[PATH_MAX + 256];
  trace->facts.damaged = !hd_stretches_walk(model, &walk, error, sizeof error);
  if (trace->facts.damaged)
    fprintf(stderr, "heddle: %s\n", error);
  trace->begin_ticks = walk.first_ticks;
  trace->facts.begin_seconds = hd_trace_seconds(model, walk.first_ticks);
  trace->facts.end_seconds = hd_trace_seconds(model, walk.last_ticks);
}

/* ---- all of it ---- */

static void fill(struct hd_embedded_trace *trace) {
  const struct hd_model *model = trace->model;
  const double resolution_ticks = trace->facts.resolution_seconds / model->seconds_per_tick;
  struct hd_fold *fold =
      hd_fold_new(model->thread_count, resolution_ticks > 0 ? (uint64_t)resolution_ticks + 1 : 0, put_stretch, trace);
  struct hd_stretch_walk walk = {.take = hd_fold_take, .context = fold};
  char error[PATH_MAX + 256];
  for (uint32_t i = 0; i < model->thread_count; i++)
    trace->threads[i].at_ticks = trace->begin_ticks;
  hd_stretches_walk(model, &walk, error, sizeof error);
  hd_fold_finish(fold);
  hd_fold_free(fold);
  for (uint32_t i = 0; i < model->thread_count; i++)
    if (trace->threads[i].changes > 0) {
      put_gap(trace, &trace->threads[i]);
      trace->facts.thread_count++;
    }
}

struct hd_embedded_trace *hd_trace_embed(const struct hd_model *model, uint64_t limit) {
  struct hd_trace_size size;
  if (model->since || model->since_ticks > 0 || !hd_trace_size(model, &size) || size.only_concurrency)
    return NULL;
  struct hd_embedded_trace *trace = hd_new(1, sizeof *trace);
  trace->model = model;
  trace->facts.limit = limit;
  trace->threads = hd_new((size_t)model->thread_count + 1, sizeof *trace->threads);
  trace->place_of = hd_new((size_t)model->node_count + 1, sizeof *trace->place_of);
  trace->instances = hd_new((size_t)model->node_count + 1, sizeof *trace->instances);
  trace->open = hd_open_regions_new(model->thread_count);
  survey(trace);
  if (trace->facts.changes > limit)
    trace->facts.resolution_seconds = hd_fold_choose(model, limit);
  fill(trace);
  return trace;
}

void hd_embedded_trace_free(struct hd_embedded_trace *trace) {
  if (!trace)
    return;
  for (uint32_t i = 0; i < trace->model->thread_count; i++)
    free(trace->threads[i].bytes);
  hd_open_regions_free(trace->open);
  free(trace->threads);
  free(trace->place_of);
  free(trace->places);
  free(trace->instances);
  free(trace);
}

struct hd_embedded_facts hd_embedded_trace_facts(const struct hd_embedded_trace *trace) {
  return trace->facts;
}

/* ---- JSON ---- */

static void write_base64(const uint8_t *bytes, size_t count, FILE *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < count; i += 3) {
    const size_t left = count - i;
    const uint32_t three =
        (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
    char four[] = {digits[three >> 18], digits[three >> 12 & 63], digits[three >> 6 & 63], digits[three & 63]};
    if (left < 3)
      memset(four + left + 1, '=', 3 - left);
    fwrite(four, 1, sizeof four, out);
  }
}

static void write_places(const struct hd_embedded_trace *trace, FILE *out) {
  fputs(",\"states\":[", out);
  for (int state = 0; state < HD_STATE_COUNT; state++)
    fprintf(out, "%s\"%s\"", state > 0 ? "," : "", hd_state_id((enum hd_state)state));
  fputs("],\n\"places\":[", out);
  for (uint32_t i = 0; i < trace->place_count; i++)
    fprintf(out, "%s%" PRIu32 ",%" PRIu32, i > 0 ? "," : "", trace->places[i].node, trace->places[i].state);
  fputc(']', out);
}

static void write_times(const struct hd_embedded_trace *trace, const char *name,
                        const struct hd_region_instance *instance, FILE *out) {
  fprintf(out, ",\"%s\":[%" PRIu64 ",%" PRIu64 "]", name, instance->begin_ticks - trace->begin_ticks,
          instance->end_ticks - trace->begin_ticks);
}

static void write_instances(const struct hd_embedded_trace *trace, FILE *out) {
  const char *before = "";
  fputs(",\n\"instances\":[", out);
  for (uint32_t i = 0; i < trace->model->node_count; i++) {
    const struct instances *of = &trace->instances[i];
    if (of->count == 0)
      continue;
    fprintf(out, "%s{\"id\":%" PRIu32 ",\"count\":%" PRIu32, before, i, of->count);
    write_times(trace, "first", &of->first, out);
    write_times(trace, "slowest", &of->slowest, out);
    fputc('}', out);
    before = ",\n";
  }
  fputc(']', out);
}

void hd_embedded_trace_write(const struct hd_embedded_trace *trace, FILE *out) {
  const struct hd_embedded_facts *facts = &trace->facts;
  const char *before = "\n";
  fprintf(out, "{\"begin_s\":%.12g,\"end_s\":%.12g,\"seconds_per_tick\":%.17g,\"resolution_s\":%.12g",
          facts->begin_seconds, facts->end_seconds, trace->model->seconds_per_tick, facts->resolution_seconds);
  write_places(trace, out);
  write_instances(trace, out);
  fputs(",\n\"threads\":[", out);
  for (uint32_t i = 0; i < trace->model->thread_count; i++) {
    const struct column *column = &trace->threads[i];
    if (column->changes == 0)
      continue;
    fprintf(out, "%s{\"thread\":%" PRIu32 ",\"kind\":\"%s\",\"changes\":%" PRIu64 ",\"data\":\"", before, i,
            hd_thread_kind_id(trace->model->threads[i].kind), column->changes);
    write_base64(column->bytes, column->used, out);
    fputs("\"}", out);
    before = ",\n";
  }
  fputs("]}", out);
}
