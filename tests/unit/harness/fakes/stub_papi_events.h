/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file stub_papi_events.h
 * What the stub of libpapi (stub_papi.c) counts: its components, and what each event's count is.
 */
#ifndef HEDDLE_TESTS_STUB_PAPI_EVENTS_H
#define HEDDLE_TESTS_STUB_PAPI_EVENTS_H

#pragma GCC visibility push(default)
#include <papi.h>
#pragma GCC visibility pop

#include <stdbool.h>
#include <stdint.h>

enum { COMPONENTS = 3 };

enum what { TIME, READS, SETS, THREADS, DENIED, REFUSED, ABSENT };

struct event {
  const char *name;
  const char *description;
  const char *unit;
  int component;
  enum what what;
  int64_t factor;
  uint64_t first;
  unsigned needs;
  bool is_preset, is_mask, is_base;
};

/* Filled by PAPI_library_init. */
extern PAPI_component_info_t stub_components[COMPONENTS];

/* NULL if there is none of that code. */
const struct event *stub_event(int code);

bool stub_event_is_enabled(const struct event *event);

#endif
