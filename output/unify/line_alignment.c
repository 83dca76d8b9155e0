/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file line_alignment.c
 * The best chains of pairs (line of a, line of b), and how many of them there are: a pair that all of them have is
 * sure.
 *
 * A chain is good if it has many pairs and few edits explain it. Between two pairs, one edit changes the distance, and
 * may add something where lines were put in, or remove something where lines were taken out.
 */
#include "output/unify/line_alignment.h"

#include <stdbool.h>

#include "heddle-format.h"

enum {
  PAIR_MOST = 1600, /* the work goes with its square */
  MATCH_SCORE = 4,  /* worth more than what it costs to move alone, there and back, instead of being replaced */
  LIKE_SCORE = 1,
  EDIT_COST = 2,
  MOVE_COST = 1 /* in addition, so that what is new comes after the same lines rather than before */
};

/* pairs[0] stands for the begin of both texts. */
struct pair {
  uint32_t i, j; /* count from 1 */
  uint64_t distance;
  int score;
  int up_to;           /* of the best chains that end here */
  int from;            /* of those that go on from here, without this pair */
  uint64_t ways_up_to; /* how many they are; this may wrap around, which does no harm to equality */
  uint64_t ways_from;
};

static int cost_between(const struct pair *before, const struct pair *after) {
  const bool removes = after->i - before->i > 1;
  const bool adds = after->j - before->j > 1;
  const int64_t move = (int64_t)(after->distance - before->distance);
  int edits = removes + adds;
  if ((move > 0 && !adds) || (move < 0 && !removes))
    edits++;
  return edits * EDIT_COST + (move != 0 ? MOVE_COST : 0);
}

static int cost_after(const struct pair *last, size_t a_count, size_t b_count) {
  return ((last->i < a_count) + (last->j < b_count)) * EDIT_COST;
}

static void take_better(int *best, uint64_t *ways, int score, uint64_t more) {
  if (score > *best) {
    *best = score;
    *ways = 0;
  }
  if (score == *best)
    *ways += more;
}

static bool is_after(const struct pair *after, const struct pair *before) {
  return after->i > before->i && after->j > before->j;
}

static void score_chains(struct pair *pairs, size_t count, size_t a_count, size_t b_count) {
  pairs[0].up_to = 0;
  pairs[0].ways_up_to = 1;
  for (size_t p = 1; p < count; p++) {
    pairs[p].up_to = INT32_MIN;
    for (size_t q = 0; q < p; q++)
      if (is_after(&pairs[p], &pairs[q]))
        take_better(&pairs[p].up_to, &pairs[p].ways_up_to,
                    pairs[q].up_to + pairs[p].score - cost_between(&pairs[q], &pairs[p]), pairs[q].ways_up_to);
  }
  for (size_t p = count; p-- > 0;) {
    pairs[p].from = -cost_after(&pairs[p], a_count, b_count);
    pairs[p].ways_from = 1;
    for (size_t q = p + 1; q < count; q++)
      if (is_after(&pairs[q], &pairs[p]))
        take_better(&pairs[p].from, &pairs[p].ways_from,
                    pairs[q].from + pairs[q].score - cost_between(&pairs[p], &pairs[q]), pairs[q].ways_from);
  }
}

static void align(const struct hd_source_line *a, size_t a_count, const struct hd_source_line *b, size_t b_count,
                  uint64_t distance, uint32_t *b_of) {
  struct pair pairs[PAIR_MOST + 1];
  size_t count = 0;
  pairs[count++] = (struct pair){.distance = distance};
  for (uint32_t i = 0; i < a_count; i++)
    for (uint32_t j = 0; j < b_count; j++)
      if (a[i].kind == b[j].kind)
        pairs[count++] = (struct pair){.i = i + 1,
                                       .j = j + 1,
                                       .distance = b[j].line - a[i].line,
                                       .score = MATCH_SCORE + (a[i].likeness == b[j].likeness ? LIKE_SCORE : 0)};
  score_chains(pairs, count, a_count, b_count);
  for (size_t p = 1; p < count; p++)
    if (pairs[p].up_to + pairs[p].from == pairs[0].from &&
        pairs[p].ways_up_to * pairs[p].ways_from == pairs[0].ways_from)
      b_of[pairs[p].i - 1] = pairs[p].j - 1;
}

static bool is_before(const struct hd_source_line *a, const struct hd_source_line *b) {
  return a->line < b->line || (a->line == b->line && a->kind < b->kind);
}

void hd_lines_match(const struct hd_source_line *a, size_t a_count, const struct hd_source_line *b, size_t b_count,
                    uint32_t *b_of) {
  size_t j = 0;
  for (size_t i = 0; i < a_count; i++) {
    while (j < b_count && is_before(&b[j], &a[i]))
      j++;
    b_of[i] = j < b_count && !is_before(&a[i], &b[j]) ? (uint32_t)j : HD_NONE;
  }
}

/* So many at the begin are of the same kinds and, if `evenly`, look alike and have all moved as far as the first. */
static size_t count_parallel(const struct hd_source_line *a, size_t a_count, const struct hd_source_line *b,
                             size_t b_count, bool evenly) {
  size_t i = 0;
  while (i < a_count && i < b_count && a[i].kind == b[i].kind &&
         (!evenly || (a[i].likeness == b[i].likeness && b[i].line - a[i].line == b[0].line - a[0].line)))
    i++;
  return i;
}

void hd_lines_in_order(const struct hd_source_line *a, size_t a_count, const struct hd_source_line *b, size_t b_count,
                       uint32_t *b_of) {
  if (a_count != b_count || count_parallel(a, a_count, b, b_count, false) < a_count) {
    hd_lines_match(a, a_count, b, b_count, b_of);
    return;
  }
  for (uint32_t i = 0; i < a_count; i++)
    b_of[i] = i;
}

void hd_lines_align(const struct hd_source_line *a, size_t a_count, const struct hd_source_line *b, size_t b_count,
                    uint64_t distance, uint32_t *b_of) {
  const bool too_long = a_count > PAIR_MOST || b_count > PAIR_MOST || a_count * b_count > PAIR_MOST;
  const bool even = a_count == b_count && count_parallel(a, a_count, b, b_count, true) == a_count;
  if (even || too_long) {
    hd_lines_in_order(a, a_count, b, b_count, b_of);
    return;
  }
  for (size_t i = 0; i < a_count; i++)
    b_of[i] = HD_NONE;
  align(a, a_count, b, b_count, distance, b_of);
}
