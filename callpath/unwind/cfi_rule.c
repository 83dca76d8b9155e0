/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/unwind/cfi_rule.h"

#include <stddef.h>
#include <string.h>

/* DWARF's numbers of the registers. */
#if defined(__x86_64__)
enum { FRAME_POINTER = 6, STACK_POINTER = 7 };
#elif defined(__aarch64__)
enum { FRAME_POINTER = 29, STACK_POINTER = 31 };
#else
enum { FRAME_POINTER = -1, STACK_POINTER = -2 }; /* no rule is understood */
#endif

enum { MOST_REMEMBERED = 16 };

enum { OP_DEREF = 0x06, OP_BREG0 = 0x70 };

struct reader {
  const uint8_t *at;
  const uint8_t *end;
};

struct program {
  struct reader reader; /* instructions */
  uint64_t code_unit;
  int64_t data_unit;
  uint64_t return_column;
  uintptr_t location;
  uintptr_t target;
  struct hd_frame_rule rule;
  struct hd_frame_rule initial; /* what the common part says */
  struct hd_frame_rule remembered[MOST_REMEMBERED];
  uint32_t remembered_count;
};

static uint64_t read_fixed(struct reader *reader, size_t bytes) {
  uint64_t value = 0;
  if ((size_t)(reader->end - reader->at) < bytes) {
    reader->at = reader->end;
    return 0;
  }
  for (size_t i = 0; i < bytes; i++)
    value |= (uint64_t)reader->at[i] << 8 * i;
  reader->at += bytes;
  return value;
}

static uint64_t read_leb(struct reader *reader, bool is_signed) {
  uint64_t value = 0;
  uint32_t shift = 0;
  while (reader->at < reader->end) {
    uint8_t byte = *reader->at++;
    if (shift < 64)
      value |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
    if (byte & 0x80)
      continue;
    if (is_signed && byte & 0x40 && shift < 64)
      value |= ~(uint64_t)0 << shift;
    break;
  }
  return value;
}

static uint64_t read_unsigned(struct reader *reader) {
  return read_leb(reader, false);
}

static int64_t read_signed(struct reader *reader) {
  return (int64_t)read_leb(reader, true);
}

/* A place that is worked out: frame pointer + offset, perhaps loaded from there. Compilers write no other for frames.
 */
static struct hd_rule_place read_expression(struct reader *reader) {
  struct hd_rule_place place = {HD_RULE_UNKNOWN, 0};
  uint64_t bytes = read_unsigned(reader);
  if (bytes > (uint64_t)(reader->end - reader->at)) {
    reader->at = reader->end;
    return place;
  }
  struct reader expression = {reader->at, reader->at + bytes};
  reader->at += bytes;
  if (read_fixed(&expression, 1) != OP_BREG0 + (uint64_t)FRAME_POINTER)
    return place;
  place.offset = read_signed(&expression);
  bool loaded = expression.at < expression.end && *expression.at == OP_DEREF;
  if (expression.at + loaded == expression.end)
    place.base = loaded ? HD_RULE_FP_LOADED : HD_RULE_FP;
  return place;
}

static struct hd_rule_place *place_of(struct program *program, struct hd_frame_rule *rule, uint64_t column) {
  if (column == (uint64_t)FRAME_POINTER)
    return &rule->frame_pointer;
  return column == program->return_column ? &rule->return_address : NULL;
}

static enum hd_rule_base base_of(uint64_t column) {
  if (column == (uint64_t)STACK_POINTER)
    return HD_RULE_SP;
  return column == (uint64_t)FRAME_POINTER ? HD_RULE_FP : HD_RULE_UNKNOWN;
}

/* ---- instructions ---- */

/* CFA: what is read replaces that part of the canonical frame address. SAVE: where the caller's register lies. */
enum effect { NOT_UNDERSTOOD, NONE, CFA, SAVE, RESTORE, REMEMBER, RECALL };

enum operand { NO_OPERAND, NUMBER, FACTORED, SIGNED_FACTORED, EXPRESSION };

struct instruction {
  enum effect effect;
  bool has_register; /* its first operand */
  enum operand operand;
  enum hd_rule_base base; /* SAVE: what the operand is the offset to */
};

/* The last three have an operand in their lower six bits. */
enum { ADVANCE_1 = 0x02, ADVANCE_4 = 0x04, OFFSET_EXTENDED = 0x05, RESTORE_EXTENDED = 0x06 };
enum { ADVANCE = 0x40, OFFSET = 0x80, RESTORE_SHORT = 0xc0 };

