/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/registry.h"

#include <pthread.h>

#include "ompt/shared/clock.h"
#include "ompt/shared/measuring.h"
#include "store/numbered.h"
#include "support/inprocess/free_list.h"

/* Threads that begin at the same time do not wait for one another. */
static struct hd_numbered records = {.type = HD_BLOCK_THREADS, .record_bytes = sizeof(struct hd_thread_record)};
static struct hd_numbered all_costs = {.type = HD_BLOCK_COSTS, .record_bytes = sizeof(struct hd_costs_record)};
static uint32_t record_count;
static uint32_t published_count;
static struct hd_free_list ended[HD_THREAD_OTHER + 1]; /* threads whose records may be continued, by kind */

static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static uint32_t own_count;                                   /* threads that are not the runtime's workers */

bool hd_registry_while_alone(const struct hd_thread *thread, void (*act)(void *data), void *data) {
  pthread_mutex_lock(&own_lock);
  const bool alone = own_count == 1 && thread->record->kind != HD_THREAD_WORKER &&
                     __atomic_load_n(&hd_store.header->lost_threads, __ATOMIC_RELAXED) == 0;
  if (alone && act)
    act(data);
  pthread_mutex_unlock(&own_lock);
  return alone;
}

/* There are few of them. */
void hd_registry_count_own(enum hd_thread_kind kind) {
  if (kind == HD_THREAD_WORKER)
    return;
  pthread_mutex_lock(&own_lock);
  own_count++;
  pthread_mutex_unlock(&own_lock);
}

/* False: the file cannot grow. */
static bool take_number(uint32_t *number) {
  *number = __atomic_load_n(&record_count, __ATOMIC_ACQUIRE);
  do
    if (!hd_numbered_record(&all_costs, &hd_store, *number) || !hd_numbered_record(&records, &hd_store, *number))
      return false;
  while (!__atomic_compare_exchange_n(&record_count, number, *number + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  return true;
}

/* Who comes late stores nothing, which ThreadSanitizer takes for a store. */
__attribute__((noinline, no_sanitize("thread"))) static void set_number(uint32_t *place, uint32_t number) {
  uint32_t nothing = 0;
  __atomic_compare_exchange_n(place, &nothing, number, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Records are shown to readers in the order of their numbers, with nothing but the number if their threads have not
 * come further: each thread does it for those before it, too. */
static void publish_up_to(uint32_t number) {
  for (uint32_t i = __atomic_load_n(&published_count, __ATOMIC_ACQUIRE); i <= number; i++) {
    struct hd_thread_record *record = hd_numbered_record(&records, &hd_store, i);
    struct hd_costs_record *costs = hd_numbered_record(&all_costs, &hd_store, i);
    uint32_t before = i;
    set_number(&record->id, i);
    set_number(&costs->thread, i);
    hd_numbered_publish(&records, i);
    hd_numbered_publish(&all_costs, i); /* whose thread is known by now */
    __atomic_compare_exchange_n(&published_count, &before, i + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  }
}

bool hd_registry_add(struct hd_thread *thread, enum hd_thread_kind kind) {
  uint32_t number;
  if (!take_number(&number))
    return false;
  struct hd_thread_record *record = hd_numbered_record(&records, &hd_store, number);
  struct hd_costs_record *costs = hd_numbered_record(&all_costs, &hd_store, number);
  thread->costs = costs->kinds;
  record->kind = kind;
  __atomic_store_n(&record->last_ticks, number == 0 ? hd_store.header->loaded_ticks : hd_clock_now(), __ATOMIC_RELAXED);
  __atomic_store_n(&record->begin_ticks, record->last_ticks, __ATOMIC_RELEASE);
  __atomic_store_n(&record->threads, 1, __ATOMIC_RELEASE);
  publish_up_to(number);
  thread->record = record;
  return true;
}

struct hd_thread *hd_registry_take(enum hd_thread_kind kind) {
  return hd_free_list_take(&ended[kind], offsetof(struct hd_thread, next_ended));
}

void hd_registry_give(struct hd_thread *thread) {
  hd_free_list_put(&ended[thread->record->kind], thread, thread, offsetof(struct hd_thread, next_ended));
}
