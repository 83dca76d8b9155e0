/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Script building: what happens inside regions, explicit tasks, and what the program itself says. */
#include "script_state.h"

static void work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, uint64_t code) {
  struct fk_event event = sc_event(FK_WORK);
  event.kind = kind;
  event.endpoint = endpoint;
  event.region = sc_current_region();
  event.task = sc_current_task();
  event.code = code;
  if (kind == ompt_work_single_executor || kind == ompt_work_single_other)
    event.size = 1;
  else
    event.size = endpoint == ompt_scope_begin ? 4 : 0;
  sc_emit(event);
}

void sc_work_begin(ompt_work_t kind, uint64_t code) {
  work(kind, ompt_scope_begin, code);
}

/* Compilers place the end's call elsewhere: another return address than the begin's. */
void sc_work_end(ompt_work_t kind, uint64_t code) {
  work(kind, ompt_scope_end, code + 0x40);
}

ompt_work_t sc_loop_kind(ompt_work_t kind) {
  return sc.runtime == SC_LIBOMP_14 ? ompt_work_loop : kind;
}

ompt_sync_region_t sc_work_barrier(void) {
  switch (sc.runtime) {
  case SC_LIBOMP_14:
    return ompt_sync_region_barrier_implicit;
  case SC_GOMP:
    return ompt_sync_region_barrier_implementation;
  default:
    return ompt_sync_region_barrier_implicit_workshare;
  }
}

void sc_barrier_begin(ompt_sync_region_t kind, uint64_t code) {
  sc_sync_both(kind, ompt_scope_begin, code, sc_current_region(), 0);
}

void sc_barrier_end(ompt_sync_region_t kind, uint64_t code) {
  sc_sync_both(kind, ompt_scope_end, code, sc_current_region(), 0);
}

/* A taskgroup's region spans its body; only its wait is in the wait events. */
static void taskgroup(enum fk_op op, ompt_scope_endpoint_t endpoint, uint64_t code) {
  struct fk_event event = sc_event(op);
  event.kind = ompt_sync_region_taskgroup;
  event.endpoint = endpoint;
  event.region = sc_current_region();
  event.task = sc_current_task();
  event.code = code;
  sc_emit(event);
}

void sc_taskgroup_begin(uint64_t code) {
  taskgroup(FK_SYNC_REGION, ompt_scope_begin, code);
}

void sc_taskgroup_wait(uint64_t code) {
  taskgroup(FK_SYNC_WAIT, ompt_scope_begin, code);
}

void sc_taskgroup_end(uint64_t code) {
  taskgroup(FK_SYNC_WAIT, ompt_scope_end, code);
  taskgroup(FK_SYNC_REGION, ompt_scope_end, code);
}

static void entry_point(enum fk_op op, enum heddle_entry entry, uint32_t iterations) {
  struct fk_event event = sc_event(op);
  event.kind = entry;
  event.size = iterations;
  sc_emit(event);
}

void sc_entry_begin(enum heddle_entry entry) {
  entry_point(FK_ENTRY_BEGIN, entry, 0);
}

void sc_entry_end(enum heddle_entry entry, uint32_t iterations) {
  entry_point(FK_ENTRY_END, entry, iterations);
}

static void iterations(enum fk_op op, const struct heddle_iterations *some) {
  struct fk_event event = sc_event(op);
  event.kind = HEDDLE_ENTRY_SCHEDULING;
  event.code = some->first;
  event.wait_id = (uint64_t)some->step;
  event.size = (uint32_t)some->count;
  sc_emit(event);
}

void sc_loop_begin(const struct heddle_iterations *loop) {
  iterations(FK_ENTRY_BEGIN, loop);
}

void sc_chunk_end(const struct heddle_iterations *chunk) {
  iterations(FK_ENTRY_END, chunk);
}

static void mutex(enum fk_op op, ompt_mutex_t kind, uint64_t wait_id, uint64_t code) {
  struct fk_event event = sc_event(op);
  event.kind = kind;
  event.wait_id = wait_id;
  event.code = code;
  sc_emit(event);
}

void sc_acquire(ompt_mutex_t kind, uint64_t wait_id, uint64_t code) {
  mutex(FK_MUTEX_ACQUIRE, kind, wait_id, code);
}

void sc_acquired(ompt_mutex_t kind, uint64_t wait_id, uint64_t code) {
  mutex(FK_MUTEX_ACQUIRED, kind, wait_id, code);
}

