/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that make new steps between callpaths, and get memory and space in the file for them, do not wait for one
 * that is stopped in the middle, wherever that is; but a module's first look-up takes a lock (modules.h), so theirs is
 * known before. What they make is the same for all. */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "callpath/callpath.h"
#include "callpath/code/modules.h"
#include "store/store.h"
#include "support/inprocess/heap.h"

enum { STUCK_S = 300, ROUNDS = 100, THREADS = 3, STEPS = 24, MOST_PAUSE = 40000 };

static struct hd_store store;
static char places[ROUNDS][STEPS];
static uint32_t found[THREADS][STEPS];
static uint32_t parent; /* of this round's steps */
static uint32_t at_start, others_done;
static bool stopped;

/* The thread that is stopped goes on when the others are done. */
static void stop(int signal) {
  (void)signal;
  __atomic_store_n(&stopped, true, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&others_done, __ATOMIC_SEQ_CST) < THREADS - 1)
    sched_yield(); /* a system call, no more. NOLINT(bugprone-signal-handler,cert-msc54-cpp,cert-sig30-c) */
}

static int begin(void **state) {
  char why[200];
  (void)state;
  signal(SIGUSR1, stop);
  return hd_store_create(&store, NULL, "first_times", why, sizeof why) && unlink(store.live_path) == 0 &&
                 hd_callpath_init(&store, 0, 1) && hd_modules_find(places, false) != HD_NONE
             ? 0
             : -1;
}

struct part {
  uint32_t thread;
  uint32_t round;
};

/* Beside each step a piece of memory, and a block now and then, as a thread has rows. */
static void *make_steps(void *data) {
  const struct part part = *(const struct part *)data;
  uint32_t from = parent;
  __atomic_add_fetch(&at_start, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&at_start, __ATOMIC_SEQ_CST) < THREADS)
    continue;
  for (uint32_t i = 0; i < STEPS; i++) {
    char *memory = hd_heap_allocate(1, 64 + 128 * (i % 5));
    found[part.thread][i] = hd_callpath_step(from, HD_KIND_LOOP, &places[part.round][i]).profile;
    from = i % 3 ? found[part.thread][i] : parent;
    if (i % 8 == part.thread)
      hd_store_add_block(&store, HD_BLOCK_JOURNAL, part.thread, 100);
    if (memory)
      memset(memory, 1, 64);
    hd_heap_free(memory);
  }
  if (part.thread > 0)
    __atomic_add_fetch(&others_done, 1, __ATOMIC_SEQ_CST);
  while (part.thread == 0 && __atomic_load_n(&others_done, __ATOMIC_SEQ_CST) < THREADS - 1)
    sched_yield(); /* to be found by the signal */
  return NULL;
}

static void play(uint32_t round) {
  pthread_t threads[THREADS];
  struct part parts[THREADS];
  at_start = others_done = 0;
  for (uint32_t i = 0; i < THREADS; i++) {
    parts[i] = (struct part){i, round};
    assert_int_equal(pthread_create(&threads[i], NULL, make_steps, &parts[i]), 0);
  }
  while (__atomic_load_n(&at_start, __ATOMIC_SEQ_CST) < THREADS)
    continue;
  for (volatile int left = rand() % MOST_PAUSE; left > 0; left--)
    continue;
  pthread_kill(threads[0], SIGUSR1);
  for (uint32_t i = THREADS; i-- > 0;)
    pthread_join(threads[i], NULL);
}

/* Records lie in the file in the order of their numbers, all of them complete. */
static uint32_t count_records(void) {
  uint32_t count = 0;
  for (uint32_t unit = 0; unit < store.header->block_count;) {
    const struct hd_block_header *block = (void *)(store.base + HD_HEADER_BYTES + (size_t)unit * HD_BLOCK_BYTES);
    const struct hd_profile_record *records = (const void *)((const char *)block + HD_BLOCK_HEADER_BYTES);
    assert_int_equal(block->magic, HD_BLOCK_MAGIC);
    for (uint32_t i = 0; block->type == HD_BLOCK_PROFILES && i < block->count; i++, count++) {
      assert_int_equal(records[i].id, count);
      assert_true(count == 0 || records[i].kind == HD_KIND_LOOP);
    }
    assert_true(block->span > 0);
    unit += block->span;
  }
  return count;
}

static void test_nobody_waits_for_a_stopped_thread(void **state) {
  (void)state;
  if (!dlsym(RTLD_DEFAULT, "_dl_find_object")) /* then the dynamic linker has a lock */
    skip();
  srand(1);
  parent = HD_PROGRAM_PROFILE;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    alarm(STUCK_S);
    play(round);
    alarm(0);
    for (uint32_t i = 0; i < STEPS; i++) {
      assert_int_equal(found[1][i], found[0][i]);
      assert_int_equal(found[2][i], found[0][i]);
      assert_int_equal(hd_callpath_record(found[0][i])->address, (uintptr_t)&places[round][i]);
      assert_int_equal(hd_callpath_record(found[0][i])->id, found[0][i]);
    }
  }
  assert_true(stopped);
  assert_int_equal(count_records(), 1 + ROUNDS * STEPS);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_nobody_waits_for_a_stopped_thread)};
  return cmocka_run_group_tests(tests, begin, NULL);
}