static const struct instruction instructions[ADVANCE] = {
    [0x00] = {NONE, false, NO_OPERAND, 0},                   /* nop */
    [OFFSET_EXTENDED] = {SAVE, true, FACTORED, HD_RULE_CFA}, /* offset_extended */
    [RESTORE_EXTENDED] = {RESTORE, true, NO_OPERAND, 0},     /* restore_extended */
    [0x07] = {SAVE, true, NO_OPERAND, HD_RULE_UNDEFINED},    /* undefined */
    [0x08] = {SAVE, true, NO_OPERAND, HD_RULE_SAME},         /* same_value */
    [0x09] = {SAVE, true, NUMBER, HD_RULE_UNKNOWN},          /* register */
    [0x0a] = {REMEMBER, false, NO_OPERAND, 0},               /* remember_state */
    [0x0b] = {RECALL, false, NO_OPERAND, 0},                 /* restore_state */
    [0x0c] = {CFA, true, NUMBER, 0},                         /* def_cfa */
    [0x0d] = {CFA, true, NO_OPERAND, 0},                     /* def_cfa_register */
    [0x0e] = {CFA, false, NUMBER, 0},                        /* def_cfa_offset */
    [0x0f] = {CFA, false, EXPRESSION, 0},                    /* def_cfa_expression */
    [0x10] = {SAVE, true, EXPRESSION, HD_RULE_FP},           /* expression */
    [0x11] = {SAVE, true, SIGNED_FACTORED, HD_RULE_CFA},     /* offset_extended_sf */
    [0x12] = {CFA, true, SIGNED_FACTORED, 0},                /* def_cfa_sf */
    [0x13] = {CFA, false, SIGNED_FACTORED, 0},               /* def_cfa_offset_sf */
    [0x14] = {SAVE, true, NUMBER, HD_RULE_UNKNOWN},          /* val_offset */
    [0x15] = {SAVE, true, SIGNED_FACTORED, HD_RULE_UNKNOWN}, /* val_offset_sf */
    [0x16] = {SAVE, true, EXPRESSION, HD_RULE_UNKNOWN},      /* val_expression */
#ifdef __aarch64__
    [0x2d] = {NONE, false, NO_OPERAND, 0}, /* negate_ra_state: the return address is signed, and stays in its place */
#endif
    [0x2e] = {NONE, false, NUMBER, 0}, /* GNU_args_size */
};

static struct hd_rule_place read_place(struct program *program, const struct instruction *instruction) {
  struct reader *reader = &program->reader;
  struct hd_rule_place place = {instruction->base, 0};
  if (instruction->operand == NUMBER)
    place.offset = (int64_t)read_unsigned(reader);
  else if (instruction->operand == FACTORED)
    place.offset = (int64_t)read_unsigned(reader) * program->data_unit;
  else if (instruction->operand == SIGNED_FACTORED)
    place.offset = read_signed(reader) * program->data_unit;
  else if (instruction->operand == EXPRESSION)
    place = read_expression(reader);
  return place;
}

static void define_cfa(struct program *program, const struct instruction *instruction, uint64_t number) {
  struct hd_rule_place *cfa = &program->rule.cfa;
  const struct hd_rule_place place = read_place(program, instruction);
  if (instruction->operand != NO_OPERAND)
    cfa->offset = place.offset;
  if (instruction->has_register)
    cfa->base = base_of(number);
  else if (instruction->operand == EXPRESSION)
    cfa->base = place.base;
}

static void save(struct program *program, const struct instruction *instruction, uint64_t number) {
  struct hd_rule_place *saved = place_of(program, &program->rule, number);
  struct hd_rule_place place = read_place(program, instruction);
  if (place.base != instruction->base)
    place.base = HD_RULE_UNKNOWN;
  if (saved)
    *saved = place;
}

static void restore(struct program *program, uint64_t number) {
  struct hd_rule_place *saved = place_of(program, &program->rule, number);
  if (saved)
    *saved = *place_of(program, &program->initial, number);
}

/* False: not understood, or too many states are remembered. */
static bool execute_one(struct program *program, const struct instruction *instruction, uint64_t number) {
  switch (instruction->effect) {
  case NOT_UNDERSTOOD:
    return false;
  case NONE:
    read_place(program, instruction);
    return true;
  case CFA:
    define_cfa(program, instruction, number);
    return true;
  case SAVE:
    save(program, instruction, number);
    return true;
  case RESTORE:
    restore(program, number);
    return true;
  case REMEMBER:
    if (program->remembered_count == MOST_REMEMBERED)
      return false;
    program->remembered[program->remembered_count++] = program->rule;
    return true;
  case RECALL:
    if (!program->remembered_count)
      return false;
    program->rule = program->remembered[--program->remembered_count];
    return true;
  }
  return false;
}

