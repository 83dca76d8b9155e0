/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/cfi_rule.h"

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

enum opcode {
  CFA_NOP = 0x00,
  CFA_ADVANCE_LOC1 = 0x02,
  CFA_ADVANCE_LOC2 = 0x03,
  CFA_ADVANCE_LOC4 = 0x04,
  CFA_OFFSET_EXTENDED = 0x05,
  CFA_RESTORE_EXTENDED = 0x06,
  CFA_UNDEFINED = 0x07,
  CFA_SAME_VALUE = 0x08,
  CFA_REGISTER = 0x09,
  CFA_REMEMBER_STATE = 0x0a,
  CFA_RESTORE_STATE = 0x0b,
  CFA_DEF_CFA = 0x0c,
  CFA_DEF_CFA_REGISTER = 0x0d,
  CFA_DEF_CFA_OFFSET = 0x0e,
  CFA_DEF_CFA_EXPRESSION = 0x0f,
  CFA_EXPRESSION = 0x10,
  CFA_OFFSET_EXTENDED_SF = 0x11,
  CFA_DEF_CFA_SF = 0x12,
  CFA_DEF_CFA_OFFSET_SF = 0x13,
  CFA_VAL_OFFSET = 0x14,
  CFA_VAL_OFFSET_SF = 0x15,
  CFA_VAL_EXPRESSION = 0x16,
  CFA_AARCH64_NEGATE_RA_STATE = 0x2d, /* the return address is signed: it stays in its place */
  CFA_GNU_ARGS_SIZE = 0x2e,
  /* with an operand in the lower six bits: */
  CFA_ADVANCE_LOC = 0x40,
  CFA_OFFSET = 0x80,
  CFA_RESTORE = 0xc0
};

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

static void save(struct program *program, uint64_t column, enum hd_rule_base base, int64_t offset) {
  struct hd_rule_place *place = place_of(program, &program->rule, column);
  if (place)
    *place = (struct hd_rule_place){base, offset};
}

static void restore(struct program *program, uint64_t column) {
  struct hd_rule_place *place = place_of(program, &program->rule, column);
  if (place)
    *place = *place_of(program, &program->initial, column);
}

static enum hd_rule_base base_of(uint64_t column) {
  if (column == (uint64_t)STACK_POINTER)
    return HD_RULE_SP;
  return column == (uint64_t)FRAME_POINTER ? HD_RULE_FP : HD_RULE_UNKNOWN;
}

/* What defines the canonical frame address. False: none of these. */
static bool step_cfa(struct program *program, uint32_t opcode) {
  struct reader *reader = &program->reader;
  struct hd_rule_place *cfa = &program->rule.cfa;
  switch (opcode) {
  case CFA_DEF_CFA:
    cfa->base = base_of(read_unsigned(reader));
    cfa->offset = (int64_t)read_unsigned(reader);
    return true;
  case CFA_DEF_CFA_SF:
    cfa->base = base_of(read_unsigned(reader));
    cfa->offset = read_signed(reader) * program->data_unit;
    return true;
  case CFA_DEF_CFA_REGISTER:
    cfa->base = base_of(read_unsigned(reader));
    return true;
  case CFA_DEF_CFA_OFFSET:
    cfa->offset = (int64_t)read_unsigned(reader);
    return true;
  case CFA_DEF_CFA_OFFSET_SF:
    cfa->offset = read_signed(reader) * program->data_unit;
    return true;
  case CFA_DEF_CFA_EXPRESSION:
    *cfa = read_expression(reader);
    return true;
  default:
    return false;
  }
}

/* What says where a register was saved. False: none of these. */
static bool step_register(struct program *program, uint32_t opcode) {
  struct reader *reader = &program->reader;
  uint64_t column = read_unsigned(reader);
  switch (opcode) {
  case CFA_OFFSET_EXTENDED:
    save(program, column, HD_RULE_CFA, (int64_t)read_unsigned(reader) * program->data_unit);
    return true;
  case CFA_OFFSET_EXTENDED_SF:
    save(program, column, HD_RULE_CFA, read_signed(reader) * program->data_unit);
    return true;
  case CFA_RESTORE_EXTENDED:
    restore(program, column);
    return true;
  case CFA_SAME_VALUE:
    save(program, column, HD_RULE_SAME, 0);
    return true;
  case CFA_UNDEFINED:
    save(program, column, HD_RULE_UNDEFINED, 0);
    return true;
  case CFA_EXPRESSION: {
    struct hd_rule_place place = read_expression(reader);
    save(program, column, place.base == HD_RULE_FP ? HD_RULE_FP : HD_RULE_UNKNOWN, place.offset);
    return true;
  }
  case CFA_REGISTER:
  case CFA_VAL_OFFSET:
    read_unsigned(reader);
    save(program, column, HD_RULE_UNKNOWN, 0);
    return true;
  case CFA_VAL_OFFSET_SF:
    read_signed(reader);
    save(program, column, HD_RULE_UNKNOWN, 0);
    return true;
  case CFA_VAL_EXPRESSION:
    read_expression(reader);
    save(program, column, HD_RULE_UNKNOWN, 0);
    return true;
  default:
    return false;
  }
}

/* Steps without an operand that matters here. False: none of these, or too many states remembered. */
static bool step_other(struct program *program, uint32_t opcode) {
  switch (opcode) {
  case CFA_NOP:
#ifdef __aarch64__
  case CFA_AARCH64_NEGATE_RA_STATE:
#endif
    return true;
  case CFA_GNU_ARGS_SIZE:
    read_unsigned(&program->reader);
    return true;
  case CFA_REMEMBER_STATE:
    if (program->remembered_count == MOST_REMEMBERED)
      return false;
    program->remembered[program->remembered_count++] = program->rule;
    return true;
  case CFA_RESTORE_STATE:
    if (!program->remembered_count)
      return false;
    program->rule = program->remembered[--program->remembered_count];
    return true;
  default:
    return false;
  }
}

static void advance(struct program *program, uint64_t units) {
  program->location += units * program->code_unit;
}

static bool step(struct program *program) {
  struct reader *reader = &program->reader;
  uint32_t opcode = *reader->at++;
  uint32_t operand = opcode & 0x3f;
  switch (opcode & 0xc0) {
  case CFA_ADVANCE_LOC:
    advance(program, operand);
    return true;
  case CFA_OFFSET:
    save(program, operand, HD_RULE_CFA, (int64_t)read_unsigned(reader) * program->data_unit);
    return true;
  case CFA_RESTORE:
    restore(program, operand);
    return true;
  default:
    break;
  }
  if (opcode == CFA_ADVANCE_LOC1 || opcode == CFA_ADVANCE_LOC2 || opcode == CFA_ADVANCE_LOC4) {
    advance(program, read_fixed(reader, (size_t)1 << (opcode - CFA_ADVANCE_LOC1)));
    return true;
  }
  return step_other(program, opcode) || step_cfa(program, opcode) || step_register(program, opcode);
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
