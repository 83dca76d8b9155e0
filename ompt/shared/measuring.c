/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/shared/measuring.h"

#include <unistd.h>

struct hd_measuring hd_measuring;
struct hd_store hd_store;

bool hd_measuring_is_on(void) {
  return __atomic_load_n(&hd_measuring.is_on, __ATOMIC_ACQUIRE) && hd_measuring.pid == getpid();
}
