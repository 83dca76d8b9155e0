/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/events/events_internal.h"

#include <stdlib.h>
#include <string.h>

#include "counters/source.h"
#include "output/views/render/csv.h"
#include "output/views/render/table.h"

/* ---- what lists of events and of groups have in common ---- */

size_t hd_events_reason(struct hd_events_reasons *reasons, const char *why) {
  for (size_t i = reasons->count; i > 0; i--) /* events of one reason mostly follow each other */
    if (strcmp(reasons->items[i - 1], why) == 0)
      return i;
  char **more = realloc(reasons->items, (reasons->count + 1) * sizeof *more);
  if (!more)
    return 0;
  reasons->items = more;
  more[reasons->count] = strdup(why);
  return more[reasons->count] ? ++reasons->count : 0;
}

void hd_events_print_reasons(const struct hd_events_reasons *reasons, FILE *out) {
  for (size_t i = 0; i < reasons->count; i++)
    fprintf(out, "%s[%zu] %s\n", i == 0 ? "\n" : "", i + 1, reasons->items[i]);
}

void hd_events_free_reasons(struct hd_events_reasons *reasons) {
  for (size_t i = 0; i < reasons->count; i++)
    free(reasons->items[i]);
  free(reasons->items);
  *reasons = (struct hd_events_reasons){0};
}

bool hd_events_is_meant(const struct hd_events_choices *choices, const char *const *texts, size_t count) {
  bool meant = !choices->expression;
  for (size_t i = 0; i < count && !meant; i++)
    meant = regexec(&choices->regex, texts[i], 0, NULL, 0) == 0;
  return meant;
}

void hd_events_put_row(const char *const *fields, size_t count, FILE *out) {
  for (size_t i = 0; i < count; i++) {
    if (i > 0)
      fputc(',', out);
    hd_csv_text(fields[i], out);
  }
  fputc('\n', out);
}

struct libscols_table *hd_events_new_table(const char *const *titles, size_t count, FILE *out) {
  struct libscols_table *table = hd_table_new(out);
  for (size_t i = 0; table && i < count; i++)
    if (!hd_table_column(table, titles[i], i + 1 == count ? SCOLS_FL_TRUNC : 0)) {
      scols_unref_table(table);
      table = NULL;
    }
  return table;
}

bool hd_events_answer(char *cell, size_t cell_bytes, bool available, const char *why,
                      struct hd_events_reasons *reasons) {
  const size_t number = available ? 0 : hd_events_reason(reasons, why);
  if (available)
    snprintf(cell, cell_bytes, "yes");
  else
    snprintf(cell, cell_bytes, "no [%zu]", number);
  return available || number > 0;
}

/* ---- events ---- */

struct walk {
  const struct hd_events_choices *choices;
  FILE *out;
  struct libscols_table *table;
  struct hd_events_reasons reasons;
  size_t shown;
  bool no_memory;
};

static bool add_row(struct walk *walk, const struct hd_event *event, bool available, const char *why) {
  char answer[32];
  struct libscols_line *line = scols_table_new_line(walk->table, NULL);
  return line && hd_events_answer(answer, sizeof answer, available, why, &walk->reasons) &&
         scols_line_set_data(line, 0, event->name) == 0 && scols_line_set_data(line, 1, event->unit) == 0 &&
         scols_line_set_data(line, 2, event->source->name) == 0 && scols_line_set_data(line, 3, answer) == 0 &&
         scols_line_set_data(line, 4, event->description) == 0;
}

static void put_row(struct walk *walk, const struct hd_event *event, bool available, const char *why) {
  const char *const fields[] = {event->name,          event->unit,       event->source->name, available ? "yes" : "no",
                                available ? "" : why, event->description};
  hd_events_put_row(fields, sizeof fields / sizeof *fields, walk->out);
}

static enum hd_event_status ask(const struct hd_source *source, const struct hd_event *event) {
  struct hd_event same = *event;
  char why[600];
  return source->open(why, sizeof why) ? source->find(event->name, &same, why, sizeof why) : HD_EVENT_UNKNOWN;
}

/* Several sources know the software events. An event is the first one's that can count it; else the first one's. */
static bool is_anothers(const struct hd_event *event, bool available) {
  bool after = false;
  for (const struct hd_source *const *source = hd_sources; *source; source++) {
    if (*source == event->source) {
      if (available)
        return false;
      after = true;
      continue;
    }
    const enum hd_event_status status = ask(*source, event);
    if (status == HD_EVENT_FOUND || (status == HD_EVENT_UNAVAILABLE && !available && !after))
      return true;
  }
  return false;
}

static bool visit(void *context, const struct hd_event *event, bool available, const char *why) {
  struct walk *walk = context;
  const char *const texts[] = {event->name, event->description};
  if ((walk->choices->available && !available) || !hd_events_is_meant(walk->choices, texts, 2) ||
      is_anothers(event, available))
    return true;
  if (!why || !why[0])
    why = "it cannot be counted here";
  walk->shown++;
  if (walk->choices->csv)
    put_row(walk, event, available, why);
  else
    walk->no_memory = !add_row(walk, event, available, why);
  return !walk->no_memory && !ferror(walk->out);
}

/* What cannot be opened has no events to list: the line about it is all that is said. */
static void walk_sources(struct walk *walk) {
  for (const struct hd_source *const *source = hd_sources; *source && !walk->no_memory; source++) {
    char text[600] = "";
    const bool opened = (*source)->open(text, sizeof text);
    (*source)->describe(text, sizeof text);
    if (!walk->choices->csv)
      fprintf(walk->out, "%-7s %s\n", (*source)->name, text);
    else if (!opened)
      fprintf(stderr, "heddle: %s: %s\n", (*source)->name, text);
    if (opened)
      (*source)->each(visit, walk);
  }
}

static bool begin_table(struct walk *walk) {
  static const char *const titles[] = {"Event", "Unit", "Source", "Here", "Description"};
  walk->table = hd_events_new_table(titles, sizeof titles / sizeof *titles, walk->out);
  return walk->table != NULL;
}

enum hd_events_end hd_events_list(const struct hd_events_choices *choices, FILE *out) {
  struct walk walk = {.choices = choices, .out = out};
  walk.no_memory = !choices->csv && !begin_table(&walk);
  if (choices->csv)
    fputs("event,unit,source,available,reason,description\n", out);
  walk_sources(&walk);
  if (walk.table && walk.shown > 0 && !walk.no_memory) {
    fputc('\n', out);
    walk.no_memory = scols_print_table(walk.table) != 0 && !ferror(out);
    hd_events_print_reasons(&walk.reasons, out);
  }
  scols_unref_table(walk.table);
  hd_events_free_reasons(&walk.reasons);
  return walk.no_memory ? HD_EVENTS_NO_MEMORY : walk.shown > 0 ? HD_EVENTS_SHOWN : HD_EVENTS_NONE;
}
