/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file stub_papi_events.c
 * The events of the stub of libpapi (stub_papi.c), and PAPI's functions that find and describe them.
 *
 * Events of component 0, "perf_event":
 *   STUB_CLOCK, STUB_CLOCK_2, _3, _5  1, 2, 3, 5 for each ns since PAPI_start; presets: PAPI_TOT_CYC 1, PAPI_TOT_INS 2,
 *                                     PAPI_L3_TCM, PAPI_BR_INS 1
 *   STUB_READS     the set's readings, times STUB_PAPI_READ_COST
 *   STUB_SIGN      as STUB_CLOCK, but it begins 500 below 2^63
 *   STUB_WRAP      likewise, but 500 below 2^64
 *   STUB_BACK      as STUB_CLOCK, but downwards from 2^40
 *   STUB_SETS      event sets that exist now
 *   STUB_THREADS   threads that are registered now
 *   STUB_NEEDS_2   as STUB_CLOCK; takes two counters
 *   STUB_EPERM     cannot be added: PAPI_EPERM
 *   STUB_ABSENT    has a name, but PAPI_query_event does not know it; PAPI_TLB_DM: a preset that is not to be had
 *   STUB_LONG_A_0123456789012..., STUB_LONG_B_...  112 letters; as STUB_CLOCK
 *   perf::CPU-MIGRATIONS, perf::PAGE-FAULTS, perf::CYCLES  libpfm's names: migrations in user mode, which are 0;
 * PAPI_ESYS as soon as it is added; as STUB_CLOCK STUB_MASKED    with masks :ODD (3) and :EVEN (4), and the modifier
 * :u=0 Component 1, "other": other:::CLOCK, other:::CLOCK_7. Component 2, "broken", is disabled: "there is no such
 * device".
 */
#include <stdio.h>
#include <string.h>

#include "stub_papi_events.h"

#define FILLING "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"

static const struct event events[] = {
    {.name = "PAPI_TOT_CYC", .description = "Total cycles", .factor = 1, .is_preset = true},
    {.name = "PAPI_TOT_INS", .description = "Instructions completed", .factor = 2, .is_preset = true},
    {.name = "PAPI_L3_TCM", .description = "Level 3 cache misses", .factor = 1, .is_preset = true},
    {.name = "PAPI_BR_INS", .description = "Branch instructions", .factor = 1, .is_preset = true},
    {.name = "PAPI_TLB_DM", .description = "Data TLB misses", .what = ABSENT, .is_preset = true},
    {.name = "STUB_CLOCK", .description = "time\nin a second line", .unit = "ns", .factor = 1},
    {.name = "STUB_CLOCK_2", .factor = 2},
    {.name = "STUB_CLOCK_3", .factor = 3},
    {.name = "STUB_CLOCK_5", .factor = 5},
    {.name = "STUB_READS", .what = READS},
    {.name = "STUB_SIGN", .factor = 1, .first = ((uint64_t)1 << 63) - 500},
    {.name = "STUB_WRAP", .factor = 1, .first = (uint64_t)-500},
    {.name = "STUB_BACK", .factor = -1, .first = (uint64_t)1 << 40},
    {.name = "STUB_SETS", .what = SETS},
    {.name = "STUB_THREADS", .what = THREADS},
    {.name = "STUB_NEEDS_2", .factor = 1, .needs = 2},
    {.name = "STUB_EPERM", .what = DENIED},
    {.name = "STUB_ABSENT", .what = ABSENT},
    {.name = "perf::CPU-MIGRATIONS"},
    {.name = "perf::PAGE-FAULTS", .what = REFUSED},
    {.name = "perf::CYCLES", .factor = 1},
    {.name = "STUB_MASKED", .factor = 1, .is_base = true},
    {.name = "STUB_MASKED:ODD", .factor = 3, .is_mask = true},
    {.name = "STUB_MASKED:EVEN", .factor = 4, .is_mask = true},
    {.name = "STUB_MASKED:u=0", .factor = 1, .is_mask = true},
    {.name = "STUB_LONG_A_" FILLING, .factor = 1},
    {.name = "STUB_LONG_B_" FILLING, .factor = 1},
    {.name = "other:::CLOCK", .factor = 1, .component = 1},
    {.name = "other:::CLOCK_7", .factor = 7, .component = 1},
};
enum { EVENT_COUNT = sizeof events / sizeof *events };

