/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file flang_lines.h
 * Where flang's parallel regions begin. flang 19 gives the call that begins one the line of a statement in it, or of a
 * variable that is private in it. But it tells the runtime the directive's: in the text of an ident_t, the call's first
 * argument, ";FIRModule;procedure;line;column;;" (LLVM's kmp.h). And it writes no unwind tables for functions that keep
 * nothing on the stack: where such a one ends with a jump to the runtime, it is not known while the program runs
 * (callpath/site/call_instruction.h), but from the file.
 */
#ifndef HEDDLE_OUTPUT_SYMBOLS_FLANG_LINES_H
#define HEDDLE_OUTPUT_SYMBOLS_FLANG_LINES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "output/symbols/symbol_table.h"

/** The call or jump that begins a region. */
struct hd_flang_begin {
  Dwarf_Addr behind; /* the address behind it; one of libdwfl's */
  int line;          /* the directive's; 0: not known */
};

/** Whether flang has compiled the unit. */
bool hd_flang_is(Dwarf_Die *unit);

/** The begin of the region whose event came with the return address `behind`, in code for x86-64. It is the call there,
 *  or the only jump to the runtime in the function that was called there; else the address remains. */
struct hd_flang_begin hd_flang_find_begin(Dwfl_Module *module, struct hd_symbol_table *table, Dwarf_Addr behind);

#endif
