/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/metrics/group.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/metrics/metric.h"
#include "support/command/edit_distance.h"
#include "support/command/memory.h"
#include "support/command/sanitize.h"

enum { METRICS_MOST = 64, NAME_BYTES_MOST = 100 };

enum section { SECTION_NONE, SECTION_SHORT, SECTION_EVENTSET, SECTION_METRICS, SECTION_LONG, SECTION_COUNT };
static const char *const keywords[SECTION_COUNT] = {"", "SHORT", "EVENTSET", "METRICS", "LONG"};

struct parser {
  struct hd_group *group;
  char *error;
  size_t error_bytes;
  uint32_t line;
  enum section section;
  uint32_t begun[SECTION_COUNT]; /* line; 0: not yet */
};

static bool complain(const struct parser *parser, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool complain(const struct parser *parser, uint32_t line, const char *format, ...) {
  const int prefix = snprintf(parser->error, parser->error_bytes, "%s:%u: ", parser->group->path, line);
  if (prefix < 0 || (size_t)prefix >= parser->error_bytes)
    return false;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(parser->error + prefix, parser->error_bytes - (size_t)prefix, format, arguments);
  va_end(arguments);
  return false;
}

/* ---- text ---- */

static bool is_control(const unsigned char *text) {
  return text[0] < ' ' || text[0] == 0x7f || (text[0] == 0xc2 && text[1] >= 0x80 && text[1] < 0xa0);
}

/* Names go to terminals and into JSON. */
static bool check_characters(const struct parser *parser) {
  uint32_t line = 1;
  for (const char *c = parser->group->text; *c;) {
    const size_t bytes = hd_sanitize_character(c);
    const bool is_blank = *c == '\t' || *c == '\n' || (c[0] == '\r' && c[1] == '\n');
    if (bytes == 0 && !is_blank)
      return complain(parser, line,
                      is_control((const unsigned char *)c) ? "control character 0x%02x" : "byte 0x%02x is not UTF-8",
                      (unsigned char)*c);
    line += *c == '\n';
    c += bytes > 0 ? bytes : 1;
  }
  return true;
}

static size_t trimmed_length(const char *text, size_t length) {
  while (length > 0 && strchr(" \t\r\n", text[length - 1]))
    length--;
  return length;
}

static char *copy(const char *text, size_t length) {
  return hd_print("%.*s", (int)trimmed_length(text, length), text);
}

static const char *skip_blanks(const char *text) {
  return text + strspn(text, " \t");
}

/* In characters, as editors count. */
static unsigned column_of(const char *line, size_t bytes) {
  unsigned column = 1;
  for (size_t i = 0; i < bytes && line[i]; i++)
    column += ((unsigned char)line[i] & 0xc0) != 0x80;
  return column;
}

/* ---- sections ---- */

static size_t word_length(const char *text) {
  return strcspn(text, " \t");
}

static enum section section_of(const char *line) {
  const size_t length = word_length(line);
  for (enum section section = SECTION_SHORT; section < SECTION_COUNT; section++)
    if (strlen(keywords[section]) == length && strncmp(line, keywords[section], length) == 0)
      return section;
  return SECTION_NONE;
}

/* A line of one word that was probably meant to begin a section. */
static bool resembles_keyword(const char *line) {
  for (enum section section = SECTION_SHORT; section < SECTION_COUNT; section++)
    if (!line[word_length(line)] && hd_edit_distance(line, keywords[section]) <= 2 && strlen(line) > 3)
      return true;
  return false;
}

static bool complain_of_section(const struct parser *parser, const char *line) {
  return complain(parser, parser->line, "unknown section '%.*s': there are SHORT, EVENTSET, METRICS and LONG",
                  (int)word_length(line), line);
}

static bool begin_section(struct parser *parser, enum section section, const char *line) {
  struct hd_group *group = parser->group;
  const char *rest = skip_blanks(line + word_length(line));
  if (parser->begun[section])
    return complain(parser, parser->line, "a second %s: the first is in line %u", keywords[section],
                    parser->begun[section]);
  if (*rest && section != SECTION_SHORT)
    return complain(parser, parser->line, "%s stands alone on its line", keywords[section]);
  parser->begun[section] = parser->line;
  parser->section = section;
  if (section != SECTION_SHORT)
    return true;
  parser->section = SECTION_NONE;
  free(group->short_text);
  group->short_text = hd_print("%s", rest);
  return true;
}

/* ---- events ---- */

static bool check_event(const struct parser *parser, const char *event) {
  if (strlen(event) >= sizeof((struct hd_event_record *)0)->name)
    return complain(parser, parser->line, "the event's name is longer than %zu bytes",
                    sizeof((struct hd_event_record *)0)->name - 1);
  if (strchr(event, ','))
    return complain(parser, parser->line, "'%s': no event has a ',' in its name; one event on each line", event);
  return true;
}

static bool check_alias(const struct parser *parser, const char *alias, bool alone) {
  const struct hd_group *group = parser->group;
  if (!hd_formula_is_identifier(alias))
    return alone
               ? complain(parser, parser->line,
                          "event '%s' needs a name for formulas before it: a letter, then letters, digits and _", alias)
               : complain(parser, parser->line, "'%s' is no name for formulas: a letter, then letters, digits and _",
                          alias);
  if (strlen(alias) > HD_ALIAS_BYTES_MOST)
    return complain(parser, parser->line, "the name is longer than %d bytes", HD_ALIAS_BYTES_MOST);
  const char *meaning = hd_metric_meaning(alias);
  if (meaning)
    return complain(parser, parser->line, "the name '%s' is taken: in formulas it is %s", alias, meaning);
  for (uint32_t i = 0; i < group->event_count; i++)
    if (strcmp(group->events[i].alias, alias) == 0)
      return complain(parser, parser->line, "the name '%s' is taken: it is an event's in line %u", alias,
                      group->events[i].line);
  return true;
}

static bool take_event(struct parser *parser, const char *line) {
  struct hd_group *group = parser->group;
  const size_t first = word_length(line);
  const char *second = skip_blanks(line + first);
  const size_t second_length = word_length(second);
  if (resembles_keyword(line))
    return complain_of_section(parser, line);
  if (*skip_blanks(second + second_length))
    return complain(parser, parser->line, "more than a name and an event: '%s'", skip_blanks(second + second_length));
  if (group->event_count == HD_EVENTS_MOST)
    return complain(parser, parser->line, "more than %u events", HD_EVENTS_MOST);
  struct hd_group_event *event = &group->events[group->event_count];
  *event = (struct hd_group_event){.alias = copy(line, first), .line = parser->line};
  event->event = second_length ? copy(second, second_length) : copy(line, first);
  const bool is_valid = check_event(parser, event->event) && check_alias(parser, event->alias, second_length == 0);
  group->event_count++;
  return is_valid;
}

/* ---- metrics ---- */

/* Two blanks or a tab end a metric's name. */
static size_t metric_name_length(const char *line) {
  size_t length = 0;
  while (line[length] && line[length] != '\t' && !(line[length] == ' ' && strchr(" \t", line[length + 1])))
    length++;
  return length;
}

static bool name_metric(const struct parser *parser, struct hd_metric *metric, const char *line, size_t length) {
  const char *open = length > 0 && line[length - 1] == ']' ? memrchr(line, '[', length) : NULL;
  metric->unit = open ? copy(open + 1, (size_t)(line + length - 1 - (open + 1))) : copy("", 0);
  metric->name = copy(line, open ? (size_t)(open - line) : length);
  if (!metric->name[0])
    return complain(parser, parser->line, "a metric without a name");
  return length <= NAME_BYTES_MOST ||
         complain(parser, parser->line, "the metric's name is longer than %d bytes", NAME_BYTES_MOST);
}

static bool check_formula(const struct parser *parser, struct hd_metric *metric, const char *line, size_t offset) {
  struct hd_formula_error error;
  if (strlen(metric->formula) > HD_FORMULA_BYTES_MOST)
    return complain(parser, parser->line, "the formula of '%s' is longer than %d bytes", metric->name,
                    HD_FORMULA_BYTES_MOST);
  if (hd_metric_compile(parser->group, metric, &error))
    return true;
  if (error.position < 0)
    complain(parser, parser->line, "formula of '%s': %s", metric->name, error.why);
  else
    complain(parser, parser->line, "formula of '%s', column %u: %s", metric->name,
             column_of(line, offset + (size_t)error.position), error.why);
  metric->problem = hd_print("%s", parser->error); /* of this metric alone */
  return true;
}

static bool take_metric(struct parser *parser, const char *line, size_t indent) {
  struct hd_group *group = parser->group;
  const char *text = line + indent;
  const size_t length = metric_name_length(text);
  const char *formula = skip_blanks(text + length);
  if (!*formula)
    return resembles_keyword(text) ? complain_of_section(parser, text)
                                   : complain(parser, parser->line,
                                              "'%s' has no formula: a metric is a name, two or more blanks or a tab, "
                                              "a formula",
                                              text);
  if (group->metric_count == METRICS_MOST)
    return complain(parser, parser->line, "more than %d metrics", METRICS_MOST);
  struct hd_metric *metric = &group->metrics[group->metric_count++];
  metric->line = parser->line;
  metric->formula = hd_print("%s", formula);
  if (!name_metric(parser, metric, text, length))
    return false;
  for (uint32_t i = 0; i + 1 < group->metric_count; i++)
    if (strcmp(group->metrics[i].name, metric->name) == 0)
      return complain(parser, parser->line, "a second metric '%s': the first is in line %u", metric->name,
                      group->metrics[i].line);
  return check_formula(parser, metric, line, (size_t)(formula - line));
}

/* ---- the file ---- */

static bool take_line(struct parser *parser, const char *line) {
  const char *text = skip_blanks(line);
  const enum section begins = section_of(text);
  if (!*text || *text == '#')
    return true;
  if (begins == SECTION_METRICS && !parser->begun[SECTION_EVENTSET])
    return complain(parser, parser->line, "METRICS needs an EVENTSET before it");
  if (begins != SECTION_NONE)
    return begin_section(parser, begins, text);
  if (parser->section == SECTION_EVENTSET)
    return take_event(parser, text);
  if (parser->section == SECTION_METRICS)
    return take_metric(parser, line, (size_t)(text - line));
  return complain_of_section(parser, text);
}

/* All that is left, with lines that end in '\n' alone. */
static void take_long_text(struct hd_group *group, const char *text) {
  char *to = group->long_text = hd_print("%s", text + strspn(text, "\r\n"));
  for (const char *from = to; *from; from++)
    if (*from != '\r')
      *to++ = *from;
  group->long_text[trimmed_length(group->long_text, (size_t)(to - group->long_text))] = '\0';
}

static bool take_lines(struct parser *parser, const char *text) {
  while (*text && parser->section != SECTION_LONG) {
    const size_t length = strcspn(text, "\n");
    char *line = copy(text, length);
    parser->line++;
    const bool taken = take_line(parser, line);
    free(line);
    if (!taken)
      return false;
    text += length + (text[length] == '\n');
  }
  take_long_text(parser->group, text);
  return true;
}

static bool check_sections(const struct parser *parser) {
  const struct hd_group *group = parser->group;
  const uint32_t last = parser->line > 0 ? parser->line : 1;
  for (enum section section = SECTION_EVENTSET; section <= SECTION_METRICS; section++)
    if (!parser->begun[section])
      return complain(parser, last, "%s is missing", keywords[section]);
  if (group->event_count == 0)
    return complain(parser, parser->begun[SECTION_EVENTSET], "EVENTSET has no event");
  return group->metric_count > 0 || complain(parser, parser->begun[SECTION_METRICS], "METRICS has no metric");
}

static char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  return hd_print("%.*s", (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name)), name);
}

