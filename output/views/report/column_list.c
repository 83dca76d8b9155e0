/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/report/column_list.h"

#include <stdlib.h>
#include <string.h>

#include "output/views/render/state_columns.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"

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

/* What answers a question with a table of text; NULL: nothing does. */
static const struct hd_report_columns *view_of(enum hd_question question) {
  static const struct hd_report_columns *const tables[] = {
      [HD_ASK_REGIONS] = &hd_report_regions_columns,       [HD_ASK_THREADS] = &hd_report_threads_columns,
      [HD_ASK_HISTOGRAM] = &hd_report_histogram_columns,   [HD_ASK_AT_LEVEL] = &hd_report_at_level_columns,
      [HD_ASK_WITH] = &hd_report_overlap_columns,          [HD_ASK_LOOPS] = &hd_report_loops_columns,
      [HD_ASK_TASKS] = &hd_report_tasks_columns,           [HD_ASK_PATH] = &hd_report_critical_path_columns,
      [HD_ASK_EFFICIENCY] = &hd_report_efficiency_columns, [HD_ASK_HOT] = &hd_report_hot_columns,
      [HD_ASK_OVERHEAD] = &hd_report_overhead_columns,     [HD_ASK_FLAT] = &hd_report_flat_columns,
      [HD_ASK_CALLGRAPH] = &hd_report_callgraph_columns,   [HD_ASK_TREE] = &hd_report_tree_columns,
      [HD_ASK_LOCKS] = &hd_report_locks_columns,           [HD_ASK_TIMELINE] = &hd_report_timeline_columns,
      [HD_ASK_CALLERS] = &hd_report_callers_columns,
  };
  return tables[question];
}

static bool has_name(const struct hd_columns *columns, const char *name, size_t bytes) {
  for (size_t i = 0; i < columns->count; i++)
    if (hd_column_has_name(&columns->items[i], name, bytes))
      return true;
  return false;
}

bool hd_column_list_has(enum hd_question question, const char *list, const char **wrong) {
  struct hd_column items[COLUMNS_MOST];
  struct hd_columns columns = {0};
  if (view_of(question))
    columns = columns_of(view_of(question), items);
  for (*wrong = list;; ++*wrong) {
    const size_t bytes = strcspn(*wrong, ",");
    if (!has_name(&columns, *wrong, bytes))
      return false;
    *wrong += bytes;
    if (!**wrong)
      return true;
  }
}

/* Several columns may have one title: of one of them it is only the part that the text has. */
static bool is_titled_before(const struct hd_columns *columns, size_t column) {
  for (size_t i = SIZE_MAX; (i = hd_columns_next(columns, i)) != column;)
    if (strcmp(columns->items[i].title, columns->items[column].title) == 0)
      return true;
  return false;
}

char *hd_column_list_titles(enum hd_question question) {
  struct hd_column items[COLUMNS_MOST];
  struct hd_columns columns = {0};
  char *titles = hd_print("%s", "");
  if (view_of(question))
    columns = columns_of(view_of(question), items);
  for (size_t i = SIZE_MAX; (i = hd_columns_next(&columns, i)) < columns.count;)
    if (!is_titled_before(&columns, i)) {
      char *longer = hd_print("%s%s%s", titles, *titles ? ", " : "", columns.items[i].title);
      free(titles);
      titles = longer;
    }
  return titles;
}
