/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/command/paint.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const hd_color_names[HD_COLORS] = {"auto", "always", "never"};

static enum hd_color chosen;
static FILE *memory_as;

void hd_paint_choose(enum hd_color when) {
  chosen = when;
}

void hd_paint_memory_as(FILE *stream) {
  memory_as = stream;
}

bool hd_paint_shows(FILE *out) {
  const char *terminal = getenv("TERM"), *none = getenv("NO_COLOR");
  if (fileno(out) < 0)
    out = memory_as;
  if (chosen != HD_COLOR_AUTO || !out)
    return chosen == HD_COLOR_ALWAYS && out;
  return !(none && *none) && terminal && strcmp(terminal, "dumb") != 0 && isatty(fileno(out));
}

const char *hd_paint_begin(enum hd_paint paint, FILE *out) {
  static const char *const sequences[] = {
      [HD_PAINT_NONE] = "",
      [HD_PAINT_HEADING] = "\033[1m",    /* bold */
      [HD_PAINT_GAIN] = "\033[1;32m",    /* bold, green */
      [HD_PAINT_WARNING] = "\033[1;33m", /* bold, yellow */
  };
  return hd_paint_shows(out) ? sequences[paint] : "";
}

const char *hd_paint_end(enum hd_paint paint, FILE *out) {
  return paint != HD_PAINT_NONE && hd_paint_shows(out) ? "\033[0m" : "";
}
