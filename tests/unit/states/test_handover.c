/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Owners of rings and sweeps hand over, with real threads on the real clock: nothing is put in before what a sweep has
 * taken, so the time at every level comes out to the tick; and it takes few membarrier(2)s. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/syscall.h>

#include "ompt/shared/clock.h"
#include "ompt/shared/measuring.h"
#include "ompt/shared/ring.h"
#include "ompt/shared/sweeper.h"
#include "own_process.h"

enum { OWNERS = 6, PASSING = 400, LEVELS = 16, MS = 1000000, CHANGES_MOST = 4000000 };
static const uint64_t storm_ns = 400 * (uint64_t)MS;

static uint32_t fence_count;
static bool lacks_membarrier;

/* The C library's, replaced for the whole test program. As that does, it takes six arguments of whoever gave fewer. */
__attribute__((visibility("default"), no_sanitize_address)) long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  const long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  const long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (number == SYS_membarrier && a == MEMBARRIER_CMD_PRIVATE_EXPEDITED)
    __atomic_fetch_add(&fence_count, 1, __ATOMIC_RELAXED);
  if (number == SYS_membarrier && lacks_membarrier) {
    errno = ENOSYS;
    return -1;
  }
  static void *next;
  void *found = __atomic_load_n(&next, __ATOMIC_ACQUIRE);
  long (*libc_syscall)(long, ...);
  if (!found)
    __atomic_store_n(&next, found = dlsym(RTLD_NEXT, "syscall"), __ATOMIC_RELEASE);
  memcpy(&libc_syscall, &found, sizeof libc_syscall);
  return libc_syscall(number, a, b, c, d, e, f);
}

/* ---- owners ---- */

struct owner {
  struct hd_ring ring;
  uint32_t profile; /* its own, and nobody else's at the same time */
  uint32_t random;
  uint64_t last;
  bool is_busy;
};

/* What all owners have done: which of them became busy when, or not. */
static struct change {
  uint64_t ticks;
  int32_t up;
} *changes;
static uint32_t change_count;

static void begin(void) {
  char why[1200];
  hd_clock_choose("auto", NULL);
  changes = calloc(CHANGES_MOST, sizeof *changes);
  CHECK(changes && hd_store_create(&hd_store, NULL, "handover", why, sizeof why));
  unlink(hd_store.live_path);
  CHECK(hd_sweeper_init(hd_clock_now(), NULL));
  if (lacks_membarrier)
    return;
  /* For all that Heddle knows ThreadSanitizer's library may install a seccomp filter. */
  CHECK_EQUAL(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0), 0);
  hd_frontier.has_membarrier = true;
}

static struct owner join(uint32_t number) {
  struct owner owner = {.profile = 1 + number, .random = number, .last = hd_clock_now()};
  CHECK(hd_ring_join(&owner.ring, number));
  return owner;
}

/* As hd_thread_charge does it. */
static void charge(struct owner *owner, uint64_t now, bool is_busy) {
  if (now > owner->last)
    owner->last = now;
  if (owner->is_busy != is_busy) {
    const uint32_t i = __atomic_fetch_add(&change_count, 1, __ATOMIC_RELAXED);
    CHECK(i < CHANGES_MOST);
    changes[i] = (struct change){owner->last, is_busy ? 1 : -1};
  }
  owner->is_busy = is_busy;
}

static void finish_entry(struct owner *owner, uint64_t now, bool busy) {
  charge(owner, now, busy);
  hd_ring_put(&owner->ring, owner->last, busy ? owner->profile : HD_NONE);
}

static void put(struct owner *owner, bool busy) {
  uint64_t now = hd_clock_now();
  if (hd_ring_is_due(&owner->ring))
    hd_ring_make_room(&owner->ring);
  CHECK(hd_ring_open(&owner->ring, &now));
  finish_entry(owner, now, busy);
}

static void leave(struct owner *owner) {
  put(owner, false);
  hd_ring_leave(&owner->ring);
}

static uint32_t below(struct owner *owner, uint32_t limit) {
  owner->random = owner->random * 1664525 + 1013904223;
  return (owner->random >> 8) % limit;
}

/* A wait that turns out to have been none. */
static void take_back(struct owner *owner) {
  put(owner, true);
  hd_ring_set_tentative(&owner->ring, true);
  put(owner, false);
  if (below(owner, 8) == 0)
    sched_yield();
  charge(owner, hd_ring_take_back(&owner->ring, owner->profile), true);
}

static void storm(struct owner *owner, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    put(owner, i % 2 == 0);
}

