/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "counters/group.h"

void hd_group_free(struct hd_group *group) {
  (void)group;
}
