/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/metrics/group.h"
#include "output/model/count_sums.h"
#include "output/model/lazy_rows.h"
#include "support/command/memory.h"
#include "support/command/sanitize.h"

struct hd_blob {
  struct hd_blob *next;
  max_align_t content[];
};

void *hd_model_allocate(struct hd_model *model, size_t bytes) {
  struct hd_blob *blob = hd_new(1, sizeof *blob + bytes);
  blob->next = model->blobs;
  model->blobs = blob;
  return blob->content;
}

void *hd_model_copy(struct hd_model *model, const void *items, size_t bytes) {
  void *copy = hd_model_allocate(model, bytes + 1);
  return bytes > 0 ? memcpy(copy, items, bytes) : copy;
}

void hd_model_add_string(struct hd_model *model, struct hd_strings *list, const char *text, size_t bytes) {
  char *copy = hd_model_copy(model, text, bytes);
  if (list == &model->notes) /* sentences for people, in which there are names */
    hd_sanitize(copy);
  list->items = hd_grow_by_one(list->items, list->count, sizeof *list->items);
  list->items[list->count++] = copy;
}

void hd_model_add_note(struct hd_model *model, const char *format, ...) {
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  hd_need(length >= 0);
  hd_model_add_string(model, &model->notes, text, (size_t)length);
  free(text);
}

void hd_model_settle_note(struct hd_model *model, size_t *number) {
  if (*number > 0)
    model->notes.items[*number - 1] = model->notes.items[--model->notes.count];
  else
    *number = model->notes.count;
}

void hd_model_free(struct hd_model *model) {
  if (!model)
    return;
  hd_row_source_clear(model->source); /* itself a blob */
  while (model->blobs) {
    struct hd_blob *next = model->blobs->next;
    free(model->blobs);
    model->blobs = next;
  }
  free(model->nodes);
  free(model->rows);
  free(model->team_parts);
  free(model->counts_inclusive);
  free(model->counts_total);
  for (uint32_t i = 0; i < model->group_count; i++)
    hd_group_free(model->groups[i]);
  free(model->groups);
  free(model->arguments.items);
  free(model->environment.items);
  free(model->notes.items);
  free(model);
}
