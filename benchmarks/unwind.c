/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What it costs to know a region's calling routines, at stacks of 5, 20 and 60 of the program's frames: compared with
 * the remembered stack (cached), walked by known return addresses and remembered (new, which a stack costs that was not
 * there before), unwound and proved (full, which it costs when it has return addresses that were not), unwound by the C
 * library alone (backtrace), and nothing at all (none: the call of an empty function). One after the other in short
 * turns, so that what else the machine does hits all alike. Then a region that is called by 1 to 64 functions in turn.
 *
 * usage: unwind [repetitions]  (default 25; medians are printed, with the quartiles of cached)
 */
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>

#include "callpath/stack/call_chains.h"
#include "callpath/stack/stack_cache.h"
#include "callpath/stack/stack_walk.h"
#include "ompt/shared/clock.h"

enum { FRAMES_MOST = 128, WORDS_MOST = 512, VARIANTS = 5, CALLERS = 64 };

typedef const struct hd_chain *variant(const void *code);

static struct hd_stack_cache *cache;
static const void *routines[FRAMES_MOST];
static struct hd_stack_word words[WORDS_MOST];
static double (*costs)[VARIANTS]; /* ns per call, of every repetition */
static int repetitions;
static uint32_t frame_count;

static __attribute__((noinline)) const struct hd_chain *none(const void *code) {
  __asm__ volatile("" : : "r"(code));
  return NULL;
}

static __attribute__((noinline)) const struct hd_chain *cached(const void *code) {
  return hd_stack_cache_callers(&cache, code);
}

/* Another limit, beyond the stack: another question. */
static __attribute__((noinline)) const struct hd_chain *new(const void *code) {
  static uintptr_t limit = UINTPTR_MAX;
  uintptr_t place;
  return hd_stack_cache_callers_below(&cache, code, limit--, &place);
}

static __attribute__((noinline)) const struct hd_chain *full(const void *code) {
  struct hd_frames frames = {.routines = routines, .routine_limit = FRAMES_MOST};
  frames.proof.words = words;
  frames.proof.limit = WORDS_MOST;
  if (!hd_stack_walk(&frames, (uintptr_t)__builtin_frame_address(0), code, 0) || !frames.proof.complete)
    return NULL;
  return hd_chains_intern(frames.routines, frames.routine_count, frames.cut);
}

static __attribute__((noinline)) const struct hd_chain *by_library(const void *code) {
  void *found[FRAMES_MOST];
  __asm__ volatile("" : : "r"(code), "r"(backtrace(found, FRAMES_MOST)));
  return NULL;
}

static double time_calls(variant *call, const void *code, int count) {
  uint64_t begin = hd_clock_monotonic_ns();
  for (int i = 0; i < count; i++)
    call(code);
  return (double)(hd_clock_monotonic_ns() - begin) / count;
}

/* In the place of the runtime: the program's routine is its caller. */
static __attribute__((noinline)) void measure(void) {
  static variant *const variants[VARIANTS] = {none, cached, new, by_library, full};
  static const int counts[VARIANTS] = {20000, 20000, 2000, 200, 200};
  const void *code = __builtin_extract_return_addr(__builtin_return_address(0));
  if (cached(code) != full(code) || !cached(code) || new (code) != cached(code)) {
    fputs("unwind: cached, new and full differ\n", stderr);
    exit(1);
  }
  frame_count = cached(code)->count;
  for (int i = 0; i < repetitions; i++)
    for (int v = 0; v < VARIANTS; v++)
      costs[i][v] = time_calls(variants[v], code, counts[v]);
}

static void descend(int frames);

/* Frames of different kinds: small, large, of varying size. */
static __attribute__((noinline)) void descend_small(int frames) {
  descend(frames);
  __asm__ volatile("");
}

static __attribute__((noinline)) void descend_large(int frames) {
  char room[300];
  __asm__ volatile("" : : "r"(room) : "memory");
  descend(frames);
  __asm__ volatile("" : : "r"(room) : "memory");
}

