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

enum { RINGS_MOST = 16 };

/* The tool may have unmapped its mapping: the kernel has one of its own. */
struct ring {
  struct perf_event_mmap_page *page;
  size_t data_bytes;
  uint64_t period_ns, begin_ns;
  uint64_t lost;
};

static struct thread {
  struct ring rings[RINGS_MOST];
  uint32_t count;
  uint64_t ns;
} threads[FK_MAX_THREADS];

static __thread uint32_t current;
static uint64_t unit_ns; /* what FK_SAMPLE counts in */

void fk_samples_thread(uint32_t thread) {
  current = thread < FK_MAX_THREADS ? thread : 0;
}

static void *map(int file, size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

/* The tool opens the rarer ones first. */
static int open_ring(struct hd_sample_ring *ring, uint64_t period_ns, size_t data_bytes) {
  struct thread *of = &threads[current];
  const size_t bytes = (size_t)sysconf(_SC_PAGESIZE) + data_bytes;
  if (unit_ns == 0)
    unit_ns = period_ns / HD_SAMPLE_WEIGHT;
  const int file = memfd_create("samples", MFD_CLOEXEC);
  if (of->count == RINGS_MOST || file < 0 || ftruncate(file, (off_t)bytes) != 0)
    return ENOMEM;
  void *memory = map(file, bytes), *own = map(file, bytes);
  close(file);
  if (!memory || !own)
    return ENOMEM;
  of->rings[of->count++] =
      (struct ring){.page = own, .data_bytes = data_bytes, .period_ns = period_ns, .begin_ns = of->ns};
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
  for (uint32_t i = 0; i < count; i++) {
    of->ns += unit_ns;
    for (uint32_t j = 0; j < of->count; j++)
      if ((of->ns - of->rings[j].begin_ns) % of->rings[j].period_ns == 0)
        put_sample(&of->rings[j], address, of->ns);
  }
}
