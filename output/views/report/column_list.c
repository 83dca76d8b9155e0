/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/report/column_list.h"

#include <stdlib.h>
#include <string.h>

#include "output/views/render/state_columns.h"
#include "output/views/report/report_internal.h"

#define VIEW(name) &hd_report_##name##_columns,
static const struct hd_report_columns *const views[] = {HD_REPORT_VIEWS(VIEW)};
enum { VIEWS = sizeof views / sizeof views[0], COLUMNS_MOST = 64 };

/* A view's table, with the columns of states. */
static struct hd_columns columns_of(const struct hd_report_columns *view, struct hd_column items[COLUMNS_MOST]) {
  memcpy(items, view->items, view->count * sizeof *items);
  if (view->states >= 0)
    hd_state_columns(items + view->states, 12); /* as in the table of regions */
  return (struct hd_columns){.items = items, .count = view->count};
}

/* The whole help as one text; the caller frees. */
static char *words_of(const struct hd_column *column) {
  const char *help = column->help ? column->help : "", *end = strchrnul(help, '\n');
  const char *more = *end ? end + 1 : "";
  char *words = NULL;
  return asprintf(&words, "%.*s%s%s", (int)(end - help), help, end > help && *more ? "; " : "", more) < 0 ? NULL
                                                                                                          : words;
}

static bool is_same(const struct hd_column *a, const struct hd_column *b) {
  char *of_a = words_of(a), *of_b = words_of(b);
  const bool same = strcmp(a->id ? a->id : "", b->id ? b->id : "") == 0 &&
                    strcmp(a->title ? a->title : "", b->title ? b->title : "") == 0 && of_a && of_b &&
                    strcmp(of_a, of_b) == 0;
  free(of_a);
  free(of_b);
  return same;
}

static bool is_in_an_earlier(int view, const struct hd_column *column) {
  for (int i = 0; i < view; i++) {
    struct hd_column items[COLUMNS_MOST];
    const struct hd_columns columns = columns_of(views[i], items);
    for (size_t j = 0; j < columns.count; j++)
      if (is_same(&items[j], column))
        return true;
  }
  return false;
}

static void print_column(const struct hd_column *column, bool markdown, FILE *out) {
  const char *title = column->title ? column->title : "", *id = column->id ? column->id : "";
  const char *unit = column->kind == HD_SECONDS ? "s" : column->kind == HD_SHARE ? "%" : "";
  char *words = words_of(column);
  if (markdown) {
    fprintf(out, "| %s | %s | %s | %s |\n", title, id, unit, words ? words : "");
  } else if (words && *words) {
    fprintf(out, "  %-12s %-23s %-2s ", title, id, unit);
    hd_print_wrapped(words, 42, out);
    fputc('\n', out);
  } else {
    fprintf(out, "  %-12s %-23s %s\n", title, id, unit);
  }
  free(words);
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
