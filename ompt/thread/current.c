/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/current.h"

#include "ompt/shared/measuring.h"

__thread struct hd_thread *hd_thread_current __attribute__((tls_model("initial-exec")));

struct hd_thread hd_thread_not_measured = {.expected_alarms = HD_AT_WORK};

#define ASLEEP                                                                                                         \
  { .expected_alarms = HD_AT_WORK }
struct hd_thread hd_thread_asleep[HD_THREAD_OTHER + 1] = {ASLEEP, ASLEEP, ASLEEP, ASLEEP};

/* A test's runtime has one word for each thread. */
static void **slot(void) {
  ompt_data_t *data = NULL;
  if (hd_clock.kind == HD_CLOCK_EXTERNAL && hd_measuring.get_thread_data)
    data = hd_measuring.get_thread_data();
  return data ? &data->ptr : NULL;
}

bool hd_thread_may_begin(void) {
  void **its = slot();
  return its ? !*its : hd_clock.kind != HD_CLOCK_EXTERNAL && !hd_thread_current;
}

struct hd_thread *hd_thread_known(void) {
  void **its = slot();
  struct hd_thread *thread = its ? *its : hd_thread_current;
  return thread && thread->record ? thread : NULL;
}

bool hd_thread_wakes(enum hd_thread_kind *kind) {
  void **its = slot();
  const struct hd_thread *thread = its ? *its : hd_thread_current;
  if (thread < hd_thread_asleep || thread > hd_thread_asleep + HD_THREAD_OTHER)
    return false;
  *kind = (enum hd_thread_kind)(thread - hd_thread_asleep);
  hd_thread_set(NULL);
  return true;
}

void hd_thread_set(struct hd_thread *thread) {
  void **its = slot();
  if (its)
    *its = thread;
  else
    hd_thread_current = thread;
}
