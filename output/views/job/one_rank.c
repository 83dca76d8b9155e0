/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/duration.h"
#include "output/views/job/job_view.h"
#include "output/views/render/columns.h"
#include "support/command/memory.h"

enum { TIME, THE_MEAN, LONGER, THE_LEAST, THE_MOST, BESIDE_COLUMNS };

static const struct hd_column beside_columns[BESIDE_COLUMNS] = {
    [TIME] = {NULL, "Time", HD_SECONDS, 0, 0, "of this rank: elapsed in regions, waiting in calls of MPI"},
    [THE_MEAN] = {NULL, "Mean", HD_SECONDS, 0, 0, "over all ranks"},
    [LONGER] = {NULL, "Longer", HD_SECONDS, 0, 0, "Time less Mean"},
    [THE_LEAST] = {NULL, "Least", HD_SECONDS, 0, 1, NULL},
    [THE_MOST] = {NULL, "Most", HD_SECONDS, 0, 1, NULL},
};

struct beside {
  const struct hd_job_place *place;
  double seconds;
};

static int by_difference(const void *a, const void *b) {
  const struct beside *left = a, *right = b;
  const double left_s = fabs(left->seconds - left->place->mean_s);
  const double right_s = fabs(right->seconds - right->place->mean_s);
  return left_s != right_s ? (left_s < right_s) - (left_s > right_s) : strcmp(left->place->text, right->place->text);
}

static size_t list_beside(const struct hd_job *job, uint32_t rank, struct beside *list) {
  size_t count = 0;
  for (size_t i = 0; i < job->place_count; i++)
    if (hd_job_spent(&job->places[i], rank, &list[count].seconds))
      list[count++].place = &job->places[i];
  qsort(list, count, sizeof *list, by_difference);
  return count;
}

static void put_beside(const struct beside *beside, const struct hd_columns *columns, struct hd_table *grid) {
  const struct hd_job_place *place = beside->place;
  const struct hd_value values[BESIDE_COLUMNS] = {
      [TIME] = hd_number(beside->seconds),
      [THE_MEAN] = hd_number(place->mean_s),
      [LONGER] = hd_number(beside->seconds - place->mean_s),
      [THE_LEAST] = hd_number(place->quartiles_s[HD_JOB_LEAST]),
      [THE_MOST] = hd_number(hd_job_most(place)),
  };
  hd_table_row(grid, NULL);
  hd_columns_cells(columns, values, grid);
  hd_table_at(grid, place->text);
}

static void print_beside(const struct beside *list, size_t count, size_t limit, FILE *out) {
  struct hd_columns columns = {beside_columns, BESIDE_COLUMNS, 0, {0}};
  struct hd_table grid = {0};
  const size_t shown = limit > 0 && limit < count ? limit : count;
  double most = 0;
  for (size_t i = 0; i < count; i++)
    most = fmax(most, hd_job_most(list[i].place));
  columns.unit = hd_unit_for(most);
  grid.table = hd_table_new(out);
  hd_columns_add(&columns, &grid);
  hd_table_place(&grid, "Where it differs most", false);
  for (size_t i = 0; i < shown; i++)
    put_beside(&list[i], &columns, &grid);
  fprintf(out, "\nTimes in %s.\n", columns.unit.name);
  hd_table_print(&grid, out);
  hd_table_free(&grid);
  if (shown < count)
    fprintf(out, "and %zu more: --limit 0\n", count - shown);
  hd_columns_legend(&columns, "", out);
}

void hd_job_print_rank(const struct hd_job *job, uint32_t rank, size_t limit, FILE *out) {
  const struct hd_job_rank *of = &job->ranks[rank];
  struct beside *list = hd_new(job->place_count + 1, sizeof *list);
  char *name = hd_job_rank_text(job, rank);
  char *text = hd_print("job       %s of %zu, %.200s on %.200s\n"
                        "elapsed   %s; outside MPI %s, the mean is %s\n"
                        "profile   %s\n",
                        name, job->rank_count, of->program, of->host, hd_duration(of->elapsed_s).text,
                        hd_duration(of->outside_mpi_s).text, hd_duration(hd_job_mean_outside(job)).text, of->file);
  hd_print_facts(text, out);
  print_beside(list, list_beside(job, rank, list), limit, out);
  free(text);
  free(name);
  free(list);
}
