/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/symbols/gcc_lines.h"

#include <string.h>

#include "output/symbols/line_rows.h"
#include "output/symbols/module_bytes.h"
#include "output/symbols/symbol_scopes.h"

enum { CALL_BYTES = 6, /* at most */ COMBINED_LINES = 2 };

/* ---- code ---- */

/* What the answer is compared with, and so which branch means work. */
struct test {
  uint8_t code[2];
  bool works_if_equal;
};

static const struct test tests[] = {
    {{0x84, 0xc0}, false}, /* test %al,%al */
    {{0x3c, 0x01}, true},  /* cmp $1,%al */
};

/* The length of the conditional branch; 0: it is none. */
static size_t read_branch(const uint8_t *code, size_t bytes, bool *if_equal, int64_t *distance) {
  int32_t far;
  if (bytes >= 2 && (code[0] & 0xfe) == 0x74) {
    *if_equal = code[0] == 0x74;
    *distance = code[1] < 0x80 ? code[1] : code[1] - 0x100;
    return 2;
  }
  if (bytes >= 6 && code[0] == 0x0f && (code[1] & 0xfe) == 0x84) {
    *if_equal = code[1] == 0x84;
    memcpy(&far, code + 2, sizeof far);
    *distance = far;
    return 6;
  }
  return 0;
}

bool hd_gcc_block(const uint8_t *code, size_t bytes, int64_t *offset) {
  const size_t skip = sizeof tests->code;
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    bool if_equal = false;
    int64_t distance = 0;
    if (bytes < skip || memcmp(code, tests[i].code, skip) != 0)
      continue;
    const size_t length = read_branch(code + skip, bytes - skip, &if_equal, &distance);
    *offset = (int64_t)(skip + length) + (if_equal == tests[i].works_if_equal ? distance : 0);
    return length > 0;
  }
  return false;
}

/* Where the construct's block begins; an address of the debug information. */
static bool find_block(const struct hd_gcc_call *call, Dwarf_Addr *block) {
  int64_t offset = 0;
  size_t count = 0;
  const uint8_t *code = hd_module_bytes(call->module, call->behind, &count);
  if (!code || !hd_gcc_block(code, count, &offset))
    return false;
  *block = call->behind - call->bias + (uint64_t)offset;
  return true;
}

/* ---- lines ---- */

static bool is_gccs(Dwarf_Die *unit) {
  return strncmp(hd_scopes_producer(unit), "GNU ", 4) == 0;
}

/* Whether the call begins a statement: then its line is its own. */
static bool has_own_line(const struct hd_gcc_call *call) {
  const Dwarf_Addr behind = call->behind - call->bias;
  Dwarf_Lines *lines = NULL;
  Dwarf_Addr at = 0;
  size_t count = 0;
  bool is_statement = false;
  if (dwarf_getsrclines(call->unit, &lines, &count) != 0)
    return false;
  for (size_t i = hd_line_rows_until(lines, count, behind - 1); i-- > 0;)
    if (hd_line_row_read(dwarf_onesrcline(lines, i), &at, &is_statement) > 0) {
      if (at + CALL_BYTES < behind)
        return false;
      if (is_statement)
        return true;
    }
  return false;
}

/* The line of the block's first statement in the function; 0: not known. Rows that begin no statement may be of any
 * construct near by. */
static int block_line(const struct hd_gcc_call *call, Dwarf_Addr block) {
  Dwarf_Lines *lines = NULL;
  Dwarf_Addr at = 0;
  size_t count = 0;
  bool is_statement = false;
  if (dwarf_getsrclines(call->unit, &lines, &count) != 0)
    return 0;
  for (size_t i = hd_line_rows_until(lines, count, block - 1); i < count; i++) {
    const int line = hd_line_row_read(dwarf_onesrcline(lines, i), &at, &is_statement);
    if (dwarf_haspc(call->scope, at) <= 0)
      return 0;
    if (line > 0 && is_statement) {
      const int call_line = hd_scopes_call_line(call->scope, at);
      return call_line > 0 ? call_line : line;
    }
  }
  return 0;
}

/* What comes before the block's first statement may be counted to what precedes the call. */
bool hd_gcc_find_block(const struct hd_gcc_call *call, Dwarf_Addr *block) {
  Dwarf_Lines *lines = NULL;
  Dwarf_Addr begin = 0;
  size_t count = 0;
  bool is_statement = false;
  if (!is_gccs(call->unit) || !find_block(call, &begin) || dwarf_getsrclines(call->unit, &lines, &count) != 0)
    return false;
  for (size_t i = hd_line_rows_until(lines, count, begin - 1); i < count && !is_statement; i++)
    is_statement = hd_line_row_read(dwarf_onesrcline(lines, i), block, &is_statement) > 0 && is_statement;
  return is_statement;
}

/* A loop that is one construct with its region has that one's line for good reason: its block begins two lines below.
 */
uint32_t hd_gcc_line(const struct hd_gcc_call *call, uint32_t line) {
  const bool is_loop = call->of == HD_CALL_OF_LOOP;
  Dwarf_Addr block = 0;
  if (line == 0 || !is_gccs(call->unit) || has_own_line(call) ||
      (is_loop && hd_line_of_first(call->unit, call->start) != (int)line) || !find_block(call, &block))
    return line;
  const int found = block_line(call, block);
  return found > 0 && (!is_loop || found > (int)line + COMBINED_LINES) ? (uint32_t)found : line;
}
