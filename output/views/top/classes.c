/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Classes of events: which are on, and what they cost. */
#include "output/model/format_names.h"
#include "output/views/render/table.h"
#include "output/views/top/top.h"

static void print_state(struct hd_table *grid, const struct hd_live_off *off) {
  if (off->in_part)
    hd_table_cell(grid, "part");
  else if (off->asked)
    hd_table_cell(grid, "off");
  else if (off->regions > 0)
    hd_table_cell(grid, "budget");
  else
    hd_table_cell(grid, "on");
}

static void print_row(struct hd_table *grid, const char *id, const struct hd_live_off *off,
                      const struct hd_live_rate *rate, const char *words) {
  hd_table_row(grid, NULL);
  hd_table_cell(grid, "%s", id);
  print_state(grid, off);
  hd_table_cell(grid, "%.0f", rate->per_second);
  if (rate->per_second > 0)
    hd_table_cell(grid, "%.0f", rate->ns);
  else
    hd_table_cell(grid, "-");
  hd_table_cell(grid, "%.2f", 100 * rate->share);
  hd_table_at(grid, words);
}

void hd_top_print_classes(const struct hd_top *top, FILE *out) {
  struct hd_table grid = {0};
  static const char *const titles[] = {"Class", "State", "Events/s", "ns each", "Most%"};
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    hd_table_column(&grid, titles[i], 0);
  hd_table_left(&grid, 0);
  hd_table_left(&grid, 1);
  hd_table_place(&grid, "Events", false);
  for (int c = 0; c < HD_CLASS_COUNT; c++) {
    const enum hd_event_class event_class = (enum hd_event_class)c;
    const struct hd_live_off off = hd_live_off_now(top->run, event_class);
    print_row(&grid, hd_event_class_id(event_class), &off, &top->rates->classes[c], hd_event_class_words(event_class));
  }
  const struct hd_live_off none = {0};
  print_row(&grid, "-", &none, &top->rates->classes[HD_CLASS_FIXED], "threads and markers");
  hd_table_print(&grid, out);
  hd_table_free(&grid);
}
