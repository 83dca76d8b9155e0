/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/current.h"

#include "ompt/shared/measuring.h"

__thread struct hd_thread *hd_thread_current __attribute__((tls_model("initial-exec")));

struct hd_thread hd_thread_not_measured;

/* The runtime has one word for each thread. */
void **hd_thread_slot(void) {
  ompt_data_t *data = NULL;
  if (hd_clock.kind == HD_CLOCK_EXTERNAL && hd_measuring.get_thread_data)
    data = hd_measuring.get_thread_data();
  return data ? &data->ptr : NULL;
}

struct hd_thread *hd_thread_known(void) {
  void **slot = hd_thread_slot();
  struct hd_thread *thread = slot ? *slot : hd_thread_current;
  return thread && thread->record ? thread : NULL;
}

static void set_current(struct hd_thread *thread) {
  void **slot = hd_thread_slot();
  if (slot)
    *slot = thread;
  else
    hd_thread_current = thread;
}

void hd_thread_forget(void) {
  set_current(&hd_thread_not_measured);
}

void hd_thread_forget_parent(void) {
  set_current(NULL);
}
