/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/steering.h"

#include "callpath/callpath.h"
#include "heddle-control.h"
#include "ompt/counting/thread_samples.h"
#include "ompt/shared/clock.h"
#include "ompt/shared/dormancy.h"
#include "ompt/shared/measuring.h"
#include "ompt/thread/budget.h"

static const uint64_t nothing;
struct hd_steering hd_steering = {.asked = &nothing};
static bool is_acting;
static uint32_t first_classes; /* the only ones from the first event on; 0: all, or it is done */
/* What the block says; anybody may write there. */
static uint32_t acts, classes_off, classes_in_part;

void hd_steering_init(uint32_t classes) {
  hd_steering.asked = &hd_store.header->control.asked;
  first_classes = classes;
  if (classes)
    hd_alarms_set(HD_ALARM_ASKED);
}

/* ---- acts ---- */

enum outcome { DONE, REFUSED, LATER };

static enum outcome once(bool could) {
  return could ? DONE : LATER; /* somebody else was at it */
}

static enum outcome switch_class(const struct hd_thread *thread, uint64_t word, uint64_t now) {
  const uint32_t event_class = hd_control_class(word), ppm = hd_control_ppm(word);
  const bool off = hd_control_command(word) == HD_CONTROL_OFF;
  if (event_class >= HD_CLASS_COUNT || ppm > HD_CONTROL_PPM_MOST)
    return REFUSED;
  if (!(off ? hd_budget_ask_off(thread, event_class, ppm, now) : hd_budget_ask_on(event_class, now)))
    return LATER;
  classes_off = (classes_off & ~(1u << event_class)) | (uint32_t)off << event_class;
  classes_in_part &= ~(1u << event_class);
  return DONE;
}

/* What is off everywhere stays so if it goes off in part; what is on, if it goes on there. Not regions: what is off
 * outside all regions is not known by what it is in. */
static enum outcome switch_under(const struct hd_thread *thread, uint64_t word, uint64_t now) {
  const uint32_t event_class = hd_control_class(word), profile = hd_control_ppm(word), bit = 1u << event_class;
  const bool off = hd_control_command(word) == HD_CONTROL_OFF_UNDER;
  if (event_class >= HD_CLASS_REGION || profile >= hd_callpath_count())
    return REFUSED;
  if (!hd_budget_ask_under(thread, event_class, profile, off, now))
    return LATER;
  classes_in_part |= off ? bit & ~classes_off : bit & classes_off;
  classes_off |= off ? bit : 0;
  return DONE;
}

static enum outcome measure_only(const struct hd_thread *thread, uint32_t classes, uint64_t now) {
  if (classes == 0 || classes >> HD_CLASS_COUNT != 0)
    return REFUSED;
  if (!hd_budget_ask_only(thread, classes, now))
    return LATER;
  classes_off = ~classes & ((1u << HD_CLASS_COUNT) - 1);
  classes_in_part = 0;
  return DONE;
}

/* It may be running: its exit comes without an entry then. */
static enum outcome measure_routine(uint64_t address) {
  if (!hd_measuring.measure_routine)
    return REFUSED;
  hd_budget_expect_exits();
  return hd_measuring.measure_routine(address) ? DONE : REFUSED;
}

static enum outcome act(const struct hd_thread *thread, uint64_t word, uint64_t now) {
  const uint32_t ppm = hd_control_ppm(word);
  switch (hd_control_command(word)) {
  case HD_CONTROL_ON:
  case HD_CONTROL_OFF:
    return switch_class(thread, word, now);
  case HD_CONTROL_ON_UNDER:
  case HD_CONTROL_OFF_UNDER:
    return switch_under(thread, word, now);
  case HD_CONTROL_ONLY:
    return measure_only(thread, ppm, now);
  case HD_CONTROL_ROUTINE:
    return measure_routine(hd_control_routine(word));
  case HD_CONTROL_BUDGET:
    return ppm > HD_CONTROL_PPM_MOST ? REFUSED : once(hd_budget_ask_limit(ppm, now));
  case HD_CONTROL_SAMPLES:
    return hd_samples_ask(ppm) ? DONE : REFUSED;
  case HD_CONTROL_PAUSE:
    return once(hd_clock_try_change(hd_store.header, true));
  case HD_CONTROL_RESUME:
    return once(!hd_dormancy_should_wait() && hd_clock_try_change(hd_store.header, false));
  default:
    return REFUSED;
  }
}

static void write_down(struct hd_control *control, uint64_t word, uint64_t now, enum outcome outcome) {
  if (outcome == DONE && acts < HD_CONTROL_ACTS)
    control->acts[acts] = (struct hd_control_act){.ticks = now, .word = word};
  acts += outcome == DONE && acts < UINT32_MAX;
  __atomic_store_n(&control->count, acts, __ATOMIC_RELEASE);
  control->off = classes_off;
  control->in_part = classes_in_part;
  control->refused = outcome == REFUSED;
  __atomic_store_n(&hd_steering.seen, word, __ATOMIC_RELAXED);
  __atomic_store_n(&control->done, word, __ATOMIC_RELEASE);
}

/* Other requests stay until it is awake. */
bool hd_steering_wake_if_asked(void) {
  const uint64_t word = __atomic_load_n(hd_steering.asked, __ATOMIC_ACQUIRE);
  if (hd_control_command(word) == HD_CONTROL_RESUME && word != __atomic_load_n(&hd_steering.seen, __ATOMIC_RELAXED))
    hd_dormancy.wake();
  return !hd_dormancy_is_asleep();
}

static enum outcome begin_with_first(const struct hd_thread *thread) {
  if (first_classes == 0)
    return DONE;
  const enum outcome outcome = measure_only(thread, first_classes, hd_clock_now());
  hd_store.header->control.off = classes_off;
  first_classes = outcome == LATER ? first_classes : 0;
  return outcome;
}

static enum outcome do_what_is_asked(const struct hd_thread *thread) {
  const uint64_t word = __atomic_load_n(hd_steering.asked, __ATOMIC_ACQUIRE);
  if (word == hd_steering.seen)
    return DONE;
  const uint64_t now = hd_clock_now();
  const enum outcome outcome = act(thread, word, now);
  if (outcome != LATER)
    write_down(&hd_store.header->control, word, now, outcome);
  return outcome;
}

/* A signal handler's events may interrupt this. */
void hd_steering_act(const struct hd_thread *thread) {
  if (hd_alarms_now() & HD_ALARM_CLOSED || __atomic_exchange_n(&is_acting, true, __ATOMIC_ACQUIRE))
    return;
  const enum outcome first = begin_with_first(thread);
  const enum outcome outcome = first == LATER ? LATER : do_what_is_asked(thread);
  if (outcome != LATER)
    hd_alarms_clear(HD_ALARM_ASKED);
  __atomic_store_n(&is_acting, false, __ATOMIC_RELEASE);
}
