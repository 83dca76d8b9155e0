/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file loaded_modules.h
 * What the dynamic linker knows of the modules in memory. Any thread; takes the loader's lock: for cold paths.
 */
#ifndef HEDDLE_CALLPATH_LOADED_MODULES_H
#define HEDDLE_CALLPATH_LOADED_MODULES_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_loaded {
  struct dl_phdr_info info;    /* its strings and headers stay as long as the module is loaded */
  uintptr_t begin, end;        /* of the segment that the address lies in */
  unsigned long long unloaded; /* modules so far; also when none was found */
};

/** The module that `address` lies in. False: in none. */
bool hd_loaded_find(uintptr_t address, struct hd_loaded *loaded);

/** Modules that have been unloaded so far: when it is the same as before, what was loaded then still is. */
unsigned long long hd_loaded_unloads(void);

/** Calls `take` for every ELF note in the module's memory. */
typedef void hd_note_taker(void *context, const ElfW(Nhdr) * note, const char *name, const char *descriptor);
void hd_loaded_each_note(const struct dl_phdr_info *info, hd_note_taker *take, void *context);

#endif
