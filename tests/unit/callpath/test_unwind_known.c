/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A region's calling routines at stacks that are new, but whose return addresses are known: every answer, and the words
 * that prove it, against an unwinding at the same place that nothing is known for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "call_shapes.h"
#include "callpath/stack/call_chains.h"
#include "callpath/stack/stack_cache.h"
#include "callpath/stack/stack_walk.h"
#include "fake_ompt.h"
#include "fake_player.h"

enum { ROUTINES_MOST = 512, WORDS_MOST = 2048, CALLERS = 16 };

/* What one way of walking finds. */
struct finding {
  struct hd_frames frames;
  const void *routines[ROUTINES_MOST];
  struct hd_stack_word words[WORDS_MOST];
};

static struct finding afresh, by_known;
static struct hd_known_frames known;
static struct hd_stack_cache *cache;
static struct hd_stack_cache *old_caches[64]; /* no leak: they are never freed */
static uint32_t old_count;

static void use(void *memory) {
  __asm__ volatile("" : : "r"(memory) : "memory");
}

/* Sanitizers put routines of their own between the C library's and the program's, and lay out frames differently. */
static bool sanitized(void) {
  return !fk_can_fail_allocations();
}

static int know_nothing(void **state) {
  (void)state;
  old_caches[old_count++] = cache;
  cache = NULL;
  hd_known_frames_forget(&known);
  by_known.frames.known = &known;
  assert_true(hd_stack_cache_init(ROUTINES_MOST));
  return 0;
}

static void begin(struct finding *finding) {
  finding->frames.routines = finding->routines;
  finding->frames.routine_limit = ROUTINES_MOST;
  finding->frames.proof.words = finding->words;
  finding->frames.proof.limit = WORDS_MOST;
}

/* The words before the first in `code`'s frame lie in the asking one, which is another. */
static uint32_t words_inside(const struct finding *finding, const void *code) {
  uint32_t i = 0;
  while (i < finding->frames.proof.count && finding->words[i].value != (uintptr_t)code)
    i++;
  return i;
}

static void assert_same_proof(const void *code) {
  const struct hd_proof *one = &afresh.frames.proof, *other = &by_known.frames.proof;
  const uint32_t begin_one = words_inside(&afresh, code), begin_other = words_inside(&by_known, code);
  assert_int_equal(one->complete, other->complete);
  assert_int_equal(one->count - begin_one, other->count - begin_other);
  for (uint32_t i = 0; i < one->count - begin_one; i++) {
    assert_ptr_equal(one->words[begin_one + i].slot, other->words[begin_other + i].slot);
    assert_int_equal(one->words[begin_one + i].value, other->words[begin_other + i].value);
  }
}

static ROUTINE bool walk(struct finding *finding, const void *code) {
  begin(finding);
  const bool found = hd_stack_walk(&finding->frames, (uintptr_t)__builtin_frame_address(0), code, 0);
  __asm__ volatile("");
  return found;
}

static void assert_same_finding(const void *code) {
  const struct hd_frames *one = &afresh.frames, *other = &by_known.frames;
  assert_true(walk(&afresh, code));
  assert_true(walk(&by_known, code));
  assert_int_equal(one->routine_count, other->routine_count);
  assert_memory_equal(afresh.routines, by_known.routines, one->routine_count * sizeof *one->routines);
  assert_int_equal(one->cut, other->cut);
  assert_ptr_equal(one->place, other->place);
  assert_same_proof(code);
}

/* The random routines. */
static uint32_t asked;
static uint32_t around; /* routines of this program around the first of them */

static ROUTINE void compare_answers(struct shapes *shapes) {
  const void *code = __builtin_extract_return_addr(__builtin_return_address(0));
  const struct hd_chain *chain = hd_stack_cache_callers(&cache, code);
  assert_non_null(chain);
  assert_same_finding(code);
  assert_ptr_equal(chain, hd_chains_intern(afresh.routines, afresh.frames.routine_count, afresh.frames.cut));
  if (!sanitized()) {
    assert_int_equal(chain->count, around + shapes->depth);
    for (uint32_t i = 0; i < shapes->depth; i++)
      assert_ptr_equal(chain->routines[around + i], shapes->entered[i]);
  }
  asked++;
}

static ROUTINE const struct hd_chain *ask(void) {
  const struct hd_chain *chain =
      hd_stack_cache_callers(&cache, __builtin_extract_return_addr(__builtin_return_address(0)));
  __asm__ volatile("");
  return chain;
}

static void play_random_calls(void (*start)(struct shapes *), uint64_t seed) {
  struct shapes shapes = {.deepest = (uint32_t)(10 + seed % 20), .region = compare_answers};
  know_nothing(NULL);
  around = ask()->count;
  know_nothing(NULL);
  asked = 0;
  for (uint32_t i = 0; i < 300; i++) {
    shapes.random = seed * 1000 + i / 2; /* each twice: the second time the stacks are remembered */
    shapes.budget = 30;
    start(&shapes);
    assert_int_equal(shapes.depth, 0);
  }
  const unsigned misses = (unsigned)hd_stack_cache_misses(cache), unwound = (unsigned)hd_stack_cache_by_library(cache);
  print_message("%u regions, %u stacks were new, %u unwound\n", asked, misses, unwound);
  assert_true(asked > 1000);
  assert_true(misses <= asked / 2);
  assert_true(sanitized() || unwound < 150); /* some dozen return addresses, each until it has been proved */
}

