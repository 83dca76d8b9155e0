/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file readable_names.h
 * What compilers call the functions they make out of parallel regions and tasks:
 *   GCC                 main._omp_fn.0
 *   clang 17 and later  main.omp_outlined, main.omp_outlined_debug__, main.omp_outlined.3, main.omp_task_entry.
 *   clang before        .omp_outlined., .omp_outlined._debug__, .omp_outlined..3, .omp_task_entry.: no parent
 *   flang               _QMmodulePprocedure..omp_par, main_..omp_par.1
 *   target regions      __omp_offloading_10303_1a2b3c_main_l42
 */
#ifndef HEDDLE_OUTPUT_SYMBOLS_READABLE_NAMES_H
#define HEDDLE_OUTPUT_SYMBOLS_READABLE_NAMES_H

/** A linker's name of a function for a reader: demangled (C++, Fortran), without what marks clones and cold parts. The
 * caller frees. */
char *hd_symbols_routine_name(const char *linkage_name);

/**
 * Turns a linker's name into a reader's: outlined and cloned code gets its parent's name, C++ and Fortran are
 * demangled. NULL: made by the compiler, and its name does not tell the parent. The caller frees.
 */
char *hd_symbols_readable(const char *linkage_name);

#endif
