/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file papi_sets.h
 * For tests of the source PAPI: opens it on the stub (stub_papi.c) with a clock that the test sets; event sets by name.
 */
#ifndef HEDDLE_TESTS_PAPI_SETS_H
#define HEDDLE_TESTS_PAPI_SETS_H

#include "counters/source.h"
#include "heddle-format.h"
#include "own_process.h"

static const struct hd_source *const papi = &hd_source_papi;
static uint64_t now; /* of the stub's clock */

/* Further variables: NAME=value. */
static inline void set_up(char *variable) {
  static char clock[64];
  snprintf(clock, sizeof clock, "STUB_PAPI_CLOCK=%p", (void *)&now);
  putenv(clock);
  setenv("HEDDLE_PAPI", STUB_PAPI, 1);
  if (variable)
    putenv(variable);
}

static inline void open_with(char *variable) {
  char text[400];
  set_up(variable);
  CHECK(papi->describe(text, sizeof text));
}

static inline enum hd_counter_status find(const char *name, struct hd_counter_event *event, char *why) {
  *event = (struct hd_counter_event){.source = papi};
  snprintf(event->name, sizeof event->name, "%s", name);
  return papi->find(name, event, why, 400);
}

static inline struct hd_event_set *try_create(const char *const *names, uint32_t count, char *why) {
  struct hd_counter_event events[HD_EVENTS_MOST];
  const struct hd_counter_event *pointers[HD_EVENTS_MOST];
  for (uint32_t i = 0; i < count; i++) {
    CHECK_EQUAL(find(names[i], &events[i], why), HD_COUNTER_FOUND);
    pointers[i] = &events[i];
  }
  return papi->create(pointers, count, why, 400);
}

static inline struct hd_event_set *create(const char *const *names, uint32_t count) {
  char why[400] = "";
  struct hd_event_set *set = try_create(names, count, why);
  CHECK_TEXT(why, "");
  CHECK(set);
  return set;
}

static inline void start(struct hd_event_set *set) {
  char why[400] = "";
  papi->start(set, why, sizeof why);
  CHECK_TEXT(why, "");
}

static inline struct hd_event_set *start_one(const char *name) {
  struct hd_event_set *set = create(&name, 1);
  start(set);
  return set;
}

static inline uint64_t read_one(struct hd_event_set *set) {
  uint64_t counts[HD_EVENTS_MOST];
  CHECK(papi->read(set, counts));
  return counts[0];
}

#endif
