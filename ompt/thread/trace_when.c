/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/trace_when.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "callpath/callpath.h"
#include "callpath/code/modules.h"
#include "ompt/shared/measuring.h"
#include "ompt/thread/team.h"
#include "ompt/thread/thread.h"
#include "ompt/thread/trace_lulls.h"
#include "support/inprocess/alarms.h"
#include "support/inprocess/memory_budget.h"

enum { OPEN = 1, TEXT_MOST = 8192, PLACES_MOST = 256, STRETCHES_MOST = 1 << 16 };

struct place {
  const char *module; /* not ended by 0; NULL: none */
  size_t module_bytes;
  uint64_t from, to; /* the last one is not in it */
};

uint64_t hd_trace_when = OPEN;

static struct {
  char text[TEXT_MOST]; /* the program may change its environment */
  const char *phase;    /* NULL: of none */
  struct place places[PLACES_MOST];
  uint32_t place_count;
  pthread_mutex_t lock;
  uint32_t holders; /* threads */
  struct hd_store_cursor cursor;
  struct hd_trace_stretch_record *last; /* NULL: there was none */
  uint32_t stretches;
} when = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- which ---- */

/* NULL: it is none. Else what stands behind it. */
static const char *read_place(const char *text, struct place *place) {
  char *end;
  const size_t length = strcspn(text, ",");
  const char *plus = memrchr(text, '+', length);
  *place = (struct place){.module = plus ? text : NULL, .module_bytes = plus ? (size_t)(plus - text) : 0};
  place->from = strtoull(plus ? plus + 1 : text, &end, 16);
  if (*end != '-')
    return NULL;
  place->to = strtoull(end + 1, &end, 16);
  return end == text + length && place->from < place->to ? end : NULL;
}

static bool read_places(const char *text) {
  const char *at = text;
  while (at && when.place_count < PLACES_MOST) {
    at = read_place(at, &when.places[when.place_count++]);
    if (at && !*at)
      return true;
    at = at ? at + 1 : NULL;
  }
  when.place_count = 0;
  return false;
}

bool hd_trace_when_init(const char *condition) {
  static const char phase[] = "phase ", region[] = "region ";
  struct hd_few_busy few;
  if (!condition)
    return true;
  if (hd_few_busy_read(condition, &few))
    return hd_trace_lulls_init(&few);
  if (strlen(condition) >= TEXT_MOST)
    return false;
  strcpy(when.text, condition);
  if (strncmp(when.text, phase, strlen(phase)) == 0 && when.text[strlen(phase)])
    when.phase = when.text + strlen(phase);
  else if (strncmp(when.text, region, strlen(region)) != 0 || !read_places(when.text + strlen(region)))
    return false;
  hd_trace_when = 0;
  hd_store.header->flags |= HD_FILE_TRACE_WHEN;
  return true;
}

bool hd_trace_when_is_phase(const char *name) {
  return when.phase && strcmp(when.phase, name) == 0;
}

static bool is_in(const struct place *place, const struct hd_profile_record *profile) {
  const char *path = hd_modules_path(profile->module);
  const char *slash = path ? strrchr(path, '/') : NULL;
  const char *name = slash ? slash + 1 : path;
  const bool is_there = place->module ? name && strlen(name) == place->module_bytes &&
                                            strncmp(name, place->module, place->module_bytes) == 0
                                      : !name;
  return is_there && profile->offset - 1 >= place->from && profile->offset - 1 < place->to;
}

bool hd_trace_when_is_region(uint32_t profile) {
  for (uint32_t i = 0; i < when.place_count; i++)
    if (is_in(&when.places[i], hd_callpath_record(profile)))
      return true;
  return false;
}

/* ---- stretches, under the lock ---- */

static struct hd_trace_stretch_record *add_stretch(void) {
  if (when.stretches == STRETCHES_MOST)
    return NULL;
  if (when.cursor.used == when.cursor.limit)
    hd_memory_allow(HD_BLOCK_BYTES);
  when.stretches++;
  return hd_store_add(&hd_store, &when.cursor, HD_BLOCK_TRACE_STRETCHES, HD_NONE, sizeof *when.last);
}

/* Without room for one more the last one goes on: what threads did since then they say themselves. */
static bool begin_stretch(uint64_t ticks) {
  struct hd_trace_stretch_record *record = when.last && when.last->end_ticks == ticks ? NULL : add_stretch();
  if (record) {
    *record = (struct hd_trace_stretch_record){.begin_ticks = ticks, .end_ticks = HD_TRACE_GOES_ON_TICKS};
    hd_store_publish(&when.cursor);
    when.last = record;
  } else if (when.last) {
    __atomic_store_n(&when.last->end_ticks, HD_TRACE_GOES_ON_TICKS, __ATOMIC_RELAXED);
  }
  return when.last;
}

static void change(bool open, uint64_t now) {
  const uint64_t last = hd_trace_when_ticks(hd_trace_when), ticks = now > last ? now : last;
  if (open && !begin_stretch(ticks))
    return;
  if (!open && when.last)
    __atomic_store_n(&when.last->end_ticks, ticks, __ATOMIC_RELAXED);
  __atomic_store_n(&hd_trace_when, ticks << 1 | open, __ATOMIC_RELEASE);
  hd_alarms_count(HD_ALARM_TRACE);
}

/* ---- who holds it open ---- */

static void hold(struct hd_thread *thread, bool holds, uint64_t now) {
  hd_thread_leave_program(thread);
  thread->trace.holds = holds;
  pthread_mutex_lock(&when.lock);
  when.holders += holds ? 1u : UINT32_MAX;
  if (when.holders == (holds ? 1 : 0))
    change(holds, now);
  pthread_mutex_unlock(&when.lock);
  hd_trace_follow(thread);
}

void hd_trace_when_begin(struct hd_thread *thread, uint64_t now) {
  if (!thread->trace.holds)
    hold(thread, true, now);
}

static bool holds(const struct hd_frame *frame) {
  if (frame->kind == HD_KIND_PHASE)
    return hd_trace_when_is_phase(frame->phase.name);
  return frame->kind == HD_KIND_PARALLEL && frame->base.led && frame->base.led->known->is_traced;
}

void hd_trace_when_end(struct hd_thread *thread, uint64_t now) {
  const struct hd_frame *frame = thread->top;
  while (frame > thread->frames && !holds(frame))
    frame--;
  if (frame == thread->frames)
    hold(thread, false, hd_thread_time(thread, now));
}
