/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A change of what is measured: what it will cost, the change, and what it did cost. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/ctl/ctl_internal.h"
#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "output/model/memory.h"
#include "output/symbols/resolve_names.h"
#include "support/command/options.h"
#include "support/command/output_stream.h"

/* As ompt/thread/budget_watch.c has them. */
enum { OF_BUDGET = 4 };
#define BUDGET_USUAL 0.02

struct work {
  struct hd_ctl *ctl;
  const struct hd_top_request *change;
  struct hd_ctl_places places; /* HD_CONTROL_ON_UNDER, HD_CONTROL_OFF_UNDER */
  struct hd_model *model;      /* before */
  struct hd_live_rates rates;
};

static double budget_of(const struct hd_model *model) {
  return (double)model->header.budget_ppm / 1e6;
}

static bool stands(const struct hd_model *model) {
  return model->header.paused_at_ticks != 0;
}

/* ---- what is seen ---- */

static void print_share(const struct hd_live_rate *rate) {
  if (rate->share > 0)
    printf("%.3g %% of thread %u's time", 100 * rate->share, rate->thread);
  else
    fputs("nothing", stdout);
}

static void print_rate(const char *id, const struct hd_live_rate *rate) {
  if (rate->per_second > 0) {
    printf("%s: %.0f events a second, %.0f ns each: ", id, rate->per_second, rate->ns);
    print_share(rate);
  } else {
    printf("%s: no events", id);
  }
}

static bool is_under(const struct hd_top_request *change) {
  return change->command == HD_CONTROL_ON_UNDER || change->command == HD_CONTROL_OFF_UNDER;
}

static bool is_of_class(const struct hd_top_request *change) {
  return change->command == HD_CONTROL_ON || change->command == HD_CONTROL_OFF || is_under(change);
}

static void print_seen(const char *when, const struct work *work, const struct hd_live_rates *rates) {
  printf("%-10s", when);
  if (rates->seconds <= 0) {
    printf("%s: nothing is measured\n", hd_model_never_woke(work->model) ? "dormant" : "paused");
    return;
  }
  if (rates->all.per_second == 0) {
    fputs("the program sent no events\n", stdout);
    return;
  }
  if (is_of_class(work->change)) {
    print_rate(hd_event_class_id(work->change->event_class), &rates->classes[work->change->event_class]);
    printf("\n%-10s", "");
  }
  print_rate("all", &rates->all);
  fputc('\n', stdout);
}

/* ---- what is to be expected ---- */

/* Windows of a millisecond take a quarter of the budget if the class costs more than that, else a fifth of the time. */
static double share_when_off(const struct work *work, enum hd_event_class event_class) {
  const double share = work->rates.classes[event_class].share, budget = budget_of(work->model);
  const double limit = budget > 0 ? budget : BUDGET_USUAL;
  return share / (1 + OF_BUDGET * fmax(share / limit, 1));
}

static void predict_off(const struct work *work) {
  if (work->rates.seconds <= 0)
    fputs("not known while the measurement is paused\n", stdout);
  else
    printf("%.3g %% of a thread's time, in windows of a millisecond from which the rest is estimated\n",
           100 * share_when_off(work, work->change->event_class));
}

/* Events are counted by thread and kind, not by callpath. */
static void predict_off_under(const struct work *work) {
  const enum hd_event_class event_class = work->change->event_class;
  if (work->rates.seconds <= 0)
    fputs("not known while the measurement is paused\n", stdout);
  else
    printf("from %.3g to %.3g %% of a thread's time: how much of it comes from there is not known\n",
           100 * share_when_off(work, event_class), 100 * work->rates.classes[event_class].share);
}

static void warn_of_budget(const struct work *work, double share) {
  const double budget = budget_of(work->model);
  if (budget > 0 && share > budget)
    printf("; the budget of %.3g %% may switch it off again", 100 * budget);
}

static void predict_on(const struct work *work) {
  const struct hd_live_off off = hd_live_off_now(work->model, work->change->event_class);
  if (off.share > 0) {
    printf("%s%.3g %% of a thread's time, as before it went off", is_under(work->change) ? "at most " : "",
           100 * off.share);
    warn_of_budget(work, off.share);
    fputc('\n', stdout);
  } else {
    fputs("not known: it had not been seen before it went off\n", stdout);
  }
}

/* What it had switched off comes on again. */
static double share_without_budget(const struct work *work) {
  double share = work->rates.all.share;
  for (int c = 0; c < HD_CLASS_COUNT; c++) {
    const struct hd_live_off off = hd_live_off_now(work->model, (enum hd_event_class)c);
    share += off.regions > 0 && !off.asked ? off.share : 0;
  }
  return share;
}

