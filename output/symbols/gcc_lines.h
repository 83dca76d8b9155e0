/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file gcc_lines.h
 * The lines of GCC's `single` and loops. Each is a call that asks the runtime whether there is work, a test of its
 * answer, a branch, and the block for which the answer was yes. GCC mostly gives the call of a `single` no line, so
 * that it seems to belong to the statement before it, and that of a loop with which a region begins the region's. The
 * first line of the block is the construct's at least.
 */
#ifndef HEDDLE_OUTPUT_SYMBOLS_GCC_LINES_H
#define HEDDLE_OUTPUT_SYMBOLS_GCC_LINES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>

#include "output/symbols/symbols.h"

/** A call in the code of a module for x86-64. */
struct hd_gcc_call {
  Dwfl_Module *module;
  Dwarf_Die *unit;
  Dwarf_Die *scope;  /* the innermost function that it lies in */
  Dwarf_Addr bias;   /* from the debug information's addresses to libdwfl's */
  Dwarf_Addr behind; /* the return address; one of libdwfl's */
  Dwarf_Addr start;  /* of the function, in the debug information; 0: not known */
  enum hd_symbols_call of;
};

/** The line to show for a call whose row in the table of lines has `line`; `line` where the compiler is another, or no
 *  other is known. */
uint32_t hd_gcc_line(const struct hd_gcc_call *call, uint32_t line);

/** Where the first statement of the block of a call's construct begins, as an address of the debug information. False:
 *  not known, or the compiler is another. */
bool hd_gcc_find_block(const struct hd_gcc_call *call, Dwarf_Addr *block);

/** Where the block begins, as an offset from the return address, at which `code` lies. False: no test and branch that
 *  are known follow. */
bool hd_gcc_block(const uint8_t *code, size_t bytes, int64_t *offset);

#endif
