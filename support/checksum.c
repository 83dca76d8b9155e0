/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/checksum.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

enum { SLICES = 8 };
static const uint32_t polynomial = 0x82f63b78u; /* reflected */

/* tables[k][byte]: the remainder of `byte` followed by k bytes of 0. Eight bytes then take eight look-ups that do not
 * wait for each other (Kounavis and Berry, 2005). */
static uint32_t tables[SLICES][256];
static bool tables_are_made;

/* Threads that come at once write the same. */
static void make_tables(void) {
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; bit++)
      rest = rest >> 1 ^ (rest & 1 ? polynomial : 0);
    tables[0][byte] = rest;
  }
  for (uint32_t byte = 0; byte < 256; byte++)
    for (int slice = 1; slice < SLICES; slice++)
      tables[slice][byte] = tables[slice - 1][byte] >> 8 ^ tables[0][tables[slice - 1][byte] & 255];
  __atomic_store_n(&tables_are_made, true, __ATOMIC_RELEASE);
}

static uint32_t add_word(uint32_t rest, const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  word = le64toh(word) ^ rest;
  rest = 0;
  for (int i = 0; i < SLICES; i++)
    rest ^= tables[SLICES - 1 - i][word >> 8 * i & 255];
  return rest;
}

uint32_t hd_checksum(uint32_t sum, const void *bytes, size_t count) {
  const uint8_t *at = bytes;
  uint32_t rest = ~sum;
  if (!__atomic_load_n(&tables_are_made, __ATOMIC_ACQUIRE))
    make_tables();
  for (; count >= SLICES; at += SLICES, count -= SLICES)
    rest = add_word(rest, at);
  for (; count > 0; at++, count--)
    rest = rest >> 8 ^ tables[0][(rest ^ *at) & 255];
  return ~rest;
}
