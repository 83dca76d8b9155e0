/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles, packed (packed.h): read, reported, exported, narrowed, merged and compared. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "exercise.h"
#include "fuzz.h"
#include "mutate.h"
#include "output/model/memory.h"
#include "packed.h"

enum { BYTES_MOST = 4 << 20 };

/* Of exactly its size, so that a sanitizer sees what lies behind it. */
static uint8_t *unpack(const uint8_t *data, size_t size, size_t *bytes) {
  static uint8_t room[BYTES_MOST];
  *bytes = fz_unpack(data, size, room, sizeof room);
  uint8_t *copy = malloc(*bytes + (*bytes == 0));
  if (!copy)
    abort();
  return memcpy(copy, room, *bytes);
}

/* Inputs take turns in what is done with them: one that is new does not have to wait for all of it. */
static uint32_t turn_of(const uint8_t *data, size_t size) {
  uint32_t sum = 2166136261u;
  for (size_t i = 0; i < size; i++)
    sum = (sum ^ data[i]) * 16777619u;
  return sum >> 7;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t bytes = 0;
  setlocale(LC_ALL, "C.UTF-8"); /* as the command in any of its users' */
  const uint32_t turn = turn_of(data, size);
  uint8_t *file = unpack(data, size, &bytes);
  struct hd_model *model = fz_read(file, bytes);
  if (model && turn % 4 == 0)
    fz_narrow(model);
  if (model && turn % 4 < 3)
    fz_report(model, turn / 4);
  if (model && turn % 4 == 1)
    fz_trace(model, turn / 4);
  hd_model_free(model);
  if (model && turn % 4 == 3)
    fz_combine(file, bytes, file, bytes, turn / 4);
  free(file);
  return 0;
}

/* Where the result is larger than an input may be, the old one stays. */
static size_t pack_if_fits(const uint8_t *bytes, size_t size, uint8_t *data, size_t old_size, size_t limit) {
  return fz_pack(bytes, size, NULL, 0) <= limit ? fz_pack(bytes, size, data, limit) : old_size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t limit, unsigned seed) {
  static uint8_t file[BYTES_MOST];
  const size_t bytes = fz_unpack(data, size, file, sizeof file);
  return pack_if_fits(file, fz_mutate(file, bytes, sizeof file, seed), data, size, limit);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t out_limit, unsigned seed) {
  static uint8_t file[BYTES_MOST], second[BYTES_MOST];
  const size_t bytes = fz_unpack(data, size, file, sizeof file);
  const size_t second_bytes = fz_unpack(other, other_size, second, sizeof second);
  return pack_if_fits(file, fz_cross(file, bytes, sizeof file, second, second_bytes, seed), out, 0, out_limit);
}
