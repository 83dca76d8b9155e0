/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file fake_samples.h
 * Inside the fake runtime's child process: the kernel that samples its threads, as far as the tool sees it.
 */
#ifndef HEDDLE_TESTS_FAKE_SAMPLES_H
#define HEDDLE_TESTS_FAKE_SAMPLES_H

#include "fake_ompt.h"

/** Of this simulated thread are the rings that the tool opens next. */
void fk_samples_thread(uint32_t thread);

/** The tool's hd_sample_opener. */
void *fk_samples_opener(void);

/** The thread has used up the processor time of `count` samples, at this address. */
void fk_samples_take(uint32_t thread, uint64_t address, uint32_t count);

#endif
