/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file routine.h
 * Routines of programs that were compiled with -finstrument-functions: they report their entries and exits through
 * two functions of the C library that do nothing, __cyg_profile_func_enter and __cyg_profile_func_exit. When this
 * library is preloaded, its own take their place. Those of programs that were compiled with -fxray-instrument report
 * them through sleds, if they are patched (ompt/sleds). The first entry starts the tool, whether or not the program
 * ever uses OpenMP.
 *
 * A routine's frame lies on the thread's stack of frames as a construct's does. Some routines end without an event: by
 * longjmp, or by an exception in code from clang, which only tells of normal returns. So that a frame does not stay for
 * good, it remembers where on the stack its return address stands. What lies deeper than the present stack pointer, or
 * whose return address has been overwritten, has ended.
 *
 * The body of a construct is a function of its own, which the runtime calls. It is instrumented like any other, but no
 * routine of the user's: the construct stands for it.
 */
#ifndef HEDDLE_OMPT_CONSTRUCT_ROUTINE_H
#define HEDDLE_OMPT_CONSTRUCT_ROUTINE_H

#include "ompt/thread/thread.h"

/** Where a hook was called from. */
struct hd_hook {
  const void *function;     /* that was entered or is left */
  const void *call_site;    /* where it returns to */
  const void *frame;        /* the hook's frame address; NULL: there is no stack to look at (a test) */
  const void *entered_from; /* where the hook returns to; NULL at the exit through a sled */
  const void *const
      *slot; /* where `call_site` stands on the stack, if the hook knows that: those of sleds; else NULL */
};

void hd_routine_enter(struct hd_thread *thread, uint64_t now, const struct hd_hook *hook);
void hd_routine_exit(struct hd_thread *thread, uint64_t now, const struct hd_hook *hook);

#endif
