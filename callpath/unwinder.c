/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/unwinder.h"

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
      !FIND(library, "_Unwind_GetCFA", found.get_cfa) || !FIND(library, "_Unwind_Find_FDE", found.find_fde))
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
