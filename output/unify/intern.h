/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file intern.h
 * Numbers for texts and for keys: 0, 1, 2, ... in the order in which they are first met.
 */
#ifndef HEDDLE_OUTPUT_UNIFY_INTERN_H
#define HEDDLE_OUTPUT_UNIFY_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "heddle-format.h"

/** All zero to begin with. Free with hd_interner_free(). */
struct hd_interner {
  struct hd_interned *known;
  uint32_t count;
};

/** The number of `length` bytes: `count` as it was before if they are new. It keeps a copy. */
uint32_t hd_intern(struct hd_interner *interner, const void *bytes, size_t length);

/** The number of a text; HD_NONE for NULL. */
uint32_t hd_intern_text(struct hd_interner *interner, const char *text);

void hd_interner_free(struct hd_interner *interner);

#endif
