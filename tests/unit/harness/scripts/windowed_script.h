/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file windowed_script.h
 * For tests of what the reader makes of windows: random scripts, the same ones with classes of events switched off but
 * for windows, and what holds of every model once it is resolved.
 */
#ifndef HEDDLE_TESTS_WINDOWED_SCRIPT_H
#define HEDDLE_TESTS_WINDOWED_SCRIPT_H

#include "expect.h"
#include "output/model/lazy_rows.h"
#include "script.h"

static uint64_t ws_state_of_random;

static inline void ws_seed(uint64_t seed) {
  ws_state_of_random = seed * 77;
}

static inline uint64_t ws_below(uint64_t limit) {
  ws_state_of_random = ws_state_of_random * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
  return (ws_state_of_random >> 33) % limit;
}

/** When what is off: times are ticks. */
struct ws_windows {
  uint32_t classes; /* bits */
  uint64_t first;   /* they go off then */
  uint64_t width;
  uint64_t distance; /* from the end of one to the begin of the next, on average */
};

static inline void ws_switch(struct fk_script *with, uint32_t classes, uint64_t time, uint32_t offset, bool off) {
  for (uint32_t c = 0; c < HD_CLASS_COUNT; c++)
    if (classes >> c & 1) {
      struct fk_event event = fk_event_of(FK_SWITCH, time, 0);
      event.kind = c + offset;
      event.endpoint = off ? ompt_scope_begin : ompt_scope_end;
      fk_emit(with, &event);
    }
}

/** Into the current script, whose events are in the order of time. */
static inline void ws_add_windows(const struct ws_windows *windows) {
  struct fk_script *script = sc_script();
  struct fk_script with = {.region_count = script->region_count, .task_count = script->task_count};
  uint64_t change = windows->first;
  bool off = false, open = false;
  for (size_t i = 0; i < script->count; i++) {
    const struct fk_event *event = &script->events[i];
    while (event->time >= change && event->op != FK_THREAD_END && event->op < FK_FORK) {
      ws_switch(&with, windows->classes, change, off ? HD_CLASS_COUNT : 0, !off || open);
      open = off && !open;
      off = true;
      change += open ? windows->width : windows->distance / 2 + ws_below(windows->distance);
    }
    fk_emit(&with, event);
  }
  fk_free(script);
  *script = with;
}

static inline double ws_waits(const struct hd_model *model) {
  double sum = 0;
  for (int state = HD_WAIT_FIRST; state <= HD_WAIT_LAST; state++)
    sum += (double)model->ticks[state];
  return sum;
}

/** Threads, rows and callpaths have the same sums. */
static inline void ws_expect_sums(const struct hd_model *model) {
  uint64_t all = 0, of_rows = 0;
  for (uint32_t i = 0; i < model->thread_count; i++)
    assert_true(hd_model_thread_is_whole(model, i));
  for (uint32_t i = 0; i < model->row_count; i++)
    for (int state = 0; state < HD_STATE_COUNT; state++)
      of_rows += model->rows[i].ticks[state];
  for (int state = 0; state < HD_STATE_COUNT; state++) {
    all += model->ticks[state];
    assert_int_equal(model->nodes[0].inclusive_ticks[state], model->ticks[state]);
  }
  assert_int_equal(all, of_rows);
}

#endif
