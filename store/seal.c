/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "store/seal.h"

#include <stddef.h>

#include "support/checksum.h"

/* The four bytes at `field` count as 0. */
static uint32_t sum_but_for(const char *bytes, size_t size, size_t field) {
  const uint32_t none = 0;
  uint32_t sum = hd_checksum(0, bytes, field);
  sum = hd_checksum(sum, &none, sizeof none);
  field += sizeof none;
  return hd_checksum(sum, bytes + field, size - field);
}

bool hd_seal_add_unit(struct hd_seal *seal, void *unit, uint32_t most) {
  struct hd_block_header *block = unit;
  if (seal->left == 0) {
    if (block->magic != HD_BLOCK_MAGIC || block->span == 0 || block->span > most)
      return false;
    *seal = (struct hd_seal){.left = block->span};
    block->checksum = 0;
  }
  seal->sum = hd_checksum(seal->sum, unit, HD_BLOCK_BYTES);
  seal->left--;
  return true;
}

static uint32_t sum_of_block(const struct hd_block_header *block) {
  return sum_but_for((const char *)block, (size_t)block->span * HD_BLOCK_BYTES,
                     offsetof(struct hd_block_header, checksum));
}

void hd_seal_block(struct hd_block_header *block) {
  block->checksum = sum_of_block(block);
}

bool hd_seal_block_holds(const struct hd_block_header *block) {
  return block->checksum == sum_of_block(block);
}

static uint32_t sum_of_header(const void *page) {
  return sum_but_for(page, HD_HEADER_BYTES, offsetof(struct hd_file_header, checksum));
}

void hd_seal_header(void *page) {
  struct hd_file_header *header = page;
  header->seal = HD_SEALED;
  header->checksum = sum_of_header(page);
}

bool hd_seal_header_holds(const void *page) {
  const struct hd_file_header *header = page;
  return header->seal == HD_SEALED && header->checksum == sum_of_header(page);
}
