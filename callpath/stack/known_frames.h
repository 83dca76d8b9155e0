/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file known_frames.h
 * What a thread has learned of the code at return addresses: whose it is, and how its frame is left. With that a stack
 * is walked by look-ups. It holds as long as no module is unloaded.
 */
#ifndef HEDDLE_CALLPATH_STACK_KNOWN_FRAMES_H
#define HEDDLE_CALLPATH_STACK_KNOWN_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "callpath/code/code_kind.h"
#include "callpath/unwind/cfi_rule.h"

struct hd_known_frame {
  uintptr_t ip;              /* the return address; 0: an empty place */
  uintptr_t function;        /* first instruction of the function around it; 0: no unwind information */
  struct hd_frame_rule rule; /* zeroed: not understood */
  enum hd_code_kind kind;
  bool is_proved; /* the rule has led to the frame that the C compiler's unwinder found */
  bool is_asked;  /* whether it is a construct's body: */
  bool is_body;
};

/** All zero at first. */
struct hd_known_frames {
  struct hd_known_frame *places;
  uint32_t capacity; /* a power of two */
  uint32_t count;
};

/** NULL: not known. The answer is good until one is added. */
static inline struct hd_known_frame *hd_known_frames_find(const struct hd_known_frames *known, uintptr_t ip) {
  if (!known->capacity)
    return NULL;
  for (uint64_t at = (ip * 0x9E3779B97F4A7C15u) >> 32;; at++) {
    struct hd_known_frame *frame = &known->places[at & (known->capacity - 1)];
    if (frame->ip == ip)
      return frame;
    if (!frame->ip)
      return NULL;
  }
}

/** One that is not known yet. Without memory nothing is added; when there are too many, all are forgotten. */
void hd_known_frames_add(struct hd_known_frames *known, const struct hd_known_frame *frame);

void hd_known_frames_forget(struct hd_known_frames *known);

#endif
