/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/cells.h"

#include <math.h>
#include <stdio.h>

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

struct hd_cell hd_duration(double seconds) {
  struct hd_cell cell = {0};
  hd_cell_duration(cell.text, seconds);
  return cell;
}

struct hd_cell hd_duration_of(const struct hd_model *model, uint64_t ticks) {
  return hd_duration(hd_model_seconds(model, ticks));
}

void hd_cell_grouped(char cell[HD_CELL_BYTES], uint64_t number) {
  char digits[HD_CELL_BYTES];
  const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
  char *to = cell;
  for (int i = 0; i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0)
      *to++ = ',';
    *to++ = digits[i];
  }
  *to = '\0';
}
