/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/outlined_cache.h"

#include <pthread.h>

#include "support/inprocess/heap.h"

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(bytes) hd_heap_allocate(1, bytes)
#define uthash_free(memory, bytes) hd_heap_free(memory)
#include <uthash.h>

#include "callpath/outlined.h"

enum { MOST_FUNCTIONS = 1 << 16 };

struct known {
  const void *function; /* the key */
  bool is_body;
  UT_hash_handle hh;
};

static struct {
  pthread_mutex_t lock;
  struct known *table;
} functions = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void remember(const void *function, bool is_body) {
  struct known *known = HASH_COUNT(functions.table) < MOST_FUNCTIONS ? hd_heap_allocate(1, sizeof *known) : NULL;
  if (!known)
    return; /* asked again next time */
  known->function = function;
  known->is_body = is_body;
  HASH_ADD_PTR(functions.table, function, known);
  if (!known->hh.tbl)
    hd_heap_free(known);
}

bool hd_bodies_contain(const void *function) {
  struct known *known;
  pthread_mutex_lock(&functions.lock);
  HASH_FIND_PTR(functions.table, &function, known);
  const bool is_body = known ? known->is_body : hd_outlined_is(function, function, false);
  if (!known)
    remember(function, is_body);
  pthread_mutex_unlock(&functions.lock);
  return is_body;
}
