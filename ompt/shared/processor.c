/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/shared/processor.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ompt/shared/measuring.h"
#include "support/inprocess/seccomp.h"

/* hd_thread_record.tid: 0 when there is nothing to read, any more. */
static const uint32_t tid_unknown = HD_NONE;

static bool reads, knows_tids;

void hd_processor_init(bool is_real) {
  reads = is_real;
  knows_tids = !hd_seccomp_is_expected();
}

void hd_processor_begin(struct hd_thread_record *record) {
  if (reads)
    __atomic_store_n(&record->tid, knows_tids ? (uint32_t)syscall(SYS_gettid) : tid_unknown, __ATOMIC_RELEASE);
}

/* Of the calling thread, or of another one of this process. */
static bool read_text(uint32_t tid, const char *file, char *text, size_t bytes) {
  char path[64];
  if (tid == tid_unknown)
    snprintf(path, sizeof path, "/proc/thread-self/%s", file);
  else
    snprintf(path, sizeof path, "/proc/self/task/%u/%s", tid, file);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  const ssize_t length = read(fd, text, bytes - 1);
  close(fd);
  text[length > 0 ? length : 0] = 0;
  return length > 0;
}

static uint64_t own_preemptions(void) {
  struct rusage usage;
  return getrusage(RUSAGE_THREAD, &usage) ? 0 : (uint64_t)usage.ru_nivcsw;
}

static uint64_t preemptions_of(uint32_t tid) {
  static const char name[] = "\nnonvoluntary_ctxt_switches:";
  char text[8192]; /* one line lists the user's groups, which may be many */
  const char *line = read_text(tid, "status", text, sizeof text) ? strstr(text, name) : NULL;
  return line ? strtoull(line + strlen(name), NULL, 10) : 0;
}

/* "ran queued turns". A kernel that does not keep them says 0 to all. */
static void add(struct hd_thread_record *record, uint32_t tid) {
  char text[128];
  char *end;
  if (!read_text(tid, "schedstat", text, sizeof text))
    return;
  const uint64_t ran_ns = strtoull(text, &end, 10);
  const uint64_t queued_ns = strtoull(end, NULL, 10);
  if (ran_ns == 0)
    return;
  record->ran_ns += ran_ns;
  record->queued_ns += queued_ns;
  record->preemptions += tid == tid_unknown ? own_preemptions() : preemptions_of(tid);
  record->told++;
}

/* The thread itself and the profile's end may come at once: one of them gets it. */
static uint32_t take(struct hd_thread_record *record) {
  return __atomic_exchange_n(&record->tid, 0, __ATOMIC_ACQ_REL);
}

void hd_processor_end(struct hd_thread_record *record) {
  if (take(record) != 0 && !hd_seccomp_is_new())
    add(record, tid_unknown);
}

static void close_block(struct hd_block_header *block, const struct hd_thread_record *self) {
  struct hd_thread_record *records = (void *)((char *)block + HD_BLOCK_HEADER_BYTES);
  const uint32_t count = __atomic_load_n(&block->count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t tid = take(&records[i]);
    if (&records[i] == self && tid != 0)
      add(&records[i], tid_unknown);
    else if (tid != 0 && tid != tid_unknown)
      add(&records[i], tid);
  }
}

void hd_processor_close(const struct hd_thread_record *self) {
  const uint32_t units = __atomic_load_n(&hd_store.header->block_count, __ATOMIC_ACQUIRE);
  if (!reads || hd_seccomp_is_new())
    return;
  for (uint32_t unit = 0; unit < units;) {
    struct hd_block_header *block = (void *)(hd_store.base + HD_HEADER_BYTES + (size_t)unit * HD_BLOCK_BYTES);
    if (block->type == HD_BLOCK_THREADS)
      close_block(block, self);
    unit += __atomic_load_n(&block->span, __ATOMIC_RELAXED);
  }
}
