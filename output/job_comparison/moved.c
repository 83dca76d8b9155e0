/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file moved.c
 * Places of two builds whose lines differ: where a function has as many places of a kind on one side only as on the
 * other only, these are the same, in the order of their lines.
 */
#include <stdlib.h>
#include <string.h>

#include "output/job_comparison/job_comparison_internal.h"
#include "support/command/memory.h"

/* The same of two places that may be one. */
static int compare_functions(const struct hd_job_place *a, const struct hd_job_place *b) {
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  const int called = strcmp(a->called ? a->called : "", b->called ? b->called : "");
  return called ? called : strcmp(a->function, b->function);
}

static int by_function_side_and_line(const void *a, const void *b) {
  const struct hd_job_row *left = *(const struct hd_job_row *const *)a, *right = *(const struct hd_job_row *const *)b;
  const int functions = compare_functions(left->like, right->like);
  if (functions)
    return functions;
  if (left->is_first != right->is_first)
    return left->is_first ? -1 : 1;
  return (left->like->line > right->like->line) - (left->like->line < right->like->line);
}

static size_t list_alone(const struct hd_job_comparison *comparison, struct hd_job_row **list) {
  size_t count = 0;
  for (size_t i = 0; i < comparison->row_count; i++) {
    struct hd_job_row *row = &comparison->rows[i];
    if (row->is_first != row->is_later && row->like->function && row->like->line)
      list[count++] = row;
  }
  if (count > 0)
    qsort(list, count, sizeof *list, by_function_side_and_line);
  return count;
}

/* Rows of one function: first those of the first side. Returns how many are the same as others. */
static size_t pair(struct hd_job_row **list, size_t count) {
  size_t first = 0;
  while (first < count && list[first]->is_first)
    first++;
  if (2 * first != count)
    return 0;
  for (size_t i = 0; i < first; i++)
    list[first + i]->same = list[i]->same;
  return first;
}

void hd_job_match_moved(struct hd_job_comparison *comparison) {
  if (comparison->is_scaling || comparison->point_count != 2)
    return;
  struct hd_job_row **list = hd_new(comparison->row_count + 1, sizeof(struct hd_job_row *));
  const size_t count = list_alone(comparison, list);
  for (size_t begin = 0, end; begin < count; begin = end) {
    for (end = begin + 1; end < count && compare_functions(list[begin]->like, list[end]->like) == 0; end++)
      ;
    comparison->moved_count += pair(list + begin, end - begin);
  }
  free(list);
}
