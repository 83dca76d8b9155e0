/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file children.h
 * The profiles of the children that a process forked.
 */
#ifndef HEDDLE_OUTPUT_READER_CHILDREN_H
#define HEDDLE_OUTPUT_READER_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/model/model.h"

/** How many of the measured children the profile names. */
uint32_t hd_children_named(const struct hd_model *model);

/** Finds the profile of the child `pid` beside its parent's, under the name that it has if nobody has renamed either:
 * the parent's with the child's number. False: there is none, or that file is not this child's. */
bool hd_children_find(const struct hd_model *model, uint32_t pid, char *path, size_t path_bytes);

#endif
