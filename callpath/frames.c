/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/frames.h"

#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#include "callpath/bodies.h"
#include "callpath/call_site.h"
#include "callpath/unwinder.h"

enum { MOST_SYSTEM_LIBRARIES = 16 };

static struct {
  struct {
    uintptr_t begin, end;
  } libraries[MOST_SYSTEM_LIBRARIES];
  uint32_t count;
  uintptr_t entry; /* the program's first instruction: _start */
} system_code;

static bool is_system_library(const char *path) {
  static const char *const names[] = {"libc.", "libc-", "ld-", "libpthread", "libstdc++", "libc++", "libgcc_s"};
  const char *name = strrchr(path, '/');
  name = name ? name + 1 : path;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(name, names[i], strlen(names[i])))
      return true;
  return false;
}

static int note_system_library(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  (void)data;
  if (!is_system_library(info->dlpi_name))
    return 0;
  for (int i = 0; i < info->dlpi_phnum && system_code.count < MOST_SYSTEM_LIBRARIES; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
      continue;
    uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
    system_code.libraries[system_code.count].begin = begin;
    system_code.libraries[system_code.count++].end = begin + segment->p_memsz;
  }
  return 0;
}

static bool is_system_code(uintptr_t ip) {
  for (uint32_t i = 0; i < system_code.count; i++)
    if (ip - system_code.libraries[i].begin < system_code.libraries[i].end - system_code.libraries[i].begin)
      return true;
  return false;
}

static bool stop_at_once(const struct hd_unwound *unwound, void *data) {
  (void)unwound;
  (void)data;
  return false;
}

bool hd_frames_init(void) {
  if (!hd_unwinder_load())
    return false;
  system_code.count = 0;
  system_code.entry = getauxval(AT_ENTRY);
  dl_iterate_phdr(note_system_library, NULL);
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
  const void *held; /* a routine, until it is known who called it */
};

/* False: the limit or the enclosing construct's body is reached. */
static bool put_held(struct walk *walk) {
  struct hd_frames *frames = walk->frames;
  const void *routine = walk->held;
  walk->held = NULL;
  if (!routine)
    return true;
  if (hd_bodies_contain(routine))
    return false;
  if (frames->routine_count == frames->routine_limit) {
    frames->cut = true;
    return false;
  }
  frames->routines[frames->routine_count++] = routine;
  return true;
}

static bool visit_user_code(struct walk *walk, const struct hd_proof_frame *frame) {
  if (!put_held(walk))
    return false;
  walk->frames->cut = false;
  if (is_system_code(frame->ip))
    return true;
  if (frame->function == system_code.entry || (walk->limit && frame->sp >= walk->limit))
    return false;
  walk->held = (const void *)frame->function;
  walk->frames->cut = !frame->function; /* no unwind information: the unwinder passes only where a signal came */
  return true;
}

static bool visit_frame(struct walk *walk, const struct hd_proof_frame *frame) {
  const void *code = (const void *)frame->ip;
  if (hd_call_site_in_runtime(code)) {
    if (walk->part == IN_USER_CODE) {
      put_held(walk); /* its body, or what that has called last */
      return false;
    }
    walk->part = IN_RUNTIME;
    return true;
  }
  if (code != walk->code && (walk->part == IN_TOOL || (walk->part == IN_RUNTIME && is_system_code(frame->ip))))
    return true; /* or in another tool, which passes events on */
  if (walk->part != IN_USER_CODE)
    walk->frames->place = frame->sp;
  walk->part = IN_USER_CODE;
  return visit_user_code(walk, frame);
}

static bool visit(const struct hd_unwound *unwound, void *data) {
  struct walk *walk = data;
  struct hd_function_bases bases = {0};
  struct hd_proof_frame frame = {.ip = unwound->ip, .sp = unwound->sp};
  if (frame.sp <= walk->own) /* functions called since */
    return true;
  frame.fde = hd_unwinder.find_fde((void *)(frame.ip - !unwound->is_exact), &bases);
  frame.function = frame.fde ? (uintptr_t)bases.function : 0;
  if (unwound->is_exact)
    walk->frames->proof.complete = false;
  hd_proof_add(&walk->frames->proof, &frame);
  return visit_frame(walk, &frame);
}

bool hd_frames_walk(struct hd_frames *frames, uintptr_t own, const void *code, uintptr_t limit) {
  struct walk walk = {.frames = frames, .own = own, .code = code, .limit = limit};
  frames->routine_count = 0;
  frames->cut = false;
  frames->place = 0;
  hd_proof_begin(&frames->proof, own);
  if (!hd_unwinder.backtrace)
    return false;
  if (!hd_unwinder_each(visit, &walk, frames->proof.limit)) /* more could not be proved */
    frames->cut = true;
  put_held(&walk);
  return walk.part == IN_USER_CODE;
}