static __attribute__((noinline)) void descend_varying(int frames) {
  char room[frames + 1];
  __asm__ volatile("" : : "r"(room) : "memory");
  descend(frames);
  __asm__ volatile("" : : "r"(room) : "memory");
}

/* An odd number of frames: two a step, this one and the next; measure's caller is the innermost. */
static __attribute__((noinline)) void descend(int frames) {
  if (frames <= 1)
    measure();
  else if (frames % 3 == 0)
    descend_varying(frames - 2);
  else if (frames % 3 == 1)
    descend_large(frames - 2);
  else
    descend_small(frames - 2);
  __asm__ volatile("");
}

/* In the place of a region's first event. */
static __attribute__((noinline)) void region(void) {
  cached(__builtin_extract_return_addr(__builtin_return_address(0)));
  __asm__ volatile("");
}

/* clang-format off */
#define CALLER(n) static __attribute__((noinline)) void caller_##n(void) { region(); __asm__ volatile(""); }
#define EIGHT(make, n) make(n##0) make(n##1) make(n##2) make(n##3) make(n##4) make(n##5) make(n##6) make(n##7)
#define NAME(n) caller_##n,
EIGHT(CALLER, 0) EIGHT(CALLER, 1) EIGHT(CALLER, 2) EIGHT(CALLER, 3)
EIGHT(CALLER, 4) EIGHT(CALLER, 5) EIGHT(CALLER, 6) EIGHT(CALLER, 7)
static void (*const callers[CALLERS])(void) = {
  EIGHT(NAME, 0) EIGHT(NAME, 1) EIGHT(NAME, 2) EIGHT(NAME, 3)
  EIGHT(NAME, 4) EIGHT(NAME, 5) EIGHT(NAME, 6) EIGHT(NAME, 7)
};
/* clang-format on */

static double call_in_turn(int count, int rounds) {
  uint64_t begin = hd_clock_monotonic_ns();
  for (int i = 0; i < rounds; i++)
    for (int c = 0; c < count; c++)
      callers[c]();
  return (double)(hd_clock_monotonic_ns() - begin) / (rounds * count);
}

static int by_value(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

static void print(double *values) {
  double median[VARIANTS], low = 0, high = 0;
  for (int v = 0; v < VARIANTS; v++) {
    for (int i = 0; i < repetitions; i++)
      values[i] = costs[i][v];
    qsort(values, (size_t)repetitions, sizeof *values, by_value);
    median[v] = values[repetitions / 2];
    if (v == 1) {
      low = values[repetitions / 4];
      high = values[3 * repetitions / 4];
    }
  }
  printf("%6u %8.1f %8.1f %8.0f %10.0f %8.0f   (%.1f to %.1f)\n", frame_count, median[0], median[1], median[2],
         median[3], median[4], low, high);
}

static void print_callers(double *values) {
  puts("callers in turn  ns each");
  for (int count = 1; count <= CALLERS; count *= 2) {
    call_in_turn(count, 2);
    for (int i = 0; i < repetitions; i++)
      values[i] = call_in_turn(count, 20000 / count);
    qsort(values, (size_t)repetitions, sizeof *values, by_value);
    printf("%15d %8.1f\n", count, values[repetitions / 2]);
  }
}

int main(int argc, char **argv) {
  static const int sizes[] = {5, 20, 60};
  repetitions = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 25;
  if (repetitions < 1 || !hd_stack_cache_init(FRAMES_MOST)) {
    fprintf(stderr, "unwind: %s\n", repetitions < 1 ? "repetitions must be 1 or more" : "no unwinder");
    return 1;
  }
  costs = calloc((size_t)repetitions, sizeof *costs);
  double *values = calloc((size_t)repetitions, sizeof *values);
  if (!costs || !values) {
    free(values);
    return 1;
  }
  puts("frames  none ns   cached      new  backtrace     full   (quartiles of cached)");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    if (sizes[i] % 2) /* main is one more */
      descend_small(sizes[i] - 2);
    else
      descend(sizes[i] - 1);
    print(values);
  }
  print_callers(values);
  free(values);
  free(costs);
  return 0;
}
