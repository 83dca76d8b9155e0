/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "counters/event_sets.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

uint32_t hd_event_sets_events(const struct hd_event_sets *plan, const struct hd_planned_set *set,
                              const struct hd_counter_event *events[HD_EVENTS_MOST]) {
  for (uint32_t i = 0; i < set->count; i++)
    events[i] = &plan->events[set->events[i]];
  return set->count;
}

/* `event` may be NULL. Returns false. */
__attribute__((format(printf, 3, 4))) static bool complain(struct hd_event_sets_error *error, const char *event,
                                                           const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->why, sizeof error->why, format, arguments);
  va_end(arguments);
  snprintf(error->event, sizeof error->event, "%s", event ? event : "");
  return false;
}

/* ---- the list ---- */

static bool is_planned(const struct hd_event_sets *plan, const char *name) {
  for (uint32_t i = 0; i < plan->event_count; i++)
    if (!strcasecmp(plan->events[i].name, name))
      return true;
  return false;
}

static bool add_name(struct hd_event_sets *plan, const char *name, size_t length, struct hd_event_sets_error *error) {
  struct hd_counter_event event = {0};
  if (length == 0)
    return complain(error, NULL, "an event's name is empty");
  if (length >= sizeof event.name)
    return complain(error, NULL, "an event's name is longer than %zu characters: %.40s...", sizeof event.name - 1,
                    name);
  memcpy(event.name, name, length);
  if (is_planned(plan, event.name))
    return true;
  if (plan->event_count == HD_EVENTS_MOST)
    return complain(error, NULL, "more than %u events; at %s", HD_EVENTS_MOST, event.name);
  plan->events[plan->event_count++] = event;
  return true;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

static bool add_names(struct hd_event_sets *plan, const char *list, struct hd_event_sets_error *error) {
  for (const char *at = list;; at++) {
    while (is_blank(*at))
      at++;
    const char *const name = at;
    at += strcspn(at, ",");
    size_t length = (size_t)(at - name);
    while (length > 0 && is_blank(name[length - 1]))
      length--;
    if (!add_name(plan, name, length, error))
      return false;
    if (!*at)
      return true;
  }
}

/* ---- who knows them ---- */

/* One source's answer. Why an event that the source has cannot be counted here matters more than what a source says
 * that does not have it; the first such reason counts. */
static bool ask(const struct hd_source *source, struct hd_counter_event *event, struct hd_event_sets_error *error) {
  char why[sizeof error->why] = "";
  const enum hd_counter_status status = hd_source_ask(source, event->name, event, why, sizeof why);
  if (status == HD_COUNTER_UNAVAILABLE && error->unknown) {
    error->unknown = false;
    snprintf(error->why, sizeof error->why, "%s", why[0] ? why : "it cannot be counted here");
  } else if (error->unknown && why[0]) {
    snprintf(error->why, sizeof error->why, "%s", why);
  }
  return status == HD_COUNTER_FOUND;
}

/* The event goes to the first of the sources that can count it; if there is none, it stays as it is. */
static bool resolve(struct hd_counter_event *event, const struct hd_source *const *sources,
                    struct hd_event_sets_error *error) {
  complain(error, event->name, "no such event");
  error->unknown = true;
  for (const struct hd_source *const *source = sources; *source; source++) {
    struct hd_counter_event found = *event;
    if (ask(*source, &found, error)) {
      *event = found;
      return true;
    }
  }
  return false;
}

/* As far as that is known before there are any. */
static uint64_t expected_threads(void) {
  cpu_set_t processors;
  const char *asked_for = getenv("OMP_NUM_THREADS");
  const unsigned long wanted = asked_for ? strtoul(asked_for, NULL, 10) : 0;
  const unsigned long have =
      sched_getaffinity(0, sizeof processors, &processors) ? 1 : (unsigned)CPU_COUNT(&processors);
  return wanted > have ? wanted : have;
}

static uint64_t events_of(const struct hd_event_sets *plan, const struct hd_source *source) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < plan->event_count; i++)
    count += plan->events[i].source == source;
  return count;
}

/* If a source has not enough room for all threads, others count what they can. */
static void make_room(struct hd_event_sets *plan) {
  struct hd_event_sets_error ignored;
  for (const struct hd_source *const *source = hd_sources; *source; source++) {
    if (!(*source)->room || events_of(plan, *source) * expected_threads() <= (*source)->room())
      continue;
    for (uint32_t i = 0; i < plan->event_count; i++)
      if (plan->events[i].source == *source)
        resolve(&plan->events[i], source + 1, &ignored);
  }
}

/* ---- what fits together ---- */