/* By turns it logs a lot and is silent. */
static void alternate(struct owner *owner, uint32_t longest_us) {
  const uint64_t until = hd_clock_monotonic_ns() + storm_ns;
  while (hd_clock_monotonic_ns() < until && __atomic_load_n(&change_count, __ATOMIC_RELAXED) < CHANGES_MOST / 2) {
    storm(owner, below(owner, 5000));
    if (below(owner, 3) == 0)
      take_back(owner);
    put(owner, below(owner, 2));
    nanosleep(&(struct timespec){.tv_nsec = 1000 * (long)below(owner, longest_us)}, NULL);
  }
}

/* ---- what the sweeps made of it ---- */

static void add_swept(uint64_t *at) {
  for (uint32_t unit = 0; unit < hd_store.header->block_count;) {
    const struct hd_block_header *block = (void *)(hd_store.base + HD_HEADER_BYTES + (size_t)unit * HD_BLOCK_BYTES);
    const struct hd_level_record *records = (const void *)((const char *)block + HD_BLOCK_HEADER_BYTES);
    for (uint32_t i = 0; block->type == HD_BLOCK_LEVELS && i < block->count; i++)
      for (uint32_t j = 0; records[i].tally == 0 && j < HD_LEVELS_PER_RECORD; j++)
        if (records[i].ticks[j])
          at[records[i].first + j] += records[i].ticks[j];
    unit += block->span;
  }
}

static int by_time(const void *a, const void *b) {
  const uint64_t left = ((const struct change *)a)->ticks, right = ((const struct change *)b)->ticks;
  return left < right ? -1 : left > right;
}

/* How long so many were busy at once. */
static void check_levels(void) {
  uint64_t swept[LEVELS] = {0}, expected[LEVELS] = {0};
  int32_t level = 0;
  add_swept(swept);
  qsort(changes, change_count, sizeof *changes, by_time);
  for (uint32_t i = 0; i < change_count; i++) {
    expected[level] += i > 0 ? changes[i].ticks - changes[i - 1].ticks : 0;
    level += changes[i].up;
    CHECK(level < LEVELS);
  }
  for (uint32_t i = 1; i < LEVELS; i++)
    CHECK_EQUAL(swept[i], expected[i]);
}

static uint32_t marks(const struct owner *owner) {
  return __atomic_load_n(&owner->ring.record->fences, __ATOMIC_RELAXED);
}

/* ---- tests ---- */

static void *play(void *number) {
  const uint32_t n = (uint32_t)(uintptr_t)number;
  struct owner owner = join(n);
  alternate(&owner, n % 2 ? 3000 : 100);
  leave(&owner);
  return NULL;
}

static void play_all(void) {
  pthread_t threads[OWNERS];
  for (uintptr_t i = 0; i < OWNERS; i++)
    CHECK_EQUAL(pthread_create(&threads[i], NULL, play, (void *)i), 0);
  for (uint32_t i = 0; i < OWNERS; i++)
    CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
  hd_sweeper_close();
  check_levels();
}

OWN_PROCESS_TEST(test_owners_that_come_and_go_silent_are_counted_to_the_tick) {
  begin();
  const uint64_t began = hd_clock_monotonic_ns();
  play_all();
  const uint64_t lasted = hd_clock_monotonic_ns() - began;
  CHECK(fence_count > 0);
  CHECK(fence_count <= 1 + 20 * (1 + lasted / (100 * MS)));
}

OWN_PROCESS_TEST(test_without_membarrier_they_are_as_well) {
  lacks_membarrier = true;
  begin();
  play_all();
  CHECK_EQUAL(fence_count, 0);
}

/* It comes late, and only then are all told to fence. */
OWN_PROCESS_TEST(test_a_membarrier_that_fails_marks_all) {
  begin();
  lacks_membarrier = true;
  play_all();
  CHECK_EQUAL(fence_count, 1);
}

/* The steady state: an owner that logs neither fences nor reads the frontier. */
OWN_PROCESS_TEST(test_only_silent_owners_are_marked) {
  begin();
  struct owner silent = join(0), logging = join(1), other = join(2);
  put(&silent, true);
  for (int i = 0; i < 5000; i++) {
    put(&logging, i % 2);
    put(&other, i % 2);
  }
  CHECK_EQUAL(marks(&silent), HD_RING_MARKED);
  CHECK_EQUAL(marks(&logging), 0);
  CHECK_EQUAL(marks(&other), 0);
  CHECK_EQUAL(fence_count, 0); /* new rings are marked */
  for (int i = 0; i < 2000; i++)
    put(&logging, i % 2);
  CHECK_EQUAL(marks(&other), HD_RING_MARKED);
  CHECK_EQUAL(fence_count, 1);
  leave(&silent);
  leave(&logging);
  leave(&other);
  hd_sweeper_close();
  check_levels();
}

