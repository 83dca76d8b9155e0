/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file stack_check.h
 * The words of a stack that prove, when they are found again, that the same frames are on it.
 *
 * It is an induction over the frames, from the innermost outwards. Given a frame's code address and stack pointer, the
 * compiler's rule for that address (cfi_rule.h) says where the frame ends. If it ends at a fixed distance from the
 * stack pointer, that is known. If the distance varies (alloca, variable-length arrays, realigned stacks) it hangs on
 * the frame pointer, and the rules of the frames inside say in which word that was saved: this word is one of the
 * proof's. Now the end of the frame is known, so is the place of its return address, which is the proof's next word;
 * and with that the code address and the stack pointer of the next frame. It begins in a frame that is certainly there:
 * the one that asks.
 */
#ifndef HEDDLE_CALLPATH_STACK_STACK_CHECK_H
#define HEDDLE_CALLPATH_STACK_STACK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "callpath/unwind/cfi_rule.h"

/** A word of the stack and what it held. */
struct hd_stack_word {
  const uintptr_t *slot;
  uintptr_t value;
};

struct hd_proof {
  struct hd_stack_word *words; /* room from the caller; innermost first */
  uint32_t limit;
  uint32_t count;
  bool complete; /* so far; once false it stays false */
  /* of the frame to come: */
  const uintptr_t *return_slot;   /* what led to it */
  const uintptr_t *frame_pointer; /* where its frame pointer lies */
  bool frame_pointer_proved;
  uintptr_t sp; /* 0: whatever it is */
};

/* On AArch64 a return address may be signed in its upper bits (pointer authentication). The stored word is compared as
 * it is: the same address at the same place has the same signature. */
#ifdef __aarch64__
static const uintptr_t hd_proof_address_bits = ((uintptr_t)1 << 36) - 1;

static inline uintptr_t hd_proof_without_signature(uintptr_t address) {
  register uintptr_t x30 __asm__("x30") = address;
  __asm__("hint 7" : "+r"(x30)); /* xpaclri; nothing on processors without signatures */
  return x30;
}
#else
static const uintptr_t hd_proof_address_bits = UINTPTR_MAX;

static inline uintptr_t hd_proof_without_signature(uintptr_t address) {
  return address;
}
#endif

/** Starts at the frame that calls the function with the frame address `own`, __builtin_frame_address(0), which keeps
 *  its caller's frame pointer and its return address there. */
static inline void hd_proof_begin(struct hd_proof *proof, uintptr_t own) {
  proof->count = 0;
  proof->complete = true;
  proof->frame_pointer = (const uintptr_t *)own;
  proof->return_slot = (const uintptr_t *)own + 1;
  proof->frame_pointer_proved = false;
  proof->sp = 0;
}

static inline bool hd_proof_put(struct hd_proof *proof, const uintptr_t *slot) {
  if (proof->count == proof->limit)
    return false;
  proof->words[proof->count++] = (struct hd_stack_word){slot, *slot};
  return true;
}

static inline bool hd_proof_prove_frame_pointer(struct hd_proof *proof) {
  if (proof->frame_pointer_proved)
    return true;
  proof->frame_pointer_proved = true;
  return hd_proof_put(proof, proof->frame_pointer);
}

/* 0: not known. */
static inline uintptr_t hd_proof_find_cfa(struct hd_proof *proof, uintptr_t sp, struct hd_rule_place place) {
  if (place.base == HD_RULE_SP)
    return sp + (uintptr_t)place.offset;
  if ((place.base != HD_RULE_FP && place.base != HD_RULE_FP_LOADED) || !hd_proof_prove_frame_pointer(proof))
    return 0;
  uintptr_t address = *proof->frame_pointer + (uintptr_t)place.offset;
  if (place.base == HD_RULE_FP)
    return address;
  return hd_proof_put(proof, (const uintptr_t *)address) ? *(const uintptr_t *)address : 0;
}

/* NULL: not known. */
static inline const uintptr_t *hd_proof_find_slot(struct hd_proof *proof, uintptr_t cfa, struct hd_rule_place place) {
  if (place.base == HD_RULE_CFA)
    return (const uintptr_t *)(cfa + (uintptr_t)place.offset);
  if (place.base == HD_RULE_FP && hd_proof_prove_frame_pointer(proof))
    return (const uintptr_t *)(*proof->frame_pointer + (uintptr_t)place.offset);
  return NULL;
}

static inline void hd_proof_go_on(struct hd_proof *proof, uintptr_t sp, const struct hd_frame_rule *rule) {
  uintptr_t cfa = hd_proof_find_cfa(proof, sp, rule->cfa);
  const uintptr_t *return_slot = cfa ? hd_proof_find_slot(proof, cfa, rule->return_address) : NULL;
  if (!return_slot)
    return;
  if (rule->frame_pointer.base != HD_RULE_SAME) {
    const uintptr_t *saved = hd_proof_find_slot(proof, cfa, rule->frame_pointer);
    proof->frame_pointer = saved;
    proof->frame_pointer_proved = false;
    if (!saved)
      return;
  }
  proof->return_slot = return_slot;
  proof->sp = cfa;
}

/** The next frame outwards: the return address in it, its stack pointer after that return, how it is left. The last one
 *  asked for need have no rule (zeroed). */
static inline void hd_proof_add(struct hd_proof *proof, uintptr_t ip, uintptr_t sp, const struct hd_frame_rule *rule) {
  if (!proof->complete)
    return;
  proof->complete = false;
  if (!proof->return_slot || (proof->sp && proof->sp != sp))
    return;
  if ((*proof->return_slot ^ ip) & hd_proof_address_bits || !hd_proof_put(proof, proof->return_slot))
    return;
  proof->return_slot = NULL;
  hd_proof_go_on(proof, sp, rule);
  proof->complete = true;
}

/** The return address in the frame to come; 0: the rule of the last one does not say where it is. */
static inline uintptr_t hd_proof_next(const struct hd_proof *proof) {
  return proof->return_slot ? hd_proof_without_signature(*proof->return_slot) : 0;
}

/** Whether the stack is the one that was proved. Reads no word but those that the ones before it prove to be there. */
static inline bool hd_proof_holds(const struct hd_stack_word *words, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (*words[i].slot != words[i].value)
      return false;
  return true;
}

#endif