static void test_random_calls_with_frame_pointers(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++)
    play_random_calls(shapes_call_with_frame_pointers, seed);
}

static void test_random_calls_without_frame_pointers(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++)
    play_random_calls(shapes_call_without_frame_pointers, seed);
}

static const struct hd_chain *answer;

static ROUTINE void region(void) {
  answer = ask();
  __asm__ volatile("");
}

/* clang-format off */
#define CALLER(n) static ROUTINE void caller_##n(void) { region(); __asm__ volatile(""); }
CALLER(0) CALLER(1) CALLER(2) CALLER(3) CALLER(4) CALLER(5) CALLER(6) CALLER(7)
CALLER(8) CALLER(9) CALLER(10) CALLER(11) CALLER(12) CALLER(13) CALLER(14) CALLER(15)
static void (*const callers[CALLERS])(void) = {
  caller_0, caller_1, caller_2, caller_3, caller_4, caller_5, caller_6, caller_7,
  caller_8, caller_9, caller_10, caller_11, caller_12, caller_13, caller_14, caller_15,
};
/* clang-format on */

static void test_a_region_with_many_callers_is_remembered_for_each(void **state) {
  (void)state;
  for (int outer = 0; outer < 100; outer++)
    for (volatile int i = 0; i < CALLERS; i++) {
      callers[i]();
      assert_ptr_equal(answer->routines[answer->count - 1], (const void *)(uintptr_t)region);
      assert_ptr_equal(answer->routines[answer->count - 2], (const void *)(uintptr_t)callers[i]);
    }
  assert_int_equal(hd_stack_cache_misses(cache), CALLERS);
}

static ROUTINE void recur(uint32_t times) {
  char room[1024 - 64]; /* with what a call adds: equal distances, as a recursive region's frames have */
  use(room);
  region();
  if (times > 1)
    recur(times - 1);
  use(room);
}

static void test_every_depth_of_a_recursion_is_remembered(void **state) {
  (void)state;
  for (volatile int i = 0; i < 20; i++)
    recur(40);
  assert_int_equal(hd_stack_cache_misses(cache), 40);
  assert_true(sanitized() || hd_stack_cache_by_library(cache) < 8);
}

/* Two libraries that differ in nothing but the size of a frame. */
static void *return_address_in_library;

static ROUTINE void compare_in_library(void) {
  return_address_in_library = __builtin_extract_return_addr(__builtin_return_address(0));
  region();
  assert_same_finding(return_address_in_library);
  const uint32_t count = afresh.frames.routine_count;
  assert_int_equal(answer->count, count + 2); /* this routine, and region */
  for (uint32_t i = 0; i < count; i++)
    assert_ptr_equal(answer->routines[i], afresh.routines[count - 1 - i]);
}

static ROUTINE void at_another_place(void (*through)(void (*)(void))) {
  static uint32_t calls;
  char room[16 + 16 * ++calls];
  use(room);
  through(compare_in_library);
  use(room);
}

/* Two stacks that were not there before; the second is walked by what was learned from the first. */
static void *call_through(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  assert_non_null(library);
  void (*through)(void (*)(void));
  *(void **)&through = dlsym(library, "through");
  for (volatile int i = 0; i < 2; i++)
    at_another_place(through);
  dlclose(library);
  return return_address_in_library;
}

static void test_what_was_learned_of_an_unloaded_library_is_forgotten(void **state) {
  static const char *const paths[] = {CALL_THROUGH_SMALL, CALL_THROUGH_SMALL, CALL_THROUGH_LARGE};
  void *address = NULL;
  uint32_t there_again = 0;
  (void)state;
  for (int i = 0; i < 9; i++) {
    const uint64_t unwound = hd_stack_cache_by_library(cache);
    hd_known_frames_forget(&known); /* of the finding; the cache does so by itself */
    void *in_this = call_through(paths[i % 3]);
    assert_true(hd_stack_cache_by_library(cache) > unwound);
    there_again += in_this == address;
    address = in_this;
  }
  if (!there_again)
    skip(); /* under qemu the next library lies elsewhere */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_calls_with_frame_pointers),
      cmocka_unit_test(test_random_calls_without_frame_pointers),
      cmocka_unit_test_setup(test_a_region_with_many_callers_is_remembered_for_each, know_nothing),
      cmocka_unit_test_setup(test_every_depth_of_a_recursion_is_remembered, know_nothing),
      cmocka_unit_test_setup(test_what_was_learned_of_an_unloaded_library_is_forgotten, know_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
