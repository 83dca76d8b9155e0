/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/registry.h"

#include <pthread.h>

#include "ompt/shared/clock.h"
#include "ompt/shared/measuring.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static struct hd_store_cursor records_cursor;
static struct hd_store_cursor costs_cursor;
static uint32_t record_count;
static uint32_t own_count;                           /* threads that are not the runtime's workers */
static struct hd_thread *ended[HD_THREAD_OTHER + 1]; /* whose records may be continued, by kind */

bool hd_registry_while_alone(const struct hd_thread *thread, void (*act)(void *data), void *data) {
  pthread_mutex_lock(&lock);
  const bool alone = own_count == 1 && thread->record->kind != HD_THREAD_WORKER &&
                     __atomic_load_n(&hd_store.header->lost_threads, __ATOMIC_RELAXED) == 0;
  if (alone)
    act(data);
  pthread_mutex_unlock(&lock);
  return alone;
}

static struct hd_event_cost *add_costs(uint32_t id) {
  struct hd_costs_record *costs = hd_store_add(&hd_store, &costs_cursor, HD_BLOCK_COSTS, HD_NONE, sizeof *costs);
  if (!costs)
    return NULL;
  costs->thread = id;
  return costs->kinds;
}

/* Complete when it is published, and published before another thread can begin the next block. */
bool hd_registry_add(struct hd_thread *thread, enum hd_thread_kind kind) {
  pthread_mutex_lock(&lock);
  thread->costs = add_costs(record_count);
  struct hd_thread_record *record =
      thread->costs ? hd_store_add(&hd_store, &records_cursor, HD_BLOCK_THREADS, HD_NONE, sizeof *record) : NULL;
  if (record) {
    record->id = record_count++;
    own_count += kind != HD_THREAD_WORKER;
    record->kind = kind;
    record->threads = 1;
    record->begin_ticks = record->id == 0 ? hd_store.header->loaded_ticks : hd_clock_now();
    record->last_ticks = record->begin_ticks;
    hd_store_publish(&records_cursor);
    hd_store_publish(&costs_cursor); /* whose thread is known by now */
  }
  thread->record = record;
  pthread_mutex_unlock(&lock);
  return record;
}

struct hd_thread *hd_registry_take(enum hd_thread_kind kind) {
  pthread_mutex_lock(&lock);
  struct hd_thread *thread = ended[kind];
  if (thread) {
    ended[kind] = thread->next_ended;
    own_count += kind != HD_THREAD_WORKER;
  }
  pthread_mutex_unlock(&lock);
  return thread;
}

void hd_registry_give(struct hd_thread *thread) {
  pthread_mutex_lock(&lock);
  thread->next_ended = ended[thread->record->kind];
  ended[thread->record->kind] = thread;
  pthread_mutex_unlock(&lock);
}
