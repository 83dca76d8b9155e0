/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads, regions, worksharing, masked, omp_control_tool; and the registration of all callbacks. */
#include "ompt/callbacks.h"

#include "ompt/construct/chunks.h"
#include "ompt/construct/refused_region.h"
#include "ompt/construct/task.h"
#include "ompt/construct/worksharing.h"
#include "ompt/control.h"
#include "ompt/shared/dormancy.h"
#include "ompt/thread/order.h"
#include "ompt/thread/steering.h"
#include "ompt/thread/team.h"
#include "ompt/thread/unresolved.h"

/* ---- threads ---- */

void hd_callbacks_on_thread_begin(ompt_thread_t kind, ompt_data_t *data) {
  (void)data;
  if (!hd_measuring.started) /* in a forked child, where the runtime makes itself ready before anybody uses it */
    return;
  hd_thread_begin(kind == ompt_thread_initial  ? HD_THREAD_INITIAL
                  : kind == ompt_thread_worker ? HD_THREAD_WORKER
                                               : HD_THREAD_OTHER);
}

static struct hd_thread *end_thread(void) {
  if (hd_dormancy_is_asleep())
    hd_dormancy_count(false);
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_THREAD);
  if (event.thread)
    hd_thread_end(event.thread, event.now);
  return event.thread;
}

void hd_callbacks_on_thread_end(ompt_data_t *data) {
  (void)data;
  struct hd_thread *thread = end_thread();
  if (thread)
    hd_thread_give_record(thread);
}

/* ---- parallel regions ---- */

void hd_callbacks_on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
                                    unsigned requested, int flags, const void *address) {
  (void)frame;
  const enum hd_kind kind = flags & ompt_parallel_league ? HD_KIND_TEAMS : HD_KIND_PARALLEL;
  if (hd_budget_touched(HD_CLASS_REGION) && hd_refused_begin(kind, address)) {
    parallel->value = HD_TOLD_REFUSED;
    return;
  }
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_PARALLEL_BEGIN);
  struct hd_thread *thread = event.thread;
  parallel->value = 0;
  if (!thread)
    return;
  hd_task_notice(thread, event.now, task);
  parallel->value = hd_region_begin(thread, event.now, kind, requested, address, flags & ompt_parallel_invoker_program);
  if (hd_budget_watches_regions())
    hd_refused_prepare(thread);
  if (hd_budget_is_any_off())
    hd_budget_begin_region(thread, event.now);
  hd_steering_look();
}

void hd_callbacks_on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *address) {
  (void)task, (void)flags, (void)address;
  if (hd_budget_touched(HD_CLASS_REGION) && hd_refused_end())
    return;
  HD_EVENT struct hd_event event = hd_event_begin(HD_EVENT_PARALLEL_END);
  struct hd_thread *thread = event.thread;
  if (!thread)
    return;
  if (hd_budget_is_any_off())
    hd_budget_end_region(thread, event.now);
  hd_region_end(thread, event.now, parallel ? parallel->value : 0);
}

void hd_callbacks_on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                                   unsigned team_size, unsigned thread_number, int flags) {
  if ((flags & ompt_task_initial) && !hd_measuring.started) /* likewise */
    return;
  const uint64_t told = parallel ? parallel->value : 0;
  if (hd_budget_touched(HD_CLASS_REGION) && (endpoint == ompt_scope_end ? hd_refused_leave() : hd_refused_enter(told)))
    return;
  if (endpoint == ompt_scope_end && hd_callbacks_has_finished())
    return;
  HD_EVENT struct hd_event event =
      hd_event_begin(endpoint == ompt_scope_end ? HD_EVENT_IMPLICIT_END : HD_EVENT_IMPLICIT_BEGIN);
  struct hd_thread *thread = event.thread;
  if (!thread)
    return;
  if (endpoint == ompt_scope_end)
    hd_region_leave(thread, event.now);
  else if ((flags & ompt_task_initial) && !told && !hd_region_is_forked(thread))
    thread->frames->task = task; /* the task outside any region: the thread's own frame stands for it */
  else
    hd_region_enter(thread, event.now, told, task, team_size, thread_number);
  if (hd_budget_is_any_off())
    hd_unresolved_begin_unheard(thread, event.now);
}