static struct hd_group *make(const char *path, const char *text) {
  static const char mark[] = "\xef\xbb\xbf"; /* some editors begin UTF-8 with it */
  struct hd_group *group = hd_new(1, sizeof *group);
  group->path = hd_print("%s", path);
  group->name = name_of(path);
  group->short_text = copy("", 0);
  group->text = hd_print("%s", strncmp(text, mark, sizeof mark - 1) == 0 ? text + sizeof mark - 1 : text);
  group->events = hd_new(HD_EVENTS_MOST, sizeof *group->events);
  group->metrics = hd_new(METRICS_MOST, sizeof *group->metrics);
  return group;
}

struct hd_group *hd_group_parse(const char *path, const char *text, char *error, size_t error_bytes) {
  char why[256];
  struct parser parser = {.group = make(path, text), .error = error, .error_bytes = error_bytes};
  if (!hd_formula_open(why, sizeof why))
    snprintf(error, error_bytes, "%s: %s", path, why);
  else if (check_characters(&parser) && take_lines(&parser, parser.group->text) && check_sections(&parser))
    return parser.group;
  hd_group_free(parser.group);
  return NULL;
}

void hd_group_free(struct hd_group *group) {
  if (!group)
    return;
  for (uint32_t i = 0; i < group->event_count; i++) {
    free(group->events[i].alias);
    free(group->events[i].event);
  }
  for (uint32_t i = 0; i < group->metric_count; i++) {
    hd_formula_free(group->metrics[i].parser);
    free(group->metrics[i].name);
    free(group->metrics[i].unit);
    free(group->metrics[i].formula);
    free(group->metrics[i].problem);
  }
  free(group->path);
  free(group->name);
  free(group->short_text);
  free(group->long_text);
  free(group->text);
  free(group->events);
  free(group->metrics);
  free(group);
}
