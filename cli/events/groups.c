/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/events/events_internal.h"

#include <stdlib.h>

#include "counters/event_sets.h"
#include "output/metrics/group.h"
#include "output/views/render/table.h"
#include "support/command/memory.h"

/* A group's events, divided by `separator`; to be freed. */
static char *join_events(const struct hd_group *group, char separator) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *memory = open_memstream(&text, &bytes);
  for (uint32_t i = 0; memory && i < group->event_count; i++) {
    if (i > 0)
      fputc(separator, memory);
    fputs(group->events[i].event, memory);
  }
  hd_written(memory);
  return text;
}

/* Whether its events can be counted here, all at once; `why` has room for a plan's words. */
static bool try_out(const struct hd_group *group, char *why, size_t why_bytes) {
  struct hd_event_sets plan;
  struct hd_event_sets_error error;
  char *list = join_events(group, ',');
  const bool made = hd_event_sets_make(&plan, list, false, &error);
  why[0] = '\0';
  if (!made)
    snprintf(why, why_bytes, "%s%s%s", error.event, error.event[0] ? ": " : "", error.why);
  free(list);
  return made;
}

static bool is_meant(const struct hd_events_choices *choices, const struct hd_group *group) {
  const char *texts[HD_EVENTS_MOST + 2] = {group->name, group->short_text};
  for (uint32_t i = 0; i < group->event_count; i++)
    texts[i + 2] = group->events[i].event;
  return hd_events_is_meant(choices, texts, group->event_count + 2);
}

static void add_row(struct hd_events_walk *walk, const struct hd_group *group, const char *events, bool available,
                    const char *why) {
  char answer[32];
  hd_events_answer(walk, available, why, answer, sizeof answer);
  const char *const cells[] = {group->name, answer, group->short_text, events};
  hd_events_add_row(walk, cells, sizeof cells / sizeof *cells);
}

static void put_row(const struct hd_events_walk *walk, const struct hd_group *group, const char *events, bool available,
                    const char *why) {
  const char *const fields[] = {group->name, group->path, available ? "yes" : "no", why, events, group->short_text};
  hd_events_put_row(fields, sizeof fields / sizeof *fields, walk->out);
}

static void print_metric(const struct hd_metric *metric, FILE *out) {
  const char *unit = metric->unit;
  fprintf(out, "  %s%s%s%s = %s\n", metric->name, unit[0] ? " [" : "", unit, unit[0] ? "]" : "", metric->formula);
  if (metric->problem)
    fprintf(out, "    has no value: %s\n", metric->problem);
}

static void print_group(const struct hd_events_walk *walk, const struct hd_group *group, bool available,
                        const char *why) {
  FILE *out = walk->out;
  fprintf(out, "%s%s%s%s\n%s\n", walk->shown > 1 ? "\n" : "", group->name, group->short_text[0] ? ": " : "",
          group->short_text, group->path);
  fprintf(out, "can be counted here: %s%s\n\nEvents\n", available ? "yes" : "no, ", why);
  for (uint32_t i = 0; i < group->event_count; i++)
    fprintf(out, "  %s = %s\n", group->events[i].alias, group->events[i].event);
  fputs("\nMetrics\n", out);
  for (uint32_t i = 0; i < group->metric_count; i++)
    print_metric(&group->metrics[i], out);
  if (group->long_text[0])
    fprintf(out, "\n%s\n", group->long_text);
}

static void show(struct hd_events_walk *walk, const struct hd_group *group) {
  char why[sizeof((struct hd_event_sets_error *)0)->why + 160];
  const bool available = try_out(group, why, sizeof why);
  if (walk->choices->available && !available)
    return;
  char *events = join_events(group, ' ');
  walk->shown++;
  if (walk->choices->csv)
    put_row(walk, group, events, available, why);
  else if (walk->choices->expression)
    print_group(walk, group, available, why);
  else
    add_row(walk, group, events, available, why);
  free(events);
}

static void visit(void *context, const struct hd_group *group, const char *error) {
  struct hd_events_walk *walk = context;
  if (!group)
    fprintf(stderr, "heddle: %s\n", error);
  else if (is_meant(walk->choices, group))
    show(walk, group);
}

bool hd_events_groups(const struct hd_events_choices *choices, FILE *out) {
  static const char *const titles[] = {"Group", "Here", "Description", "Events"};
  struct hd_events_walk walk = {.choices = choices, .out = out};
  if (choices->csv)
    fputs("group,file,available,reason,events,description\n", out);
  else if (!choices->expression)
    hd_events_new_table(&walk, titles, sizeof titles / sizeof *titles);
  hd_group_each(visit, &walk);
  return hd_events_end(&walk);
}
