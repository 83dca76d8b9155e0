/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file usage.c
 * What the kernel notes of each thread anyway, and tells it without any permission: getrusage(2) and the thread's
 * processor time. For where perf_event_open(2) is forbidden (kernel.c): to users of many systems, in most containers.
 *
 * The same as perf's but for two things. Pages that the kernel brings in for the thread in advance (mlock,
 * MAP_POPULATE, direct input) are faults here and not there, accesses that end in a signal there and not here. And time
 * that an interrupt or the host takes away is not the thread's here, where the kernel is built to know.
 */
#include "counters/source.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "counters/software_events.h"
#include "heddle-format.h"
#include "support/inprocess/heap.h"

struct hd_event_set {
  uint32_t count;
  bool running;
  bool dead; /* the counts are lost */
  bool has_clock;
  bool has_usage;
  uint32_t configs[HD_EVENTS_MOST];
  uint64_t offsets[HD_EVENTS_MOST]; /* to what the thread has (running: modulo 2^64), or the counts */
};

/* ---- the events ---- */

static bool is_clock(uint32_t config) {
  return config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK;
}

static uint64_t value_of(uint32_t config, const struct timespec *clock, const struct rusage *usage) {
  switch (config) {
  case PERF_COUNT_SW_PAGE_FAULTS:
    return (uint64_t)usage->ru_minflt + (uint64_t)usage->ru_majflt;
  case PERF_COUNT_SW_PAGE_FAULTS_MIN:
    return (uint64_t)usage->ru_minflt;
  case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
    return (uint64_t)usage->ru_majflt;
  case PERF_COUNT_SW_CONTEXT_SWITCHES:
    return (uint64_t)usage->ru_nvcsw + (uint64_t)usage->ru_nivcsw;
  default:
    return (uint64_t)clock->tv_sec * 1000000000u + (uint64_t)clock->tv_nsec;
  }
}

/* What the calling thread has, since it was born. */
static bool look(const struct hd_event_set *set, uint64_t *values) {
  struct timespec clock = {0};
  struct rusage usage = {0};
  if (set->has_usage && getrusage(RUSAGE_THREAD, &usage))
    return false;
  if (set->has_clock && clock_gettime(CLOCK_THREAD_CPUTIME_ID, &clock))
    return false;
  for (uint32_t i = 0; i < set->count; i++)
    values[i] = value_of(set->configs[i], &clock, &usage);
  return true;
}

/* ---- the source ---- */

static enum hd_source_state describe_source(char *text, size_t bytes) {
  snprintf(text, bytes, "the kernel's account of each thread; works where perf_event_open is forbidden");
  return HD_SOURCE_WHOLE;
}

static void describe(const struct hd_software *software, struct hd_counter_event *event) {
  event->code = software->config;
  event->component = 0;
  snprintf(event->unit, sizeof event->unit, "%s", software->unit);
  snprintf(event->description, sizeof event->description, "%s%s", software->description, software->in_usage);
}

static enum hd_counter_status find(const char *name, struct hd_counter_event *event, char *why, size_t why_bytes) {
  const struct hd_software *software = hd_software_of_name(name);
  (void)why, (void)why_bytes;
  if (!software || !software->in_usage)
    return HD_COUNTER_UNKNOWN;
  describe(software, event);
  return HD_COUNTER_FOUND;
}

static void each(hd_event_visit visit, void *context) {
  for (const struct hd_software *software = hd_software; software < hd_software + HD_SOFTWARE_COUNT; software++) {
    struct hd_counter_event event = {0};
    char why[256] = "";
    if (!software->in_usage)
      continue;
    snprintf(event.name, sizeof event.name, "perf::%s", software->name);
    const enum hd_counter_status status = hd_source_ask(&hd_source_usage, event.name, &event, why, sizeof why);
    if (!visit(context, &event, status == HD_COUNTER_FOUND, why))
      return;
  }
}

static struct hd_event_set *create(const struct hd_counter_event *const *events, uint32_t count, char *why,
                                   size_t why_bytes) {
  struct hd_event_set *set = count && count <= HD_EVENTS_MOST ? hd_heap_allocate(1, sizeof *set) : NULL;
  if (!set) {
    snprintf(why, why_bytes, "no memory for the event set");
    return NULL;
  }
  for (uint32_t i = 0; i < count; i++) {
    set->configs[i] = (uint32_t)events[i]->code;
    set->has_clock |= is_clock(set->configs[i]);
    set->has_usage |= !is_clock(set->configs[i]);
  }
  set->count = count;
  return set;
}

static bool start(struct hd_event_set *set, char *why, size_t why_bytes) {
  uint64_t values[HD_EVENTS_MOST];
  if (set->running)
    return true;
  if (set->dead || !look(set, values)) {
    snprintf(why, why_bytes, "the system calls getrusage or clock_gettime are forbidden here");
    return false;
  }
  for (uint32_t i = 0; i < set->count; i++)
    set->offsets[i] -= values[i];
  set->running = true;
  return true;
}

static bool read_set(struct hd_event_set *set, uint64_t *counts) {
  if (__builtin_expect(set->dead, false))
    return false;
  if (!set->running) {
    memcpy(counts, set->offsets, set->count * sizeof *counts);
    return true;
  }
  if (!look(set, counts))
    return false;
  for (uint32_t i = 0; i < set->count; i++)
    counts[i] += set->offsets[i];
  return true;
}

static void stop(struct hd_event_set *set) {
  uint64_t counts[HD_EVENTS_MOST];
  if (!set->running)
    return;
  set->dead = !read_set(set, counts);
  set->running = false;
  if (!set->dead)
    memcpy(set->offsets, counts, set->count * sizeof *counts);
}

static void destroy(struct hd_event_set *set) {
  hd_heap_free(set);
}

const struct hd_source hd_source_usage = {
    .name = "usage",
    .reads_others = false,
    .describe = describe_source,
    .find = find,
    .each = each,
    .create = create,
    .start = start,
    .read = read_set,
    .stop = stop,
    .destroy = destroy,
};