/* Like one that loses its processor in the middle of an entry, at a time that others then leave far behind. */
static void stop_in_the_middle(bool is_marked) {
  begin();
  struct owner stopped = join(0), logging = join(1);
  uint64_t now;
  for (int i = 0; i < 2000; i++) {
    put(&stopped, i % 2);
    put(&logging, i % 2);
  }
  if (is_marked)
    storm(&logging, 2000);
  CHECK_EQUAL(marks(&stopped), is_marked ? HD_RING_MARKED : 0);
  hd_sweeper_flush(); /* the other has room for its storm */
  now = hd_clock_now();
  CHECK(hd_ring_open(&stopped.ring, &now));
  storm(&logging, HD_RING_LENGTH - 300);
  hd_sweeper_flush();
  hd_sweeper_flush();
  finish_entry(&stopped, now, false);
  storm(&logging, 2000);
  leave(&stopped);
  leave(&logging);
  hd_sweeper_close();
  check_levels();
}

OWN_PROCESS_TEST(test_who_stops_in_an_entry_holds_sweeps_back) {
  stop_in_the_middle(false);
}

OWN_PROCESS_TEST(test_who_stops_in_a_marked_entry_holds_sweeps_back) {
  stop_in_the_middle(true);
}

/* As for a lock that is tested in vain, while another thread logs. */
static void wait_in_vain(uint32_t meanwhile, bool is_passed) {
  begin();
  struct owner waiting = join(0), logging = join(1);
  storm(&logging, 100);
  put(&waiting, true);
  hd_ring_set_tentative(&waiting.ring, true);
  put(&waiting, false);
  const uint64_t began = waiting.last;
  storm(&logging, meanwhile);
  charge(&waiting, hd_ring_take_back(&waiting.ring, waiting.profile), true);
  CHECK(is_passed ? waiting.last > began : waiting.last == began);
  leave(&waiting);
  leave(&logging);
  hd_sweeper_close();
  check_levels();
}

OWN_PROCESS_TEST(test_a_wait_is_taken_back_without_a_trace) {
  wait_in_vain(HD_RING_LENGTH - 200, false);
}

OWN_PROCESS_TEST(test_a_wait_is_taken_back_from_where_a_sweep_has_passed) {
  wait_in_vain(3000, true);
}

OWN_PROCESS_TEST(test_the_end_reaches_all_owners) {
  begin();
  struct owner silent = join(0), logging = join(1), late = join(2);
  put(&silent, true);
  storm(&logging, 3000);
  hd_sweeper_close();
  uint64_t now = hd_clock_now();
  CHECK(!hd_ring_open(&silent.ring, &now));
  CHECK(!hd_ring_open(&logging.ring, &now));
  CHECK(!hd_ring_open(&late.ring, &now));
  struct owner later = join(3);
  CHECK(!hd_ring_open(&later.ring, &now));
}

static sem_t places;

static void *pass(void *number) {
  const uint32_t n = (uint32_t)(uintptr_t)number;
  struct owner owner = join(n);
  storm(&owner, n % 20 ? n % 7 : 1500);
  put(&owner, true);
  if (n % 3 == 0)
    sched_yield();
  leave(&owner);
  sem_post(&places);
  return NULL;
}

/* While one logs all the time and another waits for them. */
OWN_PROCESS_TEST(test_many_threads_come_and_go) {
  pthread_t threads[OWNERS + PASSING];
  begin();
  struct owner main_thread = join(OWNERS + PASSING);
  put(&main_thread, true);
  sem_init(&places, 0, OWNERS);
  CHECK_EQUAL(pthread_create(&threads[0], NULL, play, (void *)(uintptr_t)0), 0);
  for (uintptr_t i = OWNERS; i < OWNERS + PASSING; i++) {
    sem_wait(&places);
    CHECK_EQUAL(pthread_create(&threads[i], NULL, pass, (void *)i), 0);
  }
  for (uint32_t i = OWNERS; i < OWNERS + PASSING; i++)
    CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
  CHECK_EQUAL(pthread_join(threads[0], NULL), 0);
  leave(&main_thread);
  hd_sweeper_close();
  check_levels();
  CHECK(hd_ring_pool_count() < PASSING / 2); /* some more than are there at once: one may lose its processor */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_owners_that_come_and_go_silent_are_counted_to_the_tick),
      cmocka_unit_test(test_without_membarrier_they_are_as_well),
      cmocka_unit_test(test_a_membarrier_that_fails_marks_all),
      cmocka_unit_test(test_only_silent_owners_are_marked),
      cmocka_unit_test(test_who_stops_in_an_entry_holds_sweeps_back),
      cmocka_unit_test(test_who_stops_in_a_marked_entry_holds_sweeps_back),
      cmocka_unit_test(test_a_wait_is_taken_back_without_a_trace),
      cmocka_unit_test(test_a_wait_is_taken_back_from_where_a_sweep_has_passed),
      cmocka_unit_test(test_the_end_reaches_all_owners),
      cmocka_unit_test(test_many_threads_come_and_go),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
