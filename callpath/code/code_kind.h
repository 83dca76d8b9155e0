/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file code_kind.h
 * Whose code an address lies in.
 */
#ifndef HEDDLE_CALLPATH_CODE_CODE_KIND_H
#define HEDDLE_CALLPATH_CODE_CODE_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "support/inside.h"

enum hd_code_kind {
  HD_CODE_USER,
  HD_CODE_RUNTIME, /* the OpenMP runtime's */
  HD_CODE_SYSTEM,  /* the C and C++ libraries' */
  HD_CODE_ENTRY    /* the program's first routine, _start */
};

/** Where the OpenMP runtime lies; empty: not known, then no address lies there. */
struct hd_code_range {
  uintptr_t begin, end;
};
extern struct hd_code_range hd_code_runtime;

/** What stands in front of its entry points (libheddle-entry.so): part of it for whoever looks at a stack. */
extern HD_INSIDE struct hd_code_range hd_code_entries;

/** Once, at start, with any function of the runtime: fills hd_code_runtime. */
void hd_code_find_runtime(const void *runtime_function);

/** Whether a return address lies in such a range. */
static inline bool hd_code_in(const struct hd_code_range *range, const void *address) {
  return (uintptr_t)address - 1 - range->begin < range->end - range->begin;
}

/** Whether a return address lies in the runtime. */
static inline bool hd_code_in_runtime(const void *address) {
  return hd_code_in(&hd_code_runtime, address) || hd_code_in(&hd_code_entries, address);
}

/** Whether a return address lies in a module whose file's name begins so. Asks the dynamic linker: for cold paths. */
bool hd_code_in_module(const void *address, const char *begin);

/** `ip`: a return address; `function`: the first instruction of the function around it, 0: not known. Asks the dynamic
 *  linker: for cold paths. */
enum hd_code_kind hd_code_kind(uintptr_t ip, uintptr_t function);

#endif
