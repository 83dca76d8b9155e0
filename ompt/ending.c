/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/ending.h"

#include <stdlib.h>
#include <unistd.h>

#include "ompt/counting/thread_counters.h"
#include "ompt/counting/thread_samples.h"
#include "ompt/shared/clock.h"
#include "ompt/shared/measuring.h"
#include "ompt/shared/processor.h"
#include "ompt/shared/sweeper.h"
#include "ompt/thread/budget.h"
#include "ompt/thread/current.h"
#include "ompt/thread/registry.h"
#include "store/profile_file.h"
#include "support/inprocess/keep_errno.h"

static bool is_stopped;  /* early; the profile is saved at the program's end */
static bool stop_pauses; /* the clock stands because of that, not of the program */

/* Threads may still run and send events: nothing comes of them. The reader closes every open interval at end_ticks. */
static struct hd_thread_record *stop(void) {
  struct hd_thread *self = hd_thread_known();
  if (self)
    hd_store.header->unmatched_phases += hd_thread_open_phases(self);
  hd_budget_close();
  hd_counters_close(self);
  hd_samples_close(self);
  hd_alarms_set(HD_ALARM_CLOSED);
  hd_sweeper_close();
  hd_counters_close_others(self);
  hd_measuring.is_on = false;
  return self ? self->record : NULL;
}

static void note_end(void) {
  struct hd_file_header *header = hd_store.header;
  header->end_ticks = hd_clock_close(header);
  header->clock_last = hd_clock_read_pair();
}

static void save(void) {
  __atomic_fetch_or(&hd_store.header->flags, HD_FILE_COMPLETE, __ATOMIC_RELEASE);
  hd_store_finish(&hd_store);
}

void hd_ending_finish(void) {
  if (!hd_measuring_is_on())
    return;
  HD_KEEP_ERRNO;
  struct hd_thread_record *self = stop();
  note_end();
  hd_processor_close(self);
  save();
}

void hd_ending_stop_early(void) {
  struct hd_file_header *header = hd_store.header;
  HD_KEEP_ERRNO;
  if (!hd_measuring_is_on())
    return;
  header->stop_paused_ticks = header->paused_ticks;
  stop_pauses = !hd_clock_is_paused();
  header->pauses -= stop_pauses; /* this is none of the program's own */
  hd_clock_pause(header);
  __atomic_fetch_or(&header->flags, HD_FILE_STOPPED, __ATOMIC_RELEASE);
  hd_processor_close(stop());
  header->clock_last = hd_clock_read_pair();
  is_stopped = true;
  atexit(hd_ending_before_the_runtime);
}

/* The runtime ended at the program's end after all: no handler of ours had come before. That of the start comes too
 * late where a library's constructor is the first to use OpenMP: handlers run in the reverse of the order in which they
 * were added, and the C library adds the one that calls the libraries' destructors after their constructors. That of
 * hd_ending_stop_early comes before this destructor, unless exit() was already calling destructors then. */
static void note_end_at_stop(void) {
  struct hd_file_header *header = hd_store.header;
  __atomic_fetch_and(&header->flags, ~(uint32_t)HD_FILE_STOPPED, __ATOMIC_RELEASE);
  header->paused_at_ticks = 0;
  header->end_ticks = hd_clock_now();
}

void hd_ending_at_exit(void) {
  hd_ending_finish();
  HD_KEEP_ERRNO;
  if (is_stopped && hd_measuring.pid == getpid()) {
    if (stop_pauses && !hd_measuring.is_exiting)
      note_end_at_stop();
    else
      note_end();
    save();
  }
  is_stopped = false;
}

/* Not only those that are busy just now: another thread with regions of its own may begin one at any moment. */
static bool others_may_use_the_runtime(void) {
  const struct hd_thread *self = hd_thread_known();
  return !self || hd_thread_is_refused(self) || !hd_registry_while_alone(self, NULL, NULL) ||
         hd_sweeper_others_are_busy(self->ring.record);
}

void hd_ending_before_the_runtime(void) {
  hd_measuring.started = true;
  hd_measuring.is_exiting = true;
  if (hd_measuring_is_on() && others_may_use_the_runtime())
    hd_ending_finish();
}
