/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fake OMPT runtime's player: how each event reaches the tool. */
#include "fake_player.h"
#include "fake_samples.h"

#include <heddle-format.h>
#include <heddle.h>

#include "entry/entries.h"
#include "mpi/calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define POISON 0xdeadbeefdeadbeefu
#define MAX_EVENT 64
#define LIVE_MOST 100000 /* regions, and tasks, of a program that is not known beforehand */

/* Data of a team or task: libomp gives the tool a pointer to it, tools keep a word there. */
struct slot {
  ompt_data_t *data;
  ompt_data_t outer; /* what the slot held before a swap */
  ompt_data_t own;   /* where an explicit task's data lies */
};

static struct {
  const struct fk_script *script;
  const struct fk_options *options;
  ompt_callback_t callbacks[MAX_EVENT];
  struct fk_told *told;
  void *library;
  void (*routine_enter)(void *function, void *call_site);
  void (*routine_exit)(void *function, void *call_site);
  ompt_start_tool_result_t *tool;
  struct slot *regions;
  struct slot *tasks;
  ompt_data_t threads[FK_MAX_THREADS];
  ompt_data_t begin_data[FK_MAX_THREADS]; /* parallel_begin's stack variable */
  ompt_data_t late_data[FK_MAX_THREADS];  /* copy of the implicit task's data for a late end */
  ompt_data_t team_slots[FK_MAX_THREADS][FK_MAX_LEVELS];
  ompt_data_t task_slots[FK_MAX_THREADS][FK_MAX_LEVELS];
} rt;

static uint64_t fake_now; /* the clock that the library reads */
static bool exiting;      /* the runtime ends with its program */
static __thread const struct fk_event *being_played;
static __thread uint32_t current_thread = FK_NONE; /* simulated thread */

/* What the tool is told of entry points, and what it answered to begins that are open, by thread. */
static struct {
  uint32_t begun[FK_MAX_ENTRIES];
  struct heddle_iterations loops[FK_MAX_ENTRIES];
  struct heddle_inside here; /* the innermost */
  uint32_t depth;
} inside[FK_MAX_THREADS];

static const struct heddle_inside *get_innermost(void) {
  const uint32_t depth = current_thread == FK_NONE ? 0 : inside[current_thread].depth;
  if (depth == 0)
    return NULL;
  const struct heddle_iterations *loop = &inside[current_thread].loops[depth - 1];
  inside[current_thread].here = (struct heddle_inside){.loop = loop->count > 0 ? loop : NULL};
  return &inside[current_thread].here;
}
static struct heddle_entries entries = {.innermost = get_innermost};

static struct heddle_mpi_calls mpi_calls;
static struct {
  uint32_t begun[FK_MAX_ENTRIES]; /* what the tool answered to begins that are open */
  uint32_t depth;
} in_mpi[FK_MAX_THREADS];

static void (*switch_class)(uint32_t event_class, bool off); /* the tool's, once it has started */

static ompt_data_t *region_data(uint32_t region) {
  return region == FK_NONE ? NULL : rt.regions[region].data;
}

static ompt_data_t *task_data(uint32_t task) {
  return task == FK_NONE ? NULL : rt.tasks[task].data;
}

static const void *code_of(const struct fk_event *e) {
  return (const void *)(uintptr_t)e->code; // NOLINT: made-up return addresses
}

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
  if ((unsigned)event >= MAX_EVENT || (uint32_t)event == rt.options->failing)
    return ompt_set_error;
  if ((uint32_t)event == rt.options->never)
    return ompt_set_never;
  __atomic_store_n(&rt.callbacks[event], callback, __ATOMIC_RELEASE); /* others may be about to call it */
  rt.told->registered[event] = callback != NULL;
  return ompt_set_always;
}

/* The tool asks whose event it is when it has decided to look at it. */
static void switch_meanwhile(void) {
  static const struct fk_event *done;
  if (!being_played || !(being_played->habit & FK_OFF_MEANWHILE) || done == being_played)
    return;
  done = being_played;
  switch_class(HD_CLASS_TASK, true);
}

