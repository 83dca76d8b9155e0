/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stands in for the thread sanitizer's library: the compiler calls __tsan_* for each access to memory that is not a
 * local variable. The C library's functions that touch the library's memory, take its locks or read its clocks are
 * wrapped by the linker (CMakeLists.txt). */
#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ownership.h"
#include "seat.h"

/* NOLINTBEGIN(bugprone-reserved-identifier): the compiler's and the linker's names */

__attribute__((visibility("default"))) struct traced simulation_traced;

static bool lies_in(const struct range *ranges, int count, uintptr_t address) {
  for (int i = 0; i < count; i++)
    if (address >= ranges[i].begin && address < ranges[i].end)
      return true;
  return false;
}

static void touch_line(const volatile void *address, uintptr_t line, bool writes, const void *place) {
  struct act *act = &simulation_traced.act;
  const enum ownership ownership = ownership_touch(line, simulation_traced.thread, writes);
  act->takes += ownership == OWNERSHIP_TAKEN;
  if (ownership != OWNERSHIP_MOVED)
    return;
  const bool is_runtimes = lies_in(simulation_traced.runtime, RUNTIME_RANGES, (uintptr_t)address);
  act->lines++;
  act->runtime_lines += is_runtimes;
  if (simulation_traced.on_line)
    simulation_traced.on_line((const void *)(line * LINE_BYTES), place, is_runtimes);
}

static void touch(const volatile void *memory, size_t bytes, bool writes, const void *place) {
  const uintptr_t address = (uintptr_t)memory;
  if (bytes == 0 || lies_in(simulation_traced.own, PRIVATE_RANGES, address))
    return;
  simulation_traced.act.accesses += (bytes + 7) / 8;
  for (uintptr_t line = address / LINE_BYTES; line <= (address + bytes - 1) / LINE_BYTES; line++)
    touch_line(memory, line, writes, place);
}

/* ---- what the compiler calls ---- */

#define PLACE __builtin_return_address(0)

void __tsan_init(void);
void __tsan_init(void) {}
void __tsan_func_entry(void *place);
void __tsan_func_entry(void *place) {
  (void)place;
}
void __tsan_func_exit(void);
void __tsan_func_exit(void) {}

#define ACCESS(name, bytes, writes)                                                                                    \
  void __tsan_##name(void *address);                                                                                   \
  void __tsan_##name(void *address) {                                                                                  \
    touch(address, bytes, writes, PLACE);                                                                              \
  }
#define ACCESSES(bytes)                                                                                                \
  ACCESS(read##bytes, bytes, false)                                                                                    \
  ACCESS(write##bytes, bytes, true)                                                                                    \
  ACCESS(unaligned_read##bytes, bytes, false)                                                                          \
  ACCESS(unaligned_write##bytes, bytes, true)                                                                          \
  ACCESS(volatile_read##bytes, bytes, false)                                                                           \
  ACCESS(volatile_write##bytes, bytes, true)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

#define RANGE(name, writes)                                                                                            \
  void __tsan_##name##_range(void *address, size_t bytes);                                                             \
  void __tsan_##name##_range(void *address, size_t bytes) {                                                            \
    touch(address, bytes, writes, PLACE);                                                                              \
  }
RANGE(read, false)
RANGE(write, true)

#define ATOMIC_CHANGE(bits, type, name, builtin)                                                                       \
  type __tsan_atomic##bits##_##name(volatile type *at, type value, int order);                                         \
  type __tsan_atomic##bits##_##name(volatile type *at, type value, int order) {                                        \
    (void)order;                                                                                                       \
    touch(at, sizeof *at, true, PLACE);                                                                                \
    return builtin(at, value, __ATOMIC_SEQ_CST);                                                                       \
  }
#define ATOMIC_COMPARE(bits, type, name)                                                                               \
  bool __tsan_atomic##bits##_compare_exchange_##name(volatile type *at, type *expected, type value, int order,         \
                                                     int other);                                                       \
  bool __tsan_atomic##bits##_compare_exchange_##name(volatile type *at, type *expected, type value, int order,         \
                                                     int other) {                                                      \
    (void)order, (void)other;                                                                                          \
    touch(at, sizeof *at, true, PLACE);                                                                                \
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                \
  }
#define ATOMICS(bits, type)                                                                                            \
  type __tsan_atomic##bits##_load(const volatile type *at, int order);                                                 \
  type __tsan_atomic##bits##_load(const volatile type *at, int order) {                                                \
    (void)order;                                                                                                       \
    touch(at, sizeof *at, false, PLACE);                                                                               \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                                      \
  }                                                                                                                    \
  void __tsan_atomic##bits##_store(volatile type *at, type value, int order);                                          \
  void __tsan_atomic##bits##_store(volatile type *at, type value, int order) {                                         \
    (void)order;                                                                                                       \
    touch(at, sizeof *at, true, PLACE);                                                                                \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                                     \
  }                                                                                                                    \
  ATOMIC_CHANGE(bits, type, exchange, __atomic_exchange_n)                                                             \
  ATOMIC_CHANGE(bits, type, fetch_add, __atomic_fetch_add)                                                             \
  ATOMIC_CHANGE(bits, type, fetch_sub, __atomic_fetch_sub)                                                             \
  ATOMIC_CHANGE(bits, type, fetch_and, __atomic_fetch_and)                                                             \
  ATOMIC_CHANGE(bits, type, fetch_or, __atomic_fetch_or)                                                               \
  ATOMIC_CHANGE(bits, type, fetch_xor, __atomic_fetch_xor)                                                             \
  ATOMIC_COMPARE(bits, type, strong)                                                                                   \
  ATOMIC_COMPARE(bits, type, weak)
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order) {
  (void)order;
}
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order) {
  (void)order;
}

