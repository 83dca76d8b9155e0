/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/return_slot.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unwind.h>

typedef _Unwind_Reason_Code backtrace_function(_Unwind_Trace_Fn visit, void *data);
typedef uintptr_t get_cfa_function(struct _Unwind_Context *context);

static backtrace_function *backtrace;
static get_cfa_function *get_cfa;

void hd_return_slot_init(void) {
#if defined(__x86_64__)
  void *library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, "_Unwind_GetCFA") : NULL;
  memcpy(&get_cfa, &symbol, sizeof get_cfa);
  symbol = symbol ? dlsym(library, "_Unwind_Backtrace") : NULL;
  memcpy(&backtrace, &symbol, sizeof backtrace);
#endif
}

struct search {
  uintptr_t frame;
  uintptr_t slot;
  bool found_caller;
};

/* For every function on the stack _Unwind_GetCFA gives its stack pointer at the call that it is in. What it calls has
 * its return address just below. */
static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data) {
  struct search *search = data;
  uintptr_t stack_pointer = get_cfa(context);
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
  if (backtrace)
    backtrace(visit, &search);
  errno = saved;
  const void *const *slot = (const void *const *)search.slot;
  return slot && *slot == call_site ? slot : NULL;
}
