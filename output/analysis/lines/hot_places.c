/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/lines/hot_places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/command/memory.h"

/* ---- places ---- */

static int compare_text(const char *a, const char *b) {
  return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int compare_number(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

/* Without a name the address is the place. */
static int by_place(const void *a, const void *b) {
  const struct hd_model_sample *left = a, *right = b;
  int order = compare_number(left->node, right->node);
  order = order ? order : compare_number(left->state, right->state);
  order = order ? order : compare_number(left->module, right->module);
  order = order ? order : compare_text(left->name.function, right->name.function);
  order = order ? order : compare_text(left->name.file, right->name.file);
  order = order ? order : compare_number(left->name.line, right->name.line);
  order = order ? order : compare_text(left->inlined_into, right->inlined_into);
  return order || left->name.function ? order : compare_number(left->offset, right->offset);
}

static int by_count(const void *a, const void *b) {
  const struct hd_model_sample *left = a, *right = b;
  return left->count != right->count ? compare_number(right->count, left->count) : by_place(a, b);
}

static struct hd_model_sample reduced(const struct hd_model_sample *from, unsigned by) {
  struct hd_model_sample sample = *from;
  if (!(by & HD_HOT_CALLPATHS))
    sample.node = 0;
  if (!(by & HD_HOT_STATES))
    sample.state = 0;
  if (!(by & HD_HOT_LINES)) {
    sample.name.file = NULL;
    sample.name.line = 0;
    sample.offset = 0;
  }
  return sample;
}

struct hd_hot_places hd_hot_places_new(const struct hd_model_sample *first, uint32_t count, unsigned by) {
  struct hd_hot_places places = {.items = hd_new((size_t)count + 1, sizeof *places.items)};
  for (uint32_t i = 0; i < count; i++)
    places.items[i] = reduced(&first[i], by);
  qsort(places.items, count, sizeof *places.items, by_place);
  for (uint32_t i = 0; i < count; i++) {
    struct hd_model_sample *last = places.count > 0 ? &places.items[places.count - 1] : NULL;
    if (last && by_place(last, &places.items[i]) == 0) {
      last->count += places.items[i].count;
      last->taken += places.items[i].taken;
    } else {
      places.items[places.count++] = places.items[i];
    }
  }
  qsort(places.items, places.count, sizeof *places.items, by_count);
  return places;
}

void hd_hot_places_free(struct hd_hot_places *places) {
  free(places->items);
  *places = (struct hd_hot_places){0};
}

const struct hd_model_sample *hd_samples_of(const struct hd_model *model, uint32_t node, uint32_t *count) {
  uint32_t low = 0, high = model->sample_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (model->samples[middle].node < node)
      low = middle + 1;
    else
      high = middle;
  }
  for (*count = 0; low + *count < model->sample_count && model->samples[low + *count].node == node;)
    ++*count;
  return model->samples + low;
}

/* ---- shares ---- */

/* A sample counts w = 1 or HD_SAMPLE_WEIGHT. As many samples of equal weight say as much: (sum of w)^2 / sum of w^2. */
static double effective_count(struct hd_sample_sum sum) {
  const double heavy = (sum.count - sum.taken) / (HD_SAMPLE_WEIGHT - 1.0);
  const double squares = sum.taken - heavy + heavy * HD_SAMPLE_WEIGHT * HD_SAMPLE_WEIGHT;
  return sum.count * sum.count / squares;
}

struct hd_sample_share hd_sample_share_of(struct hd_sample_sum part, struct hd_sample_sum whole) {
  const double z = 1.959964;
  if (!(whole.count > 0))
    return (struct hd_sample_share){NAN, NAN, NAN};
  const double n = effective_count(whole);
  const double share = part.count / whole.count;
  const double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  return (struct hd_sample_share){share, fmax(middle - half, 0), fmin(middle + half, 1)};
}
