/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A region's calling routines: against what the routines wrote down themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

#include "call_shapes.h"
#include "callpath/stack/stack_cache.h"
#include "fake_ompt.h"
#include "fake_player.h"

enum { STACK_BYTES = 65536 };

static struct hd_stack_cache *cache;
static struct hd_stack_cache *old_caches[256]; /* no leak: they are never freed */
static uint32_t old_count;
static bool unwinder_is_missing;

/* In the C library's place for callpath/stack/stack_walk.c. */
__attribute__((visibility("default"))) void *dlopen(const char *name, int flags) {
  static void *(*real)(const char *, int);
  if (!real)
    *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
  return unwinder_is_missing && name && strstr(name, "libgcc_s") ? NULL : real(name, flags);
}

static void use(void *memory) {
  __asm__ volatile("" : : "r"(memory) : "memory");
}

static void begin_with_nothing_remembered(void) {
  old_caches[old_count++] = cache;
  cache = NULL;
}

/* Sanitizers put routines of their own between the C library's and the program's, and lay out frames differently. */
static bool sanitized(void) {
  return !fk_can_fail_allocations();
}

/* Stands for the runtime's entry point and its callback: the caller's routine holds the region. */
static ROUTINE const struct hd_chain *ask(void) {
  const struct hd_chain *chain =
      hd_stack_cache_callers(&cache, __builtin_extract_return_addr(__builtin_return_address(0)));
  __asm__ volatile("");
  return chain;
}

static void assert_innermost(const struct hd_chain *chain, const void *const *routines, uint32_t count) {
  assert_non_null(chain);
  assert_false(chain->cut);
  assert_true(chain->count >= count);
  for (uint32_t i = 0; i < count; i++)
    assert_ptr_equal(chain->routines[chain->count - count + i], routines[i]);
}

static const void *place(void (*routine)(void)) {
  return (const void *)(uintptr_t)routine;
}

static int use_depth_64(void **state) {
  (void)state;
  begin_with_nothing_remembered(); /* the old one has room for another depth */
  assert_true(hd_stack_cache_init(64));
  return 0;
}

/* First: once the unwinder is there it stays. */
static void test_without_an_unwinder_nothing_is_known(void **state) {
  (void)state;
  unwinder_is_missing = true;
  assert_false(hd_stack_cache_init(64));
  assert_null(ask());
  assert_int_equal(hd_stack_cache_misses(cache), 0);
  unwinder_is_missing = false;
  assert_false(hd_stack_cache_init(0));
  assert_null(ask());
  assert_true(hd_stack_cache_init(64));
  assert_non_null(ask());
}

static const struct hd_chain *answer;

static ROUTINE void inner(void) {
  answer = ask();
  __asm__ volatile("");
}

static ROUTINE void middle(void) {
  inner();
  __asm__ volatile("");
}

static ROUTINE void outer(void) {
  middle();
  __asm__ volatile("");
}

static void test_nested_calls_are_told_outermost_first(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    outer();
    assert_innermost(answer, (const void *[]){place(outer), place(middle), place(inner)}, 3);
    middle();
    assert_innermost(answer, (const void *[]){place(middle), place(inner)}, 2);
    assert_ptr_not_equal(answer->routines[answer->count - 3], place(outer));
  }
}

static void test_same_stack_is_unwound_once(void **state) {
  (void)state;
  const struct hd_chain *volatile first = NULL; /* keeps the loop in one piece, with one call of outer() */
  for (volatile int i = 0; i < 100; i++) {
    outer();
    first = first ? first : answer;
    assert_ptr_equal(answer, first);
  }
  assert_int_equal(hd_stack_cache_misses(cache), 1);
}

static void *ask_on_thread(void *data) {
  struct hd_stack_cache *mine = NULL;
  const struct hd_chain **chains = data;
  (void)data;
  for (volatile int i = 0; i < 2; i++) {
    cache = mine;
    inner();
    mine = cache;
    chains[i] = answer;
  }
  begin_with_nothing_remembered();
  return (void *)(uintptr_t)hd_stack_cache_misses(mine);
}

