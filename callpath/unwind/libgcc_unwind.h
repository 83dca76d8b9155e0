/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file libgcc_unwind.h
 * The C compiler's unwinder, libgcc_s.so.1. It is loaded at run time: the library links libc alone.
 */
#ifndef HEDDLE_CALLPATH_UNWIND_LIBGCC_UNWIND_H
#define HEDDLE_CALLPATH_UNWIND_LIBGCC_UNWIND_H

#include <stdbool.h>
#include <stdint.h>
#include <unwind.h>

/** A function on the stack. */
struct hd_unwound {
  uintptr_t ip;                    /* where it goes on, that is, a return address, */
  bool is_exact;                   /* or the instruction that a signal interrupted */
  uintptr_t sp;                    /* its stack pointer there */
  struct _Unwind_Context *context; /* valid during the visit */
};

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
  uintptr_t (*get_register)(struct _Unwind_Context *context, int number); /* DWARF's, one that calls preserve */
};
extern struct hd_unwinder hd_unwinder;

/** Loads it, the first time. False: there is none, and none of its functions may be called. At start, or on a cold
 * path.
 */
bool hd_unwinder_load(void);

/** The first instruction of the function that `address` lies in, by the unwinder's tables. NULL: none, or no unwinder.
 */
const void *hd_unwinder_function(const void *address);

/** Goes from the caller outwards until `visit` says false, the stack ends or `most` functions have been visited. It
 * also ends where the description of a function leads to the same function again, for ever: libomp's
 *  __kmp_invoke_microtask on AArch64 says that it keeps nothing on the stack. False: there were more than `most`. */
typedef bool hd_unwound_visit(const struct hd_unwound *unwound, void *data);
bool hd_unwinder_each(hd_unwound_visit *visit, void *data, uint32_t most);

#endif
