/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <omp-tools.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/doctor/probe/probe_internal.h"

enum { WHOEVER, PRIMARY, WORKERS };
enum {
  NOT_SENT = -2,
  WHENEVER = -1,
  BEFORE = HD_PROBE_BEFORE,
  FIRST = HD_PROBE_FIRST,
  SECOND = HD_PROBE_SECOND,
  THIRD = HD_PROBE_THIRD,
  AFTER = HD_PROBE_AFTER
};
#define KIND(kind) (1u << (kind))
#define ANY_KIND UINT32_MAX

/* What must arrive. An event without an endpoint counts as a beginning. */
struct expectation {
  const char *name;
  ompt_callbacks_t event;
  uint32_t kinds; /* KIND(...) | ... of the event's own enumeration */
  uint8_t place;
  int8_t begin;  /* at which step the beginning comes */
  int8_t end;    /* and the end */
  uint8_t who;   /* sends it */
  uint8_t with;  /* ADDRESS: beginnings need one. HANDLED: Heddle works without it, or if it is late */
  uint8_t count; /* of events, beginnings and ends */
  const char *what;
  const char *loss;
};
enum { PLAIN, ADDRESS = 1, HANDLED = 2 };

#define LOOP(kind) (KIND(ompt_work_loop) | KIND(kind)) /* before libomp 17 all loops were ompt_work_loop */
#define SHARED_BARRIER (KIND(ompt_sync_region_barrier_implicit) | KIND(ompt_sync_region_barrier_implicit_workshare))
#define LAST_BARRIER (KIND(ompt_sync_region_barrier_implicit) | KIND(ompt_sync_region_barrier_implicit_parallel))
#define ANY_BARRIER (SHARED_BARRIER | KIND(ompt_sync_region_barrier) | KIND(ompt_sync_region_barrier_implementation))

static const char regions[] = "all parallel regions";
static const char loops[] = "the loop's time is its region's";
static const char blocks[] = "the block's time is its region's";
static const char waits[] = "waiting there counts as busy";
static const char mutexes[] = "waiting for it counts as busy";
static const char holding[] = "what it holds others up with";
static const char tasks[] = "tasks count as their thread's waiting";
static const char imbalance[] = "imbalance of regions";
static const char no_need[] = "nothing: the primary's counts";

