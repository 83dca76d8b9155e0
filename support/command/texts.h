/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file texts.h
 * A list of texts, which it owns (memory.h).
 */
#ifndef HEDDLE_SUPPORT_COMMAND_TEXTS_H
#define HEDDLE_SUPPORT_COMMAND_TEXTS_H

#include <stddef.h>

/** `items` ends with NULL, as argv does, once there are any. */
struct hd_texts {
  char **items;
  size_t count;
};

/** Appends a text, which the list then owns. */
void hd_texts_add(struct hd_texts *texts, char *text);
void hd_texts_sort(struct hd_texts *texts);
void hd_texts_free(struct hd_texts *texts);

#endif
