/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/construct/lengths.h"

struct hd_lengths_scale hd_lengths_scale;

void hd_lengths_init(uint64_t ticks_per_ms, bool is_exact) {
  const double ns_per_tick = 1e6 / (double)ticks_per_ms, unit_ns = HD_LENGTHS_UNIT_NS;
  struct hd_lengths_scale scale = {.ns_per_tick = (uint64_t)(ns_per_tick * 4294967296.0 + 0.5)};
  scale.ns_per_tick += scale.ns_per_tick == 0;
  const uint64_t last = UINT64_C(1) << (HD_LENGTH_BUCKETS - 1 + 32);
  scale.most_ticks = (last + scale.ns_per_tick - 1) / scale.ns_per_tick;
  while (!is_exact && (double)(UINT64_C(1) << scale.unit_shift) * ns_per_tick < unit_ns)
    scale.unit_shift++;
  hd_lengths_scale = scale;
}
