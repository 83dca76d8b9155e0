/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/events/events_internal.h"

#include <string.h>

#include "counters/source.h"
#include "output/views/render/csv.h"
#include "output/views/render/table.h"
#include "support/command/memory.h"

/* ---- what lists of events and of groups have in common ---- */

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

void hd_events_new_table(struct hd_events_walk *walk, const char *const *titles, size_t count) {
  walk->table = hd_table_new(walk->out);
  for (size_t i = 0; i < count; i++)
    hd_need(walk->table && hd_scols_column(walk->table, titles[i], i + 1 == count ? SCOLS_FL_TRUNC : 0));
}

void hd_events_add_row(struct hd_events_walk *walk, const char *const *cells, size_t count) {
  struct libscols_line *line = scols_table_new_line(walk->table, NULL);
  for (size_t i = 0; i < count; i++)
    hd_need(line && scols_line_set_data(line, i, cells[i]) == 0);
}

/* The number of a reason, from 1 on. */
static size_t number_of(struct hd_texts *reasons, const char *why) {
  for (size_t i = reasons->count; i > 0; i--) /* events of one reason mostly follow each other */
    if (strcmp(reasons->items[i - 1], why) == 0)
      return i;
  hd_texts_add(reasons, hd_print("%s", why));
  return reasons->count;
}

void hd_events_answer(struct hd_events_walk *walk, bool available, const char *why, char *cell, size_t cell_bytes) {
  if (available)
    snprintf(cell, cell_bytes, "yes");
  else
    snprintf(cell, cell_bytes, "no [%zu]", number_of(&walk->reasons, why));
}

bool hd_events_end(struct hd_events_walk *walk) {
  if (walk->table && walk->shown > 0) {
    hd_need(scols_print_table(walk->table) == 0 || ferror(walk->out));
    for (size_t i = 0; i < walk->reasons.count; i++)
      fprintf(walk->out, "%s[%zu] %s\n", i == 0 ? "\n" : "", i + 1, walk->reasons.items[i]);
  }
  scols_unref_table(walk->table);
  hd_texts_free(&walk->reasons);
  return walk->shown > 0;
}

/* ---- events ---- */

static void show(struct hd_events_walk *walk, const struct hd_counter_event *event, bool available, const char *why) {
  char answer[32] = "";
  const char *const fields[] = {event->name,          event->unit,       event->source->name, available ? "yes" : "no",
                                available ? "" : why, event->description};
  walk->shown++;
  if (walk->choices->csv) {
    hd_events_put_row(fields, sizeof fields / sizeof *fields, walk->out);
    return;
  }
  hd_events_answer(walk, available, why, answer, sizeof answer);
  const char *const cells[] = {event->name, event->unit, event->source->name, answer, event->description};
  hd_events_add_row(walk, cells, sizeof cells / sizeof *cells);
}

static enum hd_counter_status ask(const struct hd_source *source, const struct hd_counter_event *event) {
  struct hd_counter_event same = *event;
  char why[600];
  return hd_source_ask(source, event->name, &same, why, sizeof why);
}

/* Several sources know the software events. An event is the first one's that can count it; else the first one's. */
static bool is_anothers(const struct hd_counter_event *event, bool available) {
  bool after = false;
  for (const struct hd_source *const *source = hd_sources; *source; source++) {
    if (*source == event->source) {
      if (available)
        return false;
      after = true;
      continue;
    }
    const enum hd_counter_status status = ask(*source, event);
    if (status == HD_COUNTER_FOUND || (status == HD_COUNTER_UNAVAILABLE && !available && !after))
      return true;
  }
  return false;
}

static bool visit(void *context, const struct hd_counter_event *event, bool available, const char *why) {
  struct hd_events_walk *walk = context;
  const char *const texts[] = {event->name, event->description};
  if ((walk->choices->available && !available) || !hd_events_is_meant(walk->choices, texts, 2) ||
      is_anothers(event, available))
    return true;
  if (!why || !why[0])
    why = "it cannot be counted here";
  show(walk, event, available, why);
  return !ferror(walk->out);
}

/* What cannot be opened has no events to list: the line about it is all that is said. */
static void walk_sources(struct hd_events_walk *walk) {
  for (const struct hd_source *const *source = hd_sources; *source; source++) {
    char text[600];
    const enum hd_source_state state = (*source)->describe(text, sizeof text);
    if (!walk->choices->csv)
      fprintf(walk->out, "%-7s %s\n", (*source)->name, text);
    else if (state == HD_SOURCE_UNUSABLE)
      fprintf(stderr, "heddle: %s: %s\n", (*source)->name, text);
    if (state != HD_SOURCE_UNUSABLE)
      (*source)->each(visit, walk);
  }
}

bool hd_events_list(const struct hd_events_choices *choices, FILE *out) {
  static const char *const titles[] = {"Event", "Unit", "Source", "Here", "Description"};
  struct hd_events_walk walk = {.choices = choices, .out = out};
  if (choices->csv)
    fputs("event,unit,source,available,reason,description\n", out);
  else
    hd_events_new_table(&walk, titles, sizeof titles / sizeof *titles);
  walk_sources(&walk);
  if (!choices->csv && walk.shown > 0)
    fputc('\n', out);
  return hd_events_end(&walk);
}
