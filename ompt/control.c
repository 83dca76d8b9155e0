/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/control.h"

#include "ompt/counting/thread_counters.h"
#include "ompt/counting/thread_samples.h"
#include "ompt/ending.h"
#include "ompt/shared/clock.h"
#include "ompt/shared/dormancy.h"
#include "ompt/shared/measuring.h"
#include "ompt/shared/sweeper.h"
#include "ompt/thread/current.h"
#include "ompt/thread/event.h"
#include "ompt/thread/thread.h"
#include "support/inprocess/keep_errno.h"

static bool change_clock(void (*change)(struct hd_file_header *)) {
  HD_KEEP_ERRNO;
  if (!hd_measuring_is_on())
    return false;
  struct hd_thread *self = hd_thread_known();
  if (self && self->pending)
    hd_thread_settle(self);
  if (self && self->counters)
    hd_counters_before_pause(self);
  if (self)
    hd_samples_before_pause(self);
  change(hd_store.header);
  if (self && self->counters)
    hd_counters_after_pause(self);
  if (self)
    hd_samples_after_pause(self);
  return true;
}

bool hd_control_pause(void) {
  return change_clock(hd_clock_pause);
}

/* The program itself begins the measurement. Others are in whatever they are in. */
static void wake(void) {
  hd_dormancy.wake();
  HD_EVENT struct hd_event event = hd_event_begin_untimed(HD_EVENT_MARKER);
  (void)event;
}

bool hd_control_resume(void) {
  if (hd_dormancy_is_asleep())
    wake();
  return change_clock(hd_clock_resume);
}

bool hd_control_flush(void) {
  HD_KEEP_ERRNO;
  if (!hd_measuring_is_on())
    return false;
  hd_sweeper_flush();
  hd_store.header->clock_last = hd_clock_read_pair();
  return true;
}

bool hd_control_end(void) {
  if (!hd_measuring_is_on())
    return false;
  hd_ending_finish();
  return true;
}
