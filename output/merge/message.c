/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/merge/merge_internal.h"

bool hd_merge_fail(struct hd_merge *merge, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(merge->error, merge->error_bytes, format, arguments);
  va_end(arguments);
  return false;
}

bool hd_merge_was_read(const struct hd_merge *merge, size_t runs, const char *text) {
  for (size_t i = 0; i < runs; i++)
    for (size_t j = 0; j < merge->models[i]->file_note_count; j++)
      if (strcmp(merge->models[i]->notes.items[j], text) == 0)
        return true;
  return false;
}

void hd_merge_add_note(struct hd_merge *merge, char *text) {
  if (!hd_merge_was_read(merge, merge->count, text)) /* else it is copied */
    hd_writer_add_text(merge->writer, HD_TEXT_NOTE, 0, text, strlen(text));
  free(text);
}
