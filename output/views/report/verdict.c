/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file verdict.c
 * What a report of regions comes to, in a sentence.
 */
#include <stdlib.h>

#include "output/model/format_names.h"
#include "output/views/report/report_internal.h"

/* What is lost to less than this part of the run is not worth a word. */
static const double WORTH = 0.005;

/* Of the regions that are in no other the one with most to gain; 0: none. */
static uint32_t foremost_region(const struct hd_lines *view) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < view->count; i += view->lines[i].subtree)
    if (hd_kind_is_region(view->lines[i].node->kind) &&
        (best == 0 || view->lines[i].team.gain_ticks > view->lines[best].team.gain_ticks))
      best = i;
  return best;
}

static void say(const struct hd_model *model, const char *place, double ticks, const struct hd_losses *losses,
                FILE *out) {
  const struct hd_main_cause most = hd_main_cause_of(losses);
  char *text = NULL;
  if (asprintf(&text, "Most is lost %s: %s (%.1f %% of the run), %.0f %% of it to %s.", place,
               hd_duration(ticks * model->seconds_per_tick).text, 100 * ticks / (double)model->elapsed_ticks,
               100 * most.share, hd_loss_reason(most.cause, false)) < 0)
    return;
  hd_print_wrapped(text, 0, out);
  fputc('\n', out);
  free(text);
}

static bool is_worth(const struct hd_model *model, double ticks, const struct hd_losses *losses) {
  return ticks >= WORTH * (double)model->elapsed_ticks && hd_main_cause_of(losses).cause != HD_LOSS_NONE;
}

/* Nothing where waits may be missing, or may be other programs' doing. */
void hd_report_verdict(const struct hd_lines *view, const struct hd_line_causes *causes, FILE *out) {
  const struct hd_model *model = view->model;
  const uint32_t region = foremost_region(view);
  const double gain = region ? view->lines[region].team.gain_ticks : 0, outside = hd_outside_loss(causes);
  char place[HD_PLACE_BYTES], in[HD_PLACE_BYTES + 8];
  if (!causes->known || model->elapsed_ticks == 0 || hd_account_is_disturbed(model))
    return;
  if (outside > gain && is_worth(model, outside, &causes->outside)) {
    say(model, "outside all regions", outside, &causes->outside, out);
  } else if (region && !(view->lines[region].flags & HD_NODE_BUSY_AT_MOST) &&
             is_worth(model, gain, &causes->lines[region])) {
    hd_place_text(place, model, &view->lines[region], NULL);
    snprintf(in, sizeof in, "in %s", place);
    say(model, in, gain, &causes->lines[region], out);
  }
}
