/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file mutate.h
 * Damages a profile where it hurts: fields get numbers that are special or another field's, blocks are copied, removed
 * and swapped.
 */
#ifndef HEDDLE_FUZZ_MUTATE_H
#define HEDDLE_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/** Special values for a field that holds `value`. */
enum { FZ_SPECIAL_COUNT = 10 };
uint64_t fz_special(uint32_t which, uint64_t value, uint32_t bytes);

uint64_t fz_get(const uint8_t *bytes, size_t offset, uint32_t field_bytes);
void fz_set(uint8_t *bytes, size_t offset, uint32_t field_bytes, uint64_t value);

/** Takes a file's checksums out of use, which would notice whatever is done to it. */
void fz_unseal(uint8_t *bytes);

/** Makes a few changes, the same for the same seed; the file may grow up to `limit`. Returns its size. */
size_t fz_mutate(uint8_t *bytes, size_t size, size_t limit, uint64_t seed);

/** Appends a block of another file; likewise. */
size_t fz_cross(uint8_t *bytes, size_t size, size_t limit, const uint8_t *other, size_t other_size, uint64_t seed);

#endif
