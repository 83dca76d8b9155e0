/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tree of remembered stacks, against stacks made of random words: the words so far say where the next one stands,
 * as they do on a real stack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "callpath/stack/stacks.h"

enum { MEMORY_WORDS = 64, MOST_WORDS = 30, VALUES = 3, QUESTIONS = 4 };

static uintptr_t memory[MEMORY_WORDS];
static struct hd_stack_word words[MOST_WORDS];
static struct hd_proof proof = {.words = words};
static struct hd_stacks stacks;
static uint64_t seed;

static uint32_t below(uint32_t limit) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((seed >> 33) % limit);
}

static void change(uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    memory[below(MEMORY_WORDS)] = below(VALUES);
}

static struct hd_stack_question question(uint32_t number) {
  return (struct hd_stack_question){0x1000 + 64 * number, 0x2000, 0};
}

/* The stack that `memory` holds: its words, and a number that is another for every other stack. */
static struct hd_stack_answer read_stack(uint32_t number) {
  uint64_t hash = number + 1;
  for (proof.count = 0; proof.count < MOST_WORDS && (proof.count == 0 || hash % 11); proof.count++) {
    const uintptr_t *slot = &memory[(hash >> 20) % MEMORY_WORDS];
    words[proof.count] = (struct hd_stack_word){slot, *slot};
    hash = (hash + *slot + 1) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return (struct hd_stack_answer){.place = hash};
}

/* Whether the stack was known. */
static bool ask(uint32_t number) {
  const struct hd_stack_answer truth = read_stack(number);
  const struct hd_stack_question asked = question(number);
  const struct hd_stack_answer *answer = hd_stacks_find(&stacks, &asked);
  if (answer) {
    assert_int_equal(answer->place, truth.place);
    return true;
  }
  hd_stacks_add(&stacks, &asked, &proof, truth);
  answer = hd_stacks_find(&stacks, &asked);
  assert_non_null(answer);
  assert_int_equal(answer->place, truth.place);
  return false;
}

static int begin_anew(void **state) {
  (void)state;
  hd_stacks_forget(&stacks);
  memset(memory, 0, sizeof memory);
  seed = 1;
  return 0;
}

static void test_every_answer_is_the_present_stacks(void **state) {
  uint32_t known = 0;
  (void)state;
  for (uint32_t i = 0; i < 200000; i++) {
    change(1 + below(4));
    known += ask(below(QUESTIONS));
  }
  assert_true(known > 1000);
}

static void test_what_was_there_before_is_known(void **state) {
  uint32_t known[2] = {0, 0};
  (void)state;
  for (int round = 0; round < 2; round++) {
    memset(memory, 0, sizeof memory);
    seed = 1;
    for (uint32_t i = 0; i < 1000; i++) {
      change(2);
      known[round] += ask(i % QUESTIONS);
    }
  }
  assert_true(known[0] < 900);
  assert_int_equal(known[1], 1000);
}

/* Code has changed: the same words lead elsewhere. What was known is given up, not mixed with what is new. */
static void test_words_that_lead_elsewhere_than_before_make_it_forget(void **state) {
  const struct hd_stack_question asked = question(0);
  (void)state;
  words[0] = (struct hd_stack_word){&memory[0], 0};
  words[1] = (struct hd_stack_word){&memory[1], 0};
  proof.count = 2;
  hd_stacks_add(&stacks, &asked, &proof, (struct hd_stack_answer){.place = 1});
  words[1].slot = &memory[2];
  memory[1] = 5;
  hd_stacks_add(&stacks, &asked, &proof, (struct hd_stack_answer){.place = 2});
  memory[1] = 0;
  assert_null(hd_stacks_find(&stacks, &asked));
  hd_stacks_add(&stacks, &asked, &proof, (struct hd_stack_answer){.place = 2});
  assert_int_equal(hd_stacks_find(&stacks, &asked)->place, 2);
  proof.count = 1; /* ends where another goes on */
  hd_stacks_add(&stacks, &asked, &proof, (struct hd_stack_answer){.place = 3});
  assert_null(hd_stacks_find(&stacks, &asked));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_every_answer_is_the_present_stacks, begin_anew),
      cmocka_unit_test_setup(test_what_was_there_before_is_known, begin_anew),
      cmocka_unit_test_setup(test_words_that_lead_elsewhere_than_before_make_it_forget, begin_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
