/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file thread_samples.h
 * What a thread was executing, by samples of its processor time (counters/sample_ring.h). The kernel writes them; the
 * thread takes them at its next event, before that changes its state or callpath: so each belongs exactly to where the
 * thread was.
 *
 * A thread has two rings. The first has all samples, and room for some seconds of processor time. If it is full, the
 * thread has sent no event for so long: then the samples of the second, which come HD_SAMPLE_WEIGHT times more rarely,
 * stand for what the first lacks. So a thread that computes for a minute without an event is seen for all of it.
 *
 * Only the thread itself calls these functions, with its own record. Cost: an event compares a word that the
 * kernel writes with what it was; docs/overhead.md has what a sample costs.
 */
#ifndef HEDDLE_OMPT_COUNTING_THREAD_SAMPLES_H
#define HEDDLE_OMPT_COUNTING_THREAD_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "counters/sample_ring.h"
#include "support/settings.h"

struct hd_thread;

struct hd_thread_samples {
  const uint64_t *head; /* how much the kernel has written into the first ring; without one, a count of changes */
  uint64_t taken;       /* what that was when the thread looked last */
  uint64_t epoch;       /* hd_counters_epoch() then */
  uint64_t change;      /* the last change of rate that the thread has followed */
  uint32_t weight;      /* so many units of time are between two samples; 0: it takes none */
  bool is_unsampled;    /* the thread counts among unsampled_threads */
  struct hd_sample_ring all;
  struct hd_sample_ring rare;
};

/** At start: whether threads are sampled, and how often. If the kernel refuses, a note in the profile says why. `open`:
 *  hd_sample_ring_open, or a test's; NULL: nothing is sampled. `tell` is told of each sample of a thread that has a
 *  trace (hd_trace_sample). */
typedef void hd_sample_teller(struct hd_thread *thread, uint64_t ticks, uint64_t address, uint32_t module,
                              uint64_t count);
void hd_samples_init(const struct hd_settings *settings, hd_sample_opener *open, hd_sample_teller *tell);

/** From now on `hz` samples a second of a thread's processor time, 0: none; threads follow when they next look for
 *  samples. All samples of a run have one unit of time, so there are no more than at first, and a whole number of units
 *  is between two. False: the kernel refuses (a note in the profile says why), or there were fewer at first. */
bool hd_samples_ask(uint32_t hz);

/** A new thread has no samples yet: before it is in any state. */
void hd_samples_prepare(struct hd_thread *thread);

/** It is in one: from here on it is sampled. */
void hd_samples_start(struct hd_thread *thread);

/** Whether samples have come since the last hd_samples_take. */
static inline bool hd_samples_have_come(const struct hd_thread_samples *samples) {
  return __atomic_load_n(samples->head, __ATOMIC_RELAXED) != samples->taken;
}

/** Takes them: until that time the thread has been in the state and callpath that its record names. In an event. */
__attribute__((cold)) void hd_samples_take(struct hd_thread *thread, uint64_t until_ticks);

/** The clock is to be paused or to go on, and then: it was. Outside any event, on the thread that does so. */
void hd_samples_before_pause(struct hd_thread *thread);
void hd_samples_after_pause(struct hd_thread *thread);

/** The thread ends, and has taken its last. */
void hd_samples_end(struct hd_thread *thread);

/** The profile ends: the calling thread (NULL: it is not measured) takes its last. */
void hd_samples_close(struct hd_thread *self);

#endif
