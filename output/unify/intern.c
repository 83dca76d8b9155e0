/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/unify/intern.h"

#include <stdlib.h>
#include <string.h>

#include "support/command/memory.h"

#define uthash_fatal(why) hd_no_memory()
#include <uthash.h>

struct hd_interned {
  UT_hash_handle hh;
  uint32_t number;
  char bytes[];
};

uint32_t hd_intern(struct hd_interner *interner, const void *bytes, size_t length) {
  struct hd_interned *known = NULL;
  HASH_FIND(hh, interner->known, bytes, length, known);
  if (!known) {
    known = hd_new(1, sizeof *known + length);
    known->number = interner->count++;
    memcpy(known->bytes, bytes, length);
    HASH_ADD_KEYPTR(hh, interner->known, known->bytes, length, known);
  }
  return known->number;
}

uint32_t hd_intern_text(struct hd_interner *interner, const char *text) {
  return text ? hd_intern(interner, text, strlen(text)) : HD_NONE;
}

void hd_interner_free(struct hd_interner *interner) {
  struct hd_interned *each, *next;
  HASH_ITER(hh, interner->known, each, next) {
    HASH_DEL(interner->known, each); /* NOLINT(clang-analyzer-unix.Malloc): `next` was read before */
    free(each);
  }
}
