/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file function_names.h
 * Names of functions in debug information, as their source has them.
 */
#ifndef HEDDLE_OUTPUT_SYMBOLS_FUNCTION_NAMES_H
#define HEDDLE_OUTPUT_SYMBOLS_FUNCTION_NAMES_H

#include <elfutils/libdw.h>

/** A function's name for the linker; its own where it has no other. NULL: none. `die`'s. */
const char *hd_function_linkage_name(Dwarf_Die *die);

/** The file a function is written in, `die`'s; NULL: not known. */
const char *hd_function_file(Dwarf_Die *die);

/** As hd_symbols_readable(), of a function of `unit`, NULL: not known which; Fortran's procedures outside modules bear
 *  the names that they have there. The caller frees. */
char *hd_function_readable(Dwarf_Die *unit, const char *linkage_name);

/** Likewise as hd_symbols_routine_name(). */
char *hd_function_routine_name(Dwarf_Die *unit, const char *linkage_name);

/** The readable name of the function around a line: of all that begin at or before it, the last. NULL: none. The
 *  caller frees. */
char *hd_function_around(Dwarf_Die *unit, const char *file, int line);

#endif
