/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/overhead_notes.h"

#include <math.h>
#include <stdio.h>

#include "heddle-control.h"
#include "output/model/format_names.h"
#include "output/model/memory.h"

/* By 'heddle ctl'. */
static bool has_budgets(const struct hd_model *model) {
  const struct hd_control *control = &model->header.control;
  for (uint32_t i = 0; i < control->count && i < HD_CONTROL_ACTS; i++)
    if (hd_control_command(control->acts[i].word) == HD_CONTROL_BUDGET)
      return true;
  return control->count > HD_CONTROL_ACTS;
}

/* Threads have paid more than they may in their time, each at least what it may in half a second. Nobody knows that
 * where there were several budgets. */
static bool is_over_budget(const struct hd_model *model) {
  const double window = HD_BUDGET_WINDOW_MS / 1e3 / model->seconds_per_tick;
  double ticks = 0;
  for (uint32_t i = 0; i < model->thread_count; i++)
    ticks += fmax((double)model->threads[i].lifetime_ticks, window);
  return model->header.budget_ppm > 0 && !has_budgets(model) &&
         (double)model->cost_ticks > (double)model->header.budget_ppm / 1e6 * ticks;
}

static void note_program(struct hd_model *model) {
  const double share = hd_model_overhead(model);
  const bool is_over = is_over_budget(model);
  char budget[64] = "";
  if (!is_over && !(share > HD_OVERHEAD_LARGE))
    return;
  if (is_over)
    snprintf(budget, sizeof budget, ", more than the budget of %.3g %% of all thread time",
             (double)model->header.budget_ppm / 1e4);
  hd_model_add_note(model,
                    "Heddle's events took %.1f %% of the busy time%s: shares and small times mislead; corrected times "
                    "are an estimate ('heddle report --overhead')",
                    100 * share, budget);
  hd_model_settle_note(model, &model->overhead_notes[0]);
}

/* Names are not known yet. */
static void note_regions(struct hd_model *model) {
  uint32_t count = 0;
  double most = 0;
  for (uint32_t i = 1; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    const double share = hd_overhead_of(node->inclusive_ticks, &node->intrusion_inclusive, &node->team);
    if (!hd_kind_is_region(node->kind) ||
        !hd_overhead_matters(model, node->inclusive_ticks, &node->intrusion_inclusive, &node->team))
      continue;
    count++;
    most = share > most ? share : most;
  }
  if (count == 0)
    return;
  hd_model_add_note(model,
                    "in %u parallel region%s Heddle itself took more than %.0f %% of the time, up "
                    "to %.0f %%: 'heddle report --overhead' shows which",
                    count, hd_plural(count), 100 * HD_OVERHEAD_LARGE, 100 * most);
  hd_model_settle_note(model, &model->overhead_notes[1]);
}

void hd_model_note_overhead(struct hd_model *model) {
  note_program(model);
  note_regions(model);
}
