/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file parts.h
 * What `heddle --version --verbose` adds: which optional parts there are.
 */
#ifndef HEDDLE_CLI_PARTS_H
#define HEDDLE_CLI_PARTS_H

#include <stdio.h>

/** A line for each: that it is there, or why it is not. What libraries are missing is tried. */
void hd_parts_print(FILE *out);

#endif
