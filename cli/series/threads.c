/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/series/series.h"
#include "support/command/memory.h"

static const char wrong_threads[] = "comma-separated numbers from 1 to 65536, FIRST-LAST or FIRST-LAST:STEP";
static const char too_many[] = "at most 1024 numbers";

/* Keeps them in order. NULL: added, or there already. */
static const char *add_threads(struct hd_series_threads *threads, uint32_t value) {
  size_t place = threads->count;
  while (place > 0 && threads->items[place - 1] >= value)
    place--;
  if (place < threads->count && threads->items[place] == value)
    return NULL;
  if (threads->count == HD_SERIES_COUNTS_MOST)
    return too_many;
  threads->items = hd_grow_by_one(threads->items, threads->count, sizeof *threads->items);
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
    if (value <= HD_SERIES_THREADS_MOST)
      value = 10 * value + (uint32_t)(**text - '0');
  return value <= HD_SERIES_THREADS_MOST ? value : 0;
}

static const char *take_range(const char **text, struct hd_series_threads *threads) {
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

const char *hd_series_parse_threads(const char *text, struct hd_series_threads *threads) {
  for (;; text++) {
    const char *wrong = take_range(&text, threads);
    if (wrong || !*text)
      return wrong;
  }
}

void hd_series_default_threads(uint32_t processors, struct hd_series_threads *threads) {
  const uint32_t most = processors < HD_SERIES_THREADS_MOST ? processors : HD_SERIES_THREADS_MOST;
  for (uint32_t value = 1; value < most; value *= 2)
    add_threads(threads, value);
  add_threads(threads, most ? most : 1);
}

bool hd_series_take_threads(const struct hd_option_use *use) {
  const char *wrong = hd_series_parse_threads(use->argument, use->field);
  return !wrong || hd_option_expect(use, wrong);
}
