/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that knows nothing of OpenMP. Loads the library that it is given, which brings a runtime with it, calls its
 * `use`, and unloads it; ROUNDS times; then sleeps for a moment, should anything be running on in code that is gone.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  for (int round = 0; argc > 2 && round < atoi(argv[1]); round++) {
    void *library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return fprintf(stderr, "%s\n", dlerror()), 1;
    ((void (*)(const char *))(uintptr_t)dlsym(library, "use"))("used");
    dlclose(library);
    puts("closed");
    fflush(stdout);
  }
  usleep(10000);
  return 7;
}
