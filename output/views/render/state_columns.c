/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/state_columns.h"

#include "output/analysis/losses/causes.h"
#include "output/views/render/column_names.h"

static const char *cause_id(const char *sum, int state) {
  static char ids[HD_STATE_COUNT][HD_CELL_BYTES];
  snprintf(ids[state], sizeof ids[state], "%s_%s_s", sum, hd_state_id((enum hd_state)state));
  return ids[state];
}

/* A wide report has all causes; a narrow one first lacks what programs seldom lose much to. */
static struct hd_column cause(int state, int order) {
  const bool is_wait = state <= HD_WAIT_LAST;
  const int rank = is_wait ? 6 : state == HD_RUNTIME_FORK_JOIN ? 7 : 5;
  return (struct hd_column){cause_id(is_wait ? "wait" : "runtime", state),
                            hd_state_words((enum hd_state)state),
                            HD_SECONDS,
                            order,
                            rank,
                            NULL};
}

void hd_state_columns(struct hd_column columns[HD_STATE_COLUMNS], int order) {
  columns[HD_BUSY] = (struct hd_column)HD_COLUMN(BUSY, order, 4, "\n" HD_MEANS_SUM);
  columns[HD_STATE_COLUMN_WAIT] = (struct hd_column)HD_COLUMN(WAIT, order, 2, "\n" HD_MEANS_SUM);
  columns[HD_STATE_COLUMN_RUNTIME] =
      (struct hd_column)HD_COLUMN(RUNTIME, order, 7,
                                  "the runtime's own work\n"
                                  "fork/join: of regions; scheduling: handing out chunks of loops; creation: of tasks");
  for (int state = HD_WAIT_FIRST; state <= HD_RUNTIME_LAST; state++)
    columns[hd_state_column(state)] = cause(state, order);
  columns[HD_STATE_COLUMN_IDLE] = (struct hd_column)HD_COLUMN(IDLE, order, 8, "\na worker's time between regions");
}

void hd_state_values(struct hd_value values[HD_STATE_COLUMNS], const struct hd_model *model,
                     const uint64_t ticks[HD_STATE_COUNT]) {
  values[HD_STATE_COLUMN_WAIT] = hd_ticks(model, (double)hd_ticks_waiting(ticks), true);
  values[HD_STATE_COLUMN_RUNTIME] = hd_ticks(model, (double)hd_ticks_runtime(ticks), true);
  for (int state = HD_BUSY; state < HD_STATE_COUNT; state++)
    values[hd_state_column(state)] = hd_ticks(model, (double)ticks[state], true);
}

/* Among the causes first .. last: how many have a column. */
static int causes_shown(uint64_t hidden, int first, int last) {
  int shown = 0;
  for (int state = first; state <= last; state++)
    shown += !(hidden >> hd_state_column(state) & 1);
  return shown;
}

void hd_state_marks(struct hd_value values[HD_STATE_COLUMNS], uint32_t marks) {
  values[HD_BUSY].mark = hd_bounds_text(hd_bounds_of_busy(marks));
  values[HD_STATE_COLUMN_WAIT].mark = hd_bounds_text(hd_bounds_of_waits(marks));
  for (int state = HD_WAIT_FIRST; state <= HD_WAIT_LAST; state++)
    values[hd_state_column(state)].mark = hd_bounds_text(hd_bounds_of_wait(marks, (enum hd_state)state));
  values[HD_STATE_COLUMN_RUNTIME].mark = hd_bounds_text(hd_bounds_of_runtime(marks));
  for (int state = HD_RUNTIME_FIRST; state <= HD_RUNTIME_LAST; state++)
    values[hd_state_column(state)].mark = hd_bounds_text(hd_bounds_of_runtime_by(marks, (enum hd_state)state));
  values[HD_STATE_COLUMN_IDLE].mark = hd_bounds_text(hd_bounds_of_elapsed(marks));
}

uint64_t hd_state_columns_hidden(const struct hd_model *model, const uint64_t most[HD_STATE_COUNT],
                                 const struct hd_unit *unit) {
  uint64_t hidden = 0;
  for (int state = HD_BUSY + 1; state < HD_STATE_COUNT; state++)
    if (!hd_unit_shows(unit, hd_model_seconds(model, most[state])))
      hidden |= UINT64_C(1) << hd_state_column(state);
  if (causes_shown(hidden, HD_WAIT_FIRST, HD_WAIT_LAST) == 1)
    hidden |= UINT64_C(1) << HD_STATE_COLUMN_WAIT;
  if (causes_shown(hidden, HD_RUNTIME_FIRST, HD_RUNTIME_LAST) <= 1)
    hidden |= UINT64_C(1) << HD_STATE_COLUMN_RUNTIME;
  return hidden;
}
