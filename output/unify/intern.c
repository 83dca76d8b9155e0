/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/unify/intern.h"

#include <stdlib.h>
#include <string.h>

#include "support/command/memory.h"

_Static_assert(sizeof(struct hd_united_key) == 8 * sizeof(uint32_t) + sizeof(uint64_t), "compared by its bytes");

/* At most half full. */
static void slots_init(struct hd_slots *slots, size_t most) {
  size_t count = 16;
  while (count < 2 * most)
    count *= 2;
  slots->numbers = hd_new(count, sizeof *slots->numbers);
  slots->mask = count - 1;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

/* ---- texts ---- */

void hd_united_texts_init(struct hd_united_texts *texts, size_t most) {
  texts->texts = hd_new(most + 1, sizeof *texts->texts);
  slots_init(&texts->slots, most);
}

void hd_united_texts_release(struct hd_united_texts *texts) {
  free(texts->texts);
  free(texts->slots.numbers);
}

uint32_t hd_united_texts_number_of(struct hd_united_texts *texts, const char *text, size_t length) {
  uint64_t hash = length;
  for (size_t i = 0; i < length; i++)
    hash = mix(hash, (unsigned char)text[i]);
  const struct hd_slots *slots = &texts->slots;
  size_t at = (hash >> 16) & slots->mask;
  for (; slots->numbers[at] != 0; at = (at + 1) & slots->mask) {
    const struct hd_united_text *known = &texts->texts[slots->numbers[at] - 1];
    if (known->length == length && memcmp(known->text, text, length) == 0)
      return slots->numbers[at] - 1;
  }
  texts->texts[texts->count] = (struct hd_united_text){text, length};
  slots->numbers[at] = ++texts->count;
  return texts->count - 1;
}

uint32_t hd_united_texts_number(struct hd_united_texts *texts, const char *text) {
  return text ? hd_united_texts_number_of(texts, text, strlen(text)) : HD_NONE;
}

/* ---- keys ---- */

void hd_united_keys_init(struct hd_united_keys *keys, size_t most) {
  keys->keys = hd_new(most + 1, sizeof *keys->keys);
  slots_init(&keys->slots, most);
}

void hd_united_keys_release(struct hd_united_keys *keys) {
  free(keys->keys);
  free(keys->slots.numbers);
}

static uint64_t hash_of(const struct hd_united_key *key) {
  uint64_t hash = mix(key->site, (uint64_t)key->parent << 32 | key->build);
  hash = mix(hash, (uint64_t)key->kind << 32 | key->flags);
  hash = mix(hash, (uint64_t)key->function << 32 | key->file);
  return mix(hash, (uint64_t)key->module << 32 | key->by_line) >> 16;
}

uint32_t hd_united_keys_number(struct hd_united_keys *keys, const struct hd_united_key *key) {
  const struct hd_slots *slots = &keys->slots;
  size_t at = hash_of(key) & slots->mask;
  while (slots->numbers[at] != 0 && memcmp(&keys->keys[slots->numbers[at] - 1], key, sizeof *key) != 0)
    at = (at + 1) & slots->mask;
  if (slots->numbers[at] == 0) {
    keys->keys[keys->count] = *key;
    slots->numbers[at] = ++keys->count;
  }
  return slots->numbers[at] - 1;
}