static ompt_data_t *get_thread_data(void) {
  switch_meanwhile();
  return current_thread == FK_NONE ? NULL : &rt.threads[current_thread];
}

/* Implicit tasks that a thread is in, or a worker was in last: what the runtime tells of them when it is asked. */
static struct {
  struct {
    ompt_data_t *data;
    int flags;
    int number;
  } tasks[2 * FK_MAX_LEVELS];
  int count;
} implicit[FK_MAX_THREADS];

static void note_implicit_begin(const struct fk_event *e, ompt_data_t *data) {
  const int place = implicit[e->thread].count++;
  if (place < 2 * FK_MAX_LEVELS) {
    implicit[e->thread].tasks[place].data = data;
    implicit[e->thread].tasks[place].flags =
        e->flags & ompt_task_initial ? (int)ompt_task_initial : (int)ompt_task_implicit;
    implicit[e->thread].tasks[place].number = (int)e->index;
  }
}

static int get_task_info(int ancestor, int *flags, ompt_data_t **task, ompt_frame_t **frame, ompt_data_t **parallel,
                         int *number) {
  (void)frame, (void)parallel;
  const int place = current_thread == FK_NONE ? -1 : implicit[current_thread].count - 1 - ancestor;
  if (place < 0 || place >= 2 * FK_MAX_LEVELS)
    return 0;
  *flags = implicit[current_thread].tasks[place].flags;
  *task = implicit[current_thread].tasks[place].data;
  *number = implicit[current_thread].tasks[place].number;
  return 2;
}

/* Only where it matters: what a worker's late ends come with. */
static int get_state(ompt_wait_id_t *wait_id) {
  (void)wait_id;
  return being_played && being_played->habit & FK_LATE ? (int)ompt_state_overhead : (int)ompt_state_undefined;
}

/* An event that lasts: HEDDLE_TEST_DELAY. */
static void advance(uint64_t ticks) {
  fake_now += rt.options->delay ? rt.options->delay(being_played) : ticks;
}

void fk_player_has_grown(void) {
  if (being_played && being_played->op == FK_IMPLICIT_TASK && being_played->endpoint == ompt_scope_begin)
    fake_now += rt.options->growth_ticks;
}

static ompt_interface_fn_t look_up(const char *name) {
  if (strcmp(name, "ompt_set_callback") == 0)
    return (ompt_interface_fn_t)set_callback;
  if (strcmp(name, "ompt_get_thread_data") == 0 && !rt.options->no_thread_data)
    return (ompt_interface_fn_t)get_thread_data;
  if (strcmp(name, "ompt_get_task_info") == 0)
    return (ompt_interface_fn_t)get_task_info;
  if (strcmp(name, "ompt_get_state") == 0)
    return (ompt_interface_fn_t)get_state;
  if (strcmp(name, "heddle_external_clock") == 0 && !rt.options->real_clock)
    return (ompt_interface_fn_t)(uintptr_t)&fake_now;
  if (strcmp(name, "heddle_external_advance") == 0 && !rt.options->real_clock)
    return (ompt_interface_fn_t)advance;
  if (strcmp(name, "heddle_external_switch") == 0)
    return (ompt_interface_fn_t)(uintptr_t)&switch_class;
  if (strcmp(name, "heddle_external_entries") == 0)
    return (ompt_interface_fn_t)(uintptr_t)&entries;
  if (strcmp(name, "heddle_external_mpi_calls") == 0)
    return (ompt_interface_fn_t)(uintptr_t)&mpi_calls;
  if (strcmp(name, "heddle_external_exiting") == 0)
    return (ompt_interface_fn_t)(uintptr_t)&exiting;
  if (strcmp(name, "heddle_external_samples") == 0 && rt.options->samples)
    return (ompt_interface_fn_t)(uintptr_t)fk_samples_opener();
  if (strcmp(name, "heddle_external_gomp") == 0)
    return (ompt_interface_fn_t)set_callback;
  return NULL;
}

