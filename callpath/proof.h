/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file proof.h
 * The words of a stack that prove, when they are found again, that the same frames are on it.
 *
 * It is an induction over the frames, from the innermost outwards. Given a frame's code address and stack pointer, the
 * compiler's rule for that address (frame_rule.h) says where the frame ends. If it ends at a fixed distance from the
 * stack pointer, that is known. If the distance varies (alloca, variable-length arrays, realigned stacks) it hangs on
 * the frame pointer, and the rules of the frames inside say in which word that was saved: this word is one of the
 * proof's. Now the end of the frame is known, so is the place of its return address, which is the proof's next word;
 * and with that the code address and the stack pointer of the next frame. It begins in a frame that is certainly there:
 * the one that asks.
 */
#ifndef HEDDLE_CALLPATH_PROOF_H
#define HEDDLE_CALLPATH_PROOF_H

#include <stdbool.h>
#include <stdint.h>

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

/** A frame as the unwinder sees it. */
struct hd_proof_frame {
  uintptr_t ip; /* the return address in it */
  uintptr_t sp; /* after that return */
  const void *fde;
  uintptr_t function; /* first instruction */
};

/** Starts at the frame that calls the function with the frame address `own`, __builtin_frame_address(0), which keeps
 *  its caller's frame pointer and its return address there. */
void hd_proof_begin(struct hd_proof *proof, uintptr_t own);

/** The next frame outwards. The last one asked for need have no rule (fde NULL). */
void hd_proof_add(struct hd_proof *proof, const struct hd_proof_frame *frame);

/** Whether the stack is the one that was proved. Reads no word but those that the ones before it prove to be there. */
static inline bool hd_proof_holds(const struct hd_stack_word *words, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (*words[i].slot != words[i].value)
      return false;
  return true;
}

#endif
