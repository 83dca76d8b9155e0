/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file fuzz.h
 * What libFuzzer calls, and replay.c where there is no libFuzzer. Each harness is one file, fuzz_NAME.c.
 */
#ifndef HEDDLE_FUZZ_FUZZ_H
#define HEDDLE_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t limit, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t out_limit, unsigned seed);

#endif
