/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/doctor/probe/rows.h"

#include <omp-tools.h>
#include <stdbool.h>
#include <stdint.h>

enum { WHOEVER, PRIMARY, WORKERS };
enum { WHENEVER = -1, NOT_SENT = -2 };
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
  uint8_t count; /* of events, beginnings and ends */
  bool address;  /* beginnings need one */
  bool handled;  /* Heddle works without it, or if it is late */
  const char *what;
  const char *loss;
};

#define LOOP(kind) (KIND(ompt_work_loop) | KIND(kind)) /* before libomp 17 all loops were ompt_work_loop */
#define SHARED_BARRIER (KIND(ompt_sync_region_barrier_implicit) | KIND(ompt_sync_region_barrier_implicit_workshare))
#define LAST_BARRIER (KIND(ompt_sync_region_barrier_implicit) | KIND(ompt_sync_region_barrier_implicit_parallel))

#define EVENT(name) #name, ompt_callback_##name
#define FIRST HD_PROBE_FIRST
#define SECOND HD_PROBE_SECOND
#define THIRD HD_PROBE_THIRD
#define AFTER HD_PROBE_AFTER

static const char regions[] = "all parallel regions";
static const char loops[] = "the loop's time is its region's";
static const char blocks[] = "the block's time is its region's";
static const char waits[] = "waiting there counts as busy";
static const char mutexes[] = "waiting for it counts as busy";
static const char tasks[] = "tasks count as their thread's waiting";
static const char no_need[] = "nothing: the primary's counts";

#define MUTEX(construct, where, kind, times)                                                                           \
  {EVENT(mutex_acquire), KIND(kind), (where), FIRST, NOT_SENT, WHOEVER, (times), true, false, (construct), mutexes},   \
      {EVENT(mutex_acquired), KIND(kind), (where), FIRST, NOT_SENT, WHOEVER, (times), false, false,                    \
       (construct),           mutexes},                                                                                \
      {EVENT(mutex_released),                                                                                          \
       KIND(kind),                                                                                                     \
       (where),                                                                                                        \
       SECOND,                                                                                                         \
       NOT_SENT,                                                                                                       \
       WHOEVER,                                                                                                        \
       (times),                                                                                                        \
       false,                                                                                                          \
       false,                                                                                                          \
       (construct),                                                                                                    \
       "what it holds others up with"}

#define WORK(construct, where, kinds, last, lost)                                                                      \
  {EVENT(work), (kinds), (where), FIRST, (last), WHOEVER, 4, true, false, (construct), (lost)}

#define WAIT(construct, where, kinds, step)                                                                            \
  {EVENT(sync_region_wait), (kinds), (where), (step), (step), WHOEVER, 4, true, false, (construct), waits}

