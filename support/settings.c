/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/byte_size.h"
#include "support/log.h"
#include "support/percent.h"

enum kind { TEXT, NUMBER, POSITIVE, NUMBER_OR_OFF, SIZE_OR_OFF, SWITCH, PERCENT_OR_OFF };

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

/* NULL: `field` is what `text` says. Else what it should say. */
static const char *read_field(enum kind kind, const char *text, void *field) {
  static const char *const takes[] = {[NUMBER] = "a number",
                                      [POSITIVE] = "a number from 1 on",
                                      [NUMBER_OR_OFF] = "a number, or off",
                                      [SIZE_OR_OFF] = "a size such as 16M, or off",
                                      [SWITCH] = "0 or 1",
                                      [PERCENT_OR_OFF] = "percent, from 0.0001 to 100, or off"};
  bool taken = true;
  if (kind == TEXT)
    memcpy(field, &text, sizeof text);
  else if (kind == PERCENT_OR_OFF)
    taken = hd_percent_read(text, field);
  else if (kind != NUMBER && kind != POSITIVE && strcmp(text, "off") == 0)
    *(uint64_t *)field = kind == SIZE_OR_OFF ? HD_MEMORY_UNLIMITED : 0;
  else
    taken = kind == SIZE_OR_OFF ? hd_byte_size_read(text, field) : read_number(text, kind, field);
  return taken ? NULL : takes[kind];
}

void hd_settings_read(struct hd_settings *settings) {
  *settings = defaults;
  for (size_t i = 0; i < HD_SETTING_COUNT; i++) {
    /* secure_getenv: a set-user-id program must not write where its caller says. */
    const char *text = secure_getenv(table[i].name);
    const char *takes = text && *text ? read_field(table[i].kind, text, (char *)settings + table[i].offset) : NULL;
    if (takes)
      hd_log("%s expects %s, not %s; ignored", table[i].name, takes, text);
  }
}

const char *hd_setting_name(enum hd_setting setting) {
  return table[setting].name;
}

bool hd_setting_is_valid(enum hd_setting setting, const char *text, const char **takes) {
  struct hd_settings ignored;
  *takes = read_field(table[setting].kind, text, (char *)&ignored + table[setting].offset);
  return !*takes;
}
