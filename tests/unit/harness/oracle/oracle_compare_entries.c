/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Comparison of entries by the state of the program. */
#include <stdio.h>

#include "oracle_data.h"
#include "output/model/lazy_rows.h"

static bool cells_differ(const struct or_path *path, const char *what, uint32_t thread,
                         const uint64_t expected[HD_ENTRY_STATES][HD_ENTRY_STATES],
                         const uint64_t found[HD_ENTRY_STATES][HD_ENTRY_STATES]) {
  static const char letters[HD_ENTRY_STATES] = {'S', 'C'};
  char text[60];
  for (int caller = 0; caller < HD_ENTRY_STATES; caller++)
    for (int own = 0; own < HD_ENTRY_STATES; own++) {
      if (expected[caller][own] == found[caller][own])
        continue;
      snprintf(text, sizeof text, "%s %c-%c", what, letters[caller], letters[own]);
      return or_differ(path, text, thread, expected[caller][own], found[caller][own]);
    }
  return false;
}

static bool entries_differ(const struct or_path *path, uint32_t thread, const struct hd_entries *expected,
                           const struct hd_entries *found) {
  return cells_differ(path, "entries", thread, expected->visits, found->visits) ||
         cells_differ(path, "time of entries", thread, expected->ticks, found->ticks);
}

static void add(struct hd_entries *sum, const struct hd_entries *entries) {
  for (int caller = 0; caller < HD_ENTRY_STATES; caller++)
    for (int own = 0; own < HD_ENTRY_STATES; own++) {
      sum->visits[caller][own] += entries->visits[caller][own];
      sum->ticks[caller][own] += entries->ticks[caller][own];
    }
}

/* Entries of other profiles than routines are counted for all threads together. */
bool or_entries_differ(const struct or_node *node, const struct hd_model *model, const struct hd_node *found) {
  static const struct hd_entries none;
  struct hd_entries sum = none;
  if (!found->id)
    return false;
  for (uint32_t thread = 0; thread < model->thread_count; thread++) {
    const struct hd_row *row = hd_model_row(model, found->id, thread);
    const struct hd_entries *expected = thread < node->row_count ? &node->rows[thread].entries : &none;
    if (found->kind == HD_KIND_ROUTINE && entries_differ(&node->path, thread, expected, row ? &row->entries : &none))
      return true;
    add(&sum, expected);
  }
  uint64_t concurrent = sum.visits[HD_SEQUENTIAL][HD_CONCURRENT] + sum.visits[HD_CONCURRENT][HD_CONCURRENT];
  return entries_differ(&node->path, FK_NONE, &sum, &found->entries) ||
         or_differ(&node->path, "concurrent entries", FK_NONE, concurrent, found->visits_concurrent);
}