static bool try_out(const struct hd_event_sets *plan, const struct hd_planned_set *planned, char *why,
                    size_t why_bytes) {
  const struct hd_counter_event *events[HD_EVENTS_MOST];
  const uint32_t count = hd_event_sets_events(plan, planned, events);
  return hd_source_try(planned->source, events, count, why, why_bytes);
}

/* The events of the same source and component as event `first`, if it is the first of them. */
static bool gather(const struct hd_event_sets *plan, uint32_t first, struct hd_planned_set *all) {
  const struct hd_counter_event *model = &plan->events[first];
  *all = (struct hd_planned_set){.source = model->source};
  for (uint32_t i = 0; i < plan->event_count; i++)
    if (plan->events[i].source == model->source && plan->events[i].component == model->component)
      all->events[all->count++] = i;
  return all->events[0] == first;
}

/* Puts the event into the first of the sets from `first_set` on where it fits, else into a new one. */
static bool place(struct hd_event_sets *plan, uint32_t first_set, uint32_t event, char *why, size_t why_bytes) {
  for (uint32_t i = first_set; i < plan->set_count; i++) {
    struct hd_planned_set *set = &plan->sets[i];
    set->events[set->count++] = event;
    if (try_out(plan, set, why, why_bytes))
      return true;
    set->count--;
  }
  struct hd_planned_set alone = {
      .source = plan->events[event].source, .slot = plan->set_count - first_set + 1, .count = 1, .events = {event}};
  if (!try_out(plan, &alone, why, why_bytes))
    return false;
  plan->sets[plan->set_count++] = alone;
  return true;
}

/* Divides the events of a component into sets that can be counted. Why they cannot be all at once stays in `error`. */
static bool divide(struct hd_event_sets *plan, const struct hd_planned_set *all, struct hd_event_sets_error *error) {
  char why[sizeof error->why] = "";
  const uint32_t first_set = plan->set_count;
  if (try_out(plan, all, why, sizeof why)) {
    plan->sets[plan->set_count++] = *all;
    return true;
  }
  if (all->count > 1 && !plan->slots)
    complain(error, NULL, "%s", why);
  for (uint32_t i = 0; i < all->count; i++)
    if (!place(plan, first_set, all->events[i], why, sizeof why))
      return complain(error, plan->events[all->events[i]].name, "%s", why);
  const uint32_t slots = plan->set_count - first_set;
  if (slots == 1) /* it works now */
    plan->sets[first_set].slot = 0;
  else if (slots > plan->slots)
    plan->slots = slots;
  return true;
}

/* ---- what does not ---- */

static void append(char *text, size_t bytes, const char *words) {
  const size_t used = strlen(text);
  snprintf(text + used, bytes - used, "%s", words);
}

/* The names of the events that are counted in the same turn. */
static void append_slot(char *text, size_t bytes, const struct hd_event_sets *plan, uint32_t slot) {
  const char *between = slot > 1 ? " or " : "";
  for (uint32_t i = 0; i < plan->set_count; i++)
    for (uint32_t j = 0; plan->sets[i].slot == slot && j < plan->sets[i].count; j++, between = ", ") {
      append(text, bytes, between);
      append(text, bytes, plan->events[plan->sets[i].events[j]].name);
    }
}

/* Which of the events that would have to take turns may be counted in the same run. */
static bool explain_misfit(const struct hd_event_sets *plan, struct hd_event_sets_error *error) {
  static const char advice[] =
      "; count them in separate runs, or let them take turns (--multiplex, HEDDLE_MULTIPLEX=1)";
  const size_t room = sizeof error->why - sizeof advice;
  char reason[sizeof error->why / 3];
  snprintf(reason, sizeof reason, "%.*s", (int)sizeof reason - 1, error->why);
  snprintf(error->why, room, "not all at once: %s; these fit together: ", reason);
  for (uint32_t slot = 1; slot <= plan->slots; slot++)
    append_slot(error->why, room, plan, slot);
  append(error->why, sizeof error->why, advice);
  return false;
}

bool hd_event_sets_make(struct hd_event_sets *plan, const char *list, bool take_turns,
                        struct hd_event_sets_error *error) {
  *plan = (struct hd_event_sets){0};
  *error = (struct hd_event_sets_error){0};
  if (!add_names(plan, list, error))
    return false;
  for (uint32_t i = 0; i < plan->event_count; i++)
    if (!resolve(&plan->events[i], hd_sources, error))
      return false;
  make_room(plan);
  *error = (struct hd_event_sets_error){0};
  for (uint32_t i = 0; i < plan->event_count; i++) { /* a component's events at once */
    struct hd_planned_set all;
    if (gather(plan, i, &all) && !divide(plan, &all, error))
      return false;
  }
  if (plan->slots && !take_turns)
    return explain_misfit(plan, error);
  *error = (struct hd_event_sets_error){0};
  return true;
}
