/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file few_busy.h
 * A condition on the number of busy threads: at most so many, for at least so long. Both `heddle run --trace-when` and
 * `heddle trace --when` take it.
 */
#ifndef HEDDLE_SUPPORT_FEW_BUSY_H
#define HEDDLE_SUPPORT_FEW_BUSY_H

#include <stdbool.h>
#include <stdint.h>

struct hd_few_busy {
  uint32_t most; /* threads */
  double least_seconds;
};

#define HD_FEW_BUSY_EXPECTS "'busy<=K for TIME', as 'busy<=1 for 10ms'"

/** Whether the text is to be such a condition, right or wrong. */
bool hd_few_busy_is_meant(const char *text);

/** Reads "busy<=K for TIME". False: it is something else. */
bool hd_few_busy_read(const char *text, struct hd_few_busy *condition);

#endif
