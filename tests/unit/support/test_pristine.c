/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The copy of the library's variables that a forked child begins with: this program is the library. */
#include "support/inprocess/pristine.h"

#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"
#include "support/inprocess/memory_budget.h"
#include "support/lasting.h"

static volatile uint64_t lasting[2] HD_LASTING = {5};
static volatile uint64_t given = 5;
static volatile uint64_t zero;

static void test_copy_is_in_the_account(void **state) {
  (void)state;
  uint64_t limit = 0, used = 0;
  if (!fk_can_fail_allocations())
    skip(); /* with the sanitizers' variables, which are not counted */
  hd_memory_show(&limit, &used);
  fk_memory_count_anew();
  assert_true(hd_pristine_keep());
  assert_true(used > 0 && used % 4096 == 0);
  assert_int_equal(used, fk_memory_most());
  const uint64_t once = used;
  assert_true(hd_pristine_keep()); /* is there already */
  assert_int_equal(used, once);
}

static bool is_pristine(void) {
  uint64_t limit = 0, used = 0;
  lasting[0] = given = zero = 6;
  hd_memory_take_surely(1 << 20);
  if (!hd_pristine_restore())
    return false;
  hd_memory_show(&limit, &used);
  return lasting[0] == 6 && given == 5 && zero == 0 && used > 0 && used < 1 << 20;
}

static void test_child_has_all_but_the_lasting_as_it_was(void **state) {
  (void)state;
  int status = -1;
  if (!fk_can_fail_allocations())
    skip(); /* the sanitizers keep variables of theirs in this program */
  assert_true(hd_pristine_keep());
  const pid_t child = fork();
  if (child == 0)
    _exit(is_pristine() ? 0 : 1);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(given, 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_copy_is_in_the_account),
      cmocka_unit_test(test_child_has_all_but_the_lasting_as_it_was),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
