/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/call_site.h"

#include <errno.h>
#include <execinfo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "callpath/loaded.h"

/* Below any user's frame are at least two of the C library's, where the thread began. */
enum { MOST_FRAMES = 24, THREAD_START_FRAMES = 2 };

/* Where the runtime lies; empty: unknown, nothing is checked. */
static struct { uintptr_t begin, end; } runtime;

void hd_call_site_init(const void *runtime_function) {
  void *frame;
  struct hd_loaded loaded;
  /* Linked into the program itself, it cannot be told from the user's code by its place. */
  if (hd_loaded_find((uintptr_t)runtime_function, &loaded) && strstr(loaded.info.dlpi_name, "omp")) {
    runtime.begin = loaded.begin;
    runtime.end = loaded.end;
  }
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
