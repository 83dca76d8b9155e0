/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/counting/sample_table.h"

#include <pthread.h>

#include "heddle-format.h"
#include "ompt/shared/measuring.h"
#include "support/inprocess/memory_budget.h"

/* 16, 32, ... 256 KiB. A key is looked for in so many places of each table. */
enum { TABLES = 5, FIRST_BYTES = 16 << 10, PROBES = 16 };

static struct {
  pthread_mutex_t lock; /* of making a table */
  struct table {
    struct hd_sample_record *records;
    uint32_t limit; /* 0: it is not made yet; release order */
  } tables[TABLES];
} samples = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t hash(uint64_t address, uint64_t place) {
  const uint64_t mixed = (address ^ place * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  return mixed ^ mixed >> 32;
}

/* Two words make the key. Who has put in the first may be overtaken by another thread with the same address, which then
 * puts in the second: so both are put in only where there is nothing, and whoever finds another key goes on. */
static bool claim(uint64_t *word, uint64_t value) {
  uint64_t there = 0;
  return __atomic_compare_exchange_n(word, &there, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) || there == value;
}

static bool add_to(const struct table *table, uint32_t limit, uint64_t address, uint64_t place, uint64_t weight) {
  const uint64_t first = hash(address, place);
  for (uint32_t i = 0; i < PROBES; i++) {
    struct hd_sample_record *record = &table->records[(first + i) % limit];
    if (!claim(&record->address, address) || !claim(&record->place, place))
      continue;
    __atomic_fetch_add(&record->count, weight, __ATOMIC_RELAXED);
    __atomic_fetch_add(&record->taken, 1, __ATOMIC_RELAXED);
    return true;
  }
  return false;
}

/* Under the lock. All of its records are visible at once: those that are not used are zero. */
static void make(struct table *table, uint32_t bytes) {
  struct hd_store_cursor cursor = {0};
  const uint32_t count = (bytes - HD_BLOCK_HEADER_BYTES) / (uint32_t)sizeof *table->records;
  if (!hd_memory_has_room(HD_MEMORY_PATH, bytes) ||
      !hd_store_reserve(&hd_store, &cursor, HD_BLOCK_SAMPLES, HD_NONE, sizeof *table->records, count))
    return;
  table->records = hd_store_add(&hd_store, &cursor, HD_BLOCK_SAMPLES, HD_NONE, sizeof *table->records);
  cursor.used = cursor.limit;
  hd_store_publish(&cursor);
  __atomic_store_n(&table->limit, cursor.limit, __ATOMIC_RELEASE);
}

static uint32_t limit_of(const struct table *table) {
  return __atomic_load_n(&table->limit, __ATOMIC_ACQUIRE);
}

/* Once the table is made. */
static uint32_t limit_made(uint32_t i) {
  struct table *table = &samples.tables[i];
  if (limit_of(table) == 0) {
    pthread_mutex_lock(&samples.lock);
    if (table->limit == 0)
      make(table, (uint32_t)FIRST_BYTES << i);
    pthread_mutex_unlock(&samples.lock);
  }
  return limit_of(table);
}

void hd_sample_table_prepare(void) {
  limit_made(0);
}

bool hd_sample_table_add(uint64_t address, uint64_t place, uint64_t weight) {
  for (uint32_t i = 0; i < TABLES; i++) {
    const uint32_t limit = limit_made(i);
    if (limit == 0)
      return false;
    if (add_to(&samples.tables[i], limit, address, place, weight))
      return true;
  }
  return false;
}
