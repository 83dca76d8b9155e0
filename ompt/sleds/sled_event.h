/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file sled_event.h
 * What a patched sled leads to: clang's -fxray-instrument leaves room (a sled) at a function's entry and before each of
 * its exits, XRay's runtime, which is linked into the program, writes calls of its trampolines there, and these call
 * hd_sled_event.
 *
 * A trampoline keeps the registers that hold arguments and results, but of vector registers only the 128 bits of SSE:
 * hd_sled_event keeps the rest of them where it is in use. The entry sled comes before, and the exit sleds after, all
 * that the function does with the stack: so where the function's return address stands is as far from this function's
 * frame as the trampoline is large, which is measured at start (sleds.c). No event has to look for it.
 *
 * x86-64 alone.
 */
#ifndef HEDDLE_OMPT_SLEDS_SLED_EVENT_H
#define HEDDLE_OMPT_SLEDS_SLED_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "support/inside.h"

/** XRay's XRayEntryType. */
enum hd_sled_kind {
  HD_SLED_ENTRY,
  HD_SLED_EXIT,
  HD_SLED_TAIL_EXIT,           /* it ends with a jump to another function */
  HD_SLED_ENTRY_WITH_ARGUMENT, /* an entry, of a function whose first argument XRay could log */
  HD_SLED_KINDS
};

/** Gets an entry or an exit of a function. `slot`: where its return address stands; NULL: not known. `frame`: an
 * address on the stack below all that the function has there. */
typedef void hd_sled_taker(const void *function, const void *const *slot, const void *frame);

/** When there is more in vector registers than their lower 128 bits. */
enum hd_vectors {
  HD_VECTORS_NEVER,
  HD_VECTORS_ASK, /* the processor says */
  HD_VECTORS_ALWAYS
};

/** Set at start, before any function is patched; a forked child has the same. */
struct hd_sleds {
  const void *const *functions; /* by XRay's number of them, which begins at 1; NULL: not chosen */
  uint32_t count;               /* numbers less than this are known */
  enum hd_vectors vectors;
  ptrdiff_t distances[HD_SLED_KINDS]; /* from the frame of hd_sled_event to the slot */
  const void *frame;                  /* of hd_sled_event, when it was called for no function */
  hd_sled_taker *enter;
  hd_sled_taker *leave;
};
extern HD_INSIDE struct hd_sleds hd_sleds;

/** XRay's handler. Any thread, at any time. Function 0 is none: its event is only noted. */
void hd_sled_event(int32_t id, int32_t kind);

#endif
