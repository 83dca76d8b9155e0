/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is measured now, and what it costs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/ctl/ctl_internal.h"
#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "output/model/memory.h"
#include "output/views/render/json.h"
#include "support/command/options.h"
#include "support/command/output_stream.h"
#include "support/command/sanitize.h"

struct status {
  const struct hd_model *model;
  const struct hd_live_rates *rates;
};

static bool is_paused(const struct hd_model *model) {
  return model->header.paused_at_ticks != 0;
}

static bool is_pending(const struct hd_model *model) {
  return model->header.control.asked != model->header.control.done;
}

/* ---- text ---- */

static void print_heading(const struct status *status) {
  const struct hd_model *model = status->model;
  char program[sizeof model->header.program];
  memcpy(program, model->header.program, sizeof program);
  hd_sanitize(program);
  printf("%s (pid %u): running for %s, %u thread%s, ", program, model->header.pid,
         hd_duration_of(model, model->elapsed_ticks).text, model->thread_count, hd_plural(model->thread_count));
  if (model->header.budget_ppm > 0)
    printf("budget %.3g %%\n", (double)model->header.budget_ppm / 1e4);
  else
    fputs("no budget\n", stdout);
  if (hd_model_never_woke(model))
    fputs("Heddle is dormant: nothing is measured until 'heddle ctl PID on'.\n", stdout);
  else if (is_paused(model))
    fputs("The measurement is paused.\n", stdout);
  else if (status->rates->all.share > 0)
    printf("Over the last %s events cost thread %u most: %.3g %% of its time.\n",
           hd_duration_brief(status->rates->seconds).text, status->rates->all.thread, 100 * status->rates->all.share);
  if (is_pending(model))
    fputs("A request is open: the program's threads have sent no event since.\n", stdout);
}

/* ---- JSON ---- */

static json_t *rate_members(const struct hd_live_rate *rate) {
  return HD_JSON({"events_per_second", hd_json_number(rate->per_second)}, {"ns_each", hd_json_number(rate->ns)},
                 {"most_percent", hd_json_number(100 * rate->share)},
                 {"thread", rate->share > 0 ? hd_json_count(rate->thread) : json_null()});
}

static json_t *class_member(const void *of, size_t index) {
  const struct status *status = of;
  const enum hd_event_class event_class = (enum hd_event_class)index;
  const struct hd_live_off off = hd_live_off_now(status->model, event_class);
  json_t *members =
      HD_JSON({"class", json_string(hd_event_class_id(event_class))}, {"off", json_boolean(off.asked)},
              {"off_in_part", json_boolean(off.in_part)}, {"off_by_budget_in", hd_json_count(off.regions)},
              {"cost_before_percent", off.share > 0 ? json_real(100 * off.share) : json_null()});
  json_t *rates = rate_members(&status->rates->classes[index]);
  const bool done = members && rates && json_object_update(members, rates) == 0;
  json_decref(rates);
  return hd_json_finish(members, done);
}

static bool print_json(const struct status *status) {
  const struct hd_model *model = status->model;
  const uint64_t budget = model->header.budget_ppm;
  json_t *value = HD_JSON(
      {"heddle_ctl", hd_json_count(1)}, {"pid", hd_json_count(model->header.pid)},
      {"program", hd_json_text(model->header.program)}, {"elapsed_s", hd_json_seconds(model, model->elapsed_ticks)},
      {"interval_s", hd_json_number(status->rates->seconds)}, {"paused", json_boolean(is_paused(model))},
      {"dormant", json_boolean(hd_model_never_woke(model))}, {"pending", json_boolean(is_pending(model))},
      {"budget_percent", budget > 0 ? json_real((double)budget / 1e4) : json_null()},
      {"acts", hd_json_count(model->header.control.count)}, {"all", rate_members(&status->rates->all)},
      {"classes", hd_json_array(status, HD_CLASS_COUNT, class_member)});
  const bool made = hd_json_write(value, stdout);
  fputc('\n', stdout);
  return made;
}

int hd_ctl_status(struct hd_ctl *ctl, bool json) {
  struct hd_live_rates rates;
  struct hd_model *model;
  bool made = true;
  if (!hd_ctl_rates_now(ctl, &rates, &model))
    return hd_ctl_fail(ctl);
  const struct status status = {model, &rates};
  if (json) {
    made = print_json(&status);
  } else {
    print_heading(&status);
    hd_top_print_classes(&(struct hd_top){.run = model, .rates = &rates}, stdout);
  }
  hd_model_free(model);
  return hd_stream_finish(stdout, "standard output") && made ? HD_EXIT_OK : HD_EXIT_FAILED;
}