/* Calls the tool's callback for `event`, of function type `type`, if it registered one. */
#define CALL(event, type, ...)                                                                                         \
  do {                                                                                                                 \
    const ompt_callback_t callback = __atomic_load_n(&rt.callbacks[event], __ATOMIC_ACQUIRE);                          \
    if (callback)                                                                                                      \
      ((type)callback)(__VA_ARGS__);                                                                                   \
  } while (0)

static void play_parallel_begin(const struct fk_event *e) {
  ompt_data_t *begin = &rt.begin_data[e->thread];
  struct slot *region = &rt.regions[e->region];
  begin->value = 0;
  CALL(ompt_callback_parallel_begin, ompt_callback_parallel_begin_t, task_data(e->task), NULL, begin, e->size,
       (int)e->flags, code_of(e));
  region->data = &rt.team_slots[e->thread][e->level];
  region->outer = *region->data;
  *region->data = *begin;
  begin->value = POISON;
}

static void play_parallel_end(const struct fk_event *e) {
  CALL(ompt_callback_parallel_end, ompt_callback_parallel_end_t, region_data(e->region), task_data(e->task),
       (int)e->flags, code_of(e));
  if (e->region == FK_NONE)
    return;
  if (e->habit & FK_SWAP)
    *rt.regions[e->region].data = rt.regions[e->region].outer;
}

static void play_implicit_begin(const struct fk_event *e) {
  struct slot *task = &rt.tasks[e->task];
  task->data = &rt.task_slots[e->thread][e->level];
  task->outer = *task->data;
  task->data->value = 0;
  if (!region_data(e->region)) /* an initial thread's own region, which never began */
    rt.regions[e->region].data = &rt.team_slots[e->thread][0];
  note_implicit_begin(e, task->data);
  CALL(ompt_callback_implicit_task, ompt_callback_implicit_task_t, ompt_scope_begin, region_data(e->region), task->data,
       e->size, e->index, (int)e->flags);
}

static void play_implicit_end(const struct fk_event *e) {
  ompt_data_t *data = e->habit & FK_LATE ? &rt.late_data[e->thread] : task_data(e->task);
  CALL(ompt_callback_implicit_task, ompt_callback_implicit_task_t, ompt_scope_end, region_data(e->region), data,
       e->size, e->index, (int)e->flags);
  implicit[e->thread].count -= implicit[e->thread].count > 0;
  if (e->habit & FK_SWAP)
    *data = rt.tasks[e->task].outer;
  else if (e->habit & FK_LATE)
    data->value = POISON;
}

/* A barrier's begin saves the task data for the late end, as libomp's join barrier does. */
static void play_sync(const struct fk_event *e) {
  ompt_data_t *data = e->habit & FK_LATE ? &rt.late_data[e->thread] : task_data(e->task);
  ompt_scope_endpoint_t endpoint = (ompt_scope_endpoint_t)e->endpoint;
  ompt_callbacks_t event = e->op == FK_SYNC_WAIT ? ompt_callback_sync_region_wait : ompt_callback_sync_region;
  CALL(event, ompt_callback_sync_region_t, (ompt_sync_region_t)e->kind, endpoint, region_data(e->region), data,
       code_of(e));
  if (endpoint == ompt_scope_begin && data)
    rt.late_data[e->thread] = *data;
}

static void play_task_create(const struct fk_event *e) {
  struct slot *task = &rt.tasks[e->next];
  task->data = &task->own;
  CALL(ompt_callback_task_create, ompt_callback_task_create_t, task_data(e->task), NULL, task->data, (int)e->flags,
       (int)e->kind, code_of(e));
}

static void play_task_schedule(const struct fk_event *e) {
  CALL(ompt_callback_task_schedule, ompt_callback_task_schedule_t, task_data(e->task), (ompt_task_status_t)e->kind,
       task_data(e->next));
  if (e->kind != ompt_task_complete && e->kind != ompt_task_cancel)
    return;
  if (e->task != FK_NONE && !(e->habit & FK_SWAP))
    rt.tasks[e->task].data->value = POISON; /* the runtime may use the memory again from here on */
}

