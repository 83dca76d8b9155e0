/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file node_text.h
 * Places of the program as text for people, without characters that a terminal obeys.
 */
#ifndef HEDDLE_OUTPUT_MODEL_NODE_TEXT_H
#define HEDDLE_OUTPUT_MODEL_NODE_TEXT_H

#include "output/model/model.h"

enum { HD_PLACE_BYTES = 512, HD_FUNCTION_BYTES = 100 };

/** Follows the name of a function that is that of the enclosing construct: the call site is not known. */
#define HD_UNKNOWN_SITE " (call site unknown)"

/** "file.c:42", or "app+0x1234" without a line number, or "" without either. */
void hd_location_text(char place[HD_PLACE_BYTES], const struct hd_model *model, const struct hd_node *node);

/** A C++ function without parameters, template arguments and result: "lab::Grid::sum". */
void hd_function_text(char to[HD_FUNCTION_BYTES], const char *function);

/** What the construct is called in reports: "loop static", "MPI_Send". */
const char *hd_node_words(const struct hd_node *node);

/** "parallel heat.c:42 in main", "kernel heat.c:10" (a routine), "phase setup". A construct's function is left out when
 *  it is `outer`'s; `outer` may be NULL. */
void hd_node_text(char place[HD_PLACE_BYTES], const struct hd_model *model, const struct hd_node *node,
                  const struct hd_node *outer);

#endif
