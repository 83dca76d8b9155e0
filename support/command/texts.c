/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/command/texts.h"

#include <stdlib.h>
#include <string.h>

#include "support/command/memory.h"

void hd_texts_add(struct hd_texts *texts, char *text) {
  texts->items = hd_grow_by_one(texts->items, texts->count + 1, sizeof *texts->items);
  texts->items[texts->count++] = text;
  texts->items[texts->count] = NULL;
}

static int compare(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

void hd_texts_sort(struct hd_texts *texts) {
  if (texts->count)
    qsort(texts->items, texts->count, sizeof *texts->items, compare);
}

void hd_texts_free(struct hd_texts *texts) {
  for (size_t i = 0; i < texts->count; i++)
    free(texts->items[i]);
  free(texts->items);
  memset(texts, 0, sizeof *texts);
}
