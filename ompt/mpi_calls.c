/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/mpi_calls.h"

#include <dlfcn.h>
#include <stddef.h>

#include "callpath/callpath.h"
#include "ompt/construct/region_callers.h"
#include "ompt/mpi_job.h"
#include "ompt/thread/event.h"
#include "ompt/tool.h"

static const enum hd_state states[] = {
    [HEDDLE_MPI_POINT_TO_POINT] = HD_WAIT_MPI_POINT_TO_POINT,
    [HEDDLE_MPI_COLLECTIVE] = HD_WAIT_MPI_COLLECTIVE,
    [HEDDLE_MPI_ONE_SIDED] = HD_WAIT_MPI_ONE_SIDED,
    [HEDDLE_MPI_IO] = HD_WAIT_MPI_IO,
    [HEDDLE_MPI_OTHER] = HD_WAIT_MPI_OTHER,
};

/* A step that the thread may not have made before: the callpath may have no name yet. */
static __attribute__((noinline)) struct hd_way step_and_name(struct hd_thread *thread, struct hd_row_record *from,
                                                             const char *function, const void *caller) {
  const struct hd_way step = hd_thread_step_slow(thread, from, HD_KIND_MPI, caller);
  if (step.counter)
    hd_callpath_name_mpi(step.counter->profile, function);
  return step;
}

static void enter(struct hd_thread *thread, uint64_t now, enum hd_state state, const char *function,
                  const void *caller) {
  uintptr_t place;
  struct hd_row_record *from = hd_callers_row(thread, caller, &place);
  const struct hd_edge *edge = hd_edge_at_once(&thread->edges, from, hd_edge_site(HD_KIND_MPI, (uintptr_t)caller));
  const struct hd_way step = edge ? hd_edge_way(edge) : step_and_name(thread, from, function, caller);
  struct hd_row_record *row = step.counter ? step.to : thread->top->row; /* not a routine known from the stack */
  thread->ring.what = hd_thread_count(thread, HD_WHAT_ENTER, row, step.counter);
  hd_thread_push(thread, now, row, HD_KIND_MPI, state);
}

/* What MPI calls itself is part of the call. */
static uint32_t begin(enum heddle_mpi_kind kind, const char *function, const void *caller) {
  if (!hd_measuring.started)
    hd_tool_start_early();
  const struct hd_thread *known = hd_thread_known_soon();
  if (hd_thread_ignores() || (known && hd_thread_innermost(known, HD_KIND_MPI)))
    return 0;
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_MPI_BEGIN);
  if (!event.thread)
    return 0;
  enter(event.thread, event.now, states[kind], function, caller);
  return 1;
}

/* A forked child may come back from a call that it has not begun. */
static void end(uint32_t begun, uint64_t bytes) {
  (void)begun;
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_MPI_END);
  struct hd_thread *thread = event.thread;
  const struct hd_frame *call = thread ? hd_thread_innermost(thread, HD_KIND_MPI) : NULL;
  if (!call)
    return;
  if (bytes && call->row->profile != call[-1].row->profile && !hd_clock_is_paused())
    hd_thread_cell(thread, call->row, HD_CELL_MPI)->ticks += bytes;
  hd_thread_leave(thread, event.now, HD_KIND_MPI, NULL);
}

void hd_mpi_calls_connect(struct heddle_mpi_calls *calls) {
  if (!calls)
    return;
  __atomic_store_n(&calls->end, end, __ATOMIC_RELEASE);
  __atomic_store_n(&calls->find_job, hd_mpi_job_find, __ATOMIC_RELEASE);
  __atomic_store_n(&calls->begin, begin, __ATOMIC_RELEASE);
}

/* A program that was started with this library may call MPI before OpenMP. */
__attribute__((constructor)) static void connect_at_load(void) {
  hd_mpi_calls_connect(dlsym(RTLD_DEFAULT, HEDDLE_MPI_CALLS));
}
