/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file papi.c
 * What libpapi counts: presets, native events, other components; but no event of the kernel's (is_kernels).
 *
 * Only user code is counted (PAPI_DOM_USER, PAPI's default), or what else a component's default is. PAPI reads with
 * rdpmc by itself where the machine permits it. Events take turns by starting and stopping sets, not by PAPI_multiplex:
 * so it is known for how long each was counted. PAPI's descriptors are PAPI's: it neither places them high nor closes
 * them on exec.
 */
#include "counters/source.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "counters/papi_library.h"
#include "counters/perf_permission.h"
#include "counters/software_events.h"
#include "heddle-format.h"
#include "support/inprocess/heap.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for all but reading, starting and stopping */

/* ---- events ---- */

/* libpfm has these, too. PAPI would count them in user mode alone: the other sources have them. */
static bool is_kernels(const char *name) {
  return hd_software_of_name(name) != NULL;
}

/* Whether a call of PAPI's worked; `why` says why not. */
static bool worked(int result, const char *call, char *why, size_t why_bytes) {
  if (result == PAPI_OK)
    return true;
  if (result == PAPI_EPERM)
    hd_permission_explain(HD_PARANOID_USER_CODE, why, why_bytes);
  else if (result == PAPI_ECNFLCT || result == PAPI_ECOUNT)
    snprintf(why, why_bytes, "the processor has too few counters");
  else if (result == PAPI_EISRUN)
    snprintf(why, why_bytes, "PAPI already counts on this thread");
  else
    snprintf(why, why_bytes, "%s: %s", call, hd_papi.strerror(result));
  return false;
}

/* The reason why a component counts nothing; NULL: it does. */
static const char *disabled_reason(int component) {
  const PAPI_component_info_t *info = hd_papi.get_component_info(component);
  if (!info)
    return "there is no such component";
  if (!info->disabled)
    return NULL;
  return info->disabled_reason[0] ? info->disabled_reason : hd_papi.strerror(info->disabled);
}

static void explain_disabled(int component, char *why, size_t why_bytes) {
  const PAPI_component_info_t *info = hd_papi.get_component_info(component);
  const bool is_perf = !strncmp(info->name, "perf_event", strlen("perf_event"));
  char permission[200] = "";
  if (is_perf && hd_permission_paranoid() > HD_PARANOID_USER_CODE)
    hd_permission_explain(HD_PARANOID_USER_CODE, permission, sizeof permission);
  snprintf(why, why_bytes, "PAPI's component %s is disabled: %s%s%s", info->name, disabled_reason(component),
           permission[0] ? "; " : "", permission);
}

/* A preset is in PAPI's list whether or not this processor has it. */
static bool is_available(int code, const PAPI_event_info_t *info, char *why, size_t why_bytes) {
  const int component = hd_papi.get_event_component(code);
  const bool is_preset = code & PAPI_PRESET_MASK && !(code & PAPI_NATIVE_MASK);
  if (component >= 0 && disabled_reason(component))
    explain_disabled(component, why, why_bytes);
  else if (is_preset && info->count == 0)
    snprintf(why, why_bytes, "PAPI knows no way to count it on this processor");
  else if (hd_papi.query_event(code) != PAPI_OK)
    snprintf(why, why_bytes, "PAPI cannot count it here");
  else
    return true;
  return false;
}

static void copy_line(char *to, size_t bytes, const char *from) {
  const size_t length = strcspn(from, "\n");
  snprintf(to, bytes, "%.*s", (int)length, from);
}

static bool describe(int code, struct hd_counter_event *event, char *why, size_t why_bytes) {
  PAPI_event_info_t info = {0};
  const int result = hd_papi.get_event_info(code, &info);
  event->code = (uint64_t)(unsigned)code;
  event->unit[0] = event->description[0] = '\0';
  event->component = (uint32_t)hd_papi.get_event_component(code);
  if (!worked(result, "PAPI_get_event_info", why, why_bytes))
    return false;
  copy_line(event->unit, sizeof event->unit, info.units);
  copy_line(event->description, sizeof event->description, info.long_descr[0] ? info.long_descr : info.short_descr);
  return is_available(code, &info, why, why_bytes);
}

/* As written; else in capitals, as presets are. */
static int look_up(const char *name, int *code) {
  char capitals[sizeof((struct hd_counter_event *)0)->name];
  int result = hd_papi.event_name_to_code(name, code);
  if (result == PAPI_OK)
    return result;
  snprintf(capitals, sizeof capitals, "%s", name);
  for (char *at = capitals; *at; at++)
    *at = (char)(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
  return hd_papi.event_name_to_code(capitals, code);
}

/* Events of a disabled component are not known by name. `component:::event` says whose it is; of others, most belong to
 * the processor. */
static enum hd_counter_status explain_unknown(const char *name, char *why, size_t why_bytes) {
  const char *end = strstr(name, ":::");
  for (int i = 0; i < hd_papi.num_components(); i++) {
    const PAPI_component_info_t *info = hd_papi.get_component_info(i);
    if (!info || !info->disabled)
      continue;
    const size_t length = end ? (size_t)(end - name) : strlen("perf_event");
    if (strlen(info->name) != length || strncasecmp(info->name, end ? name : "perf_event", length))
      continue;
    explain_disabled(i, why, why_bytes);
    return end ? HD_COUNTER_UNAVAILABLE : HD_COUNTER_UNKNOWN;
  }
  return HD_COUNTER_UNKNOWN;
}

static enum hd_counter_status find(const char *name, struct hd_counter_event *event, char *why, size_t why_bytes) {
  int code = 0;
  if (is_kernels(name) || !hd_papi_open(why, why_bytes))
    return HD_COUNTER_UNKNOWN;
  pthread_mutex_lock(&lock);
  enum hd_counter_status status = HD_COUNTER_FOUND;
  if (look_up(name, &code) != PAPI_OK)
    status = explain_unknown(name, why, why_bytes);
  else if (!describe(code, event, why, why_bytes))
    status = HD_COUNTER_UNAVAILABLE;
  pthread_mutex_unlock(&lock);
  return status;
}

/* ---- sets ---- */

struct hd_event_set {
  int handle;
  bool running;
  uint32_t count;
  uint8_t place[HD_EVENTS_MOST];   /* of an event among PAPI's counts: the same event under two names is counted once */
  uint64_t before[HD_EVENTS_MOST]; /* counted until it was stopped: PAPI begins from 0 again */
  pthread_t owner;
  struct hd_event_set *next;
};

static struct hd_event_set *sets;

/* With the lock held. PAPI forgets the thread with its last set: the next thread may have the same number. */
static void free_set(struct hd_event_set *set) {
  bool is_last = true;
  for (struct hd_event_set **at = &sets; *at;)
    if (*at == set) {
      *at = set->next;
    } else {
      is_last = is_last && !pthread_equal((*at)->owner, set->owner);
      at = &(*at)->next;
    }
  is_last = is_last && !hd_papi_is_opener(set->owner);
  if (set->handle != PAPI_NULL) {
    hd_papi.cleanup_eventset(set->handle);
    hd_papi.destroy_eventset(&set->handle);
  }
  hd_heap_free(set);
  if (is_last)
    hd_papi.unregister_thread();
}

static bool add(struct hd_event_set *set, const struct hd_counter_event *const *events, char *why, size_t why_bytes) {
  const uint32_t i = set->count;
  uint8_t different = 0;
  for (uint32_t j = 0; j < i; j++) {
    if (events[j]->code == events[i]->code) {
      set->place[set->count++] = set->place[j];
      return true;
    }
    different = set->place[j] >= different ? (uint8_t)(set->place[j] + 1) : different;
  }
  if (!worked(hd_papi.add_event(set->handle, (int)(unsigned)events[i]->code), "PAPI_add_event", why, why_bytes))
    return false;
  set->place[set->count++] = different;
  return true;
}

static bool fill(struct hd_event_set *set, const struct hd_counter_event *const *events, uint32_t count, char *why,
                 size_t why_bytes) {
  bool works = worked(hd_papi.register_thread(), "PAPI_register_thread", why, why_bytes) &&
               worked(hd_papi.create_eventset(&set->handle), "PAPI_create_eventset", why, why_bytes) &&
               worked(hd_papi.assign_eventset_component(set->handle, (int)events[0]->component),
                      "PAPI_assign_eventset_component", why, why_bytes);
  for (uint32_t i = 0; works && i < count; i++)
    works = add(set, events, why, why_bytes);
  return works;
}

static struct hd_event_set *create(const struct hd_counter_event *const *events, uint32_t count, char *why,
                                   size_t why_bytes) {
  struct hd_event_set *set = count && count <= HD_EVENTS_MOST ? hd_heap_allocate(1, sizeof *set) : NULL;
  if (!set) {
    snprintf(why, why_bytes, "no memory for the event set");
    return NULL;
  }
  set->handle = PAPI_NULL;
  set->owner = pthread_self();
  pthread_mutex_lock(&lock);
  set->next = sets;
  sets = set;
  const bool works = fill(set, events, count, why, why_bytes);
  if (!works)
    free_set(set);
  pthread_mutex_unlock(&lock);
  return works ? set : NULL;
}

static bool start(struct hd_event_set *set, char *why, size_t why_bytes) {
  return set->running = worked(hd_papi.start(set->handle), "PAPI_start", why, why_bytes);
}

static bool read_set(struct hd_event_set *set, uint64_t *counts) {
  long long now[HD_EVENTS_MOST];
  if (__builtin_expect(hd_papi.read(set->handle, now) != PAPI_OK, false))
    return false;
  for (uint32_t i = 0; i < set->count; i++)
    counts[i] = set->before[i] + (uint64_t)now[set->place[i]];
  return true;
}

static void stop(struct hd_event_set *set) {
  long long last[HD_EVENTS_MOST];
  if (!set->running)
    return;
  set->running = false;
  if (hd_papi.stop(set->handle, last) != PAPI_OK)
    return;
  for (uint32_t i = 0; i < set->count; i++)
    set->before[i] += (uint64_t)last[set->place[i]];
}

static void destroy(struct hd_event_set *set) {
  if (!set)
    return;
  stop(set);
  pthread_mutex_lock(&lock);
  free_set(set);
  pthread_mutex_unlock(&lock);
}

/* ---- the list ---- */

struct walk {
  hd_event_visit visit;
  void *context;
  bool ended;
};

/* :u=0, :period=0: no event of its own. */
static bool is_modifier(const char *name) {
  const char *last = strrchr(name, ':');
  return last && strchr(last, '=');
}

/* False: it is no event that can be asked for. */
static bool describe_and_show(struct walk *walk, int code) {
  struct hd_counter_event event = {.source = &hd_source_papi};
  const struct hd_counter_event *const alone = &event;
  char name[PAPI_HUGE_STR_LEN * 2] = "", why[400] = "";
  if (hd_papi.event_code_to_name(code, name) != PAPI_OK || strlen(name) >= sizeof event.name || !name[0] ||
      is_modifier(name) || is_kernels(name))
    return false;
  memcpy(event.name, name, strlen(name));
  const bool available =
      describe(code, &event, why, sizeof why) && hd_source_try(&hd_source_papi, &alone, 1, why, sizeof why);
  walk->ended = !walk->visit(walk->context, &event, available, why);
  return true;
}

/* With its masks, if it has any: it can seldom be counted without. */
static void show_native(struct walk *walk, int code, int component) {
  bool has_masks = false;
  int with_mask = code;
  while (!walk->ended && hd_papi.enum_cmp_event(&with_mask, PAPI_NTV_ENUM_UMASKS, component) == PAPI_OK)
    has_masks |= describe_and_show(walk, with_mask);
  if (!has_masks && !walk->ended)
    describe_and_show(walk, code);
}

static void show_presets(struct walk *walk) {
  int code = PAPI_PRESET_MASK;
  if (hd_papi.enum_event(&code, PAPI_ENUM_FIRST) != PAPI_OK)
    return;
  do
    describe_and_show(walk, code);
  while (!walk->ended && hd_papi.enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK);
}

static void each(hd_event_visit visit, void *context) {
  struct walk walk = {visit, context, false};
  char why[400];
  if (!hd_papi_open(why, sizeof why))
    return;
  show_presets(&walk);
  for (int component = 0; component < hd_papi.num_components() && !walk.ended; component++) {
    int code = PAPI_NATIVE_MASK;
    if (disabled_reason(component) || hd_papi.enum_cmp_event(&code, PAPI_ENUM_FIRST, component) != PAPI_OK)
      continue;
    do
      show_native(&walk, code, component);
    while (!walk.ended && hd_papi.enum_cmp_event(&code, PAPI_ENUM_EVENTS, component) == PAPI_OK);
  }
}

const struct hd_source hd_source_papi = {
    .name = "papi",
    .describe = hd_papi_describe,
    .find = find,
    .each = each,
    .create = create,
    .start = start,
    .read = read_set,
    .stop = stop,
    .destroy = destroy,
};
