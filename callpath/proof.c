/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/proof.h"

#include <stddef.h>

#include "callpath/frame_rule.h"

/* On AArch64 a return address may be signed in its upper bits (pointer authentication). The stored word is compared as
 * it is: the same address at the same place has the same signature. */
#ifdef __aarch64__
static const uintptr_t address_bits = ((uintptr_t)1 << 36) - 1;
#else
static const uintptr_t address_bits = UINTPTR_MAX;
#endif

void hd_proof_begin(struct hd_proof *proof, uintptr_t own) {
  proof->count = 0;
  proof->complete = true;
  proof->frame_pointer = (const uintptr_t *)own;
  proof->return_slot = (const uintptr_t *)own + 1;
  proof->frame_pointer_proved = false;
  proof->sp = 0;
}

static bool put(struct hd_proof *proof, const uintptr_t *slot) {
  if (proof->count == proof->limit)
    return false;
  proof->words[proof->count++] = (struct hd_stack_word){slot, *slot};
  return true;
}

static bool prove_frame_pointer(struct hd_proof *proof) {
  if (proof->frame_pointer_proved)
    return true;
  proof->frame_pointer_proved = true;
  return put(proof, proof->frame_pointer);
}

/* 0: not known. */
static uintptr_t find_cfa(struct hd_proof *proof, const struct hd_proof_frame *frame, struct hd_rule_place place) {
  if (place.base == HD_RULE_SP)
    return frame->sp + (uintptr_t)place.offset;
  if ((place.base != HD_RULE_FP && place.base != HD_RULE_FP_LOADED) || !prove_frame_pointer(proof))
    return 0;
  uintptr_t address = *proof->frame_pointer + (uintptr_t)place.offset;
  if (place.base == HD_RULE_FP)
    return address;
  return put(proof, (const uintptr_t *)address) ? *(const uintptr_t *)address : 0;
}

/* NULL: not known. */
static const uintptr_t *find_slot(struct hd_proof *proof, uintptr_t cfa, struct hd_rule_place place) {
  if (place.base == HD_RULE_CFA)
    return (const uintptr_t *)(cfa + (uintptr_t)place.offset);
  if (place.base == HD_RULE_FP && prove_frame_pointer(proof))
    return (const uintptr_t *)(*proof->frame_pointer + (uintptr_t)place.offset);
  return NULL;
}

static bool go_on(struct hd_proof *proof, const struct hd_proof_frame *frame) {
  struct hd_frame_rule rule;
  if (!frame->fde || !hd_frame_rule_read(frame->fde, frame->function, frame->ip - 1, &rule))
    return false;
  uintptr_t cfa = find_cfa(proof, frame, rule.cfa);
  const uintptr_t *return_slot = cfa ? find_slot(proof, cfa, rule.return_address) : NULL;
  if (!return_slot)
    return false;
  if (rule.frame_pointer.base != HD_RULE_SAME) {
    const uintptr_t *saved = find_slot(proof, cfa, rule.frame_pointer);
    proof->frame_pointer = saved;
    proof->frame_pointer_proved = false;
    if (!saved)
      return false;
  }
  proof->return_slot = return_slot;
  proof->sp = cfa;
  return true;
}

void hd_proof_add(struct hd_proof *proof, const struct hd_proof_frame *frame) {
  if (!proof->complete)
    return;
  proof->complete = false;
  if (!proof->return_slot || (proof->sp && proof->sp != frame->sp))
    return;
  if ((*proof->return_slot ^ frame->ip) & address_bits || !put(proof, proof->return_slot))
    return;
  proof->return_slot = NULL;
  go_on(proof, frame);
  proof->complete = true;
}
