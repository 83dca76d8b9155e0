/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file unwinder.h
 * The C compiler's unwinder, libgcc_s.so.1. It is loaded at run time: the library links libc alone.
 */
#ifndef HEDDLE_CALLPATH_UNWINDER_H
#define HEDDLE_CALLPATH_UNWINDER_H

#include <stdbool.h>
#include <stdint.h>
#include <unwind.h>

/** What libgcc's unwind-dw2-fde.h calls dwarf_eh_bases. */
struct hd_function_bases {
  void *text;
  void *data;
  void *function; /* first instruction */
};

/** The unwinder's functions, under its own names but for the prefix. */
struct hd_unwinder {
  _Unwind_Reason_Code (*backtrace)(_Unwind_Trace_Fn visit, void *data);
  uintptr_t (*get_ip_info)(struct _Unwind_Context *context, int *before_instruction);
  uintptr_t (*get_cfa)(struct _Unwind_Context *context);
  const void *(*find_fde)(void *address, struct hd_function_bases *bases);
};
extern struct hd_unwinder hd_unwinder;

/** Loads it, the first time. False: it is not to be had, and nothing of it may be called. At start, or on a cold path.
 */
bool hd_unwinder_load(void);

#endif
