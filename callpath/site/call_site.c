/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/site/call_site.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "callpath/code/code_kind.h"
#include "callpath/site/call_instruction.h"
#include "callpath/unwind/libgcc_unwind.h"
#include "support/inprocess/keep_errno.h"

/* Below any user's frame are at least two of the C library's, where the thread began. */
enum { MOST_FRAMES = 24, THREAD_START_FRAMES = 2 };

/* ---- the stack ---- */

struct frame {
  const void *code; /* where it goes on: a return address but for the innermost frame's */
  struct hd_registers registers;
};

struct stack {
  const void *wanted;
  int count;
  int user;         /* the first frame of the user's code behind the runtime's */
  bool called_user; /* by the runtime: it goes on behind that frame */
  int inside;       /* the frame in the runtime that goes on at `wanted` */
  struct frame frames[MOST_FRAMES];
};

static bool visit(const struct hd_unwound *unwound, void *data) {
  struct stack *stack = data;
  struct frame *frame = &stack->frames[stack->count];
  frame->code = (const void *)unwound->ip;
  hd_registers_read(unwound->context, &frame->registers);
  const bool behind_runtime = stack->count > 0 && hd_code_in_runtime(frame[-1].code);
  if (behind_runtime && frame->code == stack->wanted && !stack->user && hd_code_in_runtime(frame->code))
    stack->inside = stack->count;
  if (behind_runtime && !stack->user && !hd_code_in_runtime(frame->code))
    stack->user = stack->count;
  stack->called_user |= stack->user && hd_code_in_runtime(frame->code);
  stack->count++;
  return !stack->user || stack->count - stack->user <= THREAD_START_FRAMES;
}

static void read_stack(const void *wanted, struct stack *stack) {
  stack->wanted = wanted;
  stack->count = stack->user = stack->inside = 0;
  stack->called_user = false;
  hd_unwinder_each(visit, stack, MOST_FRAMES);
  /* The runtime's own thread: no user's code called it. (A stack may also end early: where libomp calls a region's body
   * on AArch64, it does not tell how to unwind.) */
  if (stack->user && !stack->called_user && stack->count < MOST_FRAMES &&
      stack->count - stack->user <= THREAD_START_FRAMES)
    stack->user = 0;
}

static const void *function_of(const struct frame *frame) {
  return hd_unwinder_function((const char *)frame->code - 1);
}

/* ---- jumps that were found: a search takes long, and is repeated where a call goes through a pointer ---- */

enum { JUMPS = 64 };

struct jump {
  const void *function, *entry;
  const void *behind; /* NULL: there is none, or several */
  uint32_t bytes;
  uint32_t unloads;
};

static struct {
  pthread_mutex_t lock; /* nobody waits for it */
  struct jump known[JUMPS];
} jumps = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct jump *jump_slot(const void *function) {
  return &jumps.known[((uint64_t)(uintptr_t)function * 0x9e3779b97f4a7c15u) >> 58];
}

static bool recall_jump(struct jump *jump) {
  if (pthread_mutex_trylock(&jumps.lock) != 0)
    return false;
  const struct jump *known = jump_slot(jump->function);
  const bool found =
      known->function == jump->function && known->entry == jump->entry && known->unloads == jump->unloads;
  if (found)
    *jump = *known;
  pthread_mutex_unlock(&jumps.lock);
  return found;
}

static struct jump find_only_jump(const void *function, const void *entry, uint32_t unloads) {
  struct jump jump = {.function = function, .entry = entry, .unloads = unloads};
  if (recall_jump(&jump))
    return jump;
  jump.behind = hd_call_only_jump(function, entry, &jump.bytes);
  if (pthread_mutex_trylock(&jumps.lock) == 0) {
    *jump_slot(function) = jump;
    pthread_mutex_unlock(&jumps.lock);
  }
  return jump;
}

/* ---- the place ---- */

/* `function` went on to the runtime's `entry` by a jump. */
static uint32_t find_jump(const void *function, const void *entry, const struct hd_construct *asked,
                          struct hd_call_site *site) {
  const struct jump jump = entry ? find_only_jump(function, entry, asked->unloads) : (struct jump){0};
  site->is_tail_call = !jump.behind;
  site->address = jump.behind ? jump.behind : (const char *)function + 1;
  return jump.bytes;
}

/* ---- regions that are offloaded to the host ---- */

struct launch {
  const void *called; /* the frame that called the kernel goes on here */
  bool has_begun;     /* it has been visited */
  bool is_inside;     /* so have frames of the offloading library */
  const void *from;   /* the first one behind them goes on here; NULL: not found */
};

