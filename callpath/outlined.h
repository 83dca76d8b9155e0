/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file outlined.h
 * Tells the functions that a compiler made out of an OpenMP construct from those of the user.
 */
#ifndef HEDDLE_CALLPATH_OUTLINED_H
#define HEDDLE_CALLPATH_OUTLINED_H

#include <stdbool.h>

/** Whether the function at `function` is the body of a construct, or another of the compiler's own. Their names tell:
 *  "main.omp_outlined", ".omp_task_entry.", "main._omp_fn.0". Looks them up in the symbol table of the module's file:
 *  some microseconds to milliseconds, for the first time a function is seen only. In a stripped module a function is
 *  taken for such a body if the runtime calls it (`called_by_runtime`) and `inside`, a place in the code that is
 *  running, is its own: not if it was compiled into such a body. Keeps errno. Any thread. */
bool hd_outlined_is(const void *function, const void *inside, bool called_by_runtime);

#endif
