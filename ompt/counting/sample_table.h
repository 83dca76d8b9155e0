/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file sample_table.h
 * The samples of all threads in the profile: (callpath, state, address) to how many (heddle-samples.h).
 *
 * A few hash tables in the file, each twice as large as the one before; the last of them bounds the memory: half a
 * megabyte in all. Any thread adds without a lock, but for one that finds all tables full and makes the next.
 */
#ifndef HEDDLE_OMPT_COUNTING_SAMPLE_TABLE_H
#define HEDDLE_OMPT_COUNTING_SAMPLE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/** Makes the first table, if there is none: it takes long for a thread's event. Any thread. */
void hd_sample_table_prepare(void);

/** Adds a sample that stands for `weight`. `place`: hd_sample_place. False: there is no room for another key. */
bool hd_sample_table_add(uint64_t address, uint64_t place, uint64_t weight);

#endif
