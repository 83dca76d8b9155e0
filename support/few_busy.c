/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/few_busy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char busy[] = "busy";

/* What follows the word, and spaces; NULL: something else stands there. */
static const char *after(const char *text, const char *word) {
  if (!text)
    return NULL;
  text += strspn(text, " ");
  if (strncmp(text, word, strlen(word)) != 0)
    return NULL;
  text += strlen(word);
  return text + strspn(text, " ");
}

/* 0: it is no time. */
static double read_time(const char *text) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
  char *end;
  const double number = strtod(text, &end);
  end += strspn(end, " ");
  for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(end, units[i].name) == 0)
      return isfinite(number) ? number * units[i].seconds : 0;
  return 0;
}

bool hd_few_busy_is_meant(const char *text) {
  return after(text, busy);
}

bool hd_few_busy_read(const char *text, struct hd_few_busy *condition) {
  const char *most = after(after(text, busy), "<=");
  const size_t digits = most ? strspn(most, "0123456789") : 0;
  if (!most || digits == 0 || digits > 9)
    return false;
  const char *time = after(most + digits, "for");
  condition->most = (uint32_t)strtoul(most, NULL, 10);
  condition->least_seconds = time ? read_time(time) : 0;
  return condition->least_seconds > 0;
}
