/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file cfi_rule.h
 * Where a frame lies and where it keeps its caller's return address and frame pointer, as the compiler wrote it down in
 * .eh_frame (DWARF 4, section 6.4). An unwinder reads the same; it tells where the stack leads, but not from which
 * words it knows, and those are what proves later that the stack is still the same.
 */
#ifndef HEDDLE_CALLPATH_UNWIND_CFI_RULE_H
#define HEDDLE_CALLPATH_UNWIND_CFI_RULE_H

#include <stdbool.h>
#include <stdint.h>

/** An address: a base and an offset. */
enum hd_rule_base {
  HD_RULE_UNKNOWN,   /* none of the below */
  HD_RULE_UNDEFINED, /* there is none: without a return address the frame is the stack's last */
  HD_RULE_SAME,      /* the register still holds it */
  HD_RULE_CFA,       /* at the canonical frame address (the stack pointer in the caller) + offset */
  HD_RULE_SP,        /* stack pointer + offset */
  HD_RULE_FP,        /* frame pointer + offset */
  HD_RULE_FP_LOADED, /* what the word at frame pointer + offset holds */
};

struct hd_rule_place {
  enum hd_rule_base base;
  int64_t offset;
};

struct hd_frame_rule {
  struct hd_rule_place cfa;            /* _SP, _FP, _FP_LOADED or _UNKNOWN */
  struct hd_rule_place frame_pointer;  /* where the caller's was saved: _SAME, _CFA, _FP, _UNDEFINED or _UNKNOWN */
  struct hd_rule_place return_address; /* likewise */
};

/** The rule in force at `address`. `fde`: the description of the function around it, `function`: the function's first
 *  instruction (both from _Unwind_Find_FDE). False: it uses what is not understood here. */
bool hd_frame_rule_read(const void *fde, uintptr_t function, uintptr_t address, struct hd_frame_rule *rule);

#endif
