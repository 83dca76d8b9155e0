/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A flood of transitions needs a sweep every few microseconds. Each that calls membarrier(2) interrupts all processors
 * that run the program: then the owners of the rings must rather fence themselves. */
#include <dlfcn.h>
#include <linux/membarrier.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "expect.h"
#include "output/model/memory.h"
#include "script.h"

enum { SECTIONS = 40000 };
#define MOST_A_SECOND 300.0
#define MOST_AT_ONCE 60.0

static uint64_t *fence_count; /* shared with the child */

/* The C library's, replaced for the whole test program. As that does, it takes six arguments of whoever gave fewer. */
__attribute__((visibility("default"), no_sanitize_address)) long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  const long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  const long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (number == SYS_membarrier && a == MEMBARRIER_CMD_PRIVATE_EXPEDITED && fence_count)
    __atomic_fetch_add(fence_count, 1, __ATOMIC_RELAXED);
  static long (*next)(long, ...);
  if (!next) {
    void *found = dlsym(RTLD_NEXT, "syscall");
    memcpy(&next, &found, sizeof next);
  }
  return next(number, a, b, c, d, e, f);
}

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void play_sections(void) {
  static const struct fk_options options = {.real_clock = true};
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  for (int i = 0; i < SECTIONS; i++) {
    sc_acquire(ompt_mutex_critical, 0x9000, 0x400);
    sc_acquired(ompt_mutex_critical, 0x9000, 0x400);
    sc_released(ompt_mutex_critical, 0x9000, 0);
  }
  sc_finish();
  struct hd_model *model = ex_play_with(&options);
  assert_int_equal(ex_visits(model, 0, SITE(CRITICAL, 0x400)), SECTIONS);
  hd_model_free(model);
}

static void test_a_flood_does_not_interrupt_the_processors(void **state) {
  (void)state;
  fence_count = mmap(NULL, sizeof *fence_count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(fence_count != MAP_FAILED);
  const double begin_s = now_s();
  play_sections();
  const double most = MOST_AT_ONCE + (now_s() - begin_s) * MOST_A_SECOND;
  print_message("%llu fences\n", (unsigned long long)*fence_count);
  assert_true((double)*fence_count <= most);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_flood_does_not_interrupt_the_processors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
