/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file counted_sets.h
 * For tests of sources: event sets by name, on the calling thread. What fails ends the test.
 */
#ifndef HEDDLE_TESTS_COUNTED_SETS_H
#define HEDDLE_TESTS_COUNTED_SETS_H

#include "counted_work.h"
#include "counters/source.h"
#include "heddle-format.h"
#include "own_process.h"

static inline struct hd_counter_event find_event(const struct hd_source *source, const char *name) {
  struct hd_counter_event event = {.source = source};
  char why[400] = "";
  const enum hd_counter_status status = source->find(name, &event, why, sizeof why);
  if (status != HD_COUNTER_FOUND)
    fprintf(stderr, "%s: %s\n", name, why);
  CHECK_EQUAL(status, HD_COUNTER_FOUND);
  snprintf(event.name, sizeof event.name, "%s", name);
  return event;
}

static inline struct hd_event_set *create_set(const struct hd_source *source, const char *const *names,
                                              uint32_t count) {
  static struct hd_counter_event events[HD_EVENTS_MOST];
  const struct hd_counter_event *pointers[HD_EVENTS_MOST];
  char why[400] = "";
  for (uint32_t i = 0; i < count; i++) {
    events[i] = find_event(source, names[i]);
    pointers[i] = &events[i];
  }
  struct hd_event_set *set = source->create(pointers, count, why, sizeof why);
  CHECK_TEXT(why, "");
  CHECK(set);
  return set;
}

static inline void start_set(const struct hd_source *source, struct hd_event_set *set) {
  char why[400] = "";
  CHECK(source->start(set, why, sizeof why));
}

static inline struct hd_event_set *start_one(const struct hd_source *source, const char *name) {
  struct hd_event_set *set = create_set(source, &name, 1);
  start_set(source, set);
  return set;
}

static inline uint64_t read_one(const struct hd_source *source, struct hd_event_set *set) {
  uint64_t counts[HD_EVENTS_MOST];
  CHECK(source->read(set, counts));
  return counts[0];
}

/* Of touching so many pages. A forked process has faults of its own at its first pass through code and stack: only the
 * second pass is exact. */
__attribute__((noinline, unused)) static uint64_t faults_of(const struct hd_source *source, struct hd_event_set *set,
                                                            size_t pages) {
  uint64_t faults = 0;
  for (int pass = 0; pass < 2; pass++) {
    const uint64_t before = read_one(source, set);
    touch(pass == 0 ? 1 : pages);
    faults = read_one(source, set) - before;
  }
  return faults;
}

#endif
