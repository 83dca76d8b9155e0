/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file texts.h
 * A list of texts.
 */
#ifndef HEDDLE_CLI_SCALE_TEXTS_H
#define HEDDLE_CLI_SCALE_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

/** Texts that are owned. `items` ends with NULL, as argv does, once there are any. */
struct hd_texts {
  char **items;
  size_t count;
};

/** Appends a text in printf's words; false, silently: no memory. */
bool hd_texts_add(struct hd_texts *texts, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hd_texts_free(struct hd_texts *texts);

#endif
