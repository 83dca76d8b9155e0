/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Libraries that come and go: in each of ROUNDS rounds the libraries named after it are loaded one after the other,
 * their `plugin` called, and unloaded again, so that one may get the other's address. plugin(I + 1, 2) of library I
 * calls its own routine I + 1 times alone and 2 times from a region: ROUNDS * (I + 3) calls in all.
 */
#include <dlfcn.h>

#include "routines.h"

NOINLINE int use(const char *path, int times) {
  static void *last;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fprintf(stderr, "%s\n", dlerror()), 1;
  int (*plugin)(int, int) = (int (*)(int, int))(uintptr_t)dlsym(library, "plugin");
  if (getenv("SHOW_ADDRESSES"))
    fprintf(stderr, "%s%s\n", path, last == (void *)(uintptr_t)plugin ? ": the same address" : "");
  last = (void *)(uintptr_t)plugin;
  int calls = plugin(times, 2);
  dlclose(library);
  return calls != times + 2; /* a new copy each time */
}

int main(int argc, char **argv) {
  unsigned rounds = argument(argc, argv, 1, 1);
  int failures = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
  }
  for (unsigned round = 0; round < rounds; round++)
    for (int i = 2; i < argc; i++)
      failures += use(argv[i], i - 1);
  printf("failures %d\n", failures);
  return failures ? 1 : 7;
}
