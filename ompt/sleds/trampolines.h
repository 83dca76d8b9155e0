/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file trampolines.h
 * How much of the stack XRay's trampolines take, which differs between its versions: they are called once at start, for
 * no function, with the stack as a sled leaves it.
 */
#ifndef HEDDLE_OMPT_SLEDS_TRAMPOLINES_H
#define HEDDLE_OMPT_SLEDS_TRAMPOLINES_H

#include <stdbool.h>
#include <stdint.h>

/** False: not on this processor. */
bool hd_trampolines_can_be_measured(void);

/** `trampolines`: the addresses of those for entries, exits and tail exits. hd_sled_event is the handler, and no
 * function is patched yet. Fills hd_sleds.distances and .vectors. False: they do not behave as expected. */
bool hd_trampolines_measure(const uintptr_t trampolines[3]);

#endif
