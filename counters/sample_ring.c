/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "counters/sample_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "counters/perf_permission.h"

/* ---- the kernel's ---- */

static int open_event(uint64_t period_ns) {
  struct perf_event_attr attributes = {
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof attributes,
      .config = PERF_COUNT_SW_CPU_CLOCK,
      .sample_period = period_ns,
      .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME,
      .exclude_kernel = true,
      .exclude_hv = true,
      .use_clockid = true,
      .clockid = CLOCK_MONOTONIC,
      .watermark = true, /* nobody waits for input: */
      .wakeup_watermark = UINT32_MAX,
  };
  return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static size_t page_bytes(void) {
  const long bytes = sysconf(_SC_PAGESIZE);
  return bytes > 0 ? (size_t)bytes : 4096;
}

int hd_sample_ring_open(struct hd_sample_ring *ring, uint64_t period_ns, size_t data_bytes) {
  const int fd = open_event(period_ns);
  if (fd < 0)
    return errno;
  const size_t data = data_bytes < page_bytes() ? page_bytes() : data_bytes;
  void *memory = mmap(NULL, page_bytes() + data, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const int error = memory == MAP_FAILED ? errno : 0;
  close(fd);
  if (!error)
    hd_sample_ring_use(ring, memory, data);
  return error;
}

void hd_sample_ring_explain(int error, char *why, size_t why_bytes) {
  if (error == EACCES || error == EPERM)
    hd_permission_explain(HD_PARANOID_USER_CODE, why, why_bytes);
  else if (error == ENOSYS)
    snprintf(why, why_bytes, "this kernel has no perf_event_open, or a container's seccomp filter hides it");
  else
    snprintf(why, why_bytes, "perf_event_open: %s", strerror(error));
}

/* ---- reading ---- */

void hd_sample_ring_use(struct hd_sample_ring *ring, void *memory, size_t data_bytes) {
  *ring = (struct hd_sample_ring){
      .page = memory,
      .data = (const uint64_t *)(const void *)((const char *)memory + page_bytes()),
      .data_bytes = data_bytes,
  };
}

void hd_sample_ring_close(struct hd_sample_ring *ring) {
  if (ring->page)
    munmap(ring->page, page_bytes() + ring->data_bytes);
  *ring = (struct hd_sample_ring){0};
}

const uint64_t *hd_sample_ring_head(const struct hd_sample_ring *ring) {
  return (const uint64_t *)&ring->page->data_head;
}

bool hd_sample_ring_begin(struct hd_sample_ring *ring) {
  if (!ring->page)
    return false;
  ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
  return ring->data_bytes - (ring->head - ring->at) <= HD_SAMPLE_BYTES;
}

/* Everything consists of words; only the ring's end may come between two. */
static uint64_t word(const struct hd_sample_ring *ring, uint64_t at) {
  return ring->data[(at & (ring->data_bytes - 1)) / sizeof *ring->data];
}

static struct perf_event_header header_at(const struct hd_sample_ring *ring, uint64_t at) {
  const uint64_t first = word(ring, at);
  struct perf_event_header header;
  memcpy(&header, &first, sizeof header);
  return header;
}

bool hd_sample_ring_next(struct hd_sample_ring *ring, struct hd_sample *sample) {
  while (ring->page && ring->at < ring->head) {
    const uint64_t begin = ring->at;
    const struct perf_event_header header = header_at(ring, begin);
    ring->at = header.size ? begin + header.size : ring->head;
    if (header.type == PERF_RECORD_SAMPLE) {
      *sample = (struct hd_sample){.address = word(ring, begin + 8), .ns = word(ring, begin + 16)};
      return true;
    }
    if (header.type == PERF_RECORD_LOST) /* the event's id, how many */
      ring->lost += word(ring, begin + 16);
  }
  return false;
}

void hd_sample_ring_end(struct hd_sample_ring *ring) {
  if (!ring->page)
    return;
  ring->at = ring->head;
  __atomic_store_n(&ring->page->data_tail, ring->head, __ATOMIC_RELEASE);
}
