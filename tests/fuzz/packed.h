/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file packed.h
 * Profiles as inputs of a few KiB: files are mostly zeros, and the corpus is kept in the repository.
 *
 * A zero byte is followed by two that tell, little-endian, how many more zeros follow. All others mean themselves.
 */
#ifndef HEDDLE_FUZZ_PACKED_H
#define HEDDLE_FUZZ_PACKED_H

#include <stddef.h>
#include <stdint.h>

/** Writes at most `limit` bytes; returns how many the whole would take. */
size_t fz_pack(const uint8_t *bytes, size_t size, uint8_t *packed, size_t limit);

/** Likewise; it ends where `limit` is reached: every input means something. */
size_t fz_unpack(const uint8_t *packed, size_t size, uint8_t *bytes, size_t limit);

#endif
