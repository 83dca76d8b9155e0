/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file sleds.h
 * Measures functions that were compiled with clang's -fxray-instrument, each for itself, without the cost of the
 * others. XRay's runtime is linked into the program, which does not export it: its functions are found in the program's
 * symbol table (.symtab), as are the names of those that can be measured. A stripped program has neither.
 *
 * The program itself alone: clang before 20 gives no sleds to shared libraries that could be patched (-fxray-shared),
 * and those of later ones are not looked for. On x86-64 alone (sled_event.h).
 */
#ifndef HEDDLE_OMPT_SLEDS_SLEDS_H
#define HEDDLE_OMPT_SLEDS_SLEDS_H

#include <stdbool.h>

#include "ompt/sleds/sled_event.h"

/** Once, before the program's main: patches those of the program's functions whose names, as the compiler made them or
 * as the user wrote them, are in the choice `list` (support/name_choice.h). Bodies of OpenMP constructs never are. From
 * then on `enter` and `leave` get their entries and exits. What is wrong is reported on stderr; a program without sleds
 * is nothing wrong. Uses malloc, through the C library's regular expressions and the program's own __cxa_demangle: no
 * signal handler of the program can have interrupted that so early. */
void hd_sleds_connect(const char *list, hd_sled_taker *enter, hd_sled_taker *leave);

/** Patches one more: the function that begins in the 16 bytes at `address` in the program's file. True: it is measured
 *  from now on, or was before. False: there is none, it is the body of a construct, or hd_sleds_connect() could not
 *  prepare. One thread at a time, in none of the program's own calls of XRay's runtime. */
bool hd_sleds_add(uint64_t address);

#endif