static void play_mutex(const struct fk_event *e) {
  ompt_mutex_t kind = (ompt_mutex_t)e->kind;
  ompt_callbacks_t event = e->op == FK_MUTEX_ACQUIRED ? ompt_callback_mutex_acquired : ompt_callback_mutex_released;
  if (e->op == FK_MUTEX_ACQUIRE)
    CALL(ompt_callback_mutex_acquire, ompt_callback_mutex_acquire_t, kind, 0, 0, e->wait_id, code_of(e));
  else
    CALL(event, ompt_callback_mutex_t, kind, e->wait_id, code_of(e));
}

static void play_end(const struct fk_event *e) {
  exiting = e->op == FK_FINALIZE && e->kind == 0;
  if (e->op == FK_FINALIZE)
    rt.tool->finalize(&rt.tool->tool_data);
  else if (e->op == FK_EXIT)
    exit((int)e->kind);
  else
    raise(SIGKILL);
}

static void play_fork(void) {
  pid_t child = fork();
  int status;
  if (child == 0)
    memset(rt.threads, 0, sizeof rt.threads); /* as libomp does, of whose threads one is left */
  if (child < 0 || (child > 0 && (waitpid(child, &status, 0) != child || status != 0)))
    _exit(FK_BAD_SCRIPT);
}

static void play_routine(const struct fk_event *e) {
  void (*hook)(void *, void *) = e->op == FK_ROUTINE_ENTER ? rt.routine_enter : rt.routine_exit;
  if (hook)
    hook((void *)(uintptr_t)e->code, (void *)(uintptr_t)e->wait_id); // NOLINT: made-up addresses
}

static void play_phase(const struct fk_event *e) {
  char name[40]; /* the tool keeps a copy, if anything */
  snprintf(name, sizeof name, "phase %llu", (unsigned long long)e->code);
  if (e->op == FK_PHASE_BEGIN)
    heddle_phase_begin(name);
  else
    heddle_phase_end(e->code ? name : NULL);
  memset(name, '?', sizeof name - 1);
}

static void play_control(const struct fk_event *e) {
  ompt_callback_control_tool_t control = (ompt_callback_control_tool_t)rt.callbacks[ompt_callback_control_tool];
  int result = control ? control(e->kind, 0, NULL, code_of(e)) : -1;
  if (rt.told->control_count < FK_MAX_CONTROLS)
    rt.told->controls[rt.told->control_count++] = result;
}

/* An end is told if the begin was observed, as the wrappers do. */
static void play_mpi(const struct fk_event *e) {
  uint32_t *begun = in_mpi[e->thread].begun;
  uint32_t *depth = &in_mpi[e->thread].depth;
  if (e->op == FK_MPI_BEGIN ? *depth == FK_MAX_ENTRIES : *depth == 0)
    _exit(FK_BAD_SCRIPT);
  if (e->op == FK_MPI_BEGIN)
    begun[(*depth)++] = mpi_calls.begin ? mpi_calls.begin((enum heddle_mpi_kind)e->kind, FK_MPI_FUNCTION, code_of(e)) : 0;
  else if (begun[--*depth])
    mpi_calls.end(begun[*depth], e->size);
}

static void play_program(const struct fk_event *e) {
  switch ((enum fk_op)e->op) {
  case FK_ROUTINE_ENTER:
  case FK_ROUTINE_EXIT:
    play_routine(e);
    break;
  case FK_PHASE_BEGIN:
  case FK_PHASE_END:
    play_phase(e);
    break;
  case FK_MPI_BEGIN:
  case FK_MPI_END:
    play_mpi(e);
    break;
  case FK_PAUSE:
    heddle_pause();
    break;
  case FK_RESUME:
    heddle_resume();
    break;
  default:
    play_control(e);
  }
}

