/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stacks that never end: an unwinder that is told so by a function's description goes on for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "callpath/stack/stack_walk.h"
#include "callpath/unwind/libgcc_unwind.h"

enum { FOR_EVER = 100000, WORDS = 40, ROUTINES = 8 };

/* What the library hands to whom it shows a frame; opaque elsewhere. */
struct _Unwind_Context {
  uintptr_t ip, cfa;
};

static uintptr_t frame_bytes; /* from one frame to the next */
static uint32_t frames_asked;

static _Unwind_Reason_Code endless(_Unwind_Trace_Fn visit, void *data) {
  struct _Unwind_Context context = {.ip = 0x1000, .cfa = UINTPTR_MAX / 2};
  for (frames_asked = 1; frames_asked < FOR_EVER; frames_asked++) {
    if (visit(&context, data) != _URC_NO_REASON)
      return _URC_FATAL_PHASE1_ERROR;
    context.cfa += frame_bytes;
  }
  return _URC_END_OF_STACK;
}

static uintptr_t ip_of(struct _Unwind_Context *context, int *before_instruction) {
  *before_instruction = 0;
  return context->ip;
}

static uintptr_t cfa_of(struct _Unwind_Context *context) {
  return context->cfa;
}

static const void *describe_nothing(void *address, struct hd_function_bases *bases) {
  (void)address;
  (void)bases;
  return NULL;
}

static int use_endless_stack(void **state) {
  (void)state;
  hd_unwinder = (struct hd_unwinder){endless, ip_of, cfa_of, describe_nothing, NULL};
  return 0;
}

static bool count(const struct hd_unwound *unwound, void *data) {
  (void)unwound;
  ++*(uint32_t *)data;
  return true;
}

static void test_a_frame_that_leads_to_itself_is_the_last(void **state) {
  uint32_t visited = 0;
  (void)state;
  frame_bytes = 0;
  assert_true(hd_unwinder_each(count, &visited, WORDS));
  assert_int_equal(visited, 1);
  assert_int_equal(frames_asked, 2);
}

static void test_equal_return_addresses_further_out_are_recursion(void **state) {
  uint32_t visited = 0;
  (void)state;
  frame_bytes = 16;
  assert_false(hd_unwinder_each(count, &visited, WORDS));
  assert_int_equal(visited, WORDS);
  assert_int_equal(frames_asked, WORDS + 1);
}

/* No frame is the asked one's: none is a routine, so no routine's limit ends the walk. */
static void test_walk_ends_on_an_endless_stack(void **state) {
  static const void *routines[ROUTINES];
  static struct hd_stack_word words[WORDS];
  struct hd_frames frames = {.routines = routines, .routine_limit = ROUTINES};
  const uintptr_t own[2] = {0, 0x1000};
  (void)state;
  frames.proof.words = words;
  frames.proof.limit = WORDS;
  for (frame_bytes = 0; frame_bytes <= 16; frame_bytes += 16) {
    assert_false(hd_stack_walk(&frames, (uintptr_t)own, NULL, 0));
    assert_true(frames_asked < FOR_EVER);
    assert_int_equal(frames.routine_count, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_frame_that_leads_to_itself_is_the_last),
      cmocka_unit_test(test_equal_return_addresses_further_out_are_recursion),
      cmocka_unit_test(test_walk_ends_on_an_endless_stack),
  };
  return cmocka_run_group_tests(tests, use_endless_stack, NULL);
}
