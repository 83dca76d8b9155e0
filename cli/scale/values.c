/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/scale/scale_internal.h"
#include "support/command/memory.h"

/* ---- thread counts ---- */

static const char wrong_threads[] = "comma-separated thread counts from 1 to 65536, FIRST-LAST or FIRST-LAST:STEP";
static const char too_many[] = "at most 1024 thread counts";

/* Keeps them in order. NULL: added, or there already. */
static const char *add_threads(struct hd_scale_threads *threads, uint32_t value) {
  size_t place = threads->count;
  while (place > 0 && threads->items[place - 1] >= value)
    place--;
  if (place < threads->count && threads->items[place] == value)
    return NULL;
  if (threads->count == HD_SCALE_COUNTS_MOST)
    return too_many;
  threads->items = hd_grow(threads->items, threads->count + 1, sizeof *threads->items);
  uint32_t *at = threads->items + place;
  memmove(at + 1, at, (threads->count - place) * sizeof *at);
  *at = value;
  threads->count++;
  return NULL;
}

/* Moves past a number from 1 on; 0: there is none. */
static uint32_t take_number(const char **text) {
  uint32_t value = 0;
  for (; isdigit((unsigned char)**text); ++*text)
    if (value <= HD_SCALE_THREADS_MOST)
      value = 10 * value + (uint32_t)(**text - '0');
  return value <= HD_SCALE_THREADS_MOST ? value : 0;
}

static const char *take_range(const char **text, struct hd_scale_threads *threads) {
  const uint32_t first = take_number(text);
  uint32_t last = first;
  uint32_t step = 1;
  if (first && **text == '-') {
    ++*text;
    last = take_number(text);
    if (last && **text == ':') {
      ++*text;
      step = take_number(text);
    }
  }
  if (!first || last < first || !step || (**text && **text != ','))
    return wrong_threads;
  const char *wrong = NULL;
  for (uint32_t value = first; value <= last && !wrong; value += step)
    wrong = add_threads(threads, value);
  return wrong;
}

const char *hd_scale_parse_threads(const char *text, struct hd_scale_threads *threads) {
  for (;; text++) {
    const char *wrong = take_range(&text, threads);
    if (wrong || !*text)
      return wrong;
  }
}

void hd_scale_default_threads(uint32_t processors, struct hd_scale_threads *threads) {
  const uint32_t most = processors < HD_SCALE_THREADS_MOST ? processors : HD_SCALE_THREADS_MOST;
  for (uint32_t value = 1; value < most; value *= 2)
    add_threads(threads, value);
  add_threads(threads, most ? most : 1);
}

/* ---- parameters ---- */

/* What `heddle scale` and `heddle run` set themselves. */
static bool is_taken(const char *name) {
  static const char *const names[] = {"threads", "OMP_NUM_THREADS", "HEDDLE_OUTPUT", "HEDDLE_STORE_DIR"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}

static bool is_name(const char *name) {
  if (!*name || isdigit((unsigned char)*name))
    return false;
  for (; *name; name++)
    if (!isalnum((unsigned char)*name) && *name != '_')
      return false;
  return true;
}

/* The text up to the next comma, "\," being none; moves past it. */
static const char *take_value(const char **text, struct hd_scale_parameter *parameter) {
  char *value = hd_new(strlen(*text) + 1, 1);
  size_t length = 0;
  for (; **text && **text != ','; ++*text) {
    *text += **text == '\\' && (*text)[1] == ',';
    value[length++] = **text;
  }
  const char *wrong = length ? NULL : "values that are not empty";
  for (size_t i = 0; i < parameter->values.count && !wrong; i++)
    if (strcmp(parameter->values.items[i], value) == 0)
      wrong = "each value once";
  hd_texts_add(&parameter->values, value);
  return wrong;
}

const char *hd_scale_parse_parameter(const char *text, struct hd_scale_parameter *parameter) {
  const char *values = strchr(text, '=');
  memset(parameter, 0, sizeof *parameter);
  parameter->name = hd_print("%.*s", values ? (int)(values - text) : 0, text);
  if (!values || !is_name(parameter->name))
    return "NAME=VALUE,VALUE,..., where NAME consists of letters, digits and _";
  if (is_taken(parameter->name))
    return "a NAME that heddle does not set itself (thread counts: -t)";
  for (values++;; values++) {
    const char *wrong = take_value(&values, parameter);
    if (wrong || !*values)
      return wrong;
  }
}

void hd_scale_parameter_free(struct hd_scale_parameter *parameter) {
  free(parameter->name);
  hd_texts_free(&parameter->values);
}