/* ---- memory that the C library touches ---- */

void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__wrap_memcpy(void *to, const void *from, size_t bytes);
void *__wrap_memcpy(void *to, const void *from, size_t bytes) {
  touch(from, bytes, false, PLACE);
  touch(to, bytes, true, PLACE);
  return __real_memcpy(to, from, bytes);
}

void *__real_memmove(void *to, const void *from, size_t bytes);
void *__wrap_memmove(void *to, const void *from, size_t bytes);
void *__wrap_memmove(void *to, const void *from, size_t bytes) {
  touch(from, bytes, false, PLACE);
  touch(to, bytes, true, PLACE);
  return __real_memmove(to, from, bytes);
}

void *__real_memset(void *to, int byte, size_t bytes);
void *__wrap_memset(void *to, int byte, size_t bytes);
void *__wrap_memset(void *to, int byte, size_t bytes) {
  touch(to, bytes, true, PLACE);
  return __real_memset(to, byte, bytes);
}

/* ---- time ---- */

/* The clock goes on with each look at it: who waits for a time sees it come. */
static uint64_t now_ps(void) {
  simulation_traced.act.accesses++;
  return simulation_traced.act.begin_ps + act_cost_ps(&simulation_traced.act, &simulation_traced.costs);
}

uint64_t simulation_ticks(void);
uint64_t simulation_ticks(void) {
  return now_ps() >> PS_OF_TICK_BITS;
}

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time) {
  if (clock != CLOCK_MONOTONIC)
    return __real_clock_gettime(clock, time);
  const uint64_t ns = now_ps() / PS_OF_NS;
  *time = (struct timespec){.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
  return 0;
}

/* ---- locks ----
 * One callback is played after the other, so a lock is always free; but not at the time of the thread that is played,
 * if an earlier callback of another one holds it until later. */

enum { LOCKS = 64 };
static struct {
  const void *lock;
  uint64_t free_at_ps;
} locks[LOCKS];

static uint64_t *free_at(const void *lock) {
  uintptr_t at = (uintptr_t)lock / 8;
  while (locks[at % LOCKS].lock && locks[at % LOCKS].lock != lock)
    at++;
  locks[at % LOCKS].lock = lock;
  return &locks[at % LOCKS].free_at_ps;
}

int __real_pthread_mutex_lock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_lock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_lock(pthread_mutex_t *lock) {
  touch(lock, sizeof(int), true, PLACE);
  const uint64_t now = now_ps(), free_at_ps = *free_at(lock);
  simulation_traced.act.waited_ps += free_at_ps > now ? free_at_ps - now : 0;
  return __real_pthread_mutex_lock(lock);
}

int __real_pthread_mutex_trylock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *lock) {
  touch(lock, sizeof(int), true, PLACE);
  return now_ps() < *free_at(lock) ? EBUSY : __real_pthread_mutex_trylock(lock);
}

int __real_pthread_mutex_unlock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock) {
  touch(lock, sizeof(int), true, PLACE);
  *free_at(lock) = now_ps();
  return __real_pthread_mutex_unlock(lock);
}

/* ---- system calls ---- */

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...) {
  long arguments[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++)
    arguments[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_membarrier && arguments[0] == MEMBARRIER_CMD_PRIVATE_EXPEDITED)
    simulation_traced.act.interrupts++;
  return __real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

/* NOLINTEND(bugprone-reserved-identifier) */
