/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/trace/part_hint.h"

#include <math.h>

#include "output/trace/entry.h"
#include "output/trace/size.h"
#include "output/views/render/table.h"

void hd_trace_print_part_hint(const struct hd_model *model, const char *of, uint64_t from_ticks, uint64_t to_ticks,
                              FILE *out) {
  struct hd_trace_size size;
  hd_trace_size(model, &size);
  if (size.from_ticks > 0 || size.has_condition || size.only_concurrency)
    return;
  hd_print_sentences(out, "The profile of %s%s: heddle report --from %.6f --to %.6f %s", of,
                     model->header.sample_period_ns > 0 ? " (--hot: what was executed)" : "",
                     1e-6 * floor(1e6 * hd_trace_seconds(model, from_ticks)),
                     1e-6 * ceil(1e6 * hd_trace_seconds(model, to_ticks)), model->path);
}
