/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file outlined.h
 * Tells the functions that a compiler makes of OpenMP constructs from those of the user.
 */
#ifndef HEDDLE_CALLPATH_CODE_OUTLINED_H
#define HEDDLE_CALLPATH_CODE_OUTLINED_H

#include <stdbool.h>

/** Whether `function` is the body of a construct, or another of the compiler's own. Their names show it:
 *  "main.omp_outlined", ".omp_task_entry.", "main._omp_fn.0". The first call for a function looks its name up in the
 *  symbol table of the module's file (some microseconds to milliseconds); the answer is remembered. A stripped module
 *  has no names: there a function is taken for a body if the runtime calls it (`called_by_runtime`) and `inside`, a
 *  return address in the running code, belongs to it and not to a body it was compiled into. Any thread; takes a lock,
 *  may allocate, keeps errno. */
bool hd_outlined_is(const void *function, const void *inside, bool called_by_runtime);

/** Whether a symbol's name is one that compilers give to such functions alone. */
bool hd_outlined_is_name(const char *name);

#endif
