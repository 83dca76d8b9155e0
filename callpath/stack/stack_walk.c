/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/stack/stack_walk.h"

#include <stddef.h>

#include "callpath/code/loaded_modules.h"
#include "callpath/code/outlined.h"
#include "callpath/unwind/libgcc_unwind.h"

static bool stop_at_once(const struct hd_unwound *unwound, void *data) {
  (void)unwound, (void)data;
  return false;
}

bool hd_stack_walk_init(void) {
  if (!hd_unwinder_load())
    return false;
  hd_unwinder_each(stop_at_once, NULL, 1); /* what its first call prepares */
  return true;
}

/* How far a walk has come. */
enum part { IN_TOOL, IN_RUNTIME, IN_USER_CODE };

struct walk {
  struct hd_frames *frames;
  uintptr_t own;
  const void *code;
  uintptr_t limit;
  enum part part;
  struct hd_known_frame *held; /* a routine's, until it is known who called it */
  /* when the unwinder walks: */
  struct hd_known_frame seen[2]; /* the frame and the one before it, in turn */
  uint32_t seen_count;
};

static bool is_body(struct hd_known_frame *frame) {
  if (!frame->is_asked)
    frame->is_body = hd_outlined_is((const void *)frame->function, (const void *)frame->function, false);
  frame->is_asked = true;
  return frame->is_body;
}

/* False: the limit or the enclosing construct's body is reached. */
static bool put_held(struct walk *walk) {
  struct hd_frames *frames = walk->frames;
  struct hd_known_frame *held = walk->held;
  walk->held = NULL;
  if (!held)
    return true;
  if (is_body(held))
    return false;
  if (frames->routine_count == frames->routine_limit) {
    frames->cut = true;
    return false;
  }
  frames->routines[frames->routine_count++] = (const void *)held->function;
  return true;
}

static bool visit_user_code(struct walk *walk, struct hd_known_frame *frame, uintptr_t sp) {
  if (!put_held(walk))
    return false;
  walk->frames->cut = false;
  if (frame->kind == HD_CODE_SYSTEM)
    return true;
  if (frame->kind == HD_CODE_ENTRY || (walk->limit && sp >= walk->limit))
    return false;
  walk->held = frame->function ? frame : NULL;
  walk->frames->cut = !frame->function; /* no unwind information: the unwinder passes only where a signal came */
  return true;
}

/* False: what is further out does not matter. */
static bool visit(struct walk *walk, struct hd_known_frame *frame, uintptr_t sp) {
  if (frame->kind == HD_CODE_RUNTIME) {
    if (walk->part == IN_USER_CODE) {
      put_held(walk); /* its body, or what that has called last */
      return false;
    }
    walk->part = IN_RUNTIME;
    return true;
  }
  if ((const void *)frame->ip != walk->code &&
      (walk->part == IN_TOOL || (walk->part == IN_RUNTIME && frame->kind == HD_CODE_SYSTEM)))
    return true; /* or in another tool, which passes events on */
  if (walk->part != IN_USER_CODE)
    walk->frames->place = sp;
  walk->part = IN_USER_CODE;
  return visit_user_code(walk, frame, sp);
}

static void begin(struct walk *walk, uintptr_t own_bytes) {
  struct hd_frames *frames = walk->frames;
  walk->part = IN_TOOL;
  walk->held = NULL;
  frames->routine_count = 0;
  frames->cut = false;
  frames->place = 0;
  hd_proof_begin(&frames->proof, walk->own);
  if (own_bytes)
    frames->proof.sp = walk->own + own_bytes;
}

/* False: there is a return address of which not enough is known. */
static bool walk_known(struct walk *walk) {
  struct hd_proof *proof = &walk->frames->proof;
  const struct hd_known_frames *known = walk->frames->known;
  if (!known || !walk->frames->own_bytes)
    return false;
  begin(walk, walk->frames->own_bytes);
  for (;;) {
    const uintptr_t ip = hd_proof_next(proof), sp = proof->sp;
    struct hd_known_frame *frame = ip ? hd_known_frames_find(known, ip) : NULL;
    if (!frame)
      return false;
    hd_proof_add(proof, ip, sp, &frame->rule);
    if (!proof->complete)
      return false;
    if (!visit(walk, frame, sp) || frame->rule.return_address.base == HD_RULE_UNDEFINED)
      return true;
    if (!frame->is_proved)
      return false;
  }
}

/* A return address in a module, which is known to stay until something is unloaded. */
static void learn(struct hd_frames *frames, const struct hd_known_frame *frame) {
  struct hd_loaded module;
  if (frames->known && frame->function && hd_loaded_find(frame->ip - 1, &module))
    hd_known_frames_add(frames->known, frame);
}

static void describe(const struct hd_unwound *unwound, struct hd_known_frame *frame) {
  struct hd_function_bases bases = {0};
  const void *fde = hd_unwinder.find_fde((void *)(unwound->ip - !unwound->is_exact), &bases);
  *frame = (struct hd_known_frame){.ip = unwound->ip, .function = fde ? (uintptr_t)bases.function : 0};
  frame->kind = hd_code_kind(frame->ip, frame->function);
  if (!fde || unwound->is_exact || !hd_frame_rule_read(fde, frame->function, frame->ip - 1, &frame->rule))
    frame->rule = (struct hd_frame_rule){0};
}

static void find_or_learn(struct hd_frames *frames, const struct hd_unwound *unwound, struct hd_known_frame *frame) {
  const struct hd_known_frame *known =
      frames->known && !unwound->is_exact ? hd_known_frames_find(frames->known, unwound->ip) : NULL;
  if (known) {
    *frame = *known;
    return;
  }
  describe(unwound, frame);
  if (!unwound->is_exact)
    learn(frames, frame);
}

/* The frame that the last one's rule led to is the one that the unwinder found. */
static void note_proved(const struct walk *walk) {
  const struct hd_known_frames *known = walk->frames->known;
  struct hd_known_frame *last = known ? hd_known_frames_find(known, walk->seen[walk->seen_count % 2].ip) : NULL;
  if (last && walk->frames->proof.complete)
    last->is_proved = true;
}

static bool visit_unwound(const struct hd_unwound *unwound, void *data) {
  struct walk *walk = data;
  struct hd_frames *frames = walk->frames;
  if (unwound->sp <= walk->own) /* functions called since */
    return true;
  if (!walk->seen_count)
    frames->own_bytes = unwound->sp - walk->own;
  struct hd_known_frame *frame = &walk->seen[walk->seen_count++ % 2];
  find_or_learn(frames, unwound, frame);
  if (unwound->is_exact)
    frames->proof.complete = false;
  hd_proof_add(&frames->proof, unwound->ip, unwound->sp, &frame->rule);
  if (walk->seen_count > 1)
    note_proved(walk);
  return visit(walk, frame, unwound->sp);
}

static void walk_unwinding(struct walk *walk) {
  begin(walk, 0);
  walk->frames->by_library++;
  if (!hd_unwinder_each(visit_unwound, walk, walk->frames->proof.limit)) /* more could not be proved */
    walk->frames->cut = true;
}

bool hd_stack_walk(struct hd_frames *frames, uintptr_t own, const void *code, uintptr_t limit) {
  struct walk walk = {.frames = frames, .own = own, .code = code, .limit = limit};
  if (!hd_unwinder.backtrace)
    return false;
  if (!walk_known(&walk))
    walk_unwinding(&walk);
  put_held(&walk);
  return walk.part == IN_USER_CODE;
}
