/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/command/memory.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/command/options.h"

int hd_no_memory_status = HD_EXIT_FAILED;

/* A child does not write what its parent has not written yet. */
void hd_no_memory(void) {
  fputs("heddle: out of memory\n", stderr);
  _exit(hd_no_memory_status);
}

void *hd_new(size_t count, size_t item_bytes) {
  void *items = calloc(count ? count : 1, item_bytes);
  hd_need(items != NULL);
  return items;
}

void *hd_grow(void *items, size_t count, size_t item_bytes) {
  void *grown = reallocarray(items, count, item_bytes);
  hd_need(grown != NULL);
  return grown;
}

void *hd_grow_by_one(void *items, size_t count, size_t item_bytes) {
  const bool is_full = (count & (count - 1)) == 0;
  return is_full ? hd_grow(items, count > 0 ? 2 * count : 1, item_bytes) : items;
}

void hd_written(FILE *stream) {
  hd_need(stream && fclose(stream) == 0);
}

char *hd_print(const char *format, ...) {
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  hd_need(length >= 0);
  return text;
}
