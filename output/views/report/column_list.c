/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/report/column_list.h"

#include <string.h>

#include "output/views/render/state_columns.h"
#include "output/views/report/report_internal.h"

static const struct hd_report_columns *const views[] = {
    &hd_report_regions_columns, &hd_report_threads_columns,  &hd_report_histogram_columns, &hd_report_at_level_columns,
    &hd_report_overlap_columns, &hd_report_overhead_columns, &hd_report_flat_columns,      &hd_report_tree_columns,
    &hd_report_callers_columns, &hd_report_callgraph_columns};
enum { VIEWS = sizeof views / sizeof views[0], COLUMNS_MOST = 64 };

/* A view's table, with the columns of states. */
static struct hd_columns columns_of(const struct hd_report_columns *view, struct hd_column items[COLUMNS_MOST]) {
  memcpy(items, view->items, view->count * sizeof *items);
  if (view->states >= 0)
    hd_state_columns(items + view->states, 12); /* as in the table of regions */
  return (struct hd_columns){.items = items, .count = view->count};
}

static bool is_same(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_in_an_earlier(int view, const struct hd_column *column) {
  for (int i = 0; i < view; i++) {
    struct hd_column items[COLUMNS_MOST];
    const struct hd_columns columns = columns_of(views[i], items);
    for (size_t j = 0; j < columns.count; j++)
      if (is_same(items[j].id, column->id) && is_same(items[j].title, column->title) &&
          is_same(items[j].help, column->help))
        return true;
  }
  return false;
}

static void print_column(const struct hd_column *column, bool markdown, FILE *out) {
  const char *unit = column->kind == HD_SECONDS ? "s" : column->kind == HD_SHARE ? "%" : "";
  const char *title = column->title ? column->title : "", *id = column->id ? column->id : "";
  const char *help = column->help ? column->help : "", *end = strchrnul(help, '\n');
  char words[1024];
  snprintf(words, sizeof words, "%.*s%s%s", (int)(end - help), help, *end && end > help ? "; " : "",
           *end ? end + 1 : "");
  if (markdown) {
    fprintf(out, "| %s | %s | %s | %s |\n", title, id, unit, words);
    return;
  }
  fprintf(out, "  %-10s %-19s %-2s ", title, id, unit);
  hd_print_wrapped(words, 36, out);
  fputc('\n', out);
}

static void print_view(int view, bool markdown, FILE *out) {
  struct hd_column items[COLUMNS_MOST];
  const struct hd_columns columns = columns_of(views[view], items);
  const char *option = views[view]->option;
  if (markdown)
    fprintf(out, "\n## %s%s\n\n| text | --csv | unit | meaning |\n| --- | --- | --- | --- |\n", *option ? "--" : "",
            *option ? option : "Regions");
  else if (*option)
    fprintf(out, " --%s\n", option);
  for (size_t i = SIZE_MAX; (i = hd_columns_next(&columns, i)) < columns.count;)
    if (!is_in_an_earlier(view, &items[i]))
      print_column(&items[i], markdown, out);
  for (size_t i = 0; i < columns.count; i++)
    if (!items[i].title && !is_in_an_earlier(view, &items[i]))
      print_column(&items[i], markdown, out);
}

void hd_column_list_print(bool markdown, FILE *out) {
  for (int i = 0; i < VIEWS; i++)
    print_view(i, markdown, out);
}
