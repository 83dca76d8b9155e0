/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file checksum.h
 * CRC-32C (Castagnoli, as in iSCSI and ext4): it notices every change of a single bit and every burst of up to 32 bits.
 */
#ifndef HEDDLE_SUPPORT_CHECKSUM_H
#define HEDDLE_SUPPORT_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/** The checksum of what `sum` covers (0: nothing) followed by these bytes. Any thread; a gigabyte a second; no system
 * call. */
uint32_t hd_checksum(uint32_t sum, const void *bytes, size_t count);

#endif
