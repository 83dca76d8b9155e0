/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/duration.h"

#include <stdio.h>

struct hd_unit hd_unit_for(double seconds) {
  static const struct hd_unit units[] = {{"seconds", 1, 0}, {"milliseconds", 1e3, 0}, {"microseconds", 1e6, 0}};
  struct hd_unit unit = units[seconds >= 1 ? 0 : seconds >= 1e-3 ? 1 : 2];
  const double largest = seconds * unit.per_second;
  unit.decimals = largest >= 1000 ? 1 : largest >= 100 ? 2 : 3;
  return unit;
}

static const char *symbol_of(const struct hd_unit *unit) {
  return unit->per_second > 1e3 ? "us" : unit->per_second > 1 ? "ms" : "s";
}

void hd_cell_duration(char cell[HD_CELL_BYTES], double seconds) {
  const struct hd_unit unit = hd_unit_for(seconds);
  snprintf(cell, HD_CELL_BYTES, "%.*f %s", unit.decimals, seconds * unit.per_second, symbol_of(&unit));
}

struct hd_cell hd_duration(double seconds) {
  struct hd_cell cell = {0};
  hd_cell_duration(cell.text, seconds);
  return cell;
}

struct hd_cell hd_duration_of(const struct hd_model *model, uint64_t ticks) {
  return hd_duration(hd_model_seconds(model, ticks));
}

struct hd_cell hd_duration_brief(double seconds) {
  struct hd_cell cell = {0};
  const struct hd_unit unit = hd_unit_for(seconds);
  const double number = seconds * unit.per_second;
  const int decimals = number >= 99.95 ? 0 : number >= 9.995 ? 1 : number >= 0.9995 ? 2 : 3;
  if (seconds == 0)
    return (struct hd_cell){"0 s"};
  snprintf(cell.text, sizeof cell.text, "%.*f %s", decimals, number, symbol_of(&unit));
  return cell;
}
