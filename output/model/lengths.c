/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/lengths.h"

uint64_t hd_lengths_count(const struct hd_lengths *lengths) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < HD_LENGTH_BUCKETS; i++)
    sum += lengths->counts[i];
  return sum;
}

void hd_lengths_join(struct hd_lengths *to, const struct hd_lengths *from) {
  to->ticks += from->ticks;
  to->longest_ticks = from->longest_ticks > to->longest_ticks ? from->longest_ticks : to->longest_ticks;
  for (uint32_t i = 0; i < HD_LENGTH_BUCKETS; i++)
    to->counts[i] += from->counts[i];
}

void hd_lengths_stretch(struct hd_lengths *lengths, uint64_t factor) {
  lengths->ticks *= factor;
  lengths->longest_ticks *= factor;
}
