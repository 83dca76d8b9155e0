/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A file of rules. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ctl/rules.h"
#include "output/analysis/callpaths/site_regex.h"
#include "output/model/format_names.h"
#include "support/command/memory.h"

#define BLANKS " \t\r\n"
#define EXPECTED "expected 'off CLASS,... [under REGEX]' or 'on CLASS,... under REGEX'"

/* Where a file is wrong. */
struct place {
  const char *path;
  uint32_t line;
  char *error;
  size_t error_bytes;
};

static bool fail(const struct place *place, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(const struct place *place, const char *format, ...) {
  char why[512];
  va_list values;
  va_start(values, format);
  vsnprintf(why, sizeof why, format, values);
  va_end(values);
  snprintf(place->error, place->error_bytes, "%s:%u: %s", place->path, place->line, why);
  return false;
}

/* The next word, which ends there; the text goes on behind it. */
static char *take_word(char **text) {
  char *word = *text + strspn(*text, BLANKS), *end = word + strcspn(word, BLANKS);
  *text = *end ? end + 1 : end;
  *end = '\0';
  return word;
}

/* What is left, without blanks around. */
static char *take_rest(char **text) {
  char *rest = *text + strspn(*text, BLANKS), *end = rest + strlen(rest);
  while (end > rest && strchr(BLANKS, end[-1]))
    end--;
  *end = '\0';
  return rest;
}

static bool take_classes(const struct place *place, char *list, uint32_t *classes) {
  for (char *id = list; id; id = list) {
    list = strchr(id, ',');
    if (list)
      *list++ = '\0';
    const enum hd_event_class found = hd_event_class_find(id);
    if (found == HD_CLASS_COUNT)
      return fail(place, HD_NO_CLASS_FORMAT, id);
    *classes |= 1u << found;
  }
  return true;
}

static bool take_expression(const struct place *place, const char *expression, struct hd_rule *rule) {
  char why[256];
  if (!hd_site_regex_is_valid(expression, why, sizeof why))
    return fail(place, "'%s': %s", expression, why);
  if (rule->classes >> HD_CLASS_REGION & 1)
    return fail(place, "regions themselves are on, or off, in all callpaths: 'region' cannot have 'under'");
  rule->under = hd_print("%s", expression);
  return true;
}

static bool take_rule(const struct place *place, char *text, struct hd_rule *rule) {
  const char *verb = take_word(&text);
  char *classes = take_word(&text);
  const char *under = take_word(&text), *expression = take_rest(&text);
  rule->line = place->line;
  rule->is_off = strcmp(verb, "off") == 0;
  if (!rule->is_off && strcmp(verb, "on") != 0)
    return fail(place, EXPECTED ", not '%s'", verb);
  if (!*classes)
    return fail(place, EXPECTED ": there is no class");
  if (*under && strcmp(under, "under") != 0)
    return fail(place, EXPECTED ", not '%s' behind the classes", under);
  if (*under && !*expression)
    return fail(place, EXPECTED ": there is nothing behind 'under'");
  if (!*under && !rule->is_off)
    return fail(place, EXPECTED ": without a rule before all classes are on");
  return take_classes(place, classes, &rule->classes) && (!*under || take_expression(place, expression, rule));
}

static bool take_line(const struct place *place, char *text, struct hd_rules *rules) {
  text += strspn(text, BLANKS);
  if (!*text || *text == '#')
    return true;
  rules->items = hd_grow_by_one(rules->items, rules->count, sizeof *rules->items);
  rules->items[rules->count] = (struct hd_rule){0};
  return take_rule(place, text, &rules->items[rules->count++]);
}

bool hd_rules_read(const char *path, struct hd_rules *rules, char *error, size_t error_bytes) {
  struct place place = {.path = path, .error = error, .error_bytes = error_bytes};
  char *line = NULL;
  size_t bytes = 0;
  FILE *file = fopen(path, "re");
  bool done = file;
  *rules = (struct hd_rules){.path = path};
  while (done && getline(&line, &bytes, file) >= 0) {
    place.line++;
    done = take_line(&place, line, rules);
  }
  if (!file || ferror(file))
    snprintf(error, error_bytes, "%s: %s", path, strerror(errno));
  else if (done && rules->count == 0)
    done = fail(&place, EXPECTED ": there is no rule");
  done = done && !ferror(file);
  if (file)
    fclose(file);
  free(line);
  if (!done)
    hd_rules_free(rules);
  return done;
}

void hd_rules_free(struct hd_rules *rules) {
  for (size_t i = 0; i < rules->count; i++)
    free(rules->items[i].under);
  free(rules->items);
  *rules = (struct hd_rules){0};
}
