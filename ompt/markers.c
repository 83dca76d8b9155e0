/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file markers.c
 * The tool's side of include/heddle.h: phases, pause and resume. Modules that are loaded after the start are not found.
 */
#include <string.h>

#include "callpath/callpath.h"
#include "callpath/code/loaded_modules.h"
#include "heddle.h"
#include "ompt/construct/region_callers.h"
#include "ompt/control.h"
#include "ompt/shared/dormancy.h"
#include "ompt/thread/event.h"
#include "ompt/thread/step.h"
#include "ompt/thread/trace_when.h"
#include "ompt/tool.h"
#include "support/inprocess/keep_errno.h"

/* ---- phases ---- */

static struct hd_event begin_event(void) {
  if (!hd_measuring.started)
    hd_tool_start_early();
  if (hd_thread_ignores())
    return (struct hd_event){0};
  return hd_event_begin(HD_EVENT_MARKER);
}

static void phase_begin(const char *name) {
  HD_EVENT struct hd_event event = begin_event();
  struct hd_thread *thread = event.thread;
  if (!thread)
    return;
  hd_thread_leave_program(thread);
  HD_KEEP_ERRNO;
  const char *phase = hd_callpath_phase(name ? name : "");
  uintptr_t place;
  struct hd_row_record *from = hd_callers_row(thread, __builtin_return_address(0), &place);
  const struct hd_frame *outer = hd_thread_innermost(thread, HD_KIND_PHASE);
  if (!place && outer) /* what bounds this one bounds what is in it, too */
    place = outer->phase.place;
  const struct hd_way step = hd_thread_step_from(thread, from, HD_KIND_PHASE, phase);
  struct hd_row_record *row = step.counter ? step.to : thread->top->row; /* not a routine known from the stack */
  if (hd_trace_when_is_phase(phase))
    hd_trace_when_begin(thread, event.now);
  thread->ring.what = hd_thread_count(thread, HD_WHAT_ENTER, row, step.counter);
  hd_thread_push(thread, event.now, row, HD_KIND_PHASE, HD_BUSY);
  thread->top->phase = (struct hd_frame_phase){phase, place};
}

static bool has_name(const struct hd_frame *frame, const char *name) {
  return !name || frame->phase.name == hd_callpath_other_phases || !strcmp(frame->phase.name, name);
}

/* NULL: of any name. */
static struct hd_frame *find_phase(const struct hd_thread *thread, const char *name) {
  struct hd_frame *frame = hd_thread_innermost(thread, HD_KIND_PHASE);
  while (frame && !has_name(frame, name))
    frame = hd_thread_next_outwards(thread, frame);
  return frame;
}

static void count_unmatched(void) {
  if (hd_dormancy_was()) /* it may have begun before */
    return;
  __atomic_fetch_add(&hd_store.header->unmatched_phases, 1, __ATOMIC_RELAXED);
}

/* What began in it and was not observed may go on in what is around it. */
static void pass_refused(const struct hd_frame *phase) {
  struct hd_row_record *around = phase[-1].row;
  for (uint32_t bit = 0; bit <= HD_REFUSED_SECTION; bit++)
    if (phase->row->refused >> bit & 1)
      hd_budget_mark(around, bit);
}

/* What lies above and is no phase goes on: perhaps a helper that ends phases for its caller. */
static void phase_end(const char *name) {
  HD_EVENT struct hd_event event = begin_event();
  struct hd_thread *thread = event.thread;
  const struct hd_frame *ended = thread ? find_phase(thread, name) : NULL;
  if (thread && !ended)
    count_unmatched();
  for (struct hd_frame *frame = NULL; ended && frame != ended;) {
    frame = find_phase(thread, NULL);
    if (frame != ended)
      count_unmatched();
    pass_refused(frame);
    hd_thread_take_out(thread, event.now, frame);
  }
  if (ended && thread->trace.holds)
    hd_trace_when_end(thread, event.now);
}

/* ---- pause and resume ---- */

static void pause_clock(void) {
  if (!hd_measuring.started)
    hd_tool_start_early();
  hd_control_pause();
}

static void resume_clock(void) {
  hd_control_resume();
}

/* ---- the modules that have markers ---- */

static const struct heddle_functions functions = {
    .version = HEDDLE_FUNCTIONS_VERSION,
    .phase_begin = phase_begin,
    .phase_end = phase_end,
    .pause = pause_clock,
    .resume = resume_clock,
};

static void take_note(void *context, const ElfW(Nhdr) * note, const char *name, const char *descriptor) {
  (void)context;
  int64_t distance;
  if (note->n_type != HEDDLE_NOTE_TYPE || note->n_descsz != sizeof distance ||
      note->n_namesz != sizeof HEDDLE_NOTE_NAME || memcmp(name, HEDDLE_NOTE_NAME, sizeof HEDDLE_NOTE_NAME) != 0)
    return;
  memcpy(&distance, descriptor, sizeof distance);
  const struct heddle_functions **pointer = (void *)(uintptr_t)(descriptor + distance);
  __atomic_store_n(pointer, &functions, __ATOMIC_RELEASE);
}

static int connect_module(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  hd_loaded_each_note(info, take_note, NULL);
  return 0;
}

static void connect_markers(void) {
  dl_iterate_phdr(connect_module, NULL);
}

/* A program that was started with this library may come to a marker before anything else. */
__attribute__((constructor)) static void connect_at_load(void) {
  hd_measuring.connect_markers = connect_markers;
  connect_markers();
}
