/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A step that some thread has made is found without waiting, whatever another waits for. */
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "callpath/callpath.h"
#include "callpath/code/modules.h"
#include "callpath/known_steps.h"
#include "store/store.h"

enum { STUCK_S = 300, STEPS = 3000 };

static struct hd_store store;
static char places[STEPS + 1];

static int begin(void **state) {
  char why[200];
  (void)state;
  return hd_store_create(&store, NULL, "known_steps", why, sizeof why) && unlink(store.live_path) == 0 &&
                 hd_callpath_init(&store, 0, 1)
             ? 0
             : -1;
}

static void *make_new_step(void *place) {
  hd_callpath_step(0, HD_KIND_LOOP, place);
  return NULL;
}

struct work {
  pthread_t other;
  struct hd_step known;
  struct hd_step found;
  const struct hd_profile_record *record;
};

/* The dynamic linker's lock is ours: the other thread waits for it in the middle of its step. */
static int while_another_is_stuck(struct dl_phdr_info *info, size_t size, void *data) {
  struct work *work = data;
  (void)info;
  (void)size;
  assert_int_equal(pthread_create(&work->other, NULL, make_new_step, &places[1]), 0);
  usleep(200000);
  alarm(STUCK_S);
  work->found = hd_callpath_step(0, HD_KIND_LOOP, &places[0]);
  work->record = hd_callpath_record(work->found.profile);
  alarm(0);
  return 1;
}

static void test_nobody_waits_for_who_makes_another_step(void **state) {
  struct work work = {.known = hd_callpath_step(0, HD_KIND_LOOP, &places[0])};
  (void)state;
  dl_iterate_phdr(while_another_is_stuck, &work);
  pthread_join(work.other, NULL);
  assert_int_equal(work.found.profile, work.known.profile);
  assert_int_equal(work.found.counter, work.known.counter);
  assert_int_equal(work.record->id, work.known.profile);
}

static void test_steps_stay_themselves_while_the_tables_grow(void **state) {
  static struct hd_step first[STEPS];
  (void)state;
  for (int i = 0; i < STEPS; i++) {
    first[i] = hd_callpath_step(0, HD_KIND_SINGLE, &places[i]);
    assert_true(i == 0 || first[i].profile == first[i - 1].profile + 1);
  }
  for (int i = 0; i < STEPS; i++) {
    assert_int_equal(hd_callpath_step(0, HD_KIND_SINGLE, &places[i]).profile, first[i].profile);
    assert_int_equal(hd_callpath_record(first[i].profile)->id, first[i].profile);
  }
}

static void test_a_step_does_not_count_when_something_was_unloaded_since(void **state) {
  const struct hd_step_key key = {.address = places, .parent = 7, .kind = HD_KIND_LOOP};
  struct hd_step ends;
  (void)state;
  assert_false(hd_known_steps_find(&key, 5, &ends));
  hd_known_steps_add(&key, 5, (struct hd_step){1, 2});
  assert_true(hd_known_steps_find(&key, 5, &ends));
  assert_int_equal(ends.profile, 1);
  assert_int_equal(ends.counter, 2);
  assert_false(hd_known_steps_find(&key, 6, &ends));
  hd_known_steps_add(&key, 6, (struct hd_step){3, 4});
  assert_false(hd_known_steps_find(&key, 5, &ends));
  assert_true(hd_known_steps_find(&key, 6, &ends));
  assert_int_equal(ends.profile, 3);
  assert_int_equal(ends.counter, 4);
}

/* Two keys with one hash: the second is never added. */
enum { RACES = 200000, PARENT = 7 };

static uint32_t next_key;

static struct hd_step_key added_key(uint32_t number) {
  return (struct hd_step_key){.address = (const void *)(((uintptr_t)number + 1) * 64), .parent = PARENT, .kind = 1};
}

static struct hd_step_key unknown_key(uint32_t number) {
  struct hd_step_key key = added_key(number);
  key.address = (const void *)((uintptr_t)key.address + ((uintptr_t)1 << 32));
  key.parent--;
  return key;
}

static void *find_unknown(void *wrong) {
  uint32_t number;
  struct hd_step ends;
  while ((number = __atomic_load_n(&next_key, __ATOMIC_RELAXED)) < RACES) {
    const struct hd_step_key key = unknown_key(number);
    *(uint32_t *)wrong += hd_known_steps_find(&key, 0, &ends);
  }
  return NULL;
}

static void test_what_is_added_meanwhile_is_not_taken_for_another_step(void **state) {
  pthread_t finder;
  uint32_t wrong = 0;
  (void)state;
  assert_int_equal(pthread_create(&finder, NULL, find_unknown, &wrong), 0);
  for (uint32_t number = 0; number < RACES; number++) {
    const struct hd_step_key key = added_key(number);
    __atomic_store_n(&next_key, number, __ATOMIC_RELAXED);
    hd_known_steps_add(&key, 0, (struct hd_step){number, number});
  }
  __atomic_store_n(&next_key, RACES, __ATOMIC_RELAXED);
  pthread_join(finder, NULL);
  assert_int_equal(wrong, 0);
}

static void test_a_call_is_no_step(void **state) {
  const struct hd_step step = hd_callpath_step(0, HD_KIND_ROUTINE, &places[STEPS]);
  const struct hd_step call = hd_callpath_call(0, &places[STEPS]);
  (void)state;
  assert_int_equal(step.profile, call.profile);
  assert_true(hd_callpath_record(call.profile)->flags & HD_PROFILE_CALLED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nobody_waits_for_who_makes_another_step),
      cmocka_unit_test(test_steps_stay_themselves_while_the_tables_grow),
      cmocka_unit_test(test_a_step_does_not_count_when_something_was_unloaded_since),
      cmocka_unit_test(test_what_is_added_meanwhile_is_not_taken_for_another_step),
      cmocka_unit_test(test_a_call_is_no_step),
  };
  return cmocka_run_group_tests(tests, begin, NULL);
}
