/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/job_comparison/job_comparison.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/job_comparison/job_comparison_internal.h"
#include "output/model/format_names.h"
#include "support/command/memory.h"

struct hd_job_comparison *hd_job_comparison_new(bool is_scaling) {
  struct hd_job_comparison *comparison = hd_new(1, sizeof *comparison);
  comparison->is_scaling = is_scaling;
  return comparison;
}

static void free_point(struct hd_job_point *point) {
  for (size_t i = 0; i < point->count; i++)
    hd_job_free(point->jobs[i]);
  free(point->jobs);
  free(point->elapsed_s);
  free(point->label);
}

void hd_job_comparison_free(struct hd_job_comparison *comparison) {
  if (!comparison)
    return;
  for (size_t i = 0; i < comparison->point_count; i++)
    free_point(&comparison->points[i]);
  for (size_t i = 0; i < comparison->row_count; i++)
    free(comparison->rows[i].at);
  free(comparison->points);
  free(comparison->rows);
  free(comparison->findings);
  hd_interner_free(&comparison->keys);
  free(comparison);
}

/* ---- points ---- */

static struct hd_job_point describe(const struct hd_job *job, const char *side) {
  struct hd_job_point point = {.label = side ? hd_print("%s", side) : NULL, .ranks = (uint32_t)job->rank_count};
  for (size_t i = 0; i < job->rank_count; i++) {
    point.capacity += job->ranks[i].threads;
    point.threads = job->ranks[i].threads > point.threads ? job->ranks[i].threads : point.threads;
  }
  return point;
}

static bool is_same(const struct hd_job_point *a, const struct hd_job_point *b) {
  return a->label ? strcmp(a->label, b->label) == 0 : a->ranks == b->ranks && a->threads == b->threads;
}

void hd_job_comparison_add(struct hd_job_comparison *comparison, struct hd_job *job, const char *side) {
  struct hd_job_point point = describe(job, side);
  size_t i = 0;
  while (i < comparison->point_count && !is_same(&comparison->points[i], &point))
    i++;
  if (i < comparison->point_count) {
    free_point(&point);
  } else {
    comparison->points = hd_grow_by_one(comparison->points, comparison->point_count++, sizeof point);
    comparison->points[i] = point;
  }
  struct hd_job_point *to = &comparison->points[i];
  to->jobs = hd_grow_by_one(to->jobs, to->count, sizeof(struct hd_job *));
  to->jobs[to->count++] = job;
}

static int by_size(const void *a, const void *b) {
  const struct hd_job_point *left = a, *right = b;
  return left->ranks != right->ranks ? (left->ranks > right->ranks) - (left->ranks < right->ranks)
                                     : (left->threads > right->threads) - (left->threads < right->threads);
}

/* ---- a point's numbers ---- */

static double median(const double medians[], void *context) {
  (void)context;
  return medians[0];
}

static double quotient(const double medians[], void *context) {
  (void)context;
  return medians[0] / medians[1];
}

static bool calls_mpi(const struct hd_job *job) {
  for (size_t i = 0; i < job->place_count; i++)
    if (job->places[i].wait != HD_BUSY)
      return true;
  return false;
}

static double processor_share(const struct hd_job *job) {
  double sum = 0;
  for (size_t i = 0; i < job->rank_count; i++)
    sum += job->ranks[i].processor_share;
  return sum / (double)job->rank_count;
}

static void measure(struct hd_job_point *point) {
  point->elapsed_s = hd_new(point->count, sizeof *point->elapsed_s);
  for (size_t i = 0; i < point->count; i++)
    point->elapsed_s[i] = point->jobs[i]->elapsed_s;
  point->job = point->jobs[hd_median_index(point->elapsed_s, point->count)];
  hd_job_parts_of(point->job, point->part_s);
  point->elapsed_interval = hd_bootstrap(&(struct hd_sample){point->elapsed_s, point->count}, 1, median, NULL);
  point->processor_share = processor_share(point->job);
  point->is_silent = point->ranks > 1 && !calls_mpi(point->job);
}

static void compare(const struct hd_job_point *base, struct hd_job_point *point) {
  const struct hd_sample samples[2] = {{base->elapsed_s, base->count}, {point->elapsed_s, point->count}};
  const double ratio = (double)base->capacity / (double)point->capacity;
  point->speedup = base->job->elapsed_s / point->job->elapsed_s;
  point->speedup_interval = base == point ? HD_INTERVAL_UNKNOWN : hd_bootstrap(samples, 2, quotient, NULL);
  point->efficiency = point->speedup * ratio;
  point->work = base->part_s[HD_JOB_WORK] * ratio / point->part_s[HD_JOB_WORK];
  point->loss = hd_job_loss_between(base->part_s, point->part_s, samples, ratio);
}

void hd_job_comparison_finish(struct hd_job_comparison *comparison) {
  if (comparison->is_scaling)
    qsort(comparison->points, comparison->point_count, sizeof *comparison->points, by_size);
  for (size_t i = 0; i < comparison->point_count; i++)
    measure(&comparison->points[i]);
  for (size_t i = 0; i < comparison->point_count; i++)
    compare(&comparison->points[0], &comparison->points[i]);
  hd_job_compare_places(comparison);
  hd_job_compared_findings_add(comparison);
}

/* ---- words ---- */

bool hd_job_comparison_has_threads(const struct hd_job_comparison *comparison) {
  for (size_t i = 1; i < comparison->point_count; i++)
    if (comparison->points[i].threads != comparison->points[0].threads)
      return true;
  return false;
}

char *hd_job_point_text(const struct hd_job_comparison *comparison, size_t index) {
  const struct hd_job_point *point = &comparison->points[index];
  if (point->label)
    return hd_print("%s", point->label);
  char *ranks = hd_print("%u rank%s", point->ranks, hd_plural(point->ranks));
  if (!hd_job_comparison_has_threads(comparison))
    return ranks;
  char *text = hd_print("%s with %u thread%s", ranks, point->threads, hd_plural(point->threads));
  free(ranks);
  return text;
}
