/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the screen asks of the program, as `heddle ctl` does. It does not wait: the table shows what came of it. */
#include <math.h>

#include "cli/top/screen/screen_internal.h"
#include "output/model/format_names.h"

/* What the class costs a thread, by which its windows are so rare. */
static uint32_t cost_of(const struct hd_live *live, enum hd_event_class event_class) {
  return (uint32_t)(1e6 * fmin(live->rates.classes[event_class].share, 1));
}

static bool may_ask(struct hd_screen *screen) {
  const char *why = screen->watch.life != HD_TOP_RUNS           ? "the program has ended"
                    : !hd_top_watch_is_own(&screen->watch)      ? "only the program's own user may steer it"
                    : hd_model_never_woke(screen->watch.live.model) ? "the measurement is dormant"
                                                                : NULL;
  if (why)
    snprintf(screen->error, sizeof screen->error, "%s", why);
  return !why;
}

void hd_screen_switch(struct hd_screen *screen) {
  const enum hd_event_class event_class = (enum hd_event_class)screen->event_class;
  const struct hd_live *live = &screen->watch.live;
  bool replaced;
  if (!may_ask(screen))
    return;
  const struct hd_live_off off = hd_live_off_now(live->model, event_class);
  const bool goes_off = !off.asked && off.regions == 0;
  const struct hd_top_request request = {.command = goes_off ? HD_CONTROL_OFF : HD_CONTROL_ON,
                                         .event_class = event_class,
                                         .ppm = goes_off ? cost_of(live, event_class) : 0};
  if (hd_top_watch_ask(&screen->watch, &request, &screen->asked, &replaced, screen->error, sizeof screen->error))
    snprintf(screen->request, sizeof screen->request, "%s %s", hd_event_class_id(event_class), goes_off ? "off" : "on");
}

bool hd_screen_is_waiting(const struct hd_screen *screen) {
  const struct hd_control *control = &screen->watch.live.model->header.control;
  return screen->asked != 0 && screen->watch.life == HD_TOP_RUNS && control->done != screen->asked &&
         control->asked == screen->asked;
}
