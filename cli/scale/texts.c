/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/scale/texts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool hd_texts_add(struct hd_texts *texts, const char *format, ...) {
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0)
    return false;
  char **grown = realloc(texts->items, (texts->count + 2) * sizeof *grown);
  if (!grown) {
    free(text);
    return false;
  }
  grown[texts->count++] = text;
  grown[texts->count] = NULL;
  texts->items = grown;
  return true;
}

void hd_texts_free(struct hd_texts *texts) {
  for (size_t i = 0; i < texts->count; i++)
    free(texts->items[i]);
  free(texts->items);
  memset(texts, 0, sizeof *texts);
}
