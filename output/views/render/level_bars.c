/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/level_bars.h"

#include <langinfo.h>
#include <math.h>
#include <string.h>

#include "output/model/levels.h"
#include "output/views/render/table.h"

enum { BAR_MOST = 40, BAR_LEAST = 8, BEFORE_BAR = 34 };

struct hd_level_groups hd_level_groups_for(uint32_t highest) {
  struct hd_level_groups groups = {.items = {{0, 0}, {1, 1}}, .count = highest > 0 ? 2 : 1, .highest = highest};
  const uint64_t step = highest < HD_LEVEL_GROUPS_MAX ? 1 : ((uint64_t)highest + 7) / 8;
  for (uint64_t first = 2; first <= highest;) {
    const uint64_t multiple = (first + step - 1) / step * step; /* the groups end at multiples: 2-8, 9-16, ... */
    const uint64_t last = multiple < highest ? multiple : highest;
    groups.items[groups.count++] = (struct hd_level_group){(uint32_t)first, (uint32_t)last};
    first = last + 1;
  }
  return groups;
}

void hd_level_label(char label[HD_LEVEL_LABEL_BYTES], const struct hd_level_group *group) {
  if (group->first == group->last)
    snprintf(label, HD_LEVEL_LABEL_BYTES, "%u", group->first);
  else
    snprintf(label, HD_LEVEL_LABEL_BYTES, "%u-%u", group->first, group->last);
}

uint64_t hd_level_group_ticks(const struct hd_levels *levels, const struct hd_level_group *group) {
  uint64_t sum = 0;
  for (uint32_t k = group->first; k < levels->count && k <= group->last; k++)
    sum += levels->ticks[k];
  return sum;
}

uint64_t hd_levels_all(const struct hd_levels *levels) {
  return levels->count > 0 ? hd_levels_up_to(levels, levels->count - 1) : 0;
}

uint32_t hd_levels_highest(const struct hd_levels *levels) {
  uint32_t k = levels->count;
  while (k > 1 && levels->ticks[k - 1] == 0)
    k--;
  return k > 0 ? k - 1 : 0;
}

/* ---- drawing ---- */

bool hd_draw_has_blocks(void) {
  return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

const char *hd_draw_height(double share) {
  static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static const char *const digits[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
  if (!(share > 0))
    return ".";
  const long eighths = lround(fmin(share, 1) * 8);
  return (hd_draw_has_blocks() ? blocks : digits)[eighths > 0 ? eighths - 1 : 0];
}

/* What is not nothing is never drawn as nothing. */
static unsigned draw_blocks(double length, FILE *out) {
  static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const unsigned long eighths = (unsigned long)fmax(round(length * 8), 1);
  for (unsigned long i = 0; i < eighths / 8; i++)
    fputs("█", out);
  fputs(parts[eighths % 8], out);
  return (unsigned)(eighths / 8 + (eighths % 8 != 0));
}

void hd_draw_axis(double seconds, unsigned columns, FILE *out) {
  char middle[HD_CELL_BYTES], end[HD_CELL_BYTES];
  hd_cell_duration(middle, seconds / 2);
  hd_cell_duration(end, seconds);
  const int half = (int)columns / 2 - 1 + (int)(strlen(middle) + 1) / 2;
  fprintf(out, "0%*s%*s\n", half, middle, (int)columns - 1 - half, end);
}

unsigned hd_draw_bar(double share, unsigned width, FILE *out) {
  if (!(share > 0))
    return 0;
  if (hd_draw_has_blocks())
    return draw_blocks(fmin(share, 1) * width, out);
  const unsigned marks = (unsigned)lround(fmin(share, 1) * width);
  for (unsigned i = 0; i < marks; i++)
    fputc('#', out);
  if (marks == 0)
    fputc('.', out);
  return marks > 0 ? marks : 1;
}

unsigned hd_draw_width(FILE *out, unsigned most, unsigned otherwise) {
  const size_t width = hd_terminal_width(out);
  return width == HD_UNBOUNDED_WIDTH ? otherwise : width < most ? (unsigned)width : most;
}

void hd_levels_sparkline(char cell[HD_CELL_BYTES], const struct hd_levels *levels,
                         const struct hd_level_groups *groups) {
  const double whole = (double)hd_levels_all(levels);
  char *end = cell;
  for (uint32_t i = 0; whole > 0 && i < groups->count; i++)
    end = stpcpy(end, hd_draw_height((double)hd_level_group_ticks(levels, &groups->items[i]) / whole));
  if (end == cell)
    strcpy(cell, "-");
}

void hd_levels_sparkline_title(char title[HD_CELL_BYTES], const struct hd_level_groups *groups) {
  if (groups->highest < HD_LEVEL_GROUPS_MAX) {
    snprintf(title, HD_CELL_BYTES, "%.*s", (int)groups->count, "0123456789");
    return;
  }
  char highest[16];
  const int length = snprintf(highest, sizeof highest, "%u", groups->highest);
  const int gap = (int)groups->count - 2 - length;
  snprintf(title, HD_CELL_BYTES, "01%.*s%s", gap > 0 ? gap : 1, "--------", highest);
}

/* Stable: of equal ones the lower stands first. */
static void sort_groups(struct hd_level_groups *groups, const struct hd_levels *levels, enum hd_levels_order order) {
  for (uint32_t i = 1; i < groups->count && order != HD_LEVELS_UPWARDS; i++) {
    const struct hd_level_group group = groups->items[i];
    const uint64_t key = hd_level_group_ticks(levels, &group);
    uint32_t at = i;
    for (; at > 0 && (order == HD_LEVELS_DOWNWARDS || hd_level_group_ticks(levels, &groups->items[at - 1]) < key); at--)
      groups->items[at] = groups->items[at - 1];
    groups->items[at] = group;
  }
}

void hd_levels_print(const struct hd_levels *levels, const struct hd_model *model, enum hd_levels_order order,
                     FILE *out) {
  struct hd_level_groups groups = hd_level_groups_for(hd_levels_highest(levels));
  const double whole = (double)hd_levels_all(levels);
  uint64_t largest = 0;
  for (uint32_t i = 0; i < groups.count; i++) {
    const uint64_t ticks = hd_level_group_ticks(levels, &groups.items[i]);
    largest = ticks > largest ? ticks : largest;
  }
  sort_groups(&groups, levels, order);
  const struct hd_unit unit = hd_unit_for(hd_model_seconds(model, largest));
  const unsigned page = hd_draw_width(out, BEFORE_BAR + BAR_MOST, BEFORE_BAR + BAR_MOST);
  const unsigned width = page > BEFORE_BAR + BAR_LEAST ? page - BEFORE_BAR : BAR_LEAST;
  fprintf(out, "threads busy %12s      %%\n", unit.name);
  for (uint32_t i = 0; i < groups.count; i++) {
    char label[HD_LEVEL_LABEL_BYTES], time[HD_CELL_BYTES];
    const uint64_t ticks = hd_level_group_ticks(levels, &groups.items[i]);
    if (ticks == 0)
      continue;
    hd_level_label(label, &groups.items[i]);
    hd_cell_time(time, &unit, hd_model_seconds(model, ticks));
    fprintf(out, "%12s %12s %6.1f  ", label, time, 100 * (double)ticks / whole);
    hd_draw_bar((double)ticks / whole, width, out);
    fputc('\n', out);
  }
}