static void test_threads_chain_begins_with_its_first_routine(void **state) {
  const struct hd_chain *chains[2];
  pthread_t thread;
  void *misses;
  (void)state;
  assert_int_equal(pthread_create(&thread, NULL, ask_on_thread, chains), 0);
  pthread_join(thread, &misses);
  assert_int_equal((uintptr_t)misses, 1);
  assert_ptr_equal(chains[0], chains[1]);
  assert_innermost(chains[0], (const void *[]){(const void *)(uintptr_t)ask_on_thread, place(inner)}, 2);
  assert_true(sanitized() || chains[0]->count == 2);
}

static ROUTINE void recur(int times) {
  if (times > 1)
    recur(times - 1);
  else
    inner();
  __asm__ volatile("");
}

static void test_deeper_chains_are_cut_at_the_limit(void **state) {
  (void)state;
  recur(10);
  const uint32_t around = answer->count - 11; /* ten of them, and inner */
  assert_true(hd_stack_cache_init(8));
  begin_with_nothing_remembered();
  for (int i = 0; i < 3; i++) {
    recur(10);
    assert_true(answer->cut);
    assert_int_equal(answer->count, 8);
    assert_ptr_equal(answer->routines[0], (const void *)(uintptr_t)recur);
    assert_ptr_equal(answer->routines[7], place(inner));
  }
  assert_true(hd_stack_cache_init(around + 11)); /* just enough */
  begin_with_nothing_remembered();
  recur(10);
  assert_false(answer->cut);
  recur(11);
  assert_true(answer->cut);
}

/* A region of one thread: its body is called by the routine that holds it. */
static uintptr_t place_of_outer_region;

static ROUTINE const struct hd_chain *ask_below(uintptr_t limit, uintptr_t *where) {
  const void *code = __builtin_extract_return_addr(__builtin_return_address(0));
  const struct hd_chain *chain = hd_stack_cache_callers_below(&cache, code, limit, where);
  __asm__ volatile("");
  return chain;
}

static ROUTINE void in_serialised(void) {
  uintptr_t where;
  answer = ask_below(place_of_outer_region, &where);
  assert_true(where < place_of_outer_region);
}

static ROUTINE void serialised(void) {
  assert_innermost(ask_below(0, &place_of_outer_region), (const void *[]){place(serialised)}, 1);
  in_serialised();
  assert_int_equal(answer->count, 1);
  assert_ptr_equal(answer->routines[0], place(in_serialised));
}

static void test_limit_leaves_out_what_encloses_a_region(void **state) {
  (void)state;
  for (volatile int i = 0; i < 3; i++)
    serialised();
  assert_int_equal(hd_stack_cache_misses(cache), 2);
}

static void test_errno_is_kept(void **state) {
  (void)state;
  for (volatile int i = 0; i < 2; i++) {
    errno = EDOM;
    outer();
    assert_int_equal(errno, EDOM);
  }
}

static void test_known_stack_needs_no_memory(void **state) {
  (void)state;
  if (sanitized())
    skip();
  for (volatile int i = 0; i < 2; i++) {
    fk_fail_allocation(i == 0 ? 0 : 1, 2);
    outer();
  }
  void *volatile memory = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  fk_fail_allocation(0, 0);
  assert_ptr_equal(memory, MAP_FAILED); /* the one that had to fail */
  assert_non_null(answer);
}

static void test_without_memory_nothing_false_is_told(void **state) {
  (void)state;
  if (sanitized())
    skip();
  for (uint32_t n = 1; n < 12; n++) {
    begin_with_nothing_remembered();
    for (volatile int i = 0; i < 2; i++) {
      fk_fail_allocation(i == 0 ? n : 0, 2);
      errno = EDOM;
      recur((int)n + 20); /* a chain that is not interned yet */
      fk_fail_allocation(0, 0);
      assert_int_equal(errno, EDOM);
      if (answer || i)
        assert_innermost(answer, (const void *[]){(const void *)(uintptr_t)recur, place(inner)}, 2);
    }
  }
}

