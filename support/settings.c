/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/settings.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle-events.h"
#include "support/log.h"

enum kind { TEXT, NAME, NUMBER, POSITIVE, NUMBER_OR_OFF, SIZE, SIZE_OR_OFF, SWITCH, PERCENT_OR_OFF, CLASSES };

#define ROW(variable, member, kind, unset) {"HEDDLE_" #variable, kind, offsetof(struct hd_settings, member)},
static const struct {
  const char *name;
  enum kind kind;
  size_t offset;
} table[HD_SETTING_COUNT] = {HD_SETTINGS(ROW)};

#define UNSET(variable, member, kind, unset) .member = unset,
static const struct hd_settings defaults = {HD_SETTINGS(UNSET)};

static bool read_number(const char *text, enum kind kind, uint64_t *value) {
  char *end;
  errno = 0;
  const unsigned long long number = strtoull(text, &end, 10);
  if (errno || *end || end == text || *text == '-' || (kind == POSITIVE && number == 0) ||
      (kind == SWITCH && number > 1))
    return false;
  *value = number;
  return true;
}

/* Digits, then k, M, G or T in either case for powers of 1024, then perhaps B or iB. */
static bool read_size(const char *text, uint64_t *bytes) {
  static const char letters[] = "kKmMgGtT";
  char *end;
  errno = 0;
  const unsigned long long count = strtoull(text, &end, 10);
  const char *letter = *end ? strchr(letters, *end) : NULL;
  const int shift = letter ? 10 * (1 + (int)(letter - letters) / 2) : 0;
  end += letter != NULL;
  if (letter && !strcmp(end, "iB"))
    end += 2;
  else if (!strcmp(end, "B"))
    end++;
  if (errno || *end || *text < '0' || *text > '9' || count > UINT64_MAX >> shift)
    return false;
  *bytes = (uint64_t)count << shift;
  return true;
}

/* From 0.0001 to 100, to four places, with or without the sign, as parts in a million. Not by strtod: the program's
 * locale may have another decimal point. */
static bool read_percent(const char *text, uint64_t *ppm) {
  uint64_t unit = 10000;
  uint64_t value = 0;
  const char *at = text;
  for (; *at >= '0' && *at <= '9' && value <= 100; at++)
    value = 10 * value + (uint64_t)(*at - '0');
  if (at == text || value > 100)
    return false;
  value *= unit;
  if (*at == '.')
    for (at++; *at >= '0' && *at <= '9' && unit > 1; at++)
      value += (unit /= 10) * (uint64_t)(*at - '0');
  *ppm = value;
  return (*at == '\0' || !strcmp(at, "%")) && value > 0 && value <= 1000000;
}

/* Regions are always among them: without them nothing in them is measured. */
static bool read_classes(const char *text, uint64_t *classes) {
#define ID(name, id, words) id,
  static const char *const ids[] = {HD_CLASS_TABLE(ID)};
#undef ID
  *classes = 1u << HD_CLASS_REGION;
  for (const char *at = text;; at++) {
    const size_t length = strcspn(at, ",");
    uint32_t found = 0;
    while (found < HD_CLASS_COUNT && (strlen(ids[found]) != length || strncmp(ids[found], at, length) != 0))
      found++;
    if (found == HD_CLASS_COUNT)
      return false;
    *classes |= UINT64_C(1) << found;
    at += length;
    if (!*at)
      return true;
  }
}

/* Nothing but p, h, r, n and % stands behind a %. */
static bool is_name(const char *text) {
  for (const char *c = text; (c = strchr(c, '%')); c += 2)
    if (!c[1] || !strchr("phrn%", c[1]))
      return false;
  return *text != '\0';
}

/* The number that `text` stands for. */
static bool read_value(enum kind kind, const char *text, uint64_t *value) {
  if (kind != NUMBER && kind != POSITIVE && kind != SIZE && kind != CLASSES && strcmp(text, "off") == 0) {
    *value = kind == SIZE_OR_OFF ? HD_MEMORY_UNLIMITED : 0;
    return true;
  }
  return kind == SIZE_OR_OFF || kind == SIZE ? read_size(text, value)
         : kind == PERCENT_OR_OFF            ? read_percent(text, value)
         : kind == CLASSES                   ? read_classes(text, value)
                                             : read_number(text, kind, value);
}

const char *hd_setting_read(enum hd_setting setting, const char *text, struct hd_settings *settings) {
#define ID(name, id, words) " " id
  static const char *const takes[] = {[NAME] = "a file name in which %p, %h, %r, %n or %% may stand",
                                      [NUMBER] = "a number",
                                      [POSITIVE] = "a number from 1 on",
                                      [NUMBER_OR_OFF] = "a number, or off",
                                      [SIZE] = "a size such as 64M",
                                      [SIZE_OR_OFF] = "a size such as 16M, or off",
                                      [SWITCH] = "0 or 1",
                                      [PERCENT_OR_OFF] = "percent, from 0.0001 to 100, or off",
                                      [CLASSES] = "a comma-separated list of the classes" HD_CLASS_TABLE(ID)};
#undef ID
  const enum kind kind = table[setting].kind;
  char *field = (char *)settings + table[setting].offset;
  uint64_t value;
  if (kind == TEXT || (kind == NAME && is_name(text)))
    memcpy(field, &text, sizeof text);
  else if (kind != NAME && read_value(kind, text, &value))
    memcpy(field, &value, sizeof value);
  else
    return takes[kind];
  return NULL;
}

static bool is_known(const char *variable) {
#define VARIABLE(name) "HEDDLE_" #name,
  static const char *const others[] = {HD_COMMAND_VARIABLES(VARIABLE)};
  const size_t length = strcspn(variable, "=");
  for (size_t i = 0; i < HD_SETTING_COUNT; i++)
    if (strlen(table[i].name) == length && strncmp(table[i].name, variable, length) == 0)
      return true;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strlen(others[i]) == length && strncmp(others[i], variable, length) == 0)
      return true;
  return false;
}

/* 'heddle run' has said it before. */
static void report_unknown(void) {
  for (char **variable = environ; variable && *variable; variable++)
    if (strncmp(*variable, "HEDDLE_", 7) == 0 && !is_known(*variable))
      hd_log("%.*s is not a Heddle variable and has no effect", (int)strcspn(*variable, "="), *variable);
}

void hd_settings_read(struct hd_settings *settings) {
  *settings = defaults;
  for (enum hd_setting i = 0; i < HD_SETTING_COUNT; i++) {
    /* secure_getenv: a set-user-id program must not write where its caller says. */
    const char *text = secure_getenv(table[i].name);
    const char *expected = text && *text ? hd_setting_read(i, text, settings) : NULL;
    if (expected)
      hd_log("%s expects %s, not %s; ignored", table[i].name, expected, text);
  }
  if (!settings->start)
    report_unknown();
}

const char *hd_setting_name(enum hd_setting setting) {
  return table[setting].name;
}
