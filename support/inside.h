/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file inside.h
 * For what only the library in the program itself uses.
 */
#ifndef HEDDLE_SUPPORT_INSIDE_H
#define HEDDLE_SUPPORT_INSIDE_H

/** On the declaration of a variable: it lies in the same library as who reads it, who therefore needs no look into a
 *  table for where it is. -fvisibility=hidden says so of definitions only. */
#define HD_INSIDE __attribute__((visibility("hidden")))

#endif
