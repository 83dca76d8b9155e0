/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/bodies.h"

#include <pthread.h>
#include <stdint.h>

#include "support/heap.h"

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(bytes) hd_heap_allocate(1, bytes)
#define uthash_free(memory, bytes) hd_heap_free(memory)
#include <uthash.h>

#include "callpath/outlined.h"

enum { MOST_FUNCTIONS = 1 << 16 };

struct key {
  const void *function;
  uint64_t called_by_runtime; /* wide, so that the key has no padding */
};

struct known {
  struct key key;
  bool is_body;
  UT_hash_handle hh;
};

static struct {
  pthread_mutex_t lock;
  struct known *table;
} functions = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void remember(const struct key *key, bool is_body) {
  struct known *known = HASH_COUNT(functions.table) < MOST_FUNCTIONS ? hd_heap_allocate(1, sizeof *known) : NULL;
  if (!known)
    return; /* asked again next time */
  known->key = *key;
  known->is_body = is_body;
  HASH_ADD(hh, functions.table, key, sizeof known->key, known);
  if (!known->hh.tbl)
    hd_heap_free(known);
}

bool hd_bodies_contain(const void *function, bool called_by_runtime) {
  const struct key key = {function, called_by_runtime};
  struct known *known;
  pthread_mutex_lock(&functions.lock);
  HASH_FIND(hh, functions.table, &key, sizeof key, known);
  bool is_body = known ? known->is_body : hd_outlined_is(function, (const char *)function + 1, called_by_runtime);
  if (!known)
    remember(&key, is_body);
  pthread_mutex_unlock(&functions.lock);
  return is_body;
}