static bool step(struct program *program) {
  struct reader *reader = &program->reader;
  const uint32_t opcode = *reader->at++;
  const uint32_t bits = opcode % ADVANCE;
  if (opcode >= RESTORE_SHORT)
    return execute_one(program, &instructions[RESTORE_EXTENDED], bits);
  if (opcode >= OFFSET)
    return execute_one(program, &instructions[OFFSET_EXTENDED], bits);
  if (opcode >= ADVANCE || (opcode >= ADVANCE_1 && opcode <= ADVANCE_4)) {
    const uint64_t units = opcode >= ADVANCE ? bits : read_fixed(reader, (size_t)1 << (opcode - ADVANCE_1));
    program->location += units * program->code_unit;
    return true;
  }
  const struct instruction *instruction = &instructions[opcode];
  return execute_one(program, instruction, instruction->has_register ? read_unsigned(reader) : 0);
}

/* Instructions at an address later than the target's do not count. */
static bool execute(struct program *program) {
  while (program->reader.at < program->reader.end && program->location <= program->target)
    if (!step(program))
      return false;
  return true;
}

/* A record's contents after its length; empty: of the 64-bit kind, which nobody writes. */
static struct reader open_record(const void *record) {
  uint32_t bytes;
  memcpy(&bytes, record, sizeof bytes);
  const uint8_t *begin = (const uint8_t *)record + sizeof bytes;
  return (struct reader){begin, bytes == UINT32_MAX ? begin : begin + bytes};
}

/* Bytes of a pointer in an encoding (LSB, "DWARF Exception Header Encoding"); 0: not known. */
static size_t pointer_bytes(uint64_t encoding) {
  static const uint8_t bytes[16] = {[0x0] = 8, [0x2] = 2, [0x3] = 4, [0x4] = 8, [0xa] = 2, [0xb] = 4, [0xc] = 8};
  return (encoding & 0x70) == 0x50 ? 0 : bytes[encoding & 0xf]; /* 0x50: aligned */
}

/* What the letters after "z" announce. `*encoding`: of the addresses in functions' records. */
static bool read_augmentation(struct reader *reader, const char *letters, uint64_t *encoding) {
  uint64_t bytes = read_unsigned(reader);
  if (bytes > (uint64_t)(reader->end - reader->at))
    return false;
  struct reader data = {reader->at, reader->at + bytes};
  reader->at += bytes;
  for (; *letters; letters++) {
    if (*letters == 'R') {
      *encoding = read_fixed(&data, 1);
    } else if (*letters == 'L') {
      read_fixed(&data, 1);
    } else if (*letters == 'P') {
      size_t pointer = pointer_bytes(read_fixed(&data, 1));
      if (!pointer)
        return false;
      read_fixed(&data, pointer);
    } else if (*letters != 'B') { /* AArch64: return addresses are signed with the other key */
      return false;               /* 'S' too: a signal's frame, in which a return address is none */
    }
  }
  return true;
}

/* The part that functions have in common: leaves the reader at its instructions. */
static bool open_common(struct program *program, struct reader reader, uint64_t *encoding) {
  read_fixed(&reader, 4);
  uint64_t version = read_fixed(&reader, 1);
  const char *letters = (const char *)reader.at;
  size_t length = strnlen(letters, (size_t)(reader.end - reader.at));
  if (letters[0] != 'z' || (version != 1 && version != 3))
    return false;
  reader.at += length + 1;
  program->code_unit = read_unsigned(&reader);
  program->data_unit = read_signed(&reader);
  program->return_column = version == 1 ? read_fixed(&reader, 1) : read_unsigned(&reader);
  *encoding = 0;
  if (!read_augmentation(&reader, letters + 1, encoding))
    return false;
  program->reader = reader;
  return true;
}

bool hd_frame_rule_read(const void *fde, uintptr_t function, uintptr_t address, struct hd_frame_rule *rule) {
  struct program program = {.location = function, .target = address};
  struct reader reader = open_record(fde);
  const uint8_t *back = reader.at;
  uint64_t encoding;
  int32_t to_common = (int32_t)read_fixed(&reader, 4);
  if (reader.at == reader.end || !open_common(&program, open_record(back - to_common), &encoding))
    return false;
  program.rule.frame_pointer.base = program.rule.return_address.base = HD_RULE_SAME;
  if (!execute(&program))
    return false;
  program.initial = program.rule;
  size_t pointer = pointer_bytes(encoding);
  read_fixed(&reader, pointer);
  read_fixed(&reader, pointer);
  uint64_t skipped = read_unsigned(&reader); /* the function's own augmentation data */
  if (!pointer || skipped > (uint64_t)(reader.end - reader.at))
    return false;
  reader.at += skipped;
  program.reader = reader;
  if (!execute(&program))
    return false;
  *rule = program.rule;
  return true;
}
