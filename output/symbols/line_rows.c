/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/symbols/line_rows.h"

#include <string.h>

/* The last row of the line table at or before `pc`. */
size_t hd_line_rows_until(Dwarf_Lines *lines, size_t count, Dwarf_Addr pc) {
  size_t low = 0;
  size_t high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    Dwarf_Addr at = 0;
    dwarf_lineaddr(dwarf_onesrcline(lines, middle), &at);
    if (at <= pc)
      low = middle + 1;
    else
      high = middle;
  }
  return low; /* one past it */
}

/* Of a row that has a line; 0: it is none. */
int hd_line_row_read(Dwarf_Line *row, Dwarf_Addr *at, bool *is_statement) {
  int line = 0;
  bool ends = false; /* that of the code before it, whose line it still bears */
  return dwarf_lineaddr(row, at) == 0 && dwarf_lineendsequence(row, &ends) == 0 && !ends &&
                 dwarf_linebeginstatement(row, is_statement) == 0 && dwarf_lineno(row, &line) == 0
             ? line
             : 0;
}

/* The first row of a function that GCC made out of a construct is the directive's; more may follow at its address. What
 * comes before it there and begins no statement is left of the function before, if that ended in a jump. */
Dwarf_Line *hd_line_rows_first(Dwarf_Die *unit, Dwarf_Addr start) {
  Dwarf_Lines *lines = NULL;
  Dwarf_Line *found = NULL;
  Dwarf_Addr at = 0;
  size_t count = 0;
  bool is_statement = false, any = false;
  if (dwarf_getsrclines(unit, &lines, &count) != 0)
    return NULL;
  for (size_t i = hd_line_rows_until(lines, count, start); i-- > 0;) {
    Dwarf_Line *row = dwarf_onesrcline(lines, i);
    const int line = hd_line_row_read(row, &at, &is_statement);
    if (at != start)
      break;
    if (line > 0 && (is_statement || !any))
      found = row;
    any |= line > 0 && is_statement;
  }
  return found;
}

int hd_line_of_first(Dwarf_Die *unit, Dwarf_Addr start) {
  Dwarf_Line *row = hd_line_rows_first(unit, start);
  int line = 0;
  return row && dwarf_lineno(row, &line) == 0 ? line : 0;
}

static bool is_of(Dwarf_Line *row, const char *file) {
  const char *path = dwarf_linesrc(row, NULL, NULL);
  if (!path)
    return false;
  const size_t length = strlen(path), wanted = strlen(file);
  return length >= wanted && strcmp(path + length - wanted, file) == 0 &&
         (length == wanted || path[length - wanted - 1] == '/');
}

void hd_line_rows_each(Dwarf_Die *unit, const char *file, int line, hd_line_taker *take, void *context) {
  Dwarf_Lines *lines = NULL;
  Dwarf_Addr from = 0, to = 0;
  size_t count = 0;
  bool is_statement;
  if (dwarf_getsrclines(unit, &lines, &count) != 0)
    return;
  for (size_t i = 0; i + 1 < count; i++) {
    Dwarf_Line *row = dwarf_onesrcline(lines, i);
    if (hd_line_row_read(row, &from, &is_statement) == line && is_of(row, file) &&
        dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &to) == 0 && to > from)
      take(context, from, to);
  }
}
