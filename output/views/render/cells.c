/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/cells.h"

#include <math.h>
#include <stdio.h>

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