/* ---- worksharing ---- */

enum { WORK_WORKDISTRIBUTE = 9 }; /* ompt_work_workdistribute, of OpenMP 6.0: older headers lack it */

static enum hd_kind kind_of_work(ompt_work_t type) {
  static const enum hd_kind kinds[] = {
      [ompt_work_loop] = HD_KIND_LOOP,
      [ompt_work_sections] = HD_KIND_SECTIONS,
      [ompt_work_single_executor] = HD_KIND_SINGLE,
      [ompt_work_single_other] = HD_KIND_SINGLE,
      [ompt_work_workshare] = HD_KIND_WORKSHARE,
      [ompt_work_distribute] = HD_KIND_DISTRIBUTE,
      [ompt_work_taskloop] = HD_KIND_TASKLOOP,
      [ompt_work_scope] = HD_KIND_SCOPE,
      [WORK_WORKDISTRIBUTE] = HD_KIND_WORKDISTRIBUTE,
      [ompt_work_loop_static] = HD_KIND_LOOP_STATIC,
      [ompt_work_loop_dynamic] = HD_KIND_LOOP_DYNAMIC,
      [ompt_work_loop_guided] = HD_KIND_LOOP_GUIDED,
      [ompt_work_loop_other] = HD_KIND_LOOP,
  };
  unsigned index = (unsigned)type;
  if (index < sizeof kinds / sizeof *kinds && kinds[index])
    return kinds[index];
  hd_callbacks_count_unknown();
  return HD_KIND_OTHER;
}

/* What a construct's frame is known by: its begin and end may name a loop's schedule differently. And clang up to 16
 * takes the end of the loop in "distribute parallel for" for that of the distribute around its region. */
static enum hd_kind frame_kind(enum hd_kind kind) {
  const bool is_loop = (kind >= HD_KIND_LOOP && kind <= HD_KIND_LOOP_GUIDED) || kind == HD_KIND_DISTRIBUTE;
  return is_loop ? HD_KIND_LOOP : kind;
}

/* Of a static loop each thread's part is known by its number and the number of iterations, without a chunk's size. */
static void note_static(struct hd_thread *thread, struct hd_row_record *row, uint64_t iterations) {
  if (__builtin_expect(thread->special & HD_SPECIAL_PAUSED, false))
    return;
  struct hd_row_cell *cell = hd_thread_cell(thread, row, HD_CELL_STATIC);
  cell->ticks += iterations;
  cell->intrusion = hd_numbers_join(cell->intrusion, (int64_t)hd_team_base(thread)->base.thread_number + 1);
}

static void begin_work(struct hd_thread *thread, uint64_t now, ompt_work_t type, ompt_data_t *task, uint64_t iterations,
                       const void *address) {
  enum hd_kind kind = kind_of_work(type);
  const struct hd_way step = hd_thread_step(thread, kind, address);
  struct hd_row_record *row = step.to;
  const bool is_folded = !step.counter; /* the row, and its totals, are what surrounds it */
  thread->ring.what = hd_thread_count(thread, HD_WHAT_ENTER, row, step.counter);
  /* GCC-built code never says where the executor's block ends: its time stays with the region. */
  bool gcc_single = kind == HD_KIND_SINGLE && hd_callbacks_is_gcc_code(thread);
  bool endless = gcc_single && type == ompt_work_single_executor;
  if (endless)
    hd_thread_set_state(thread, now, thread->top->state);
  else
    hd_thread_push(thread, now, row, frame_kind(kind), HD_BUSY);
  if (thread->top->kind == HD_KIND_LOOP && frame_kind(kind) == HD_KIND_LOOP)
    hd_chunks_begin_loop(thread->top, !is_folded);
  if (kind == HD_KIND_LOOP_STATIC && !is_folded)
    note_static(thread, row, iterations);
  if (kind == HD_KIND_TASKLOOP)
    thread->top->task = task;
  else
    hd_worksharing_begin(thread, now, row, !gcc_single && !is_folded);
  if (endless)
    hd_worksharing_end(thread, now);
}

