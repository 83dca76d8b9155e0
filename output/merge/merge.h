/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file merge.h
 * Sums of runs: several models become one profile file, which the reader opens like any other.
 *
 * Callpaths are the same when their kinds, modules (by build id, else by path) and offsets agree all along the path;
 * phases by their names. Thread i of all runs is one thread, whose lifetimes add up. Everything that is counted or
 * timed adds up; timelines do not and are left out. Ticks stay whole: the clocks of the runs are
 * brought together by whole factors, so that every identity that holds in the runs holds exactly in their sum.
 */
#ifndef HEDDLE_OUTPUT_MERGE_MERGE_H
#define HEDDLE_OUTPUT_MERGE_MERGE_H

#include "output/model/model.h"
#include "output/writer/profile_writer.h"

/**
 * Adds up `count` models, at least one, into the file in `writer`, which is all zero before and the caller's to free
 * in any case. Runs of different programs (name, or build id of the executable) are refused unless `force`.
 * False: `error` holds one line that says why, without a newline.
 */
bool hd_merge(struct hd_model *const *models, size_t count, bool force, struct hd_writer *writer, char *error,
              size_t error_bytes);

#endif
