/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file explain_internal.h
 * Between the files of this folder only.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_EXPLAIN_EXPLAIN_INTERNAL_H
#define HEDDLE_OUTPUT_VIEWS_EXPLAIN_EXPLAIN_INTERNAL_H

enum { HD_EXPLAIN_JSON_VERSION = 1 };

#endif
