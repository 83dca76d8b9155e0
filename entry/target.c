/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "entry/target.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Nobody waits for it: who finds it taken remembers nothing. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The wrapper itself comes first where all modules' symbols are asked for. */
static bool is_own(void *symbol) {
  Dl_info its, own;
  return dladdr(symbol, &its) && dladdr(&lock, &own) && its.dli_fbase == own.dli_fbase;
}

/* The code of the module that `address` lies in. */
struct code {
  uintptr_t address;
  struct hd_target_of *of;
};

static int find_segment(struct dl_phdr_info *info, size_t size, void *data) {
  struct code *code = data;
  (void)size;
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
    if (segment->p_type != PT_LOAD || code->address - begin >= segment->p_memsz)
      continue;
    code->of->begin = begin;
    code->of->bytes = segment->p_memsz;
    return 1;
  }
  return 0;
}

/* Among the libraries of the calling module, which is open already. */
static void *find_for(const char *name, const void *caller, struct hd_target_of *of) {
  Dl_info module;
  struct code code = {(uintptr_t)caller - 1, of};
  void *handle = dladdr((const char *)caller - 1, &module) ? dlopen(module.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  void *symbol = handle ? dlsym(handle, name) : NULL;
  if (handle)
    dlclose(handle);
  dl_iterate_phdr(find_segment, &code);
  return symbol && !is_own(symbol) ? symbol : NULL;
}

static void remember(struct hd_target *target, const struct hd_target_of *found) {
  if (pthread_mutex_trylock(&lock) != 0)
    return;
  struct hd_target_of *place = target->modules;
  while (place < target->modules + HD_TARGET_MODULES && place->bytes)
    place++;
  if (place < target->modules + HD_TARGET_MODULES) {
    place->begin = found->begin;
    place->function = found->function;
    __atomic_store_n(&place->bytes, found->bytes, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&lock);
}

/* The call cannot be made, and what it was to do cannot be left out. */
static _Noreturn void give_up(const char *name) {
  static const char before[] = "heddle: symbol lookup error: undefined symbol: ";
  (void)!write(STDERR_FILENO, before, sizeof before - 1);
  (void)!write(STDERR_FILENO, name, strlen(name));
  (void)!write(STDERR_FILENO, "\n", 1);
  __builtin_trap();
}

static void *find(const char *name, const void *caller, struct hd_target_of *of) {
  void *symbol = dlsym(RTLD_NEXT, name);
  if (symbol) {
    of->bytes = UINTPTR_MAX;
    return symbol;
  }
  return find_for(name, caller, of);
}

void *hd_target_look_up(const char *name, const void *caller) {
  struct hd_target_of found = {0};
  return find(name, caller, &found);
}

void (*hd_target_find(struct hd_target *target, const void *caller))(void) {
  for (size_t i = 1; i < HD_TARGET_MODULES; i++) {
    const struct hd_target_of *of = &target->modules[i];
    if ((uintptr_t)caller - of->begin < __atomic_load_n(&of->bytes, __ATOMIC_ACQUIRE))
      return of->function;
  }
  const int kept_errno = errno;
  struct hd_target_of found = {0};
  void *symbol = find(target->name, caller, &found);
  if (!symbol)
    give_up(target->name);
  memcpy(&found.function, &symbol, sizeof symbol);
  remember(target, &found);
  errno = kept_errno;
  return found.function;
}
