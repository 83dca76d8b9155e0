/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "seat.h"

#include "ompt/thread/current.h"

__attribute__((visibility("default"))) void **simulation_seat(void);

void **simulation_seat(void) {
  return (void **)&hd_thread_current;
}
