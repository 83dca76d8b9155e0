/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Each request for memory or file space fails, alone, or with the next, or with all that follow: the program goes on,
 * and what is in the profile is right. */
#include <stdlib.h>
#include <sys/wait.h>

#include "expect.h"
#include "oracle.h"
#include "random_program.h"
#include "script.h"

enum { MOST_REQUESTS = 200 };
enum { DECLINED = 90 }; /* the child's status when the tool said no at its start (fake_player.h) */

enum outcome { DECLINES, LOSES, LOSES_NOTHING };

static enum outcome outcome_of(const struct hd_model *model, uint32_t n) {
  const struct hd_file_header *header = &model->header;
  if (header->lost_threads || header->folded_paths || header->shortened_paths || header->lost_tallies ||
      header->lost_overlap_ticks || header->lost_entries || (header->flags & HD_FILE_FULL))
    return LOSES;
  struct or_result *oracle = or_run(sc_script(), 0);
  const char *difference = or_difference(oracle, model);
  if (difference)
    fail_msg("request %u: nothing is said to be lost, but %s", n, difference);
  or_free(oracle);
  return LOSES_NOTHING;
}

static enum outcome play_failing(uint32_t n, uint32_t count) {
  const struct fk_options options = {.failing_allocation = n, .failing_allocations = count};
  struct fk_result result = fk_play(sc_script(), &options);
  struct hd_model *model = NULL;
  char error[300] = "";
  if (WIFEXITED(result.status) && WEXITSTATUS(result.status) == DECLINED)
    return DECLINES;
  if (result.status != 0 || !hd_profile_open(result.path, &model, error, sizeof error))
    fail_msg("request %u: status %x %s", n, (unsigned)result.status, error);
  const char *broken = ex_broken_identity(model, result.path);
  if (broken)
    fail_msg("request %u: %s", n, broken);
  enum outcome outcome = outcome_of(model, n);
  hd_model_free(model);
  return outcome;
}

/* Not every failed request costs something: a hash table or an edge cache that cannot grow is only slower. */
static void test_any_failed_request_leaves_a_whole_profile(void **state) {
  (void)state;
  static const uint32_t in_a_row[] = {1, 2, UINT32_MAX}; /* Heddle tries with less when it does not get what it wants */
  uint32_t counts[3] = {0};
  if (!fk_can_fail_allocations())
    skip();
  for (uint64_t seed = 1; seed <= 4; seed++) {
    /* The last is so long that sweeps need space, too. */
    rp_generate(seed, &(struct rp_options){.recursive = seed & 1, .events = seed == 4 ? 20000 : 0});
    for (uint32_t n = 1; n <= MOST_REQUESTS; n++)
      counts[play_failing(n, in_a_row[n % 3])]++;
  }
  assert_true(counts[DECLINES] > 0);
  assert_true(counts[LOSES] > 0);
  assert_true(counts[LOSES_NOTHING] > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_failed_request_leaves_a_whole_profile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
