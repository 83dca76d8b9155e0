/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library for loads_openmp.c, with regions in its constructor and destructor, too. */
#include "life.h"

void use(const char *word) {
  region(word);
}

__attribute__((constructor)) static void construct(void) {
  region("constructor");
}

__attribute__((destructor)) static void destruct(void) {
  region("destructor");
}