static void test_many_stacks_replace_each_other(void **state) {
  (void)state;
  for (int round = 0; round < 2; round++)
    for (int size = 1; size <= 3000; size++) {
      char room[16 * size];
      use(room);
      outer();
      assert_innermost(answer, (const void *[]){place(outer), place(middle), place(inner)}, 3);
    }
  assert_true(sanitized() || hd_stack_cache_misses(cache) > 3000);
}

/* Two stacks that differ in one routine, but whose return addresses all lie in the same places, one of them a
 * left-over: called from one place, `fitting` and `wasteful` make frames of different sizes, and `varying` evens that
 * out. */
static uintptr_t stack_pointer;
static uintptr_t *return_slot;

static ROUTINE void varying(size_t bytes) {
  char room[bytes];
  use(room);
  return_slot = (uintptr_t *)__builtin_frame_address(0) + 1;
  inner();
  stack_pointer = (uintptr_t)room;
  use(room);
}

static ROUTINE void fitting(size_t bytes) {
  char room[128];
  use(room);
  varying(bytes);
  use(room);
}

static ROUTINE void wasteful(size_t bytes) {
  char room[1024]; /* unwritten */
  use(room);
  varying(bytes);
  use(room);
}

static ROUTINE void call(void (*routine)(size_t), size_t bytes) {
  routine(bytes);
  __asm__ volatile("");
}

static size_t bytes_for_equal_stack_pointers(void) {
  call(wasteful, 64);
  const uintptr_t wanted = stack_pointer;
  for (size_t bytes = 64; bytes < 2048; bytes += 8) {
    call(fitting, bytes);
    if (stack_pointer == wanted)
      return bytes;
  }
  fail_msg("no size makes the stack pointers equal");
  return 0;
}

static void test_left_over_return_address_deceives_nobody(void **state) {
  if (sanitized())
    skip();
  const size_t bytes = bytes_for_equal_stack_pointers();
  uintptr_t *slot = NULL, value = 0, wanted = 0;
  (void)state;
  for (volatile int i = 0; i < 3; i++) { /* fitting, wasteful, fitting */
    call(i == 1 ? wasteful : fitting, i == 1 ? 64 : bytes);
    const void *routine = (const void *)(uintptr_t)(i == 1 ? wasteful : fitting);
    assert_innermost(answer, (const void *[]){routine, (const void *)(uintptr_t)varying, place(inner)}, 3);
    if (i == 0) {
      slot = return_slot;
      value = *slot;
      wanted = stack_pointer;
    }
    assert_int_equal(stack_pointer, wanted);
    if (i == 1) {
      assert_ptr_not_equal(return_slot, slot);
      assert_int_equal(*slot, value); /* it is left over, or this test tests nothing */
    }
  }
}

/* Coroutines at the same addresses, the second with a smaller stack: what the first one's frames were proved by is not
 * mapped any more. */
static ucontext_t main_context, coroutine_context;
static size_t coroutine_bytes;

static ROUTINE void coroutine(void) {
  varying(coroutine_bytes);
  __asm__ volatile("");
}

static void run_coroutine(char *stack, size_t stack_bytes, size_t bytes) {
  getcontext(&coroutine_context);
  coroutine_context.uc_stack.ss_sp = stack;
  coroutine_context.uc_stack.ss_size = stack_bytes;
  coroutine_context.uc_link = &main_context;
  coroutine_bytes = bytes;
  makecontext(&coroutine_context, coroutine, 0);
  swapcontext(&main_context, &coroutine_context);
}

