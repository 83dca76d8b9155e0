/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file byte_size.h
 * Sizes of memory as users write them: "16M", "512k", "65536".
 */
#ifndef HEDDLE_SUPPORT_BYTE_SIZE_H
#define HEDDLE_SUPPORT_BYTE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/** Digits, then k, M, G or T in either case for powers of 1024, then perhaps B or iB. False: it is nothing like that,
 * or too large. */
bool hd_byte_size_read(const char *text, uint64_t *bytes);

#endif
