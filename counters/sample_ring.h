/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file sample_ring.h
 * Where the calling thread is, by samples: whenever it has used so much more processor time, the kernel writes the
 * address that it executes in user space into memory that both share (perf_event_open(2), cpu-clock). No signal is sent
 * and no system call is needed to read. What it does inside the kernel is not sampled.
 *
 * The mapping alone keeps the event alive. So there is no descriptor that the program could close or run out of, and in
 * a forked child neither the event nor the memory exists.
 *
 * Only the thread that opened a ring uses it.
 */
#ifndef HEDDLE_COUNTERS_SAMPLE_RING_H
#define HEDDLE_COUNTERS_SAMPLE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_mmap_page;

/** All zero: no ring. */
struct hd_sample_ring {
  struct perf_event_mmap_page *page; /* NULL: none is open */
  const uint64_t *data;
  uint64_t data_bytes; /* a power of two */
  uint64_t head;       /* up to which the kernel had written at hd_sample_ring_begin */
  uint64_t at;         /* up to which it is read */
  uint64_t lost;       /* samples for which there was no room, as far as the kernel has said */
};

struct hd_sample {
  uint64_t address;
  uint64_t ns; /* CLOCK_MONOTONIC */
};

enum { HD_SAMPLE_BYTES = 24 };

/** Opens a ring for the calling thread: a sample for every `period_ns` of its processor time, room for `data_bytes`
 *  (pages, a power of two). Some 30 us, and some milliseconds when nobody on the machine uses such events yet. Returns
 * 0 or the errno of what the kernel refused. */
typedef int hd_sample_opener(struct hd_sample_ring *ring, uint64_t period_ns, size_t data_bytes);
hd_sample_opener hd_sample_ring_open;

/** The same in memory that a test writes to: one page, then the data. */
void hd_sample_ring_use(struct hd_sample_ring *ring, void *memory, size_t data_bytes);

/** Why hd_sample_ring_open failed, in one line. */
void hd_sample_ring_explain(int error, char *why, size_t why_bytes);

void hd_sample_ring_close(struct hd_sample_ring *ring);

/** Where the kernel counts how much it has written; it has written nothing as long as that is 0. */
const uint64_t *hd_sample_ring_head(const struct hd_sample_ring *ring);

/** Begins to read what has come. Returns whether the ring is full: more may have come, for which there was no room. */
bool hd_sample_ring_begin(struct hd_sample_ring *ring);

/** The next one, in the order of time. False: there are no more. */
bool hd_sample_ring_next(struct hd_sample_ring *ring, struct hd_sample *sample);

/** Gives the room back. */
void hd_sample_ring_end(struct hd_sample_ring *ring);

#endif
