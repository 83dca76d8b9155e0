/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/unwind/return_slot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "callpath/unwind/libgcc_unwind.h"
#include "support/inprocess/keep_errno.h"

/* A call puts its return address on the stack. Elsewhere the called function keeps it where it likes, and the slot is
 * not known. */
#if defined(__x86_64__)
enum { CALLS_PUSH = 1 };
#else
enum { CALLS_PUSH = 0 };
#endif

/* The caller is among the first few. */
enum { MOST_FUNCTIONS = 64 };

struct search {
  uintptr_t frame;
  uintptr_t slot;
  bool found_caller;
};

/* What a function calls has its return address just below the function's stack pointer. */
static bool visit(const struct hd_unwound *unwound, void *data) {
  struct search *search = data;
  if (search->found_caller) {
    search->slot = unwound->sp - sizeof(void *);
    return false;
  }
  /* The frame address is where the frame pointer was saved, below the return address. */
  search->found_caller = unwound->sp == search->frame + 2 * sizeof(void *);
  return true;
}

const void *const *hd_return_slot_of_caller(const void *frame, const void *call_site) {
  struct search search = {.frame = (uintptr_t)frame};
  HD_KEEP_ERRNO;
  if (CALLS_PUSH && hd_unwinder_load())
    hd_unwinder_each(visit, &search, MOST_FUNCTIONS);
  const void *const *slot = (const void *const *)search.slot;
  return slot && *slot == call_site ? slot : NULL;
}
