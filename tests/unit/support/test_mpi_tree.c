/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tree in which the ranks of a job pass what they have to rank 0, and the pieces of what they pass. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/tree.h"

enum { RANKS = 300 };

/* Each rank but 0 is once the child of its parent, and of nobody else. */
static void expect_tree(int ranks) {
  int parents[RANKS] = {0};
  for (int rank = 0; rank < ranks; rank++) {
    int child, before = 0;
    for (int which = 0; (child = hd_tree_child(rank, ranks, which)) >= 0; which++) {
      assert_in_range(child, before + 1, ranks - 1);
      assert_int_equal(hd_tree_parent(child), rank);
      parents[child]++;
      before = child;
    }
  }
  for (int rank = 0; rank < ranks; rank++)
    assert_int_equal(parents[rank], rank > 0);
}

static void test_each_rank_has_one_parent(void **state) {
  (void)state;
  for (int ranks = 1; ranks <= RANKS; ranks++)
    expect_tree(ranks);
}

static int depth_of(int rank) {
  int depth = 0;
  for (; rank > 0; rank = hd_tree_parent(rank))
    depth++;
  return depth;
}

static void test_depth_is_that_of_the_bits(void **state) {
  (void)state;
  assert_int_equal(depth_of(0), 0);
  assert_int_equal(depth_of(63), 6);
  int deepest = 0;
  for (int rank = 0; rank < 10000; rank++)
    deepest = depth_of(rank) > deepest ? depth_of(rank) : deepest;
  assert_int_equal(deepest, 13); /* 8191; 10,000 ranks have 14 bits */
}

static void test_no_job_has_too_many_children(void **state) {
  (void)state;
  int which = 0;
  while (hd_tree_child(0, INT_MAX, which) >= 0)
    which++;
  assert_int_equal(which, HD_TREE_CHILDREN);
  assert_int_equal(hd_tree_child(1 << 30, INT_MAX, HD_TREE_CHILDREN - 2), (1 << 30) + (1 << 29));
  assert_int_equal(hd_tree_child(1 << 30, INT_MAX, HD_TREE_CHILDREN - 1), -1);
}

static void expect_pieces(uint64_t bytes, uint64_t count) {
  uint64_t sum = 0, pieces = 0;
  for (uint64_t at = 0; at < bytes; at += HD_PIECE_BYTES) {
    const int piece = hd_piece_bytes(bytes, at);
    assert_true(piece > 0);
    sum += (uint64_t)piece;
    pieces++;
  }
  assert_int_equal(sum, bytes);
  assert_int_equal(pieces, count);
}

static void test_pieces_are_the_whole(void **state) {
  (void)state;
  expect_pieces(0, 0);
  expect_pieces(1, 1);
  expect_pieces(HD_PIECE_BYTES - 1, 1);
  expect_pieces(HD_PIECE_BYTES, 1);
  expect_pieces(HD_PIECE_BYTES + 1, 2);
  expect_pieces(UINT64_C(5) << 31, 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_rank_has_one_parent),
      cmocka_unit_test(test_depth_is_that_of_the_bits),
      cmocka_unit_test(test_no_job_has_too_many_children),
      cmocka_unit_test(test_pieces_are_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
