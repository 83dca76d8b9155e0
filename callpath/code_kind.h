/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file code_kind.h
 * Whose code an address lies in.
 */
#ifndef HEDDLE_CALLPATH_CODE_KIND_H
#define HEDDLE_CALLPATH_CODE_KIND_H

#include <stdint.h>

enum hd_code_kind {
  HD_CODE_USER,
  HD_CODE_RUNTIME, /* the OpenMP runtime's */
  HD_CODE_SYSTEM,  /* the C and C++ libraries' */
  HD_CODE_ENTRY    /* the program's first routine, _start */
};

/** Once, at start, after hd_call_site_init: finds the libraries. */
void hd_code_kind_init(void);

/** `ip`: a return address; `function`: the first instruction of the function around it, 0: not known. */
enum hd_code_kind hd_code_kind(uintptr_t ip, uintptr_t function);

#endif
