/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether the trace adds up to the profile. */
#include <inttypes.h>
#include <limits.h>

#include "output/analysis/losses/causes.h"
#include "output/model/format_names.h"
#include "output/model/node_text.h"
#include "output/trace/compare.h"
#include "output/trace/limits.h"
#include "output/views/render/table.h"
#include "output/views/trace/trace_views.h"

enum { SHOWN_MOST = 20 };

struct check {
  const struct hd_model *model;
  FILE *out;
  uint64_t differences;
};

static void tell(void *context, const struct hd_trace_difference *difference) {
  struct check *check = context;
  const struct hd_model *model = check->model;
  char place[HD_PLACE_BYTES];
  if (check->differences++ >= SHOWN_MOST)
    return;
  hd_node_text(place, model, &model->nodes[difference->node], NULL);
  fprintf(check->out, "thread %" PRIu32 ", %s in %s: profile %.9f s, trace %.9f s\n", difference->thread,
          hd_state_words((enum hd_state)difference->state), place, hd_model_seconds(model, difference->profile_ticks),
          hd_model_seconds(model, difference->trace_ticks));
}

static void print_limit(void *context, const char *text) {
  hd_print_sentences(context, "The trace %s: it cannot add up to the profile.", text);
}

bool hd_trace_check(const struct hd_model *model, uint64_t *differences, FILE *out) {
  struct check check = {.model = model, .out = out};
  char error[PATH_MAX + 256];
  *differences = 1;
  if (hd_trace_limits(model, print_limit, out) > 0)
    return true;
  if (!hd_trace_compare(model, tell, &check, error, sizeof error)) {
    fprintf(stderr, "heddle: %s\n", error);
    return false;
  }
  *differences = check.differences;
  if (check.differences == 0)
    fputs("The trace adds up to the profile: every thread's time in every callpath and state, to the tick.\n", out);
  else
    fprintf(out, "%" PRIu64 " difference%s\n", check.differences, hd_plural(check.differences));
  return true;
}
