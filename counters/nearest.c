/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "counters/plan.h"

uint32_t hd_plan_nearest(const char *name, uint32_t most, char (*names)[128]) {
  (void)name, (void)most, (void)names;
  return 0;
}
