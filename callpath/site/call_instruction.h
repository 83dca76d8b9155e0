/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file call_instruction.h
 * What an instruction does that leaves for another function, read from the machine code in memory: where a call went,
 * which function it passed, and which jump of a function leads to another one (a tail call). Everything that is read
 * from code is checked: a target counts only if a function begins there by the unwinder's tables, or if a stub of the
 * linker's (PLT) leads to one. x86-64; elsewhere nothing is found. Any thread; takes the loader's lock: for cold paths.
 */
#ifndef HEDDLE_CALLPATH_SITE_CALL_INSTRUCTION_H
#define HEDDLE_CALLPATH_SITE_CALL_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

struct _Unwind_Context;

/** Of a frame: the registers that the functions it calls preserve, by the numbers that instructions give them. */
struct hd_registers {
  uint32_t known; /* bit r: value[r] is valid */
  uintptr_t value[16];
};

/** Those of the frame that an unwinder has come to. */
void hd_registers_read(struct _Unwind_Context *context, struct hd_registers *registers);

/** Where a call went. */
struct hd_call {
  const void *target; /* first instruction of a function; NULL: not known */
  bool direct;        /* the instruction names it, or a stub's slot: the same every time */
  uint32_t bytes;     /* length of the instruction; 0: it was not recognized. Without a target it is a call through a
                         register or memory, of that length or longer */
};

/** The call before `return_address`, made by a frame with these registers. */
struct hd_call hd_call_read(const void *return_address, const struct hd_registers *registers);

/** The function whose address is the first argument of the call or jump that ends at `behind` and has that many bytes.
 *  NULL: none, or the code does not show it. */
const void *hd_call_passed_function(const void *behind, uint32_t bytes, const struct hd_registers *registers);

/** The place behind the only jump to the function `target` in `function` or in those that it goes on to by jumps;
 *  `*bytes`: the length of the instruction. NULL: there is none, or there are several, or it would take long to tell.
 */
const void *hd_call_only_jump(const void *function, const void *target, uint32_t *bytes);

#endif
