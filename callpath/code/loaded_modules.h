/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file loaded_modules.h
 * What the dynamic linker knows of the modules in memory. Any thread; for cold paths.
 */
#ifndef HEDDLE_CALLPATH_CODE_LOADED_MODULES_H
#define HEDDLE_CALLPATH_CODE_LOADED_MODULES_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_loaded {
  struct dl_phdr_info info; /* the module's address, name, headers: they stay as long as it is loaded. No more */
  uintptr_t begin, end;     /* of the segment that the address lies in */
};

/** Looks for the way to ask without a lock. Before threads run. */
void hd_loaded_init(void);

/** The module that `address` lies in. False: in none. Takes the loader's lock where glibc is older than 2.35. */
bool hd_loaded_find(uintptr_t address, struct hd_loaded *loaded);

/** Modules that have been unloaded so far; takes the loader's lock, for some hundred nanoseconds. When it is the same
 *  as before, what was loaded then still is. */
unsigned long long hd_loaded_unloads(void);

/** Calls `take` for every ELF note in the module's memory. */
typedef void hd_note_taker(void *context, const ElfW(Nhdr) * note, const char *name, const char *descriptor);
void hd_loaded_each_note(const struct dl_phdr_info *info, hd_note_taker *take, void *context);

#endif
