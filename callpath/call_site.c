/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/call_site.h"

#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Below any user's frame are at least two of the C library's, where the thread began. */
enum { MOST_FRAMES = 24, THREAD_START_FRAMES = 2 };

/* Where the runtime lies; empty: unknown, nothing is checked. */
static struct { uintptr_t begin, end; } runtime;

static int find_runtime(struct dl_phdr_info *info, size_t size, void *data) {
  uintptr_t inside = *(const uintptr_t *)data;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
    /* Linked into the program itself, it cannot be told from the user's code by its place. */
    if (segment->p_type == PT_LOAD && inside - begin < segment->p_memsz && strstr(info->dlpi_name, "omp")) {
      runtime.begin = begin;
      runtime.end = begin + segment->p_memsz;
      return 1;
    }
  }
  return 0;
}

void hd_call_site_init(const void *runtime_function) {
  void *frame;
  uintptr_t inside = (uintptr_t)runtime_function;
  dl_iterate_phdr(find_runtime, &inside);
  backtrace(&frame, 1); /* its first call loads the unwinder, which must not happen under somebody's loader lock */
}

bool hd_call_site_in_runtime(const void *address) {
  return (uintptr_t)address - 1 - runtime.begin < runtime.end - runtime.begin;
}

const void *hd_call_site_check(const void *address, bool from_runtime) {
  void *frames[MOST_FRAMES];
  if (runtime.begin == runtime.end || (from_runtime && address && hd_call_site_in_runtime(address)))
    return address;
  int saved = errno;
  int count = backtrace(frames, MOST_FRAMES);
  errno = saved;
  int user = 0;
  while (user < count && !hd_call_site_in_runtime(frames[user])) /* this library's own frames */
    user++;
  while (user < count && hd_call_site_in_runtime(frames[user]))
    user++;
  if (user >= count || user == 0)
    return address; /* the stack does not tell */
  if (count < MOST_FRAMES && count - user <= THREAD_START_FRAMES)
    return address; /* the runtime's own thread: no user's code called it */
  /* An address inside the runtime that does not lie next to the user's code: the user's code was left by a tail call,
   * and the frame found is that of an enclosing construct. */
  if (address && hd_call_site_in_runtime(address) && frames[user - 1] != address)
    return address;
  return frames[user];
}
