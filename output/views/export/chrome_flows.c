/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/export/chrome_flows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/command/memory.h"

#define uthash_fatal(why) hd_no_memory()
#include <uthash.h>

/* Created, and not begun. */
struct task {
  uint64_t number;
  UT_hash_handle hh;
};

struct lock {
  uint32_t holder;    /* a thread, and 1; 0: nobody has it */
  uint32_t waiting;   /* threads */
  uint64_t handed_on; /* the arrow that its last release has begun, for whoever waits; 0: none */
  uint64_t gap;       /* all this is of the time since then */
};

struct hd_chrome_flows {
  const struct hd_model *model;
  FILE *out;
  struct task *tasks;
  struct lock *locks;
  uint64_t lock_limit;
  uint64_t hand_overs;
  uint64_t gaps;   /* in the trace, counted once for each thread */
  uint64_t *waits; /* by thread: for this lock; 0: for none */
};

struct hd_chrome_flows *hd_chrome_flows_new(const struct hd_model *model, FILE *out) {
  struct hd_chrome_flows *flows = hd_new(1, sizeof *flows);
  *flows = (struct hd_chrome_flows){
      .model = model, .out = out, .waits = hd_new((size_t)model->thread_count + 1, sizeof *flows->waits)};
  return flows;
}

static void forget(struct hd_chrome_flows *flows, struct task *task) {
  HASH_DEL(flows->tasks, task);
  free(task);
}

void hd_chrome_flows_free(struct hd_chrome_flows *flows) {
  while (flows->tasks)
    forget(flows, flows->tasks);
  free(flows->locks);
  free(flows->waits);
  free(flows);
}

/* ---- arrows ---- */

static void write_end(const struct hd_chrome_flows *flows, const char *phase, const char *kind, uint64_t number,
                      uint32_t thread, uint64_t ticks) {
  fprintf(flows->out,
          ",\n{\"ph\":%s,\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
          ",\"ts\":%.3f,\"cat\":\"%s\",\"name\":\"%s\",\"id\":%" PRIu64 "}",
          phase, flows->model->header.pid, thread, 1e6 * hd_trace_seconds(flows->model, ticks), kind, kind, number);
}

#define BEGINS "\"s\""
#define ENDS_IN_NEXT "\"f\""
#define ENDS_HERE "\"f\",\"bp\":\"e\""

/* ---- tasks ---- */

static struct task *find(const struct hd_chrome_flows *flows, uint64_t number) {
  struct task *task = NULL;
  HASH_FIND(hh, flows->tasks, &number, sizeof number, task);
  return task;
}

static void create(struct hd_chrome_flows *flows, const struct hd_trace_entry *entry) {
  if ((entry->b & HD_ORDER_ONLY_WAITS) || find(flows, entry->a))
    return;
  struct task *task = hd_new(1, sizeof *task);
  task->number = entry->a;
  HASH_ADD(hh, flows->tasks, number, sizeof task->number, task);
  write_end(flows, BEGINS, "task", entry->a, entry->thread, entry->ticks);
}

static void begin(struct hd_chrome_flows *flows, const struct hd_trace_entry *entry) {
  struct task *task = find(flows, entry->b);
  if (!task)
    return;
  forget(flows, task);
  write_end(flows, ENDS_IN_NEXT, "task", entry->b, entry->thread, entry->ticks);
}

/* ---- locks ---- */

static struct lock *lock_of(struct hd_chrome_flows *flows, uint64_t number) {
  if (number >= flows->lock_limit) {
    const uint64_t limit = 2 * number + 8;
    flows->locks = hd_grow(flows->locks, limit, sizeof *flows->locks);
    memset(flows->locks + flows->lock_limit, 0, (limit - flows->lock_limit) * sizeof *flows->locks);
    flows->lock_limit = limit;
  }
  struct lock *lock = &flows->locks[number];
  if (lock->gap != flows->gaps)
    *lock = (struct lock){.gap = flows->gaps};
  return lock;
}

static void stop_waiting(struct hd_chrome_flows *flows, uint32_t thread) {
  if (flows->waits[thread] != 0)
    lock_of(flows, flows->waits[thread])->waiting--;
  flows->waits[thread] = 0;
}

static void wait(struct hd_chrome_flows *flows, const struct hd_trace_entry *entry) {
  stop_waiting(flows, entry->thread);
  flows->waits[entry->thread] = entry->a;
  lock_of(flows, entry->a)->waiting++;
}

static void release(struct hd_chrome_flows *flows, const struct hd_trace_entry *entry) {
  struct lock *lock = lock_of(flows, entry->a);
  if (lock->holder != entry->thread + 1) /* the next one has it already */
    return;
  lock->holder = 0;
  lock->handed_on = lock->waiting > 0 ? ++flows->hand_overs : 0;
  if (lock->handed_on)
    write_end(flows, BEGINS, "lock", lock->handed_on, entry->thread, entry->ticks);
}

/* Its holder may tell of the release later. */
static void acquire(struct hd_chrome_flows *flows, const struct hd_trace_entry *entry) {
  struct lock *lock = lock_of(flows, entry->a);
  const bool has_waited = flows->waits[entry->thread] == entry->a;
  if (has_waited && lock->holder != 0 && lock->holder != entry->thread + 1) {
    lock->handed_on = ++flows->hand_overs;
    write_end(flows, BEGINS, "lock", lock->handed_on, lock->holder - 1, entry->ticks);
  }
  if (has_waited && lock->handed_on)
    write_end(flows, ENDS_HERE, "lock", lock->handed_on, entry->thread, entry->ticks);
  stop_waiting(flows, entry->thread);
  lock->holder = entry->thread + 1;
  lock->handed_on = 0;
}

/* Who has what lock behind a gap in the trace, and who waits for it, is not known. */
static void end_stretch(struct hd_chrome_flows *flows, uint32_t thread) {
  flows->waits[thread] = 0;
  flows->gaps++;
}

void hd_chrome_flows_take(struct hd_chrome_flows *flows, const struct hd_trace_entry *entry) {
  if (entry->is_bound && entry->now.state == HD_STATE_COUNT)
    end_stretch(flows, entry->thread);
  if (entry->what != HD_WHAT_ORDER)
    return;
  if (entry->operand == HD_ORDER_CREATE)
    create(flows, entry);
  else if (entry->operand == HD_ORDER_SWITCH)
    begin(flows, entry);
  else if (entry->operand == HD_ORDER_WAITS)
    wait(flows, entry);
  else if (entry->operand == HD_ORDER_FAILED)
    stop_waiting(flows, entry->thread);
  else if (entry->operand == HD_ORDER_RELEASED)
    release(flows, entry);
  else if (entry->operand == HD_ORDER_ACQUIRED)
    acquire(flows, entry);
}
