/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file united_lines.c
 * The best chains of pairs (line of a, line of b), and how many of them there are: a pair that all of them have is
 * sure.
 */
#include "output/united_lines.h"

#include <stdbool.h>

#include "heddle-format.h"

enum {
  PAIR_MOST = 1600, /* the work goes with its square */
  MATCH_SCORE = 3,  /* one that has moved alone, there and back, is worth it */
  LIKE_SCORE = 1,
  CHANGE_COST = 1
};

struct pair {
  uint32_t i, j;
  uint64_t distance;
  int score;
  int up_to;           /* score of the best chains that end here */
  int from;            /* of those that go on from here, without this pair */
  uint64_t ways_up_to; /* their numbers; they may wrap around, which does no harm to equality */
  uint64_t ways_from;
};

static int cost_between(const struct pair *before, const struct pair *after) {
  return before->distance != after->distance ? CHANGE_COST : 0;
}

static void take_better(int *best, uint64_t *ways, int score, uint64_t more) {
  if (score > *best) {
    *best = score;
    *ways = 0;
  }
  if (score == *best)
    *ways += more;
}

static void score_pairs(struct pair *pairs, size_t count, uint64_t distance) {
  for (size_t p = 0; p < count; p++) {
    struct pair *pair = &pairs[p];
    pair->up_to = pair->score - (pair->distance != distance ? CHANGE_COST : 0);
    pair->ways_up_to = 1;
    for (size_t q = 0; q < p; q++)
      if (pairs[q].i < pair->i && pairs[q].j < pair->j)
        take_better(&pair->up_to, &pair->ways_up_to, pairs[q].up_to + pair->score - cost_between(&pairs[q], pair),
                    pairs[q].ways_up_to);
  }
  for (size_t p = count; p-- > 0;) {
    struct pair *pair = &pairs[p];
    pair->from = 0;
    pair->ways_from = 1;
    for (size_t q = p + 1; q < count; q++)
      if (pairs[q].i > pair->i && pairs[q].j > pair->j)
        take_better(&pair->from, &pair->ways_from, pairs[q].from + pairs[q].score - cost_between(pair, &pairs[q]),
                    pairs[q].ways_from);
  }
}

static void take_sure(const struct pair *pairs, size_t count, uint32_t *b_of) {
  int best = 0;
  uint64_t ways = 0;
  for (size_t p = 0; p < count; p++)
    if (pairs[p].from == 0 && pairs[p].ways_from == 1) /* nothing is worth going on to: a chain's end */
      take_better(&best, &ways, pairs[p].up_to, pairs[p].ways_up_to);
  for (size_t p = 0; p < count; p++)
    if (pairs[p].up_to + pairs[p].from == best && pairs[p].ways_up_to * pairs[p].ways_from == ways)
      b_of[pairs[p].i] = pairs[p].j;
}

static void align(const struct hd_line *a, size_t a_count, const struct hd_line *b, size_t b_count, uint64_t distance,
                  uint32_t *b_of) {
  struct pair pairs[PAIR_MOST];
  size_t count = 0;
  for (uint32_t i = 0; i < a_count; i++)
    for (uint32_t j = 0; j < b_count; j++)
      if (a[i].kind == b[j].kind)
        pairs[count++] = (struct pair){.i = i,
                                       .j = j,
                                       .distance = b[j].line - a[i].line,
                                       .score = MATCH_SCORE + (a[i].likeness == b[j].likeness ? LIKE_SCORE : 0)};
  score_pairs(pairs, count, distance);
  take_sure(pairs, count, b_of);
}

static bool is_before(const struct hd_line *a, const struct hd_line *b) {
  return a->line < b->line || (a->line == b->line && a->kind < b->kind);
}

void hd_lines_match(const struct hd_line *a, size_t a_count, const struct hd_line *b, size_t b_count, uint32_t *b_of) {
  size_t j = 0;
  for (size_t i = 0; i < a_count; i++) {
    while (j < b_count && is_before(&b[j], &a[i]))
      j++;
    b_of[i] = j < b_count && !is_before(&a[i], &b[j]) ? (uint32_t)j : HD_NONE;
  }
}

/* So many at the begin are of the same kinds and, if `evenly`, have all moved as far as the first. */
static size_t count_parallel(const struct hd_line *a, size_t a_count, const struct hd_line *b, size_t b_count,
                             bool evenly) {
  size_t i = 0;
  while (i < a_count && i < b_count && a[i].kind == b[i].kind &&
         (!evenly || b[i].line - a[i].line == b[0].line - a[0].line))
    i++;
  return i;
}

void hd_lines_align(const struct hd_line *a, size_t a_count, const struct hd_line *b, size_t b_count, uint64_t distance,
                    uint32_t *b_of) {
  const bool too_long = a_count > PAIR_MOST || b_count > PAIR_MOST || a_count * b_count > PAIR_MOST;
  if (a_count == b_count && count_parallel(a, a_count, b, b_count, !too_long) == a_count) {
    for (uint32_t i = 0; i < a_count; i++)
      b_of[i] = i;
    return;
  }
  if (too_long) {
    hd_lines_match(a, a_count, b, b_count, b_of);
    return;
  }
  for (size_t i = 0; i < a_count; i++)
    b_of[i] = HD_NONE;
  align(a, a_count, b, b_count, distance, b_of);
}
