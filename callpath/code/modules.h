/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file modules.h
 * Code addresses as (module, offset), so that a profile reads on another machine and in spite of address
 * randomisation. Modules are recorded in the profile with path and build-id the first time an address lies in them.
 * Any thread; all calls are cold.
 */
#ifndef HEDDLE_CALLPATH_CODE_MODULES_H
#define HEDDLE_CALLPATH_CODE_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "store/store.h"
#include "support/inside.h"

struct hd_place {
  uint64_t offset; /* from the module's load address; without a module the address itself */
  bool in_runtime; /* the module is the OpenMP runtime itself: libomp, or libgomp's place taken by it */
};

/** Counts the times that modules were seen to have been unloaded: what is remembered by address may then be wrong. Any
 *  thread. */
extern HD_INSIDE uint32_t hd_modules_unloads;

void hd_modules_init(struct hd_store *store);

/** The module in which `address` lies; HD_NONE: in none. A return address lies behind the call it returns from; of
 * others the byte itself is meant. Takes a lock only where the module is new, or glibc older than 2.35. */
uint32_t hd_modules_find(const void *address, bool is_return_address);

/** The place of an address that lies in this module; HD_NONE: in none. */
struct hd_place hd_modules_place(uint32_t module, const void *address);

/** The module's file; NULL: HD_NONE has none. */
const char *hd_modules_path(uint32_t module);

/** Looks whether modules have been unloaded. Takes the loader's lock for some hundred nanoseconds. */
void hd_modules_notice_unloads(void);

/** Likewise, unless another thread is just looking. */
void hd_modules_look_for_unloads(void);

#endif
