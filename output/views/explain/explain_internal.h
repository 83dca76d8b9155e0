/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file explain_internal.h
 * Between the files of this folder only.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_EXPLAIN_EXPLAIN_INTERNAL_H
#define HEDDLE_OUTPUT_VIEWS_EXPLAIN_EXPLAIN_INTERNAL_H

#include <jansson.h>

#include "output/model/model.h"

enum { HD_EXPLAIN_JSON_VERSION = 1 };

/** A callpath in JSON: id, kind, function, file, path, line. */
json_t *hd_explain_place(const struct hd_node *node);

#endif
