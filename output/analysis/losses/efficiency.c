/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/losses/efficiency.h"

#include <math.h>

static const struct {
  const char *id;
  uint32_t losses; /* bits */
} factors[HD_FACTOR_COUNT] = {
#define ROW(name, id, title, words, losses) {id, losses},
    HD_FACTORS(ROW)
#undef ROW
};

#define ROW(name, id, title, words, losses) | (losses)
_Static_assert((0 HD_FACTORS(ROW)) == (1u << HD_LOSS_COUNT) - 1, "each loss belongs to a factor");
#undef ROW

struct hd_efficiency hd_efficiency_of(const struct hd_losses *losses) {
  struct hd_efficiency efficiency = {.parallel = NAN};
  const double useful = losses->busy > 0 ? (double)losses->busy : 0;
  double before = useful;
  for (int factor = 0; factor < HD_FACTOR_COUNT; factor++) {
    double after = before;
    for (int loss = 0; loss < HD_LOSS_COUNT; loss++)
      if (factors[factor].losses >> loss & 1)
        after += losses->lost[loss] > 0 ? (double)losses->lost[loss] : 0;
    efficiency.factors[factor] = after > 0 ? before / after : NAN;
    before = after;
  }
  if (before > 0)
    efficiency.parallel = useful / before;
  return efficiency;
}

const char *hd_factor_id(enum hd_factor factor) {
  return factors[factor].id;
}