/* libomptarget calls by libffi, which is a part of it or a library. */
static bool visit_launch(const struct hd_unwound *unwound, void *data) {
  struct launch *launch = data;
  const void *code = (const void *)unwound->ip;
  launch->has_begun |= code == launch->called;
  if (!launch->has_begun)
    return true;
  if (hd_code_in_module(code, "libomptarget")) {
    launch->is_inside = true;
    return true;
  }
  if (launch->is_inside)
    launch->from = code;
  return !launch->is_inside && hd_code_in_module(code, "libffi.");
}

/* A kernel whose last call begins a region jumps there, and the offloading library has called it by a pointer: the
 * `target` construct stands for it. NULL: that library has not called. */
static const void *launched_from(const void *called) {
  enum { MOST_LAUNCHING = 64 };
  struct launch launch = {.called = called};
  hd_unwinder_each(visit_launch, &launch, MOST_LAUNCHING);
  return launch.from;
}

/* Goes from the call at the user's frame to where the runtime was entered. Returns the length of the instruction there;
 * 0: not known. */
static uint32_t follow_call(const struct stack *stack, const void *address, const struct hd_construct *asked,
                            struct hd_call_site *site) {
  const struct frame *user = &stack->frames[stack->user];
  const struct hd_call call = hd_call_read(user->code, &user->registers);
  site->address = user->code;
  site->lasting = address == user->code && call.direct;
  if (!call.target) {
    const void *launch = call.bytes != 0 ? launched_from(user->code) : NULL;
    site->is_tail_call = call.bytes != 0 && !launch; /* compilers name the runtime's functions in their calls */
    site->address = launch ? launch : site->address;
    return 0;
  }
  return hd_code_in_runtime((const char *)call.target + 1) ? call.bytes
                                                           : find_jump(call.target, function_of(user - 1), asked, site);
}

/* The runtime has called a construct's body, which went back there by a jump. Elsewhere the runtime enters itself. */
static uint32_t follow_runtime(const struct stack *stack, const struct hd_construct *asked, struct hd_call_site *site) {
  const struct frame *inside = &stack->frames[stack->inside];
  const void *called = hd_call_read(inside->code, &inside->registers).target;
  const void *body = called && !hd_code_in_runtime((const char *)called + 1) ? called : asked->body;
  if (!body)
    return 0;
  site->lasting = true;
  return find_jump(body, function_of(inside - 1), asked, site);
}

const void *hd_call_site_body(const void *address) {
  if (!address)
    return NULL;
  const void *first = (const char *)address - 1;
  return hd_unwinder_function(first) == first ? first : NULL;
}

static void find_body(const struct stack *stack, uint32_t bytes, struct hd_call_site *site) {
  static const struct hd_registers none;
  const struct frame *user = &stack->frames[stack->user];
  const bool at_call = site->address == user->code;
  const void *body = hd_call_passed_function(site->address, bytes, at_call ? &user->registers : &none);
  if (body)
    site->address = (const char *)body + 1;
}

struct hd_call_site hd_call_site_find(const void *address, const struct hd_construct *asked) {
  struct hd_call_site site = {.address = address};
  struct stack stack;
  const bool in_runtime = address && hd_code_in_runtime(address);
  if (hd_code_runtime.begin == hd_code_runtime.end || !hd_unwinder.backtrace || (asked->makes_tasks && in_runtime))
    return site;
  HD_KEEP_ERRNO;
  read_stack(address, &stack);
  /* An address inside the runtime that does not lie next to the user's code: the user's code was left by a tail call,
   * and the user's frame is that of an enclosing construct. */
  const bool is_mixed_up = stack.user && stack.frames[stack.user - 1].code == address;
  /* The region's own: kept since its begin, as that function never returned here. */
  if (address && address == asked->region && stack.user > 1 && stack.frames[stack.user].code == address)
    stack.inside = stack.user - 1;
  uint32_t bytes = 0;
  if (asked->is_taskloop && in_runtime)
    bytes = stack.user ? follow_call(&stack, address, asked, &site) : 0;
  else if (stack.inside && !is_mixed_up)
    bytes = follow_runtime(&stack, asked, &site);
  else if (stack.user && (!in_runtime || is_mixed_up))
    bytes = follow_call(&stack, address, asked, &site);
  if (asked->has_body && bytes)
    find_body(&stack, bytes, &site);
  return site;
}
