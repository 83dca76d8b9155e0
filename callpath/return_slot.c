/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/return_slot.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "callpath/unwinder.h"

/* A call puts its return address on the stack. Elsewhere the called function keeps it where it likes, and the slot is
 * not known. */
#if defined(__x86_64__)
enum { CALLS_PUSH = 1 };
#else
enum { CALLS_PUSH = 0 };
#endif

struct search {
  uintptr_t frame;
  uintptr_t slot;
  bool found_caller;
};

/* For every function on the stack _Unwind_GetCFA gives its stack pointer at the call that it is in. What it calls has
 * its return address just below. */
static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data) {
  struct search *search = data;
  uintptr_t stack_pointer = hd_unwinder.get_cfa(context);
  if (search->found_caller) {
    search->slot = stack_pointer - sizeof(void *);
    return _URC_END_OF_STACK;
  }
  /* The frame address is where the frame pointer was saved, below the return address. */
  search->found_caller = stack_pointer == search->frame + 2 * sizeof(void *);
  return _URC_NO_REASON;
}

const void *const *hd_return_slot_of_caller(const void *frame, const void *call_site) {
  struct search search = {.frame = (uintptr_t)frame};
  int saved = errno;
  if (CALLS_PUSH && hd_unwinder_load())
    hd_unwinder.backtrace(visit, &search);
  errno = saved;
  const void *const *slot = (const void *const *)search.slot;
  return slot && *slot == call_site ? slot : NULL;
}
