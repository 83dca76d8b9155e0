/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/percent.h"

#include <string.h>

/* Not by strtod: the program's locale may have another decimal point. */
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

bool hd_percent_read(const char *text, uint64_t *ppm) {
  uint64_t value = 0;
  if (strcmp(text, "off") != 0 && !read_percent(text, &value))
    return false;
  *ppm = value;
  return true;
}