/* What the program itself says, not the runtime. */
static bool is_program_event(const struct fk_event *e) {
  return e->op >= FK_ROUTINE_ENTER && e->op <= FK_CONTROL;
}

/* A begin that the tool does not observe is left untold at its end, as libheddle-entry.so does. */
static void play_entry(const struct fk_event *e) {
  const enum heddle_entry entry = (enum heddle_entry)e->kind;
  const struct heddle_iterations some = {e->code, (int64_t)e->wait_id, e->size};
  uint32_t *begun = inside[e->thread].begun;
  uint32_t *depth = &inside[e->thread].depth;
  heddle_entry_begin *begin = __atomic_load_n(&entries.begin, __ATOMIC_ACQUIRE); /* `end` was set before it */
  heddle_entry_end *end = __atomic_load_n(&entries.end, __ATOMIC_ACQUIRE);
  if (e->op == FK_ENTRY_BEGIN ? *depth == FK_MAX_ENTRIES : *depth == 0)
    _exit(FK_BAD_SCRIPT);
  if (e->op == FK_ENTRY_BEGIN) {
    inside[e->thread].loops[*depth] = some;
    begun[*depth] = begin ? begin(entry) : 0;
    ++*depth;
  } else if (begun[--*depth] || (e->size && end)) {
    end(entry, begun[*depth], &some);
  }
}

static void play_dependences(const struct fk_event *e) {
  const ompt_dependence_t dependence = {.variable.ptr = (void *)(uintptr_t)e->wait_id,
                                        .dependence_type = (ompt_dependence_type_t)e->kind};
  CALL(ompt_callback_dependences, ompt_callback_dependences_t, task_data(e->task), &dependence, 1);
}

static void play_other(const struct fk_event *e) {
  ompt_scope_endpoint_t endpoint = (ompt_scope_endpoint_t)e->endpoint;
  switch ((enum fk_op)e->op) {
  case FK_THREAD_BEGIN:
    rt.threads[e->thread].value = 0;
    CALL(ompt_callback_thread_begin, ompt_callback_thread_begin_t, (ompt_thread_t)e->kind, get_thread_data());
    break;
  case FK_THREAD_END:
    CALL(ompt_callback_thread_end, ompt_callback_thread_end_t, get_thread_data());
    break;
  case FK_WORK:
    CALL(ompt_callback_work, ompt_callback_work_t, (ompt_work_t)e->kind, endpoint, region_data(e->region),
         task_data(e->task), e->size, code_of(e));
    break;
  case FK_REDUCTION:
    CALL(ompt_callback_reduction, ompt_callback_sync_region_t, (ompt_sync_region_t)e->kind, endpoint,
         region_data(e->region), task_data(e->task), code_of(e));
    break;
  case FK_NEST_LOCK:
    CALL(ompt_callback_nest_lock, ompt_callback_nest_lock_t, endpoint, e->wait_id, code_of(e));
    break;
  case FK_CANCEL:
    CALL(ompt_callback_cancel, ompt_callback_cancel_t, task_data(e->task), (int)e->flags, code_of(e));
    break;
  case FK_MASKED:
    CALL(ompt_callback_masked, ompt_callback_masked_t, endpoint, region_data(e->region), task_data(e->task),
         code_of(e));
    break;
  case FK_DEPENDENCES:
    play_dependences(e);
    break;
  case FK_ENTRY_BEGIN:
  case FK_ENTRY_END:
    play_entry(e);
    break;
  case FK_SAMPLE:
    fk_samples_take(e->thread, e->code, e->size);
    break;
  case FK_FORK:
    play_fork();
    break;
  case FK_SWITCH:
    switch_class(e->kind, endpoint == ompt_scope_begin);
    break;
  case FK_ASK:
    fk_control_ask(e->wait_id);
    break;
  default:
    _exit(FK_BAD_SCRIPT);
  }
}

