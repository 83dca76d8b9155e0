/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/history_strip.h"

#include "output/model/histories.h"
#include "output/views/render/level_bars.h"

static const char *character(const struct hd_model *model, const struct hd_history *history, double from, double to,
                             uint32_t highest) {
  const struct hd_history_part part = hd_history_part_of(model, history, from, to);
  if (to > 0 && history->since_ticks > 0 && from < (double)history->since_ticks)
    return "?";
  return part.elapsed_ticks > 0 ? hd_draw_height(part.busy_ticks / part.elapsed_ticks / highest) : " ";
}

void hd_history_strip(const struct hd_model *model, const struct hd_history *history, unsigned columns,
                      uint32_t highest, FILE *out) {
  const double width = (double)model->elapsed_ticks / columns, before = (double)model->before_ticks;
  unsigned spaces = 0;
  for (unsigned i = 0; i < columns; i++) {
    const char *text = character(model, history, i * width - before, (i + 1) * width - before, highest);
    if (*text == ' ')
      spaces++;
    else
      fprintf(out, "%*s%s", (int)spaces, "", text), spaces = 0;
  }
}
