/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/site/call_instruction.h"

#include <stddef.h>
#include <string.h>

#include "callpath/code/loaded_modules.h"
#include "callpath/unwind/libgcc_unwind.h"

#ifdef __x86_64__
enum { READS_CODE = 1 };
#else
enum { READS_CODE = 0 };
#endif

enum {
  REACH_BYTES = 2048,            /* an argument is put in its place so close to the call */
  MOST_FUNCTION_BYTES = 1 << 18, /* larger functions are not searched */
  RAX = 0,
  RBX = 3,
  RBP = 5,
  RDI = 7,
};

/* The segment that code lies in. */
struct code {
  const unsigned char *begin, *end;
};

static bool find_code(const void *address, struct code *code) {
  struct hd_loaded loaded;
  if (!hd_loaded_find((uintptr_t)address, &loaded))
    return false;
  code->begin = (const unsigned char *)loaded.begin;
  code->end = (const unsigned char *)loaded.end;
  return true;
}

static bool is_in(const struct code *code, const void *address) {
  return (uintptr_t)address - (uintptr_t)code->begin < (uintptr_t)(code->end - code->begin);
}

static bool is_function(const void *address) {
  return address && hd_unwinder_function(address) == address;
}

/* What lies so many bytes behind the four at `at`, as instructions say it. */
static const void *relative(const unsigned char *at) {
  int32_t distance;
  memcpy(&distance, at, sizeof distance);
  return (const void *)((uintptr_t)at + sizeof distance + (uintptr_t)(intptr_t)distance);
}

/* The dynamic linker's table holds where to go. NULL: no such place. */
static const void *read_slot(const void *slot) {
  struct hd_loaded loaded;
  const void *target;
  if (!hd_loaded_find((uintptr_t)slot, &loaded) || loaded.end - (uintptr_t)slot < sizeof target)
    return NULL;
  memcpy(&target, slot, sizeof target);
  return is_function(target) ? target : NULL;
}

/* jmp *SLOT(%rip), perhaps behind endbr64 and a prefix. NULL: it is none, or was never used. */
static const void *through_stub(const struct code *code, const unsigned char *at) {
  static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
  if (!is_in(code, at) || code->end - at < 16)
    return NULL;
  if (!memcmp(at, endbr64, sizeof endbr64))
    at += sizeof endbr64;
  if (*at == 0xf2)
    at++;
  return at[0] == 0xff && at[1] == 0x25 ? read_slot(relative(at + 2)) : NULL;
}

/* A call's or jump's target in the same segment: a function or a stub. */
static const void *direct_target(const struct code *code, const unsigned char *at) {
  const void *target = relative(at);
  if (!is_in(code, target))
    return NULL;
  return is_function(target) ? target : through_stub(code, target);
}

static const void *value_of(const struct hd_registers *registers, unsigned number) {
  const void *value = registers->known & 1u << number ? (const void *)registers->value[number] : NULL;
  return is_function(value) ? value : NULL;
}

/* call *%REGISTER; through memory, it is only recognized. */
static struct hd_call read_indirect(const unsigned char *behind, const struct hd_registers *registers) {
  if (behind[-2] == 0xff && (behind[-1] & 0xf8) == 0xd0) {
    const bool extended = behind[-3] == 0x41;
    const unsigned number = (behind[-1] & 7u) + (extended ? 8 : 0);
    return (struct hd_call){.target = value_of(registers, number), .bytes = extended ? 3 : 2};
  }
  for (uint32_t bytes = 2; bytes <= 7; bytes++)
    if (behind[-(int)bytes] == 0xff && (behind[1 - (int)bytes] & 0x38) == 0x10)
      return (struct hd_call){.bytes = bytes};
  return (struct hd_call){0};
}

struct hd_call hd_call_read(const void *return_address, const struct hd_registers *registers) {
  const unsigned char *behind = return_address;
  struct code code;
  if (!READS_CODE || !find_code(behind - 1, &code) || behind - code.begin < 8)
    return (struct hd_call){0};
  const void *target = behind[-5] == 0xe8 ? direct_target(&code, behind - 4) : NULL;
  if (target)
    return (struct hd_call){.target = target, .direct = true, .bytes = 5};
  target = behind[-6] == 0xff && behind[-5] == 0x15 ? read_slot(relative(behind - 4)) : NULL;
  if (target)
    return (struct hd_call){.target = target, .direct = true, .bytes = 6};
  return read_indirect(behind, registers);
}

/* ---- the function that is passed ---- */

static const void *absolute(const unsigned char *at) {
  uint32_t address;
  memcpy(&address, at, sizeof address);
  return (const void *)(uintptr_t)address;
}

/* lea FUNCTION(%rip), %REGISTER or mov $FUNCTION, %REGISTER. */
static const void *loaded_function(const unsigned char *at, unsigned number) {
  const unsigned char low = number & 7u;
  const void *function = NULL;
  if (at[0] == (number < 8 ? 0x48 : 0x4c) && at[1] == 0x8d && at[2] == (0x05 | low << 3))
    function = relative(at + 3);
  else if (at[0] == (number < 8 ? 0x48 : 0x49) && at[1] == 0xc7 && at[2] == (0xc0 | low))
    function = absolute(at + 3);
  else if (at[2] == (0xb8 | low) && (number < 8 ? (at[1] & 0xf0) != 0x40 : at[1] == 0x41))
    function = absolute(at + 3);
  return is_function(function) ? function : NULL;
}

