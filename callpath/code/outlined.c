/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/code/outlined.h"

#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "callpath/code/loaded_modules.h"
#include "callpath/code/modules.h"
#include "callpath/unwind/libgcc_unwind.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/seccomp.h"

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(bytes) hd_heap_allocate(1, bytes)
#define uthash_free(memory, bytes) hd_heap_free(memory)
#include <uthash.h>

/* ---- the symbols of a module's file ---- */

/* The file may be anything by now, and change while it is read: it is not mapped. */
static bool read_at(int file, uint64_t offset, void *to, size_t bytes) {
  return offset <= INT64_MAX && pread(file, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

static bool read_section(int file, const ElfW(Ehdr) * header, uint64_t index, ElfW(Shdr) * section) {
  return index < header->e_shnum && header->e_shentsize == sizeof *section &&
         read_at(file, header->e_shoff + index * sizeof *section, section, sizeof *section);
}

static bool find_table(int file, const ElfW(Ehdr) * header, ElfW(Shdr) * table) {
  for (uint64_t i = 0; read_section(file, header, i, table); i++)
    if (table->sh_type == SHT_SYMTAB)
      return true;
  return false;
}

/* A symbol's name, cut where there is no more room. */
static bool read_name(int file, const ElfW(Ehdr) * header, const ElfW(Shdr) * table, const ElfW(Sym) * symbol,
                      char *name, size_t bytes) {
  ElfW(Shdr) strings;
  if (!read_section(file, header, table->sh_link, &strings) || symbol->st_name >= strings.sh_size)
    return false;
  ssize_t got = pread(file, name, bytes - 1, (off_t)(strings.sh_offset + symbol->st_name));
  name[got > 0 ? got : 0] = 0;
  return *name;
}

static bool is_function_at(const ElfW(Sym) * symbol, uint64_t value) {
  return symbol->st_value == value && (symbol->st_info & 0xf) == STT_FUNC;
}

enum { CHUNK_SYMBOLS = 1024 };

static bool find_symbol(int file, const ElfW(Shdr) * table, uint64_t value, ElfW(Sym) * found) {
  const uint64_t count = table->sh_size / sizeof *found;
  ElfW(Sym) *symbols = hd_heap_allocate(1, CHUNK_SYMBOLS * sizeof *symbols);
  bool done = false;
  for (uint64_t i = 0; symbols && !done && i < count; i += CHUNK_SYMBOLS) {
    const uint64_t chunk = count - i < CHUNK_SYMBOLS ? count - i : CHUNK_SYMBOLS;
    if (!read_at(file, table->sh_offset + i * sizeof *symbols, symbols, chunk * sizeof *symbols))
      break;
    for (uint64_t k = 0; k < chunk && !done; k++) {
      done = is_function_at(&symbols[k], value);
      *found = symbols[k];
    }
  }
  hd_heap_free(symbols);
  return done;
}

static bool find_name(const char *path, uint64_t value, char *name, size_t bytes) {
  ElfW(Ehdr) header;
  ElfW(Shdr) table;
  ElfW(Sym) symbol;
  int file = hd_seccomp_is_new() ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  bool found = read_at(file, 0, &header, sizeof header) && !memcmp(header.e_ident, ELFMAG, SELFMAG) &&
               find_table(file, &header, &table) && find_symbol(file, &table, value, &symbol) &&
               read_name(file, &header, &table, &symbol, name, bytes);
  close(file);
  return found;
}

/* A full stop is in no name that a user can give. */
static bool is_compilers_name(const char *name) {
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
  return is_compilers_name(name) ? YES : NO;
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
