/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file hooks.c
 * What the library exports: who asks for a tool, the hooks of instrumented routines, and dlclose. And the hooks that
 * sleds lead to, which it does not export.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "callpath/code/modules.h"
#include "ompt/construct/routine.h"
#include "ompt/sleds/sleds.h"
#include "ompt/thread/current.h"
#include "ompt/thread/event.h"
#include "ompt/thread/refuse.h"
#include "ompt/tool.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/stack_bounds.h"
#include "support/settings.h"

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version,
                                                                                 const char *runtime_version) {
  (void)omp_version;
  return hd_tool_offer(runtime_version);
}

/* When this library is preloaded: what a module's addresses stood for must be forgotten before another lies there. */
__attribute__((visibility("default"))) int dlclose(void *handle) {
  static int (*next)(void *);
  if (!next) {
    void *symbol = dlsym(RTLD_NEXT, "dlclose");
    memcpy(&next, &symbol, sizeof next);
  }
  int result = next ? next(handle) : -1;
  HD_KEEP_ERRNO;
  HD_EVENT struct hd_event event =
      hd_measuring.started ? hd_event_begin_untimed(HD_EVENT_MARKER) : (struct hd_event){0};
  if (event.thread) {
    hd_thread_leave_program(event.thread);
    hd_modules_notice_unloads();
  }
  return result;
}

/* At a thread's first hook. A test's addresses are not on its stack: there it stays unknown. */
static void find_stack(struct hd_thread *thread, const void *frame) {
  HD_KEEP_ERRNO;
  if (hd_clock.kind == HD_CLOCK_EXTERNAL || !hd_own_stack((uintptr_t)frame, &thread->stack_begin, &thread->stack_end))
    thread->stack_begin = thread->stack_end = 1; /* not again */
}

/* On another stack, of a coroutine or a signal handler, addresses cannot be compared. */
static inline bool is_on_stack(struct hd_thread *thread, const void *frame) {
  if (__builtin_expect(thread->stack_end == 0, false))
    find_stack(thread, frame);
  return (uintptr_t)frame - thread->stack_begin < thread->stack_end - thread->stack_begin;
}

static inline struct hd_hook hook_at(struct hd_thread *thread, const void *function, const void *call_site,
                                     const void *frame, const void *entered_from) {
  return (struct hd_hook){function, call_site, is_on_stack(thread, frame) ? frame : NULL, entered_from, NULL};
}

/* The frame that counts the entries refused above it. */
static struct hd_frame *refusing_frame(const struct hd_thread *thread) {
  struct hd_frame *innermost = hd_thread_innermost(thread, HD_KIND_ROUTINE);
  return innermost ? innermost : thread->base;
}

/* Routines are switched off (budget.h). */
static bool refuse_entry(void) {
  if (!hd_budget_refuses(HD_CLASS_CALL))
    return false;
  struct hd_thread *thread = hd_thread_known_soon();
  if (thread && !hd_thread_is_at_work(thread))
    refusing_frame(thread)->refused++;
  return true;
}

/* The exit of a refused entry, or of one that nobody has seen. `slot`: of the routine that is left; NULL: not known. */
static bool is_refused_exit(struct hd_thread *thread, const void *const *slot) {
  struct hd_frame *frame = refusing_frame(thread);
  if (slot && frame != thread->base && frame->routine.slot == slot) /* what it called and was refused has ended */
    return false;
  if (frame->refused == 0)
    return frame == thread->base && hd_budget_is_off(HD_CLASS_CALL);
  frame->refused--;
  return true;
}

static bool refuse_exit(const void *const *slot) {
  if (!hd_budget_touched(HD_CLASS_CALL))
    return false;
  struct hd_thread *thread = hd_thread_known_soon();
  return thread && !hd_thread_is_at_work(thread) && is_refused_exit(thread, slot);
}

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

__attribute__((visibility("default"))) void __cyg_profile_func_enter(void *function, void *call_site) {
  if (__builtin_expect(!hd_measuring_hears_routines(), false) && !hd_tool_hears_routines())
    return;
  if (hd_thread_ignores() || refuse_entry())
    return;
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_CALL);
  struct hd_thread *thread = event.thread;
  if (!thread)
    return;
  const struct hd_hook hook =
      hook_at(thread, function, call_site, __builtin_frame_address(0), __builtin_return_address(0));
  hd_routine_enter(thread, event.now, &hook);
}

__attribute__((visibility("default"))) void __cyg_profile_func_exit(void *function, void *call_site) {
  if (__builtin_expect(!hd_measuring_hears_routines(), false)) /* it was entered before anybody listened */
    return;
  if (hd_thread_ignores() || refuse_exit(NULL))
    return;
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_RETURN);
  struct hd_thread *thread = event.thread;
  if (!thread)
    return;
  const struct hd_hook hook =
      hook_at(thread, function, call_site, __builtin_frame_address(0), __builtin_return_address(0));
  hd_routine_exit(thread, event.now, &hook);
}

/* ---- sleds ---- */

static void enter_by_sled(const void *function, const void *const *slot, const void *frame) {
  if (__builtin_expect(!hd_measuring.started, false))
    hd_tool_start_early();
  if (hd_thread_ignores() || refuse_entry())
    return;
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_CALL);
  struct hd_thread *thread = event.thread;
  if (!thread)
    return;
  struct hd_hook hook = {.function = function};
  if (slot)
    hook = (struct hd_hook){function, *slot, frame, slot[-1], slot};
  if (!is_on_stack(thread, frame))
    hook.frame = hook.slot = NULL;
  hd_routine_enter(thread, event.now, &hook);
}

static void leave_by_sled(const void *function, const void *const *slot, const void *frame) {
  if (__builtin_expect(!hd_measuring.started, false) || hd_thread_ignores() || refuse_exit(slot))
    return;
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_RETURN);
  struct hd_thread *thread = event.thread;
  if (!thread)
    return;
  struct hd_hook hook = {function, *slot, frame, NULL, slot};
  if (!is_on_stack(thread, frame))
    hook.frame = hook.slot = NULL;
  hd_routine_exit(thread, event.now, &hook);
}

/* Only where the library was loaded with the program: functions are patched before they run. */
__attribute__((constructor)) static void connect_sleds(void) {
  const char *list = getenv(hd_setting_name(HD_SET_ROUTINES));
  if (list && *list && hd_tool_has_hooks())
    hd_sleds_connect(list, enter_by_sled, leave_by_sled);
  hd_measuring.measure_routine = hd_sleds_add;
}