#define ROW(event, kinds, place, begin, end, who, with, count, what, loss)                                             \
  {#event, ompt_callback_##event, kinds, HD_PROBE_##place, begin, end, who, with, count, what, loss},
#define WORK(what, place, kinds, last, lost) ROW(work, kinds, place, FIRST, last, WHOEVER, ADDRESS, 4, what, lost)
#define WAIT(what, place, kinds, step) ROW(sync_region_wait, kinds, place, step, step, WHOEVER, ADDRESS, 4, what, waits)
#define MUTEX(what, place, kind, times)                                                                                \
  ROW(mutex_acquire, KIND(kind), place, FIRST, NOT_SENT, WHOEVER, ADDRESS, times, what, mutexes)                       \
  ROW(mutex_acquired, KIND(kind), place, FIRST, NOT_SENT, WHOEVER, PLAIN, times, what, mutexes)                        \
  ROW(mutex_released, KIND(kind), place, SECOND, NOT_SENT, WHOEVER, PLAIN, times, what, holding)

/* clang-format off */
static const struct expectation table[] = {
  ROW(thread_begin, ANY_KIND, REGION, WHENEVER, NOT_SENT, WORKERS, HANDLED, 1, "worker",
      "nothing: its first event counts")
  ROW(thread_end, ANY_KIND, TEAMS, WHENEVER, NOT_SENT, WORKERS, HANDLED, 1, "worker", "nothing: its last event counts")
  ROW(parallel_begin, ANY_KIND, REGION, BEFORE, NOT_SENT, PRIMARY, ADDRESS, 1, "region", regions)
  ROW(parallel_end, ANY_KIND, REGION, AFTER, NOT_SENT, PRIMARY, PLAIN, 1, "region", regions)
  ROW(implicit_task, ANY_KIND, REGION, BEFORE, NOT_SENT, PRIMARY, PLAIN, 1, "primary begins", regions)
  ROW(implicit_task, ANY_KIND, REGION, WHENEVER, NOT_SENT, WORKERS, PLAIN, 1, "worker begins", "the workers of regions")
  ROW(implicit_task, ANY_KIND, REGION, NOT_SENT, AFTER, PRIMARY, PLAIN, 1, "primary ends", "fork and join")
  ROW(implicit_task, ANY_KIND, REGION, NOT_SENT, AFTER, WORKERS, HANDLED, 1, "worker ends", no_need)
  ROW(sync_region_wait, LAST_BARRIER, REGION, AFTER, NOT_SENT, WHOEVER, PLAIN, 2, "region's end begins", imbalance)
  ROW(sync_region_wait, LAST_BARRIER, REGION, NOT_SENT, AFTER, PRIMARY, PLAIN, 1, "region's end ends", imbalance)
  ROW(sync_region_wait, LAST_BARRIER, REGION, NOT_SENT, AFTER, WORKERS, HANDLED, 1, "region's end, worker", no_need)
  WORK("static loop", STATIC, LOOP(ompt_work_loop_static), SECOND, loops)
  WAIT("loop's end", STATIC, SHARED_BARRIER, THIRD)
  WORK("dynamic loop", DYNAMIC, LOOP(ompt_work_loop_dynamic), SECOND, loops)
  WORK("guided loop", GUIDED, LOOP(ompt_work_loop_guided), SECOND, loops)
  WORK("sections", SECTIONS, KIND(ompt_work_sections), SECOND, blocks)
  ROW(work, KIND(ompt_work_single_executor), SINGLE, FIRST, SECOND, WHOEVER, ADDRESS, 2, "single, executor", blocks)
  ROW(work, KIND(ompt_work_single_other), SINGLE, FIRST, FIRST, WHOEVER, ADDRESS, 2, "single, others",
      "waiting after it is the region's")
  ROW(masked, ANY_KIND, MASTER, FIRST, SECOND, PRIMARY, ADDRESS, 2, "masked, master", blocks)
  WORK("distribute", TEAMS, KIND(ompt_work_distribute), SECOND, loops)
  ROW(parallel_begin, KIND(HD_PROBE_LEAGUE), TEAMS, BEFORE, NOT_SENT, PRIMARY, ADDRESS, 1, "teams", "leagues of teams")
  WAIT("barrier", BARRIER, KIND(ompt_sync_region_barrier_explicit), FIRST)
  WAIT("reduction", REDUCTION, ANY_BARRIER, SECOND)
  MUTEX("critical", CRITICAL, ompt_mutex_critical, HD_PROBE_TEAM)
  MUTEX("lock", LOCK, ompt_mutex_lock, HD_PROBE_TEAM)
  MUTEX("ordered", ORDERED, ompt_mutex_ordered, HD_PROBE_ITERATIONS)
  ROW(dependences, KIND(ompt_dependence_type_sink), DOACROSS, SECOND, NOT_SENT, WHOEVER, PLAIN, HD_PROBE_ITERATIONS - 1,
      "doacross, waited", "loops that wait look perfect")
  MUTEX("atomic", ATOMIC, ompt_mutex_atomic, HD_PROBE_TEAM)
  ROW(task_create, ANY_KIND, TASK, SECOND, NOT_SENT, WHOEVER, ADDRESS, 2, "task", tasks)
  ROW(task_schedule, ANY_KIND, TASK, WHENEVER, NOT_SENT, WHOEVER, PLAIN, 4, "task", tasks)
  WAIT("taskwait", TASKWAIT, KIND(ompt_sync_region_taskwait), SECOND)
  WAIT("taskgroup", TASKGROUP, KIND(ompt_sync_region_taskgroup), SECOND)
  ROW(work, KIND(ompt_work_taskloop), TASKLOOP, FIRST, FIRST, PRIMARY, ADDRESS, 2, "taskloop", loops)
  ROW(control_tool, ANY_KIND, CONTROL, BEFORE, NOT_SENT, PRIMARY, PLAIN, 1, "omp_control_tool",
      "pauses that the program asks for")
};
/* clang-format on */
enum { ROW_COUNT = sizeof table / sizeof *table };

size_t hd_probe_row_count(void) {
  return ROW_COUNT;
}

static const char *name_of_answer(unsigned registered) {
  static const char *const names[] = {"not asked", "error", "never", "impossible", "sometimes", "paired", "always"};
  return registered < sizeof names / sizeof *names ? names[registered] : "?";
}

static bool is_end(const struct hd_probe_record *record) {
  return record->endpoint == ompt_scope_end;
}

static bool is_at_the_end(const struct expectation *expected) {
  return expected->begin == AFTER || expected->end == AFTER;
}

static bool is_meant(const struct expectation *expected, const struct hd_probe_record *record) {
  if (record->event != expected->event || record->home != expected->place)
    return false;
  if (expected->kinds != ANY_KIND && (record->kind >= 32 || !(expected->kinds & KIND(record->kind))))
    return false;
  if (record->event == ompt_callback_sync_region_wait && (record->step == AFTER) != is_at_the_end(expected))
    return false; /* the region's own last barrier may be of the same kind */
  if (expected->who != WHOEVER && (expected->who == WORKERS) != record->worker)
    return false;
  return (is_end(record) ? expected->end : expected->begin) != NOT_SENT;
}

static bool is_timely(const struct expectation *expected, const struct hd_probe_record *record) {
  const int step = is_end(record) ? expected->end : expected->begin;
  return step == WHENEVER || (record->place == record->home && record->step == step);
}

static void count(const struct expectation *expected, const struct hd_probe_record *record, struct hd_probe_row *row) {
  if (!is_meant(expected, record))
    return;
  const bool needs_address = expected->with & ADDRESS && !is_end(record);
  row->delivered++;
  row->timely += is_timely(expected, record);
  row->needing_address += needs_address;
  row->addressed += needs_address && record->address == HD_PROBE_OWN_ADDRESS;
  row->in_runtime += needs_address && record->address == HD_PROBE_OTHER_ADDRESS;
}

static enum hd_probe_verdict judge(const struct expectation *expected, const struct hd_probe_row *row,
                                   unsigned registered) {
  const bool arrives = registered == ompt_set_always + 1 && row->delivered >= row->expected &&
                       row->timely == row->delivered && row->addressed + row->in_runtime == row->needing_address;
  if (!arrives)
    return expected->with & HANDLED ? HD_PROBE_HANDLED : HD_PROBE_LOST;
  return row->in_runtime ? HD_PROBE_HANDLED : HD_PROBE_FINE; /* Heddle looks for the caller on the stack then */
}

void hd_probe_row(const struct hd_probe *probe, size_t index, struct hd_probe_row *row) {
  const struct expectation *expected = &table[index];
  const unsigned registered = probe->registered[expected->event];
  *row = (struct hd_probe_row){.event = expected->name,
                               .what = expected->what,
                               .loss = expected->loss,
                               .registered = name_of_answer(registered),
                               .expected = expected->count};
  for (uint32_t i = 0; i < probe->count && i < HD_PROBE_RECORDS; i++)
    count(expected, &probe->records[i], row);
  row->verdict = judge(expected, row, registered);
}

const char *hd_probe_timely(const struct hd_probe_row *row) {
  if (row->delivered == 0)
    return NULL;
  return row->timely == row->delivered ? "yes" : "late";
}

const char *hd_probe_address_of(const struct hd_probe_row *row) {
  if (row->needing_address == 0)
    return NULL;
  if (row->addressed == row->needing_address)
    return "yes";
  return row->addressed + row->in_runtime == row->needing_address ? "runtime's" : "no";
}