static void play_event(const struct fk_event *e) {
  if (is_program_event(e)) {
    play_program(e);
    return;
  }
  switch ((enum fk_op)e->op) {
  case FK_PARALLEL_BEGIN:
    play_parallel_begin(e);
    break;
  case FK_PARALLEL_END:
    play_parallel_end(e);
    break;
  case FK_IMPLICIT_TASK:
    e->endpoint == ompt_scope_begin ? play_implicit_begin(e) : play_implicit_end(e);
    break;
  case FK_SYNC_REGION:
  case FK_SYNC_WAIT:
    play_sync(e);
    break;
  case FK_MUTEX_ACQUIRE:
  case FK_MUTEX_ACQUIRED:
  case FK_MUTEX_RELEASED:
    play_mutex(e);
    break;
  case FK_TASK_CREATE:
    play_task_create(e);
    break;
  case FK_TASK_SCHEDULE:
    play_task_schedule(e);
    break;
  case FK_FINALIZE:
  case FK_EXIT:
  case FK_KILL:
    play_end(e);
    break;
  default:
    play_other(e);
  }
}

/* As libomp: ompt_start_tool, then initialize with the look-up, at the time of the first event. */
static void start_runtime(void) {
  typedef ompt_start_tool_result_t *start_tool_fn(unsigned int, const char *);
  start_tool_fn *start = (start_tool_fn *)dlsym(rt.library, "ompt_start_tool");
  rt.tool = start ? start(201611, "fake OMPT runtime") : NULL;
  if (!rt.tool || !rt.tool->initialize(look_up, 0, &rt.tool->tool_data))
    _exit(FK_NOT_LOADED);
}

/* A tool must leave errno alone: the runtime calls it between the program's system call and its look at errno. */
void fk_player_play(const struct fk_event *e) {
  current_thread = e->thread;
  fk_samples_thread(e->thread);
  if (!rt.options->free_running)
    fake_now = e->time;
  if (!rt.tool && !is_program_event(e))
    start_runtime();
  being_played = e;
  errno = ERANGE;
  play_event(e);
  if (errno != ERANGE) {
    fprintf(stderr, "errno became %d in event %u of the script\n", errno, (unsigned)(e - rt.script->events));
    _exit(FK_ERRNO_CHANGED);
  }
}

uint64_t fk_send(const struct fk_event *event) {
  fk_player_play(event);
  return fake_now;
}

/* The stub libpapi's STUB_CLOCK events count it. */
static void share_clock(void) {
  char address[32];
  snprintf(address, sizeof address, "%#" PRIxPTR, (uintptr_t)&fake_now);
  if (!rt.options->real_clock)
    setenv("STUB_PAPI_CLOCK", address, 1);
}

void fk_player_load(void) {
  if (rt.library)
    return;
  rt.library = dlopen(HEDDLE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!rt.library) {
    fprintf(stderr, "cannot load %s: %s\n", HEDDLE_LIBRARY, dlerror());
    abort();
  }
}

void fk_player_start(const struct fk_script *script, const struct fk_options *options, struct fk_told *told) {
  typedef void hook_fn(void *, void *);
  rt.script = script;
  rt.options = options;
  rt.told = told;
  const size_t unknown = options->live ? LIVE_MOST : 0;
  rt.regions = calloc(script->region_count + 1 + unknown, sizeof *rt.regions);
  rt.tasks = calloc(script->task_count + 1 + unknown, sizeof *rt.tasks);
  if (!rt.regions || !rt.tasks)
    _exit(FK_BAD_SCRIPT);
  fake_now = script->count ? script->events[0].time : 0;
  share_clock();
  rt.routine_enter = (hook_fn *)dlsym(rt.library, "__cyg_profile_func_enter");
  rt.routine_exit = (hook_fn *)dlsym(rt.library, "__cyg_profile_func_exit");
  fk_fail_allocation(options->failing_allocation, options->failing_allocations ? options->failing_allocations : 1);
  fk_memory_count_anew();
  if (!options->late_runtime)
    start_runtime();
}