/* The barrier that closes it must not be taken for an earlier construct's. */
static bool refuse_work(ompt_work_t type) {
  if (!hd_budget_refuses(HD_CLASS_WORK))
    return false;
  struct hd_thread *thread = hd_thread_known_soon();
  if (thread && type != ompt_work_taskloop)
    thread->base->base.work.ended = false;
  return true;
}

static bool is_unobserved_work(ompt_work_t type, const ompt_data_t *task) {
  return hd_budget_is_off(HD_CLASS_WORK) &&
         hd_callbacks_is_unobserved_end(HD_CLASS_WORK, frame_kind(kind_of_work(type)), task);
}

void hd_callbacks_on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                          uint64_t count, const void *address) {
  (void)parallel;
  if (hd_thread_ignores() || (endpoint == ompt_scope_end ? is_unobserved_work(type, task) : refuse_work(type)))
    return;
  HD_EVENT struct hd_event event =
      hd_event_begin(endpoint == ompt_scope_begin ? HD_EVENT_WORK_BEGIN : HD_EVENT_WORK_END);
  struct hd_thread *thread = event.thread;
  if (!thread)
    return;
  hd_task_notice(thread, event.now, task);
  if (endpoint != ompt_scope_end)
    begin_work(thread, event.now, type, task, count, address);
  if (endpoint == ompt_scope_begin)
    return;
  enum hd_kind kind = kind_of_work(type);
  if (hd_thread_leave(thread, event.now, frame_kind(kind), task) && kind != HD_KIND_TASKLOOP)
    hd_worksharing_end(thread, event.now);
}

/* ---- masked ---- */

/* A block may call what has one, too, and an end does not say whose it is: the innermost that is observed counts those
 * in it that are not. */
static bool refuse_masked(void) {
  if (!hd_budget_refuses(HD_CLASS_WORK))
    return false;
  const struct hd_thread *thread = hd_thread_known_soon();
  struct hd_frame *around = thread ? hd_thread_innermost(thread, HD_KIND_MASKED) : NULL;
  if (around)
    around->refused++;
  return true;
}

static bool is_unobserved_masked(void) {
  if (!hd_budget_touched(HD_CLASS_WORK))
    return false;
  const struct hd_thread *thread = hd_thread_known_soon();
  struct hd_frame *innermost = thread ? hd_thread_innermost(thread, HD_KIND_MASKED) : NULL;
  if (!innermost || innermost->refused == 0)
    return thread && !innermost;
  innermost->refused--;
  return true;
}

/* Sent only to a thread that runs the block. The end's address is of no use: it is called as the last thing of a body.
 */
void hd_callbacks_on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                            const void *address) {
  (void)parallel, (void)task;
  if (hd_thread_ignores() || (endpoint == ompt_scope_begin ? refuse_masked() : is_unobserved_masked()))
    return;
  HD_EVENT struct hd_event event =
      hd_event_begin(endpoint == ompt_scope_begin ? HD_EVENT_MASKED_BEGIN : HD_EVENT_MASKED_END);
  struct hd_thread *thread = event.thread;
  if (!thread)
    return;
  if (endpoint == ompt_scope_begin) {
    hd_callbacks_enter(thread, event.now, HD_KIND_MASKED, address, hd_region_task_state(thread->base->base.region));
    thread->top->refused = 0;
  } else if (endpoint == ompt_scope_end) {
    hd_thread_leave(thread, event.now, HD_KIND_MASKED, NULL);
  }
}

/* ---- what the program asks of the tool ---- */

