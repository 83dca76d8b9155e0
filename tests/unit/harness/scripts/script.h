/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file script.h
 * Builds scripts for the fake runtime in libomp's order and with its argument habits.
 *
 * Each function appends to the one current script the event(s) of the current thread at the current time. The builder
 * knows per thread which regions and tasks it is in, so that tests name only what they are about. A worker's end of
 * a region (sync end and implicit_task end, parallel_data NULL, team size 0) is held back, as libomp does, until the
 * worker's next implicit task or its thread end; sc_worker_end sends it at once.
 */
#ifndef HEDDLE_TESTS_SCRIPT_H
#define HEDDLE_TESTS_SCRIPT_H

#include "entry/entries.h"
#include "fake_ompt.h"
#include "mpi/calls.h"

enum sc_runtime { SC_LIBOMP_14, SC_LIBOMP_19, SC_GOMP };

/** The script being built. */
struct fk_script *sc_script(void);

/** A new script: time 0, thread 0, nothing sent. */
void sc_start(enum sc_runtime runtime);
enum sc_runtime sc_runtime(void);
void sc_at(uint64_t time);
void sc_thread(uint32_t thread);

/* Threads. */
void sc_initial_begin(void); /* thread_begin and its initial task */
void sc_initial_end(void);   /* the initial task's end and thread_end */
void sc_worker_begin(void);  /* thread_begin */
void sc_worker_thread_end(void);
/** thread_end of all threads that have begun, workers' held-back ends first, then finalize. */
void sc_finish(void);

/* Parallel regions. */
uint32_t sc_parallel_begin(uint64_t code, uint32_t requested);
uint32_t sc_teams_begin(uint64_t code, uint32_t requested);
/** The implicit task begins on the current thread; a worker that is new sends thread_begin first. */
void sc_implicit_begin(uint32_t region, uint32_t index, uint32_t team_size);
/** Arrival at the barrier at the region's end. */
void sc_join_begin(void);
/** On the primary: the barrier's end and the implicit task's end. A serialised region has no barrier events. */
void sc_join_end(void);
/** On a worker: the held-back end, now. */
void sc_worker_end(void);
void sc_parallel_end(void);
/** parallel_begin on the current thread now, implicit tasks of threads `first_worker`.. at `begin`; current thread and
 *  time end up as the primary at `begin`. */
uint32_t sc_fork(uint64_t code, uint32_t team_size, uint32_t first_worker, uint64_t begin);
/** The primary's end of the region: arrives at `arrive`, barrier ends at `join`, region at `end`. */
void sc_join(uint64_t arrive, uint64_t join, uint64_t end);

/** A whole program of nested teams: threads 0 and 1 of region 0x100 each open region 0x110 at 10, with 3 and 2 for
 * helpers. Its tasks begin at 12, the helpers arrive at 20 and the primaries at 22, which leave at 24; it ends at 25.
 * The outer threads arrive at 30, region and program end at 32 and 40. `inside`, unless NULL, sends what each inner
 * thread does from 12 on; `index` 0 is the primary. */
void sc_nested_teams(void (*inside)(uint32_t index));

/* Inside regions. */
void sc_work_begin(ompt_work_t kind, uint64_t code);
void sc_work_end(ompt_work_t kind, uint64_t code);
/** A worksharing construct's loop kind as this runtime tells it: libomp before 17 says only `loop`. */
ompt_work_t sc_loop_kind(ompt_work_t kind);
void sc_barrier_begin(ompt_sync_region_t kind, uint64_t code);
void sc_barrier_end(ompt_sync_region_t kind, uint64_t code);
/** The implicit barrier at the end of a worksharing construct: kind 2, 8 or (GOMP) 4. */
ompt_sync_region_t sc_work_barrier(void);
void sc_taskgroup_begin(uint64_t code);
void sc_taskgroup_wait(uint64_t code);
void sc_taskgroup_end(uint64_t code);
void sc_acquire(ompt_mutex_t kind, uint64_t wait_id, uint64_t code);
void sc_acquired(ompt_mutex_t kind, uint64_t wait_id, uint64_t code);
void sc_released(ompt_mutex_t kind, uint64_t wait_id, uint64_t code);
void sc_cancel(uint32_t flags, uint64_t code);
/** The block of a masked construct, on a thread that runs it. Its end is a tail call: the address is libomp's. */
void sc_masked_begin(uint64_t code);
void sc_masked_end(void);
/** A doacross loop has waited (sink) or posted (source), or a task was created with a dependence. */
void sc_dependence(ompt_dependence_type_t type);

/* Entry points of the runtime: the thread goes in, and comes back, with a chunk of so many iterations; goes in to make
 * that loop ready, and comes back with that chunk of it. */
void sc_entry_begin(enum heddle_entry entry);
void sc_entry_end(enum heddle_entry entry, uint32_t iterations);
void sc_loop_begin(const struct heddle_iterations *loop);
void sc_chunk_end(const struct heddle_iterations *chunk);

/* Explicit tasks. */
uint32_t sc_task_create(uint64_t code, uint32_t flags);
/** One that has dependences. */
uint32_t sc_task_create_dependent(uint64_t code);
/** Suspends the current task and runs `task`: new, or one switched out before on any thread. */
void sc_task_run(uint32_t task);
/** Leaves the current explicit task: `status` complete, switch, yield or cancel; what ran before it goes on. */
void sc_task_leave(ompt_task_status_t status);
/** The two parts of that: the tool is told; and it is so. */
void sc_task_tell_end(ompt_task_status_t status);
void sc_task_leave_untold(void);
uint32_t sc_current_task(void);

/* The program itself. */
void sc_routine_enter(uint64_t function);
void sc_routine_exit(uint64_t function);
void sc_phase_begin(uint32_t number);
void sc_phase_end(uint32_t number); /* 0: the innermost */
/** A call of MPI at `code`, and its end, which names so many bytes. */
void sc_mpi_begin(enum heddle_mpi_kind kind, uint64_t code);
void sc_mpi_end(uint32_t bytes);
void sc_pause(void);
void sc_resume(void);
void sc_control(uint32_t command);

/* Ends of the process. */
void sc_finalize(void);
void sc_exit(uint32_t status);
void sc_kill(void);

/** Appends an event made by hand; time and thread are filled in. */
void sc_emit(struct fk_event event);
/** An event with no references, of the current thread and time. */
struct fk_event sc_event(enum fk_op op);

/** The current thread was sampled so often at this address since its last event. */
void sc_sample(uint64_t address, uint32_t count);

#endif