/* Each class as if it alone went off, or on. */
static void predict_only(const struct work *work) {
  double share = work->rates.classes[HD_CLASS_FIXED].share;
  for (int c = 0; c < HD_CLASS_COUNT; c++) {
    const struct hd_live_off off = hd_live_off_now(work->model, (enum hd_event_class)c);
    const bool stays = work->change->ppm >> c & 1;
    share += stays ? fmax(off.share, work->rates.classes[c].share) : share_when_off(work, (enum hd_event_class)c);
  }
  printf("%.3g %% of a thread's time", 100 * share);
  warn_of_budget(work, share);
  fputc('\n', stdout);
}

static void predict_budget(const struct work *work) {
  const double share = share_without_budget(work), budget = work->change->ppm / 1e6;
  if (budget > 0 && share > budget)
    printf("at most %.3g %% of a thread's time for what can be switched off, once it is\n", 100 * budget);
  else
    printf("%.3g %% of a thread's time\n", 100 * share);
}

static uint64_t period_ns(const struct work *work) {
  return work->model->header.sample_period_ns;
}

/* docs/overhead.md, "Samples": most of it is the interrupt, dearest on virtual machines. */
#define SAMPLE_SECONDS_MOST 25e-6

static void predict_samples(const struct work *work) {
  const double hz = work->change->ppm;
  if (hz == 0) {
    fputs("no more samples, from each thread's next one on\n", stdout);
    return;
  }
  const uint64_t asked_ns = (uint64_t)(1e9 / hz), unit_ns = period_ns(work) > 0 ? period_ns(work) : asked_ns;
  const double taken_hz = 1e9 / (double)unit_ns / hd_sample_weight(unit_ns, asked_ns);
  printf("%.3g samples in a second of each thread's processor time: at most %.2g %% of it\n", taken_hz,
         100 * taken_hz * SAMPLE_SECONDS_MOST);
}

static void predict_resume(const struct work *work) {
  if (hd_model_never_woke(work->model)) {
    fputs("not known: nothing has been measured yet", stdout);
    if (budget_of(work->model) > 0)
      printf("; more than %.3g %% of a thread's time is switched off", 100 * budget_of(work->model));
    fputc('\n', stdout);
    return;
  }
  const struct hd_live_rates run = hd_live_rates_between(NULL, work->model);
  printf("%.3g %% of a thread's time, as in the run so far\n", 100 * run.all.share);
}

static void predict(const struct work *work) {
  printf("%-10s", "Predicted");
  switch (work->change->command) {
  case HD_CONTROL_OFF:
    predict_off(work);
    break;
  case HD_CONTROL_OFF_UNDER:
    predict_off_under(work);
    break;
  case HD_CONTROL_ON:
  case HD_CONTROL_ON_UNDER:
    predict_on(work);
    break;
  case HD_CONTROL_ONLY:
    predict_only(work);
    break;
  case HD_CONTROL_BUDGET:
    predict_budget(work);
    break;
  case HD_CONTROL_SAMPLES:
    predict_samples(work);
    break;
  case HD_CONTROL_RESUME:
    predict_resume(work);
    break;
  default:
    fputs("no number grows until 'resume'; an event still asks whether the clock runs\n", stdout);
  }
}

static bool is_only(const struct hd_model *model, uint32_t classes) {
  for (int c = 0; c < HD_CLASS_COUNT; c++) {
    const struct hd_live_off off = hd_live_off_now(model, (enum hd_event_class)c);
    if (classes >> c & 1 ? off.asked || off.regions > 0 : !off.asked || off.in_part)
      return false;
  }
  return true;
}

/* NULL: it changes something. */
static const char *why_nothing(const struct work *work) {
  const enum hd_event_class event_class = work->change->event_class;
  const struct hd_live_off off = hd_live_off_now(work->model, event_class);
  if (hd_model_never_woke(work->model) && work->change->command != HD_CONTROL_RESUME)
    return "the measurement is dormant; 'heddle ctl PID on' begins it";
  switch (work->change->command) {
  case HD_CONTROL_OFF_UNDER:
    return hd_ctl_places_are_off(&work->places, work->model, event_class) ? "it is off there" : NULL;
  case HD_CONTROL_ON_UNDER:
    return hd_ctl_places_are_on(&work->places, work->model, event_class) ? "it is on there" : NULL;
  case HD_CONTROL_OFF:
    return off.asked && !off.in_part ? "it is off" : NULL;
  case HD_CONTROL_ON:
    return off.asked || off.regions > 0 ? NULL : "it is on";
  case HD_CONTROL_ONLY:
    return is_only(work->model, work->change->ppm) ? "it is so" : NULL;
  case HD_CONTROL_BUDGET:
    return work->model->header.budget_ppm == work->change->ppm ? "it is so" : NULL;
  case HD_CONTROL_PAUSE:
    return stands(work->model) ? "the clock stands" : NULL;
  case HD_CONTROL_SAMPLES:
    return NULL;
  default:
    return stands(work->model) ? NULL : "the clock runs";
  }
}

