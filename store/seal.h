/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file seal.h
 * The checksums of a saved profile (heddle-format.h). Whoever saves or changes one makes them; the reader checks them.
 */
#ifndef HEDDLE_STORE_SEAL_H
#define HEDDLE_STORE_SEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-format.h"

/** A block that comes unit by unit, while it is copied. Zero-initialised between blocks. */
struct hd_seal {
  uint32_t sum;
  uint32_t left; /* units to come */
};

/** Adds the next unit of HD_BLOCK_BYTES; `most` units are left in the file, this one included. Clears the checksum in a
 *  first unit. When `seal->left` is 0 the block is whole, and `seal->sum` belongs in its header. False: the unit should
 *  begin a block and does not; nothing was added. */
bool hd_seal_add_unit(struct hd_seal *seal, void *unit, uint32_t most);

/** Seals a whole block in memory. */
void hd_seal_block(struct hd_block_header *block);
bool hd_seal_block_holds(const struct hd_block_header *block);

/** Seals the header's page (HD_HEADER_BYTES), after all blocks; again after every change. */
void hd_seal_header(void *page);
bool hd_seal_header_holds(const void *page);

#endif
