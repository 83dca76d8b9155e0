/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Exceptions thrown through routines, and regions opened in between. Callers and instances, with 2 threads:
 *   main > guard > fall                    4: then fall throws
 *   main > guard > fall > Opens::~Opens    4: a destructor, while the exception passes
 *   main > guard                           3: of the 4 exceptions, 3 are caught there
 *   main                                   1: the last one passes guard and is caught in main
 *   main > calm                            4: nothing of the above is left on the stack
 *   main > inside                          1: its two threads throw and catch inside the region
 *   main > inside > (region) > risky       2
 */
#include "unwind.h"

struct Opens {
  ROUTINE ~Opens() {
    REGION;
  }
};

ROUTINE void fall(int number) {
  Opens opens;
  REGION;
  throw number;
}

ROUTINE void guard(int number) {
  try {
    fall(number);
  } catch (int caught) {
    if (caught == 3)
      throw;
    REGION;
  }
}

HOLDER(calm)

ROUTINE void risky() {
  REGION;
  throw 'x';
}

ROUTINE void inside() {
#pragma omp parallel
  try {
    risky();
  } catch (char) {
  }
  STAY;
}

int main() {
  for (int i = 0; i < 4; i++) {
    try {
      guard(i);
    } catch (int) {
      REGION;
    }
    calm(i);
  }
  inside();
}
