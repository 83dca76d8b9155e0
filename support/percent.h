/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file percent.h
 * A share of something as users write it: percent.
 */
#ifndef HEDDLE_SUPPORT_PERCENT_H
#define HEDDLE_SUPPORT_PERCENT_H

#include <stdbool.h>
#include <stdint.h>

/** From 0.0001 to 100, with or without the sign, to four places, in any locale; as parts in a million. "off" is 0.
 *  False: it is none of these, and `*ppm` stays. */
bool hd_percent_read(const char *text, uint64_t *ppm);

#endif
