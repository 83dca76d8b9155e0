/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/control.h"

#include <errno.h>

#include "ompt/ending.h"
#include "ompt/shared/clock.h"
#include "ompt/shared/measuring.h"
#include "ompt/shared/sweeper.h"
#include "ompt/thread/current.h"
#include "ompt/thread/settle.h"
#include "ompt/thread/thread_counters.h"

static bool keep_errno(bool done, int saved) {
  errno = saved;
  return done;
}

static bool change_clock(void (*change)(struct hd_file_header *)) {
  int saved = errno;
  if (!hd_measuring_is_on())
    return keep_errno(false, saved);
  struct hd_thread *self = hd_thread_known();
  if (self && self->counters) {
    if (self->pending)
      hd_thread_settle(self);
    hd_counters_before_pause(self);
  }
  change(hd_store.header);
  if (self && self->counters)
    hd_counters_after_pause(self);
  return keep_errno(true, saved);
}

bool hd_control_pause(void) {
  return change_clock(hd_clock_pause);
}

bool hd_control_resume(void) {
  return change_clock(hd_clock_resume);
}

bool hd_control_flush(void) {
  int saved = errno;
  if (!hd_measuring_is_on())
    return keep_errno(false, saved);
  hd_sweeper_flush();
  hd_store.header->clock_last = hd_clock_read_pair();
  return keep_errno(true, saved);
}

bool hd_control_end(void) {
  if (!hd_measuring_is_on())
    return false;
  hd_ending_finish();
  return true;
}
