/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file layout.h
 * Where a profile's fields lie: every field of the header, of every block's header and of every record.
 */
#ifndef HEDDLE_FUZZ_LAYOUT_H
#define HEDDLE_FUZZ_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fz_field {
  size_t offset;
  uint32_t bytes; /* 1, 2, 4 or 8 */
};

struct fz_layout {
  struct fz_field *fields; /* in the order of the file */
  size_t field_count;
  size_t *blocks; /* offsets; one more than there are: the end of the last */
  size_t block_count;
};

/**
 * Of the part of a file that makes sense. Of a block's records, of the arrays in them (transitions, members ...) and of
 * texts only the first `elements_most` are told. False: no memory. Free it in any case.
 */
bool fz_layout_make(struct fz_layout *layout, const uint8_t *bytes, size_t size, uint32_t elements_most);
void fz_layout_free(struct fz_layout *layout);

/** Bytes of a type's record without its array, and of an element of that array; 0: there is none such. */
uint32_t fz_head_bytes(uint32_t type);
uint32_t fz_element_bytes(uint32_t type);

#endif