enum { LOAD_BYTES = 7, MOVE_BYTES = 3 }; /* the last kind of load ends there, too */

/* mov %REGISTER, %rdi: from the instruction before, or what the register still holds. */
static const void *moved_function(const unsigned char *begin, const unsigned char *at,
                                  const struct hd_registers *registers) {
  if ((at[0] != 0x48 && at[0] != 0x4c) || at[1] != 0x89 || (at[2] & 0xc7) != (0xc0 | RDI))
    return NULL;
  const unsigned number = (at[2] >> 3 & 7u) + (at[0] == 0x4c ? 8 : 0);
  const void *function = at - begin < LOAD_BYTES ? NULL : loaded_function(at - LOAD_BYTES, number);
  return function ? function : value_of(registers, number);
}

const void *hd_call_passed_function(const void *behind, uint32_t bytes, const struct hd_registers *registers) {
  const unsigned char *end = (const unsigned char *)behind - bytes;
  const unsigned char *begin = hd_unwinder_function(end);
  struct code code;
  if (!READS_CODE || !begin || !find_code(end, &code))
    return NULL;
  if (end - begin > REACH_BYTES)
    begin = end - REACH_BYTES;
  for (const unsigned char *at = end - MOVE_BYTES; at >= begin; at--) {
    if (at + 5 <= end && *at == 0xe8 && direct_target(&code, at + 1))
      return NULL; /* an earlier call: what was passed before is that one's */
    const void *function = moved_function(begin, at, registers);
    if (!function && end - at >= LOAD_BYTES)
      function = loaded_function(at, RDI);
    if (function)
      return function;
  }
  return NULL;
}

/* ---- tail calls ---- */

enum { MOST_FUNCTIONS = 16 };

struct search {
  const void *target;
  const unsigned char *found;
  uint32_t bytes;      /* of the jump that was found */
  uint32_t jump_count; /* to the target */
  uint32_t count;      /* of functions, in the order in which they were come upon */
  bool is_cut;         /* there were more */
  const void *functions[MOST_FUNCTIONS];
};

/* Where jmp DISTANCE, jcc DISTANCE or jmp *SLOT(%rip) leads to: behind stubs. NULL: there is no such jump here. */
static const void *jump_target(const struct code *code, const unsigned char *at, uint32_t *bytes) {
  if (at[0] == 0xeb) {
    const void *near = at + 2 + (int8_t)at[1];
    *bytes = 2;
    return is_in(code, near) && is_function(near) ? near : NULL; /* most stay in their function */
  }
  const bool is_plain = at[0] == 0xe9;
  *bytes = is_plain ? 5 : 6;
  if (at[0] == 0xff && at[1] == 0x25)
    return read_slot(relative(at + 2));
  if (!is_plain && (at[0] != 0x0f || (at[1] & 0xf0) != 0x80))
    return NULL;
  const void *target = relative(at + *bytes - 4);
  const void *behind = through_stub(code, target);
  return behind ? behind : is_in(code, target) ? target : NULL;
}

static void add_function(struct search *search, const void *function) {
  for (uint32_t i = 0; i < search->count; i++)
    if (search->functions[i] == function)
      return;
  search->is_cut = search->is_cut || search->count == MOST_FUNCTIONS;
  if (!search->is_cut)
    search->functions[search->count++] = function;
}

static void take_jump(struct search *search, const unsigned char *at, uint32_t bytes, const void *target) {
  const void *function = target ? hd_unwinder_function(target) : NULL;
  if (target == search->target) {
    search->found = at + bytes;
    search->bytes = bytes;
    search->jump_count++;
  } else if (function && hd_unwinder_function(search->target) != function) {
    add_function(search, function);
  }
}

static void search_function(struct search *search, const void *function) {
  const unsigned char *at = function;
  struct code code;
  if (!find_code(function, &code))
    return;
  const unsigned char *limit = code.end - at > MOST_FUNCTION_BYTES ? at + MOST_FUNCTION_BYTES : code.end - 8;
  for (; at < limit; at++) {
    uint32_t bytes;
    if (((uintptr_t)at & 63) == 0 && hd_unwinder_function(at) != function)
      return;
    const void *target = jump_target(&code, at, &bytes);
    if (target && hd_unwinder_function(at) == function)
      take_jump(search, at, bytes, target);
  }
}

const void *hd_call_only_jump(const void *function, const void *target, uint32_t *bytes) {
  struct search search = {.target = target, .functions = {function}, .count = 1};
  for (uint32_t i = 0; READS_CODE && i < search.count; i++)
    search_function(&search, search.functions[i]);
  const bool is_only = search.jump_count == 1 && !search.is_cut;
  *bytes = is_only ? search.bytes : 0;
  return is_only ? search.found : NULL;
}

/* DWARF's numbers of rbx, rbp, r12 to r15. */
void hd_registers_read(struct _Unwind_Context *context, struct hd_registers *registers) {
  static const struct {
    uint8_t number, dwarf;
  } preserved[] = {{RBX, 3}, {RBP, 6}, {12, 12}, {13, 13}, {14, 14}, {15, 15}};
  registers->known = 0;
  for (size_t i = 0; READS_CODE && i < sizeof preserved / sizeof *preserved; i++) {
    registers->known |= 1u << preserved[i].number;
    registers->value[preserved[i].number] = hd_unwinder.get_register(context, preserved[i].dwarf);
  }
}
