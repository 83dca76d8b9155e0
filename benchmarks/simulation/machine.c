/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "machine.h"

#include <dlfcn.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LINES 256

enum { BLOCKS = 31, TURNS = 2000, CALLS = 100, ROUNDS = 20, WORDS = 16 };

static _Alignas(128) uint32_t turn; /* even: this thread's; odd: the other's */
static _Alignas(128) bool is_over;
static _Alignas(128) uint32_t lines[LINES][WORDS]; /* written by the other thread in each of its turns */
static bool writes_lines;
static size_t processors[2];

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void pin(size_t processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  sched_setaffinity(0, sizeof one, &one);
}

/* No order that a processor would guess. */
static int scattered(int i) {
  return i * 97 % LINES;
}

static void *answer(void *unused) {
  pin(processors[1]);
  while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
    const uint32_t its = __atomic_load_n(&turn, __ATOMIC_ACQUIRE);
    if (its % 2 == 0)
      continue;
    for (int i = 0; i < LINES && __atomic_load_n(&writes_lines, __ATOMIC_RELAXED); i++)
      __atomic_store_n(&lines[scattered(i)][0], its, __ATOMIC_RELAXED);
    __atomic_store_n(&turn, its + 1, __ATOMIC_RELEASE);
  }
  return unused;
}

static void hand_over(void) {
  const uint32_t next = turn + 2;
  __atomic_store_n(&turn, turn + 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != next)
    ;
}

static double read_lines_ns(void) {
  uint32_t sum = 0;
  hand_over();
  const double begin = now_ns();
  for (int i = 0; i < LINES; i++)
    sum += __atomic_load_n(&lines[scattered(i)][0], __ATOMIC_RELAXED);
  __asm__ volatile("" ::"r"(sum) : "memory");
  return (now_ns() - begin) / LINES;
}

/* Not called by its name: Heddle works differently in who imports that (support/inprocess/seccomp.h). */
static long membarrier(int command) {
  long (*call)(long, ...) = NULL;
  void *const address = dlsym(RTLD_DEFAULT, "syscall");
  memcpy(&call, &address, sizeof address);
  return call ? call(SYS_membarrier, command, 0, 0) : -1;
}

static void interrupt(void) {
  membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

int machine_by_value(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

static double median_ns(void (*act)(void), int count) {
  double blocks[BLOCKS];
  for (int i = 0; i < BLOCKS; i++) {
    const double begin = now_ns();
    for (int j = 0; j < count; j++)
      act();
    blocks[i] = (now_ns() - begin) / count;
  }
  qsort(blocks, BLOCKS, sizeof *blocks, machine_by_value);
  return blocks[BLOCKS / 2];
}

static double median_of_lines_ns(void) {
  double rounds[ROUNDS];
  __atomic_store_n(&writes_lines, true, __ATOMIC_RELAXED);
  for (int i = 0; i < ROUNDS; i++)
    rounds[i] = read_lines_ns();
  __atomic_store_n(&writes_lines, false, __ATOMIC_RELAXED);
  qsort(rounds, ROUNDS, sizeof *rounds, machine_by_value);
  return rounds[ROUNDS / 2];
}

static void measure_with(struct machine *machine) {
  pthread_t other;
  if (pthread_create(&other, NULL, answer, NULL))
    return;
  pin(processors[0]);
  hand_over();
  machine->line_ns = median_ns(hand_over, TURNS) / 2;
  machine->lines_ns = median_of_lines_ns();
  if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0)
    machine->interrupt_ns = median_ns(interrupt, CALLS);
  __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
  pthread_join(other, NULL);
}

struct machine machine_measure(void) {
  struct machine machine = {.processors = 0};
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all))
    return machine;
  for (size_t i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET(i, &all) && machine.processors++ < 2)
      processors[machine.processors - 1] = i;
  if (machine.processors > 1)
    measure_with(&machine);
  sched_setaffinity(0, sizeof all, &all);
  return machine;
}
