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

/* Under the lock. */
static struct known *find(const void *function) {
  struct known *known;
  HASH_FIND_PTR(functions.table, &function, known);
  return known;
}

/* Another thread may have been faster. */
static void remember(const void *function, bool is_body) {
  struct known *known =
      !find(function) && HASH_COUNT(functions.table) < MOST_FUNCTIONS ? hd_heap_allocate(1, sizeof *known) : NULL;
  if (!known)
    return; /* asked again next time */
  known->function = function;
  known->is_body = is_body;
  HASH_ADD_PTR(functions.table, function, known);
  if (!known->hh.tbl)
    hd_heap_free(known);
}

/* What takes long, to look at the function's name, without the lock. */
bool hd_bodies_contain(const void *function) {
  pthread_mutex_lock(&functions.lock);
  const struct known *known = find(function);
  pthread_mutex_unlock(&functions.lock);
  if (known)
    return known->is_body;
  const bool is_body = hd_outlined_is(function, function, false);
  pthread_mutex_lock(&functions.lock);
  remember(function, is_body);
  pthread_mutex_unlock(&functions.lock);
  return is_body;
}
