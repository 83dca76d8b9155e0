/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "packed.h"

#include <string.h>

static size_t zeros_at(const uint8_t *bytes, size_t size) {
  size_t count = 0;
  while (count < size && count < 0x10000 && bytes[count] == 0)
    count++;
  return count;
}

static void put(uint8_t *to, size_t at, size_t limit, size_t byte) {
  if (at < limit)
    to[at] = (uint8_t)byte;
}

size_t fz_pack(const uint8_t *bytes, size_t size, uint8_t *packed, size_t limit) {
  size_t used = 0;
  for (size_t i = 0; i < size;) {
    const size_t zeros = zeros_at(bytes + i, size - i);
    put(packed, used++, limit, bytes[i]);
    i += zeros > 0 ? zeros : 1;
    if (zeros == 0)
      continue;
    put(packed, used++, limit, (zeros - 1) & 0xff);
    put(packed, used++, limit, (zeros - 1) >> 8);
  }
  return used;
}

size_t fz_unpack(const uint8_t *packed, size_t size, uint8_t *bytes, size_t limit) {
  size_t used = 0;
  for (size_t i = 0; i < size && used < limit; i++) {
    bytes[used++] = packed[i];
    if (packed[i] != 0)
      continue;
    size_t more = i + 2 < size ? packed[i + 1] | (size_t)packed[i + 2] << 8 : 0;
    if (more > limit - used)
      more = limit - used;
    memset(bytes + used, 0, more);
    used += more;
    i += 2;
  }
  return used;
}