void sc_released(ompt_mutex_t kind, uint64_t wait_id, uint64_t code) {
  mutex(FK_MUTEX_RELEASED, kind, wait_id, code);
}

void sc_cancel(uint32_t flags, uint64_t code) {
  struct fk_event event = sc_event(FK_CANCEL);
  event.task = sc_current_task();
  event.flags = flags;
  event.code = code;
  sc_emit(event);
}

static void masked(ompt_scope_endpoint_t endpoint, uint64_t code) {
  struct fk_event event = sc_event(FK_MASKED);
  event.endpoint = endpoint;
  event.region = sc_current_region();
  event.task = sc_current_task();
  event.code = code;
  sc_emit(event);
}

void sc_masked_begin(uint64_t code) {
  masked(ompt_scope_begin, code);
}

void sc_masked_end(void) {
  masked(ompt_scope_end, 0x700000);
}

void sc_dependence(ompt_dependence_type_t type) {
  struct fk_event event = sc_event(FK_DEPENDENCES);
  event.task = sc_current_task();
  event.kind = (uint32_t)type;
  sc_emit(event);
}

/* Explicit tasks. */

static uint32_t create_task(uint64_t code, uint32_t flags, bool has_dependences) {
  struct fk_event event = sc_event(FK_TASK_CREATE);
  event.kind = has_dependences;
  event.task = sc_current_task();
  event.next = fk_new_task(&sc.script);
  event.flags = flags | ompt_task_explicit;
  event.code = code;
  sc_emit(event);
  return event.next;
}

uint32_t sc_task_create(uint64_t code, uint32_t flags) {
  return create_task(code, flags, false);
}

uint32_t sc_task_create_dependent(uint64_t code) {
  return create_task(code, 0, true);
}

static void schedule(uint32_t prior, ompt_task_status_t status, uint32_t next) {
  struct fk_event event = sc_event(FK_TASK_SCHEDULE);
  event.task = prior;
  event.kind = status;
  event.next = next;
  sc_emit(event);
}

void sc_task_run(uint32_t task) {
  schedule(sc_current_task(), ompt_task_switch, task);
  sc_push_task(task);
}

void sc_task_tell_end(ompt_task_status_t status) {
  uint32_t prior = sc_current_task();
  sc_me()->task_count--;
  schedule(prior, status, sc_current_task());
  sc_me()->task_count++;
}

void sc_task_leave_untold(void) {
  sc_me()->task_count--;
}

void sc_task_leave(ompt_task_status_t status) {
  sc_task_tell_end(status);
  sc_task_leave_untold();
}

/* The program itself. */

static void routine(enum fk_op op, uint64_t function) {
  struct fk_event event = sc_event(op);
  event.code = function;
  event.wait_id = 0x40; /* where it is called from */
  sc_emit(event);
}

void sc_routine_enter(uint64_t function) {
  routine(FK_ROUTINE_ENTER, function);
}

void sc_routine_exit(uint64_t function) {
  routine(FK_ROUTINE_EXIT, function);
}

static void phase(enum fk_op op, uint32_t number) {
  struct fk_event event = sc_event(op);
  event.code = number;
  sc_emit(event);
}

void sc_phase_begin(uint32_t number) {
  phase(FK_PHASE_BEGIN, number);
}

void sc_phase_end(uint32_t number) {
  phase(FK_PHASE_END, number);
}

void sc_mpi_begin(enum heddle_mpi_kind kind, uint64_t code) {
  struct fk_event event = sc_event(FK_MPI_BEGIN);
  event.kind = kind;
  event.code = code;
  sc_emit(event);
}

void sc_mpi_end(uint32_t bytes) {
  struct fk_event event = sc_event(FK_MPI_END);
  event.size = bytes;
  sc_emit(event);
}

void sc_pause(void) {
  sc_emit(sc_event(FK_PAUSE));
}

void sc_resume(void) {
  sc_emit(sc_event(FK_RESUME));
}

void sc_control(uint32_t command) {
  struct fk_event event = sc_event(FK_CONTROL);
  event.kind = command;
  sc_emit(event);
}

void sc_sample(uint64_t address, uint32_t count) {
  struct fk_event event = sc_event(FK_SAMPLE);
  event.code = address;
  event.size = count;
  sc_emit(event);
}
