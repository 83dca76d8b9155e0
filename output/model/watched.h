/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file watched.h
 * What windows saw of threads in nodes (hd_watched).
 */
#ifndef HEDDLE_OUTPUT_MODEL_WATCHED_H
#define HEDDLE_OUTPUT_MODEL_WATCHED_H

#include "output/model/model.h"

/** Sorts by node and thread, and adds up those of the same. Returns how many are left. */
uint32_t hd_watched_join(struct hd_watched *watched, uint32_t count);

#endif
