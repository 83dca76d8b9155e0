/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file intern.h
 * Between the files of united only: numbers for texts and for keys, 0, 1, 2, ... in the order in which they are met.
 */
#ifndef HEDDLE_OUTPUT_UNIFY_INTERN_H
#define HEDDLE_OUTPUT_UNIFY_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle-format.h"

/** A hash table of numbers; what they stand for is the user's. */
struct hd_slots {
  uint32_t *numbers; /* number + 1; 0: free */
  size_t mask;
};

struct hd_united_texts {
  struct hd_united_text {
    const char *text; /* the caller's; not terminated */
    size_t length;
  } *texts;
  uint32_t count;
  struct hd_slots slots;
};

/** What makes two things the same. All fields count, so those that do not matter are set alike. */
struct hd_united_key {
  uint32_t parent; /* united */
  uint32_t build;  /* of the runs; 0 where builds do not matter */
  uint32_t kind;
  uint32_t flags;
  uint32_t function; /* text or HD_NONE */
  uint32_t file;     /* likewise */
  uint32_t module;   /* number, or text, or HD_NONE */
  uint32_t by_line;  /* what `site` is: a line, or an offset or address */
  uint64_t site;
};

struct hd_united_keys {
  struct hd_united_key *keys;
  uint32_t count;
  struct hd_slots slots;
};

/** Room for `most`. */
void hd_united_texts_init(struct hd_united_texts *texts, size_t most);
void hd_united_keys_init(struct hd_united_keys *keys, size_t most);
void hd_united_texts_release(struct hd_united_texts *texts);
void hd_united_keys_release(struct hd_united_keys *keys);

/** HD_NONE for NULL. */
uint32_t hd_united_texts_number(struct hd_united_texts *texts, const char *text);
uint32_t hd_united_texts_number_of(struct hd_united_texts *texts, const char *text, size_t length);

/** One that was not known gets the number that was `count` before. */
uint32_t hd_united_keys_number(struct hd_united_keys *keys, const struct hd_united_key *key);

#endif
