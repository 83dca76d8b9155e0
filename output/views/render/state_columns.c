/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/state_columns.h"

#include "output/analysis/causes.h"
#include "output/views/render/column_names.h"

static const char *wait_id(enum hd_state state) {
  static char ids[HD_STATE_COUNT][HD_CELL_BYTES];
  snprintf(ids[state], sizeof ids[state], "wait_%s_s", hd_state_id(state));
  return ids[state];
}

void hd_state_columns(struct hd_column columns[HD_STATE_COLUMNS], int order) {
  columns[HD_BUSY] = (struct hd_column)HD_COLUMN(BUSY, order, 4, "\n" HD_MEANS_SUM);
  columns[HD_STATE_COLUMN_WAIT] = (struct hd_column)HD_COLUMN(WAIT, order, 2, "\n" HD_MEANS_SUM);
  for (int state = HD_WAIT_FIRST; state <= HD_WAIT_LAST; state++)
    columns[state + 1] = (struct hd_column){
        wait_id((enum hd_state)state), hd_state_words((enum hd_state)state), HD_SECONDS, order, 6, NULL};
  columns[HD_STATE_COLUMN_RUNTIME] = (struct hd_column)HD_COLUMN(RUNTIME, order, 7, "\nopening and closing the region");
  columns[HD_STATE_COLUMN_IDLE] = (struct hd_column)HD_COLUMN(IDLE, order, 8, "\na worker's time between regions");
}

void hd_state_values(struct hd_value values[HD_STATE_COLUMNS], const struct hd_model *model,
                     const uint64_t ticks[HD_STATE_COUNT]) {
  values[HD_BUSY] = hd_ticks(model, (double)ticks[HD_BUSY], true);
  values[HD_STATE_COLUMN_WAIT] = hd_ticks(model, (double)hd_ticks_waiting(ticks), true);
  for (int state = HD_BUSY + 1; state < HD_STATE_COUNT; state++)
    values[state + 1] = hd_ticks(model, (double)ticks[state], true);
}

void hd_state_marks(struct hd_value values[HD_STATE_COLUMNS], uint32_t marks) {
  values[HD_BUSY].mark = hd_bounds_text(hd_bounds_of_busy(marks));
  values[HD_STATE_COLUMN_WAIT].mark = hd_bounds_text(hd_bounds_of_waits(marks));
  for (int state = HD_WAIT_FIRST; state <= HD_WAIT_LAST; state++)
    values[state + 1].mark = hd_bounds_text(hd_bounds_of_wait(marks, (enum hd_state)state));
  for (int state = HD_RUNTIME; state <= HD_IDLE; state++)
    values[state + 1].mark = hd_bounds_text(hd_bounds_of_elapsed(marks));
}

uint64_t hd_state_columns_hidden(const struct hd_model *model, const uint64_t most[HD_STATE_COUNT],
                                 const struct hd_unit *unit) {
  uint64_t hidden = 0;
  int causes = 0;
  for (int state = HD_BUSY + 1; state < HD_STATE_COUNT; state++) {
    const bool shown = hd_unit_shows(unit, hd_model_seconds(model, most[state]));
    causes += shown && state <= HD_WAIT_LAST;
    hidden |= shown ? 0 : UINT64_C(1) << (state + 1);
  }
  return hidden | (causes == 1 ? UINT64_C(1) << HD_STATE_COLUMN_WAIT : 0);
}