static void test_smaller_coroutine_in_the_place_of_another_is_safe(void **state) {
  (void)state;
  char *stack = mmap(NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(stack != MAP_FAILED);
  run_coroutine(stack, 2 * STACK_BYTES, STACK_BYTES + 64);
  const struct hd_chain *large = answer;
  const uintptr_t wanted = stack_pointer;
  munmap(stack + STACK_BYTES, STACK_BYTES);
  run_coroutine(stack, STACK_BYTES, 64);
  assert_int_equal(stack_pointer, wanted);
  assert_int_equal(large->count, 3);
  assert_innermost(answer, (const void *[]){place(coroutine), (const void *)(uintptr_t)varying, place(inner)}, 3);
  munmap(stack, STACK_BYTES);
}

static void ask_in_handler(int number) {
  (void)number;
  inner();
  __asm__ volatile("");
}

static void test_region_in_a_signal_handler_belongs_to_what_was_interrupted(void **state) {
  struct sigaction action = {.sa_handler = ask_in_handler};
  (void)state;
  if (sanitized())
    skip(); /* a handler that allocates is reported, rightly; here nothing else allocates when it comes */
  sigaction(SIGUSR1, &action, NULL);
  for (volatile int i = 0; i < 2; i++) {
    raise(SIGUSR1);
    assert_innermost(answer, (const void *[]){(const void *)(uintptr_t)ask_in_handler, place(inner)}, 2);
    assert_true(sanitized() ||
                answer->routines[answer->count - 3] ==
                    (const void *)(uintptr_t)test_region_in_a_signal_handler_belongs_to_what_was_interrupted);
  }
}

static volatile sig_atomic_t interruptions;

static void ask_at_any_time(int number) {
  (void)number;
  const struct hd_chain *chain = ask(); /* NULL when it interrupts another unwinding */
  if (chain && chain->routines[chain->count - 1] != (const void *)(uintptr_t)ask_at_any_time)
    abort();
  interruptions++;
}

static void test_signal_during_an_unwinding_does_no_harm(void **state) {
  struct sigaction action = {.sa_handler = ask_at_any_time, .sa_flags = SA_RESTART};
  struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
  (void)state;
  if (sanitized())
    skip(); /* as above */
  outer();
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
  for (int i = 0; interruptions < 300 && i < 10000000; i++) {
    char room[16 + 16 * (i % 600)];
    use(room);
    outer();
    assert_innermost(answer, (const void *[]){place(outer), place(middle), place(inner)}, 3);
  }
  setitimer(ITIMER_REAL, &never, NULL);
  assert_true(interruptions >= 300);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_without_an_unwinder_nothing_is_known),
      cmocka_unit_test_setup(test_nested_calls_are_told_outermost_first, use_depth_64),
      cmocka_unit_test_setup(test_same_stack_is_unwound_once, use_depth_64),
      cmocka_unit_test_setup(test_threads_chain_begins_with_its_first_routine, use_depth_64),
      cmocka_unit_test_setup(test_deeper_chains_are_cut_at_the_limit, use_depth_64),
      cmocka_unit_test_setup(test_limit_leaves_out_what_encloses_a_region, use_depth_64),
      cmocka_unit_test_setup(test_errno_is_kept, use_depth_64),
      cmocka_unit_test_setup(test_known_stack_needs_no_memory, use_depth_64),
      cmocka_unit_test_setup(test_without_memory_nothing_false_is_told, use_depth_64),
      cmocka_unit_test_setup(test_many_stacks_replace_each_other, use_depth_64),
      cmocka_unit_test_setup(test_left_over_return_address_deceives_nobody, use_depth_64),
      cmocka_unit_test_setup(test_smaller_coroutine_in_the_place_of_another_is_safe, use_depth_64),
      cmocka_unit_test_setup(test_region_in_a_signal_handler_belongs_to_what_was_interrupted, use_depth_64),
      cmocka_unit_test_setup(test_signal_during_an_unwinding_does_no_harm, use_depth_64),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