static const struct expectation table[] = {
    {EVENT(thread_begin), ANY_KIND, HD_PROBE_REGION, WHENEVER, NOT_SENT, WORKERS, 1, false, true, .what = "worker",
     .loss = "nothing: its first event counts"},
    {EVENT(thread_end), ANY_KIND, HD_PROBE_TEAMS, WHENEVER, NOT_SENT, WORKERS, 1, false, true, .what = "worker",
     .loss = "nothing: its last event counts"},
    {EVENT(parallel_begin), ANY_KIND, HD_PROBE_REGION, 0, NOT_SENT, PRIMARY, 1, true, false, .what = "region",
     .loss = regions},
    {EVENT(parallel_end), ANY_KIND, HD_PROBE_REGION, AFTER, NOT_SENT, PRIMARY, 1, false, false, .what = "region",
     .loss = regions},
    {EVENT(implicit_task), ANY_KIND, HD_PROBE_REGION, 0, NOT_SENT, PRIMARY, 1, false, false, .what = "primary begins",
     .loss = regions},
    {EVENT(implicit_task), ANY_KIND, HD_PROBE_REGION, WHENEVER, NOT_SENT, WORKERS, 1, false, false,
     .what = "worker begins", .loss = "the workers of regions"},
    {EVENT(implicit_task), ANY_KIND, HD_PROBE_REGION, NOT_SENT, AFTER, PRIMARY, 1, false, false, .what = "primary ends",
     .loss = "fork and join"},
    {EVENT(implicit_task), ANY_KIND, HD_PROBE_REGION, NOT_SENT, AFTER, WORKERS, 1, false, true, .what = "worker ends",
     .loss = no_need},
    {EVENT(sync_region_wait), LAST_BARRIER, HD_PROBE_REGION, AFTER, NOT_SENT, WHOEVER, 2, false, false,
     .what = "region's end begins", .loss = "imbalance of regions"},
    {EVENT(sync_region_wait), LAST_BARRIER, HD_PROBE_REGION, NOT_SENT, AFTER, PRIMARY, 1, false, false,
     .what = "region's end ends", .loss = "imbalance of regions"},
    {EVENT(sync_region_wait), LAST_BARRIER, HD_PROBE_REGION, NOT_SENT, AFTER, WORKERS, 1, false, true,
     .what = "region's end, worker", .loss = no_need},
    WORK("static loop", HD_PROBE_STATIC, LOOP(ompt_work_loop_static), SECOND, loops),
    WAIT("loop's end", HD_PROBE_STATIC, SHARED_BARRIER, THIRD),
    WORK("dynamic loop", HD_PROBE_DYNAMIC, LOOP(ompt_work_loop_dynamic), SECOND, loops),
    WORK("guided loop", HD_PROBE_GUIDED, LOOP(ompt_work_loop_guided), SECOND, loops),
    WORK("sections", HD_PROBE_SECTIONS, KIND(ompt_work_sections), SECOND, blocks),
    {EVENT(work), KIND(ompt_work_single_executor), HD_PROBE_SINGLE, FIRST, SECOND, WHOEVER, 2, true, false,
     .what = "single, executor", .loss = blocks},
    {EVENT(work), KIND(ompt_work_single_other), HD_PROBE_SINGLE, FIRST, FIRST, WHOEVER, 2, true, false,
     .what = "single, others", .loss = "waiting after it is the region's"},
    {EVENT(masked), ANY_KIND, HD_PROBE_MASTER, FIRST, SECOND, PRIMARY, 2, true, false, .what = "masked, master",
     .loss = blocks},
    WORK("distribute", HD_PROBE_TEAMS, KIND(ompt_work_distribute), SECOND, loops),
    {EVENT(parallel_begin), KIND(HD_PROBE_LEAGUE), HD_PROBE_TEAMS, 0, NOT_SENT, PRIMARY, 1, true, false,
     .what = "teams", .loss = "leagues of teams"},
    WAIT("barrier", HD_PROBE_BARRIER, KIND(ompt_sync_region_barrier_explicit), FIRST),
    WAIT("reduction", HD_PROBE_REDUCTION,
         KIND(ompt_sync_region_barrier) | KIND(ompt_sync_region_barrier_implementation) | SHARED_BARRIER, SECOND),
    MUTEX("critical", HD_PROBE_CRITICAL, ompt_mutex_critical, HD_PROBE_TEAM),
    MUTEX("lock", HD_PROBE_LOCK, ompt_mutex_lock, HD_PROBE_TEAM),
    MUTEX("ordered", HD_PROBE_ORDERED, ompt_mutex_ordered, HD_PROBE_ITERATIONS),
    MUTEX("atomic", HD_PROBE_ATOMIC, ompt_mutex_atomic, HD_PROBE_TEAM),
    {EVENT(task_create), ANY_KIND, HD_PROBE_TASK, SECOND, NOT_SENT, WHOEVER, 2, true, false, .what = "task",
     .loss = tasks},
    {EVENT(task_schedule), ANY_KIND, HD_PROBE_TASK, WHENEVER, NOT_SENT, WHOEVER, 4, false, false, .what = "task",
     .loss = tasks},
    WAIT("taskwait", HD_PROBE_TASKWAIT, KIND(ompt_sync_region_taskwait), SECOND),
    WAIT("taskgroup", HD_PROBE_TASKGROUP, KIND(ompt_sync_region_taskgroup), SECOND),
    {EVENT(work), KIND(ompt_work_taskloop), HD_PROBE_TASKLOOP, FIRST, FIRST, PRIMARY, 2, true, false,
     .what = "taskloop", .loss = loops},
    {EVENT(control_tool), ANY_KIND, HD_PROBE_CONTROL, 0, NOT_SENT, PRIMARY, 1, false, false, .what = "omp_control_tool",
     .loss = "pauses that the program asks for"},
};
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
  const bool needs_address = expected->address && !is_end(record);
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
    return expected->handled ? HD_PROBE_HANDLED : HD_PROBE_LOST;
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
