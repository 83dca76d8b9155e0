/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes samples as the kernel does: where there is no room it counts them, and says so once there is. */
#include "fake_samples.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "counters/sample_ring.h"
#include "heddle-samples.h"

enum { ALL, RARE, RINGS };

struct ring {
  struct perf_event_mmap_page *page; /* NULL: the thread has none */
  size_t data_bytes;
  uint64_t lost;
};

static struct thread {
  struct ring rings[RINGS];
  uint64_t taken;
} threads[FK_MAX_THREADS];

static __thread uint32_t current;
static uint64_t period; /* between the samples of the rings of kind ALL */

void fk_samples_thread(uint32_t thread) {
  current = thread < FK_MAX_THREADS ? thread : 0;
}

/* The tool opens the rarer ones first. It unmaps the memory itself, so it is forgotten with the thread's next. */
static int open_ring(struct hd_sample_ring *ring, uint64_t period_ns, size_t data_bytes) {
  if (period == 0)
    period = period_ns / HD_SAMPLE_WEIGHT;
  void *memory = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE) + data_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return ENOMEM;
  threads[current].rings[period_ns == period ? ALL : RARE] = (struct ring){.page = memory, .data_bytes = data_bytes};
  threads[current].taken = 0;
  hd_sample_ring_use(ring, memory, data_bytes);
  return 0;
}

void *fk_samples_opener(void) {
  hd_sample_opener *const opener = open_ring;
  void *result;
  memcpy(&result, &opener, sizeof result);
  return result;
}

static bool put(struct ring *ring, uint32_t type, uint64_t first, uint64_t second) {
  const struct perf_event_header header = {.type = type, .size = HD_SAMPLE_BYTES};
  uint64_t words[HD_SAMPLE_BYTES / 8] = {0, first, second};
  memcpy(words, &header, sizeof header);
  const uint64_t tail = __atomic_load_n(&ring->page->data_tail, __ATOMIC_ACQUIRE);
  uint64_t head = ring->page->data_head;
  if (ring->data_bytes - (head - tail) <= HD_SAMPLE_BYTES)
    return false;
  char *data = (char *)ring->page + sysconf(_SC_PAGESIZE);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++, head += sizeof *words)
    memcpy(data + (head & (ring->data_bytes - 1)), &words[i], sizeof words[i]);
  __atomic_store_n(&ring->page->data_head, head, __ATOMIC_RELEASE);
  return true;
}

static void put_sample(struct ring *ring, uint64_t address, uint64_t ns) {
  if (ring->lost > 0 && put(ring, PERF_RECORD_LOST, 1, ring->lost))
    ring->lost = 0;
  if (ring->lost > 0 || !put(ring, PERF_RECORD_SAMPLE, address, ns))
    ring->lost++;
}

void fk_samples_take(uint32_t thread, uint64_t address, uint32_t count) {
  struct thread *of = &threads[thread];
  for (uint32_t i = 0; i < count && of->rings[ALL].page; i++) {
    const uint64_t ns = ++of->taken * period;
    if (of->taken % HD_SAMPLE_WEIGHT == 0)
      put_sample(&of->rings[RARE], address, ns);
    put_sample(&of->rings[ALL], address, ns);
  }
}
