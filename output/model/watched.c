/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/watched.h"

#include <math.h>
#include <stdlib.h>

#include "output/model/accumulate.h"

static void add(struct hd_watched *to, const struct hd_watched *from) {
  to->visits += from->visits;
  hd_accumulate_ticks(to->ticks, from->ticks);
  for (int class = 0; class < HD_INTRUSION_CLASSES; class ++)
    to->intrusion[class] = hd_add_signed(to->intrusion[class], from->intrusion[class]);
  to->spread.windows += from->spread.windows;
  for (int i = 0; i < 2; i++)
    to->spread.sums[i] += from->spread.sums[i];
  for (int i = 0; i < 3; i++)
    to->spread.products[i] += from->spread.products[i];
}

/* By node, thread and whether they are of regions. */
static int compare(const void *a, const void *b) {
  const struct hd_watched *left = a, *right = b;
  const int pairs = hd_compare_pairs(a, b);
  return pairs != 0 ? pairs : (left->of_regions > right->of_regions) - (left->of_regions < right->of_regions);
}

uint32_t hd_watched_join(struct hd_watched *watched, uint32_t count) {
  uint32_t joined = 0;
  if (count > 0)
    qsort(watched, count, sizeof *watched, compare);
  for (uint32_t i = 0; i < count; i++)
    if (joined > 0 && compare(&watched[joined - 1], &watched[i]) == 0)
      add(&watched[joined - 1], &watched[i]);
    else
      watched[joined++] = watched[i];
  return joined;
}

const struct hd_watched *hd_watched_find(const struct hd_watched *watched, uint32_t count, uint32_t node,
                                         uint32_t thread, bool of_regions) {
  const struct hd_watched wanted = {.node = node, .thread = thread, .of_regions = of_regions};
  return count > 0 ? bsearch(&wanted, watched, count, sizeof wanted, compare) : NULL;
}

/* ---- how windows differ ---- */

/* Student's t for 95 %, two-sided, by degrees of freedom. */
static double student(uint64_t freedom) {
  static const double few[] = {0, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
  enum { FEW = sizeof few / sizeof few[0] };
  return freedom < FEW ? few[freedom] : 1.96 + 2.8 / (double)freedom;
}

/* The variance of a ratio of sums: Cochran, Sampling Techniques, 6.3. */
double hd_watched_error(const struct hd_window_sums *spread) {
  const double count = (double)spread->windows;
  const double ticks = (double)spread->sums[0], share = (double)spread->sums[1] / ticks;
  if (spread->windows < 2 || spread->sums[0] == 0)
    return 1;
  const double residues = spread->products[2] - 2 * share * spread->products[1] + share * share * spread->products[0];
  const double variance = fmax(residues, 0) * count / (count - 1);
  return fmin(student(spread->windows - 1) * sqrt(variance) / ticks, 1);
}
