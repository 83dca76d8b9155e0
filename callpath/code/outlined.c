/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/code/outlined.h"

#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "callpath/code/elf_symbols.h"
#include "callpath/code/loaded_modules.h"
#include "callpath/code/modules.h"
#include "callpath/unwind/libgcc_unwind.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/keep_errno.h"

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(bytes) hd_heap_allocate(1, bytes)
#define uthash_free(memory, bytes) hd_heap_free(memory)
#include <uthash.h>

static bool find_name(const char *path, uint64_t value, char *name, size_t bytes) {
  struct hd_elf_symbols symbols;
  ElfW(Sym) symbol;
  if (!hd_elf_symbols_open(path, &symbols))
    return false;
  const bool found =
      hd_elf_symbols_find(&symbols, value, &symbol) && hd_elf_symbols_name(&symbols, &symbol, name, bytes);
  hd_elf_symbols_close(&symbols);
  return found;
}

/* A full stop is in no name that a user can give. */
bool hd_outlined_is_name(const char *name) {
  return strstr(name, ".omp") || strstr(name, "._omp");
}

enum answer { UNASKED, YES, NO, UNKNOWN };

static enum answer ask_name(const void *function) {
  struct hd_loaded loaded;
  char name[512];
  if (!hd_loaded_find((uintptr_t)function, &loaded))
    return UNKNOWN;
  const char *path = loaded.info.dlpi_name && *loaded.info.dlpi_name ? loaded.info.dlpi_name : "/proc/self/exe";
  if (!find_name(path, (uintptr_t)function - loaded.info.dlpi_addr, name, sizeof name))
    return UNKNOWN;
  return hd_outlined_is_name(name) ? YES : NO;
}

/* ---- answers are remembered: a file is read for each ---- */

enum { MOST_FUNCTIONS = 1 << 16 };

struct known {
  const void *function; /* the key */
  enum answer answer;
  uint32_t unloads; /* hd_modules_unloads then: other code may lie there since */
  UT_hash_handle hh;
};

static struct {
  pthread_mutex_t lock;
  struct known *table;
} functions = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Under the lock. NULL: no memory, or too many. */
static struct known *find_or_add(const void *function) {
  struct known *known;
  HASH_FIND_PTR(functions.table, &function, known);
  if (known || HASH_COUNT(functions.table) >= MOST_FUNCTIONS || !(known = hd_heap_allocate(1, sizeof *known)))
    return known;
  known->function = function;
  HASH_ADD_PTR(functions.table, function, known);
  if (known->hh.tbl)
    return known;
  hd_heap_free(known);
  return NULL;
}

/* What takes long, to look for the name, without the lock. What is known of a function stays where it is. */
static enum answer ask_once(const void *function) {
  const uint32_t unloads = __atomic_load_n(&hd_modules_unloads, __ATOMIC_RELAXED);
  pthread_mutex_lock(&functions.lock);
  struct known *known = find_or_add(function);
  enum answer answer = known && known->unloads == unloads ? known->answer : UNASKED;
  pthread_mutex_unlock(&functions.lock);
  if (answer != UNASKED)
    return answer;
  answer = ask_name(function);
  pthread_mutex_lock(&functions.lock);
  if (known) {
    known->unloads = unloads;
    known->answer = answer;
  }
  pthread_mutex_unlock(&functions.lock);
  return answer;
}

/* By the unwinder's tables, which are not stripped. `inside` is a return address. */
static bool lies_in(const void *inside, const void *function) {
  return !hd_unwinder_load() || hd_unwinder_function((const char *)inside - 1) == function;
}

bool hd_outlined_is(const void *function, const void *inside, bool called_by_runtime) {
  HD_KEEP_ERRNO;
  const enum answer answer = ask_once(function);
  return answer == YES || (answer == UNKNOWN && called_by_runtime && lies_in(inside, function));
}
