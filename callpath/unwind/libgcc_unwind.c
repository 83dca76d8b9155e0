/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/unwind/libgcc_unwind.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

struct hd_unwinder hd_unwinder;

/* The dynamic linker's answer as a function: ISO C knows no such conversion. */
static bool find(void *library, const char *name, void *function, size_t bytes) {
  void *symbol = library ? dlsym(library, name) : NULL;
  memcpy(function, &symbol, bytes);
  return symbol;
}
#define FIND(library, name, member) find(library, name, &(member), sizeof(member))

static void load(void) {
  struct hd_unwinder found = {0};
  void *library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!FIND(library, "_Unwind_Backtrace", found.backtrace) || !FIND(library, "_Unwind_GetIPInfo", found.get_ip_info) ||
      !FIND(library, "_Unwind_GetGR", found.get_register) || !FIND(library, "_Unwind_GetCFA", found.get_cfa) ||
      !FIND(library, "_Unwind_Find_FDE", found.find_fde))
    return;
  hd_unwinder = found;
}

bool hd_unwinder_load(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  if (!hd_unwinder.backtrace)
    load();
  const bool loaded = hd_unwinder.backtrace;
  pthread_mutex_unlock(&lock);
  return loaded;
}

const void *hd_unwinder_function(const void *address) {
  struct hd_function_bases bases = {0};
  const bool found = hd_unwinder.find_fde && hd_unwinder.find_fde((void *)(uintptr_t)address, &bases);
  return found ? bases.function : NULL;
}

struct walk {
  hd_unwound_visit *visit;
  void *data;
  struct hd_unwound last;
  uint32_t left;
  bool has_more;
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data) {
  struct walk *walk = data;
  int is_exact = 0;
  const struct hd_unwound unwound = {.ip = hd_unwinder.get_ip_info(context, &is_exact),
                                     .is_exact = is_exact,
                                     .sp = hd_unwinder.get_cfa(context),
                                     .context = context};
  if (!unwound.ip || (unwound.ip == walk->last.ip && unwound.sp == walk->last.sp))
    return _URC_END_OF_STACK;
  if (!walk->left) {
    walk->has_more = true;
    return _URC_END_OF_STACK;
  }
  walk->left--;
  walk->last = unwound;
  return walk->visit(&unwound, walk->data) ? _URC_NO_REASON : _URC_END_OF_STACK;
}

bool hd_unwinder_each(hd_unwound_visit *visit_one, void *data, uint32_t most) {
  struct walk walk = {.visit = visit_one, .data = data, .left = most};
  hd_unwinder.backtrace(visit, &walk);
  return !walk.has_more;
}
