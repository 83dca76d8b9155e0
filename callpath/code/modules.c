/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/code/modules.h"

#include <elf.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "callpath/code/loaded_modules.h"
#include "support/inprocess/alarms.h"
#include "support/inprocess/seccomp.h"
#include "support/own_file.h"

enum { MOST_MODULES = 1024 };

/* The lock is taken once per module and when one has been unloaded. Known modules are found without. */
static struct {
  pthread_mutex_t lock;
  struct hd_store *store;
  struct hd_store_cursor cursor;
  struct hd_module_record *records[MOST_MODULES];
  uint32_t count;              /* release order */
  unsigned long long unloaded; /* modules, as the dynamic linker counts them */
} modules = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint32_t hd_modules_unloads;

void hd_modules_init(struct hd_store *store) {
  modules.store = store;
  hd_loaded_init();
}

static void take_build_id(void *context, const ElfW(Nhdr) * note, const char *name, const char *descriptor) {
  struct hd_module_record *record = context;
  if (record->build_id_bytes || note->n_type != NT_GNU_BUILD_ID || note->n_namesz != 4 || memcmp(name, "GNU", 4) != 0)
    return;
  record->build_id_bytes = note->n_descsz < sizeof record->build_id ? note->n_descsz : sizeof record->build_id;
  memcpy(record->build_id, descriptor, record->build_id_bytes);
}

/* The dynamic linker names the executable "" and others as they were found, perhaps relative to a directory that the
 * program has left since. */
static void read_path(const struct dl_phdr_info *info, struct hd_module_record *record) {
  char path[PATH_MAX];
  if (hd_seccomp_is_new()) {
    snprintf(path, sizeof path, "%s", info->dlpi_name ? info->dlpi_name : "");
  } else if (!info->dlpi_name || !*info->dlpi_name) {
    hd_own_file(path);
  } else if (!realpath(info->dlpi_name, path)) {
    strncpy(path, info->dlpi_name, sizeof path - 1);
    path[sizeof path - 1] = 0;
  }
  memcpy(record->path, path, strnlen(path, sizeof record->path - 1)); /* the record is zeroed */
}

/* By base, build-id and path: after dlclose another library may come to lie at the same address. */
static bool is_same(const struct hd_module_record *record, const struct dl_phdr_info *info) {
  struct hd_module_record probe = {0};
  if (record->base != info->dlpi_addr)
    return false;
  hd_loaded_each_note(info, take_build_id, &probe);
  if (probe.build_id_bytes || record->build_id_bytes)
    return !memcmp(record->build_id, probe.build_id, sizeof probe.build_id);
  read_path(info, &probe);
  return !strcmp(record->path, probe.path);
}

static struct hd_module_record *find(const struct dl_phdr_info *info) {
  const uint32_t count = __atomic_load_n(&modules.count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count; i++)
    if (is_same(modules.records[i], info))
      return modules.records[i];
  return NULL;
}

/* Under the lock. */
static struct hd_module_record *add(const struct hd_module_record *made) {
  struct hd_module_record *record =
      modules.count < MOST_MODULES
          ? hd_store_add(modules.store, &modules.cursor, HD_BLOCK_MODULES, HD_NONE, sizeof *record)
          : NULL;
  if (!record)
    return NULL;
  *record = *made;
  record->id = modules.count;
  hd_store_publish(&modules.cursor);
  modules.records[modules.count] = record;
  __atomic_store_n(&modules.count, modules.count + 1, __ATOMIC_RELEASE);
  return record;
}

/* What takes long, to ask for the path, before the lock. */
static struct hd_module_record *find_or_add(const struct dl_phdr_info *info) {
  struct hd_module_record *record = find(info);
  if (record)
    return record;
  struct hd_module_record made = {.base = info->dlpi_addr};
  hd_loaded_each_note(info, take_build_id, &made);
  read_path(info, &made);
  pthread_mutex_lock(&modules.lock);
  record = find(info);
  if (!record)
    record = add(&made);
  pthread_mutex_unlock(&modules.lock);
  return record;
}

static int is_loaded(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  return is_same(data, info);
}

/* Under the lock. */
static void mark_unloaded(void) {
  for (uint32_t i = 0; i < modules.count; i++)
    if (!dl_iterate_phdr(is_loaded, modules.records[i]))
      modules.records[i]->flags |= HD_MODULE_UNLOADED;
  __atomic_fetch_add(&hd_modules_unloads, 1, __ATOMIC_RELAXED);
  hd_alarms_count(HD_ALARM_UNLOAD);
}

void hd_modules_notice_unloads(void) {
  const unsigned long long unloaded = hd_loaded_unloads();
  if (unloaded == __atomic_load_n(&modules.unloaded, __ATOMIC_RELAXED))
    return;
  pthread_mutex_lock(&modules.lock);
  if (unloaded > modules.unloaded) {
    __atomic_store_n(&modules.unloaded, unloaded, __ATOMIC_RELAXED);
    mark_unloaded();
  }
  pthread_mutex_unlock(&modules.lock);
}

void hd_modules_look_for_unloads(void) {
  static pthread_mutex_t one_looks = PTHREAD_MUTEX_INITIALIZER;
  if (pthread_mutex_trylock(&one_looks))
    return;
  hd_modules_notice_unloads();
  pthread_mutex_unlock(&one_looks);
}

/* What libomptarget calls is the program's: a region that it offloads to the host. */
static bool is_runtime(const char *path) {
  const char *name = strrchr(path, '/');
  name = name ? name + 1 : path;
  if (!strncmp(name, "libomptarget", 12))
    return false;
  return !strncmp(name, "libomp", 6) || !strncmp(name, "libiomp", 7) || !strncmp(name, "libgomp", 7);
}

const char *hd_modules_path(uint32_t module) {
  return module == HD_NONE ? NULL : modules.records[module]->path;
}

struct hd_place hd_modules_place(uint32_t module, const void *address) {
  const uint64_t code = (uint64_t)(uintptr_t)address;
  if (module == HD_NONE)
    return (struct hd_place){.offset = code};
  const struct hd_module_record *record = modules.records[module];
  return (struct hd_place){code - record->base, is_runtime(record->path)};
}

uint32_t hd_modules_find(const void *address, bool is_return_address) {
  struct hd_loaded loaded;
  const struct hd_module_record *record = NULL;
  if (address && hd_loaded_find((uintptr_t)address - is_return_address, &loaded))
    record = find_or_add(&loaded.info);
  return record ? record->id : HD_NONE;
}
