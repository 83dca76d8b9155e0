/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/job_comparison/job_comparison_internal.h"
#include "support/command/memory.h"

/* ---- which places are one row ---- */

/* A job's places by row. */
struct located {
  const struct hd_job_place **places;
};

static uint32_t number_of(struct hd_job_comparison *comparison, const struct hd_job_place *place) {
  char *key = hd_job_place_key(place);
  const uint32_t number = hd_intern_text(&comparison->keys, key);
  free(key);
  return number;
}

static void add_row(struct hd_job_comparison *comparison, const struct hd_job_place *place, bool is_first) {
  const uint32_t number = number_of(comparison, place);
  if (number == comparison->row_count) {
    comparison->rows = hd_grow_by_one(comparison->rows, comparison->row_count++, sizeof *comparison->rows);
    comparison->rows[number] = (struct hd_job_row){
        .like = place, .at = hd_new(comparison->point_count, sizeof(struct hd_job_at)), .same = number};
  }
  comparison->rows[number].is_first |= is_first;
  comparison->rows[number].is_later |= !is_first;
}

static void add_rows(struct hd_job_comparison *comparison, const struct hd_job_point *point) {
  for (size_t i = 0; i < point->count; i++)
    for (size_t j = 0; j < point->jobs[i]->place_count; j++)
      add_row(comparison, &point->jobs[i]->places[j], point == comparison->points);
}

/* Rows whose numbers another one has. */
static void drop_rows(struct hd_job_comparison *comparison) {
  size_t kept = 0;
  for (uint32_t i = 0; i < comparison->row_count; i++)
    if (comparison->rows[i].same == i)
      comparison->rows[kept++] = comparison->rows[i];
    else
      free(comparison->rows[i].at);
  comparison->row_count = kept;
}

static struct located locate(struct hd_job_comparison *comparison, const struct hd_job *job) {
  struct located located = {hd_new(comparison->row_count + 1, sizeof(struct hd_job_place *))};
  for (size_t i = 0; i < job->place_count; i++)
    located.places[comparison->rows[number_of(comparison, &job->places[i])].same] = &job->places[i];
  return located;
}

/* ---- a point ---- */

static struct located *locate_all(struct hd_job_comparison *comparison, const struct hd_job_point *point) {
  struct located *located = hd_new(point->count, sizeof *located);
  for (size_t i = 0; i < point->count; i++)
    located[i] = locate(comparison, point->jobs[i]);
  return located;
}

static void forget(struct located *located, const struct hd_job_point *point) {
  for (size_t i = 0; i < point->count; i++)
    free(located[i].places);
  free(located);
}

/* What the late rank spent in a row's place, by repeat. */
static double *spent_in(const struct hd_job_point *point, const struct located *located, size_t row) {
  double *seconds = hd_new(point->count, sizeof *seconds);
  for (size_t i = 0; i < point->count; i++) {
    double part_s[HD_JOB_PARTS];
    hd_job_parts_of_place(point->jobs[i], located[i].places[row], part_s);
    seconds[i] = hd_job_sum_of_parts(part_s);
  }
  return seconds;
}

static void fill(struct hd_job_at *at, const struct hd_job_point *point, const struct located *located, size_t row) {
  for (size_t i = 0; i < point->count; i++)
    if (point->jobs[i] == point->job)
      at->place = located[i].places[row];
  hd_job_parts_of_place(point->job, at->place, at->part_s);
}

static void compare_point(struct hd_job_comparison *comparison, size_t index, const struct located *base) {
  const struct hd_job_point *first = &comparison->points[0], *point = &comparison->points[index];
  struct located *here = locate_all(comparison, point);
  const double ratio = (double)first->capacity / (double)point->capacity;
  for (size_t row = 0; row < comparison->row_count; row++) {
    struct hd_job_at *at = comparison->rows[row].at;
    double *before_s = spent_in(first, base, row), *here_s = spent_in(point, here, row);
    const struct hd_sample samples[2] = {{before_s, first->count}, {here_s, point->count}};
    fill(&at[index], point, here, row);
    at[index].loss = hd_job_loss_between(at[0].part_s, at[index].part_s, samples, ratio);
    free(before_s);
    free(here_s);
  }
  forget(here, point);
}

/* ---- all of them ---- */

/* By what was lost at the last point, or gained. */
static int by_loss(const void *a, const void *b, void *point) {
  const struct hd_job_row *left = a, *right = b;
  const size_t last = *(const size_t *)point;
  const double left_s = fabs(left->at[last].loss.seconds), right_s = fabs(right->at[last].loss.seconds);
  return left_s != right_s ? (left_s < right_s) - (left_s > right_s) : strcmp(left->like->text, right->like->text);
}

void hd_job_compare_places(struct hd_job_comparison *comparison) {
  const struct hd_job_point *first = &comparison->points[0];
  size_t last = comparison->point_count - 1;
  for (size_t i = 0; i < comparison->point_count; i++)
    add_rows(comparison, &comparison->points[i]);
  hd_job_match_moved(comparison);
  struct located *base = locate_all(comparison, first);
  for (size_t row = 0; row < comparison->row_count; row++)
    fill(&comparison->rows[row].at[0], first, base, row);
  for (size_t i = 1; i < comparison->point_count; i++)
    compare_point(comparison, i, base);
  forget(base, first);
  drop_rows(comparison);
  if (comparison->row_count > 0)
    qsort_r(comparison->rows, comparison->row_count, sizeof *comparison->rows, by_loss, &last);
}
