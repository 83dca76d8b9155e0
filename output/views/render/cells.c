/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "output/views/render/report_internal.h"

struct hd_unit hd_unit_for(double seconds) {
  static const struct hd_unit units[] = {{"seconds", 1, 0}, {"milliseconds", 1e3, 0}, {"microseconds", 1e6, 0}};
  struct hd_unit unit = units[seconds >= 1 ? 0 : seconds >= 1e-3 ? 1 : 2];
  const double largest = seconds * unit.per_second;
  unit.decimals = largest >= 1000 ? 1 : largest >= 100 ? 2 : 3;
  return unit;
}

void hd_cell_number(char cell[HD_CELL_BYTES], double number, int decimals) {
  if (isfinite(number))
    snprintf(cell, HD_CELL_BYTES, "%.*f", decimals, number);
  else
    snprintf(cell, HD_CELL_BYTES, "-");
}

void hd_cell_time(char cell[HD_CELL_BYTES], const struct hd_unit *unit, double seconds) {
  hd_cell_number(cell, seconds * unit->per_second, unit->decimals);
}

bool hd_unit_shows(const struct hd_unit *unit, double seconds) {
  return seconds * unit->per_second >= 0.5 * pow(10, -unit->decimals);
}

void hd_cell_duration(char cell[HD_CELL_BYTES], double seconds) {
  const struct hd_unit unit = hd_unit_for(seconds);
  const char *name = unit.per_second > 1e3 ? "us" : unit.per_second > 1 ? "ms" : "s";
  snprintf(cell, HD_CELL_BYTES, "%.*f %s", unit.decimals, seconds * unit.per_second, name);
}

size_t hd_text_width(const char *text) {
  size_t width = 0;
  for (; *text; text++)
    width += ((unsigned char)*text & 0xc0) != 0x80;
  return width;
}

/* A stream in memory is about to go to stderr. */
size_t hd_report_width(FILE *out) {
  struct winsize size;
  const int descriptor = fileno(out) >= 0 ? fileno(out) : STDERR_FILENO;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : HD_UNBOUNDED_WIDTH;
}

size_t hd_report_page(FILE *out) {
  enum { PAGE = 120, PAGE_LEAST = 20 };
  const size_t width = hd_report_width(out);
  const char *columns = getenv("COLUMNS");
  if (width != HD_UNBOUNDED_WIDTH)
    return width;
  const long asked = columns ? strtol(columns, NULL, 10) : 0;
  return asked < PAGE_LEAST ? PAGE : asked > HD_UNBOUNDED_WIDTH ? HD_UNBOUNDED_WIDTH : (size_t)asked;
}

struct libscols_table *hd_table_new(FILE *out) {
  scols_init_debug(0);
  struct libscols_table *table = scols_new_table();
  if (!table)
    return NULL;
  scols_table_set_stream(table, out);
  scols_table_set_termwidth(table, hd_report_width(out));
  scols_table_set_termforce(table, SCOLS_TERMFORCE_ALWAYS);
  return table;
}

bool hd_table_column(struct libscols_table *table, const char *title, int flags) {
  return scols_table_new_column(table, title, 0, flags) != NULL;
}

int hd_report_causes(const uint64_t most[HD_STATE_COUNT], const struct hd_model *model, const struct hd_unit *unit,
                     enum hd_state causes[HD_STATE_COUNT]) {
  int count = 0;
  for (int state = HD_WAIT_FIRST; state <= HD_WAIT_LAST; state++)
    if (hd_unit_shows(unit, hd_model_seconds(model, most[state])))
      causes[count++] = (enum hd_state)state;
  return count;
}
