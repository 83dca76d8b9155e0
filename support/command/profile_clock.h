/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file profile_clock.h
 * The present on the clock of a profile that is being written on this machine.
 */
#ifndef HEDDLE_SUPPORT_COMMAND_PROFILE_CLOCK_H
#define HEDDLE_SUPPORT_COMMAND_PROFILE_CLOCK_H

#include "heddle-format.h"

/** Now, pauses of the measurement included. False: this clock (enum hd_clock_kind) cannot be read here. */
bool hd_profile_clock_read(uint32_t kind, struct hd_clock_pair *now);

/** That time without the pauses of which the header tells: on the scale of all other times of the profile. */
uint64_t hd_profile_clock_ticks(const struct hd_file_header *header, const struct hd_clock_pair *now);

#endif