/* ---- the change ---- */

static void print_done(const struct work *work, const struct hd_ctl_answer *answer) {
  const uint32_t count = work->places.count;
  printf("%-10s", "Done");
  if (count > 0)
    printf("in %u callpath%s and what is below, ", count, hd_plural(count));
  printf("%s after it was asked for%s\n", hd_duration_brief(answer->seconds).text,
         answer->replaced ? "; a request that the program had not seen yet was replaced" : "");
}

/* What the class costs a thread, by which its windows are so rare. */
static uint32_t argument(const struct work *work) {
  const double share = work->rates.classes[work->change->event_class].share;
  return work->change->command == HD_CONTROL_OFF ? (uint32_t)(1e6 * fmin(share, 1)) : work->change->ppm;
}

static bool ask(const struct work *work, struct hd_ctl_answer *answer) {
  const struct hd_top_request request = {
      .command = work->change->command, .event_class = work->change->event_class, .ppm = argument(work)};
  return hd_ctl_ask(work->ctl, &request, answer);
}

/* One callpath after the other. */
static bool ask_under(const struct work *work, struct hd_ctl_answer *all) {
  struct hd_top_request request = *work->change;
  for (uint32_t i = 0; i < work->places.count; i++) {
    struct hd_ctl_answer answer;
    request.ppm = work->places.ids[i];
    if (!hd_ctl_ask(work->ctl, &request, &answer))
      return false;
    all->seconds += answer.seconds;
    all->replaced |= answer.replaced;
  }
  return true;
}

static bool change(const struct work *work) {
  struct hd_ctl_answer answer = {0};
  predict(work);
  fflush(stdout);
  if (!(is_under(work->change) ? ask_under(work, &answer) : ask(work, &answer)))
    return false;
  print_done(work, &answer);
  return true;
}

static uint64_t samples_taken(const struct hd_model *model) {
  uint64_t taken = 0;
  for (uint32_t i = 0; i < model->sample_count; i++)
    taken += model->samples[i].taken;
  return taken;
}

static void observe(const struct work *work) {
  struct hd_live_rates rates;
  struct hd_model *after;
  fflush(stdout);
  if (hd_ctl_rates_now(work->ctl, &rates, &after)) {
    print_seen("Observed", work, &rates);
    if (work->change->command == HD_CONTROL_SAMPLES)
      printf("%-10s%" PRIu64 " samples since then\n", "", samples_taken(after) - samples_taken(work->model));
    hd_model_free(after);
  } else {
    printf("%-10snot known: %s\n", "Observed", work->ctl->error);
  }
}

static bool change_and_observe(const struct work *work) {
  const char *why = why_nothing(work);
  print_seen("Now", work, &work->rates);
  if (why) {
    printf("%-10snothing: %s\n", "Changed", why);
    return true;
  }
  if (!change(work))
    return false;
  observe(work);
  return true;
}

static int make(struct work *work) {
  if (!change_and_observe(work))
    return hd_ctl_fail(work->ctl);
  return hd_stream_finish(stdout, "standard output") ? HD_EXIT_OK : HD_EXIT_FAILED;
}

/* All samples of a run have one unit of time. */
static bool is_possible(const struct work *work) {
  const uint64_t unit_ns = period_ns(work);
  const bool is_more = work->change->command == HD_CONTROL_SAMPLES && unit_ns > 0 &&
                       (uint64_t)work->change->ppm * unit_ns > UINT64_C(1000000000);
  if (is_more)
    snprintf(work->ctl->error, sizeof work->ctl->error,
             "at most %.0f samples a second: the program was started with so many (heddle run --samples)",
             1e9 / (double)unit_ns);
  return !is_more;
}

int hd_ctl_change(struct hd_ctl *ctl, const struct hd_top_request *what, const char *under) {
  struct work work = {.ctl = ctl, .change = what};
  if (!hd_ctl_rates_now(ctl, &work.rates, &work.model))
    return hd_ctl_fail(ctl);
  if (under)
    hd_names_resolve(work.model);
  const bool is_there = !under || hd_ctl_places_find(work.model, under, &work.places);
  int status = HD_EXIT_FAILED;
  if (is_there)
    status = is_possible(&work) ? make(&work) : hd_ctl_fail(ctl);
  hd_ctl_places_free(&work.places);
  hd_model_free(work.model);
  return status;
}
