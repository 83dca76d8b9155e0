/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/watched.h"

#include <stdlib.h>

#include "output/model/accumulate.h"

static void add(struct hd_watched *to, const struct hd_watched *from) {
  to->visits += from->visits;
  hd_accumulate_ticks(to->ticks, from->ticks);
  for (int class = 0; class < HD_INTRUSION_CLASSES; class ++)
    to->intrusion[class] = hd_add_signed(to->intrusion[class], from->intrusion[class]);
}

uint32_t hd_watched_join(struct hd_watched *watched, uint32_t count) {
  uint32_t joined = 0;
  if (count > 0)
    qsort(watched, count, sizeof *watched, hd_compare_pairs);
  for (uint32_t i = 0; i < count; i++)
    if (joined > 0 && hd_compare_pairs(&watched[joined - 1], &watched[i]) == 0)
      add(&watched[joined - 1], &watched[i]);
    else
      watched[joined++] = watched[i];
  return joined;
}