/* OpenMP 5.2, section 18.14, omp_control_tool_t and omp_control_tool_result_t: in omp.h, which the tool does without.
 */
enum { CONTROL_START = 1, CONTROL_PAUSE = 2, CONTROL_FLUSH = 3, CONTROL_END = 4, COMMANDS, SUCCESS = 0, IGNORED = 1 };

int hd_callbacks_on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *address) {
  (void)modifier, (void)argument, (void)address;
  static bool (*const obey[COMMANDS])(void) = {[CONTROL_START] = hd_control_resume,
                                               [CONTROL_PAUSE] = hd_control_pause,
                                               [CONTROL_FLUSH] = hd_control_flush,
                                               [CONTROL_END] = hd_control_end};
  return command < COMMANDS && obey[command] && obey[command]() ? SUCCESS : IGNORED;
}

/* ---- registration ---- */

static ompt_set_callback_t set_callback;

static const struct {
  ompt_callbacks_t event;
  uint32_t classes; /* it can be muted when these are off (budget.h) */
  ompt_callback_t function;
} table[HD_CALLBACK_COUNT] = {
#define ROW(name, ompt_name, type, class, loss)                                                                        \
  {ompt_callback_##ompt_name, 1u << HD_CLASS_##class, (ompt_callback_t)hd_callbacks_on_##ompt_name},
    HD_CALLBACK_TABLE(ROW)};

uint64_t hd_callbacks_register(ompt_set_callback_t runtime_set_callback) {
  uint64_t lost = 0;
  uint64_t registered = 0;
  set_callback = runtime_set_callback;
  for (unsigned i = 0; i < HD_CALLBACK_COUNT; i++) {
    const unsigned answer = (unsigned)set_callback(table[i].event, table[i].function);
    registered |= (uint64_t)((answer + 1) & 15u) << (HD_REGISTERED_BITS * i);
    if (answer != ompt_set_always)
      lost |= (uint64_t)1 << i;
  }
  hd_store.header->registered = registered;
  if (hd_order_is_kept())
    set_callback(ompt_callback_sync_region, (ompt_callback_t)hd_callbacks_on_sync_region);
  return lost;
}

/* ---- while the measurement is dormant ---- */

/* Where stores are not seen in their order a thread could find a callback's bit, but not yet its pointer. */
#if defined(__x86_64__)

static bool is_awake(void) {
  return __builtin_expect(!hd_dormancy_is_asleep() || (hd_steering_is_asked() && hd_steering_wake_if_asked()), false);
}

static void look_at_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
                                   unsigned requested, int flags, const void *address) {
  if (is_awake())
    hd_callbacks_on_parallel_begin(task, frame, parallel, requested, flags, address);
}

static void look_at_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                         ompt_data_t *task, const void *address) {
  if (is_awake())
    hd_callbacks_on_sync_region_wait(kind, endpoint, parallel, task, address);
}

void hd_callbacks_register_dormant(ompt_set_callback_t runtime_set_callback) {
  set_callback = runtime_set_callback;
  set_callback(ompt_callback_thread_begin, (ompt_callback_t)hd_callbacks_on_thread_begin);
  set_callback(ompt_callback_thread_end, (ompt_callback_t)hd_callbacks_on_thread_end);
  set_callback(ompt_callback_control_tool, (ompt_callback_t)hd_callbacks_on_control_tool);
  set_callback(ompt_callback_parallel_begin, (ompt_callback_t)look_at_parallel_begin);
  set_callback(ompt_callback_sync_region_wait, (ompt_callback_t)look_at_wait);
}

#else

void hd_callbacks_register_dormant(ompt_set_callback_t runtime_set_callback) {
  hd_callbacks_register(runtime_set_callback);
}

#endif

void hd_callbacks_mute(uint32_t classes, bool mute) {
  for (unsigned i = 0; i < HD_CALLBACK_COUNT; i++)
    if (table[i].classes & classes)
      set_callback(table[i].event, mute ? NULL : table[i].function);
}
