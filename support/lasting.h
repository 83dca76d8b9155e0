/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file lasting.h
 * Variables that a forked child takes over: inprocess/pristine.h.
 */
#ifndef HEDDLE_SUPPORT_LASTING_H
#define HEDDLE_SUPPORT_LASTING_H

/** A variable that hd_pristine_restore leaves as it is. It has an initial value, and is aligned to 16 bytes. */
#define HD_LASTING __attribute__((section("hd_lasting"), aligned(16)))

#endif
