/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/command/sanitize.h"

struct hd_blob {
  struct hd_blob *next;
  max_align_t content[];
};

void *hd_model_allocate(struct hd_model *model, size_t bytes) {
  struct hd_blob *blob = calloc(1, sizeof *blob + bytes);
  if (!blob)
    return NULL;
  blob->next = model->blobs;
  model->blobs = blob;
  return blob->content;
}

/* Capacity is the next power of two: the array grows when the count is one. */
static bool make_room(struct hd_strings *list) {
  if ((list->count & (list->count - 1)) != 0)
    return true;
  const size_t capacity = list->count == 0 ? 1 : 2 * list->count;
  const char **items = realloc(list->items, capacity * sizeof *items);
  if (!items)
    return false;
  list->items = items;
  return true;
}

bool hd_model_add_string(struct hd_model *model, struct hd_strings *list, const char *text, size_t bytes) {
  char *copy = hd_model_allocate(model, bytes + 1);
  if (!copy || !make_room(list))
    return false;
  memcpy(copy, text, bytes);
  if (list == &model->notes) /* sentences for people, in which there are names */
    hd_sanitize(copy);
  list->items[list->count++] = copy;
  return true;
}

void hd_model_add_note(struct hd_model *model, const char *format, ...) {
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0 || !hd_model_add_string(model, &model->notes, text, (size_t)length))
    model->out_of_memory = true;
  if (length >= 0)
    free(text);
}

void hd_model_free_memory(struct hd_model *model) {
  while (model->blobs) {
    struct hd_blob *next = model->blobs->next;
    free(model->blobs);
    model->blobs = next;
  }
}