PAPI_component_info_t stub_components[COMPONENTS];

static int code_of(int i) {
  return (int)((unsigned)i | (events[i].is_preset ? (unsigned)PAPI_PRESET_MASK : (unsigned)PAPI_NATIVE_MASK));
}

const struct event *stub_event(int code) {
  const unsigned i = (unsigned)code & (unsigned)PAPI_PRESET_AND_MASK & (unsigned)PAPI_NATIVE_AND_MASK;
  return i < EVENT_COUNT && code_of((int)i) == code ? &events[i] : NULL;
}

bool stub_event_is_enabled(const struct event *event) {
  return event && !stub_components[event->component].disabled;
}

int PAPI_event_name_to_code(const char *name, int *code) {
  for (int i = 0; i < EVENT_COUNT; i++)
    if (!strcmp(name, events[i].name) && (events[i].is_preset || stub_event_is_enabled(&events[i]))) {
      *code = code_of(i);
      return PAPI_OK;
    }
  return PAPI_ENOEVNT;
}

int PAPI_event_code_to_name(int code, char *name) {
  const struct event *event = stub_event(code);
  if (!event)
    return PAPI_ENOEVNT;
  strcpy(name, event->name);
  return PAPI_OK;
}

int PAPI_query_event(int code) {
  const struct event *event = stub_event(code);
  return stub_event_is_enabled(event) && event->what != ABSENT ? PAPI_OK : PAPI_ENOEVNT;
}

int PAPI_get_event_info(int code, PAPI_event_info_t *info) {
  const struct event *event = stub_event(code);
  if (!event)
    return PAPI_ENOEVNT;
  memset(info, 0, sizeof *info);
  info->event_code = (unsigned)code;
  info->count = event->is_preset && stub_event_is_enabled(event) && event->what != ABSENT;
  info->component_index = event->component;
  snprintf(info->symbol, sizeof info->symbol, "%s", event->name);
  snprintf(info->units, sizeof info->units, "%s", event->unit ? event->unit : "");
  snprintf(event->is_preset ? info->short_descr : info->long_descr, PAPI_MIN_STR_LEN, "%s",
           event->description ? event->description : event->name);
  return PAPI_OK;
}

int PAPI_get_event_component(int code) {
  const struct event *event = stub_event(code);
  return event ? event->component : PAPI_ENOEVNT;
}

static int find_from(int i, int component, bool preset, bool mask, int *code) {
  for (; i < EVENT_COUNT; i++) {
    if (mask && !events[i].is_mask)
      return PAPI_ENOEVNT;
    if (events[i].is_preset != preset || events[i].is_mask != mask || events[i].component != component)
      continue;
    *code = code_of(i);
    return PAPI_OK;
  }
  return PAPI_ENOEVNT;
}

int PAPI_enum_event(int *code, int modifier) {
  const int next = (int)((unsigned)*code & ~(unsigned)PAPI_PRESET_MASK) + 1;
  return find_from(modifier == PAPI_ENUM_FIRST ? 0 : next, 0, true, false, code);
}

int PAPI_enum_cmp_event(int *code, int modifier, int component) {
  const int at = *code & ~PAPI_NATIVE_MASK;
  if (modifier == PAPI_NTV_ENUM_UMASKS && !events[at].is_base && !events[at].is_mask)
    return PAPI_ENOEVNT;
  return find_from(modifier == PAPI_ENUM_FIRST ? 0 : at + 1, component, false, modifier == PAPI_NTV_ENUM_UMASKS, code);
}
