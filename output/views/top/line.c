/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A running program in one line. */
#include <math.h>

#include "output/analysis/lines/place_text.h"
#include "output/model/format_names.h"
#include "output/views/top/top_internal.h"

/* The region in which most of the interval passed; NULL: none. */
static const struct hd_top_row *foremost(const struct hd_top_rows *rows) {
  for (uint32_t i = 0; i < rows->count; i++) {
    const struct hd_line *line = rows->items[i].interval ? rows->items[i].interval : rows->items[i].run;
    if (hd_kind_is_region(line->node->kind) && hd_team_elapsed(&line->team) > 0)
      return &rows->items[i];
  }
  return NULL;
}

void hd_top_print_line(const struct hd_top *top, FILE *out) {
  const struct hd_model *model = top->interval ? top->interval : top->run;
  const struct hd_top by_elapsed = {.run = top->run, .interval = top->interval, .sort = HD_TOP_ELAPSED};
  struct hd_top_rows rows = hd_top_rows_of(&by_elapsed);
  const struct hd_top_row *row = foremost(&rows);
  char place[HD_PLACE_BYTES];
  fprintf(out, "%.0f s", floor(hd_model_seconds(top->run, top->run->elapsed_ticks)));
  if (!isnan(hd_top_busy(model)))
    fprintf(out, ", %.1f of %u threads busy", hd_top_busy(model), top->run->thread_count);
  if (row) {
    const struct hd_line *line = row->interval ? row->interval : row->run;
    const double share = hd_team_elapsed(&line->team) / (double)model->elapsed_ticks;
    hd_place_text(place, top->run, row->run, NULL);
    fprintf(out, ", %.0f %% in %s", 100 * fmin(share, 1), place);
  }
  hd_top_rows_free(&rows);
}
