/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/job/compare_jobs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/job/job_files.h"
#include "output/job_comparison/job_comparison.h"
#include "output/model/format_names.h"
#include "output/views/job/comparison_view.h"
#include "support/command/complain.h"
#include "support/command/directory.h"
#include "support/command/memory.h"
#include "support/command/options.h"
#include "support/command/output_stream.h"
#include "support/command/texts.h"

/* ---- operands ---- */

static bool is_job_file(const char *name) {
  const size_t length = strlen(name), ending = strlen(HD_JOB_ENDING);
  return name[0] != '.' && length > ending && strcmp(name + length - ending, HD_JOB_ENDING) == 0;
}

/* Of a directory its files of jobs, in order; else the operand. */
static struct hd_texts files_of(const char *operand) {
  struct hd_texts files = {0};
  if (!hd_is_directory(operand)) {
    hd_texts_add(&files, hd_print("%s", operand));
    return files;
  }
  struct hd_directory directory = hd_directory_open(operand);
  while (hd_directory_next(&directory))
    if (is_job_file(directory.name))
      hd_texts_add(&files, hd_print("%s/%s", operand, directory.name));
  if (files.count > 0)
    hd_texts_sort(&files);
  return files;
}

bool hd_job_is_operand(const char *operand) {
  struct hd_texts files = files_of(operand);
  const bool found = hd_is_directory(operand) ? files.count > 0 : hd_job_is_in(operand);
  hd_texts_free(&files);
  return found;
}

/* ---- jobs ---- */

struct jobs {
  struct hd_job **items;
  size_t *sides; /* the operand of each */
  size_t count;
};

static bool read_operand(struct jobs *jobs, const char *operand, size_t side) {
  struct hd_texts files = files_of(operand);
  bool done = true;
  for (size_t i = 0; i < files.count; i++) {
    struct hd_job *job = hd_job_of_files(&files.items[i], 1);
    done &= job != NULL; /* all that is wrong is said at once */
    if (!job)
      continue;
    jobs->items = hd_grow_by_one(jobs->items, jobs->count, sizeof(struct hd_job *));
    jobs->sides = hd_grow_by_one(jobs->sides, jobs->count, sizeof *jobs->sides);
    jobs->items[jobs->count] = job;
    jobs->sides[jobs->count++] = side;
  }
  hd_texts_free(&files);
  return done;
}

static bool may_be_read(const char *operand) {
  if (access(operand, R_OK) != 0)
    return hd_complain_of("read", operand);
  return hd_job_is_operand(operand) ||
         HD_COMPLAIN("%s holds no MPI job, as another does: compare jobs with jobs ('heddle merge --job' makes one of "
                     "ranks' profiles), profiles with profiles",
                     operand);
}

static bool read_all(struct jobs *jobs, char **operands, size_t count) {
  bool done = true;
  for (size_t i = 0; i < count; i++)
    done = may_be_read(operands[i]) && read_operand(jobs, operands[i], i) && done;
  return done;
}

static uint32_t threads_of(const struct hd_job *job) {
  uint32_t most = 0;
  for (size_t i = 0; i < job->rank_count; i++)
    most = job->ranks[i].threads > most ? job->ranks[i].threads : most;
  return most;
}

/* Whether jobs have several numbers of ranks or threads; `within`: jobs of one operand. */
static bool differ(const struct jobs *jobs, bool within) {
  for (size_t i = 0; i < jobs->count; i++)
    for (size_t j = 0; j < i; j++)
      if ((jobs->items[i]->rank_count != jobs->items[j]->rank_count ||
           threads_of(jobs->items[i]) != threads_of(jobs->items[j])) &&
          (!within || jobs->sides[i] == jobs->sides[j]))
        return true;
  return false;
}

/* ---- the comparison ---- */

/* The last part of an operand, unless another has the same. */
static const char *label_of(char **operands, size_t count, size_t index) {
  const char *name = hd_base_name(operands[index]);
  for (size_t i = 0; i < count; i++)
    if (i != index && strcmp(hd_base_name(operands[i]), name) == 0)
      return operands[index];
  return *name ? name : operands[index];
}

static struct hd_job_comparison *compare(struct jobs *jobs, char **operands, size_t count) {
  const bool is_scaling = differ(jobs, false);
  struct hd_job_comparison *comparison = hd_job_comparison_new(is_scaling);
  for (size_t i = 0; i < jobs->count; i++)
    hd_job_comparison_add(comparison, jobs->items[i], is_scaling ? NULL : label_of(operands, count, jobs->sides[i]));
  jobs->count = 0;
  hd_job_comparison_finish(comparison);
  return comparison;
}

static bool print(const struct hd_job_comparison *comparison, const struct hd_job_compare_view *view) {
  if (comparison->point_count < 2)
    return HD_COMPLAIN("there is nothing to compare: all jobs had %u rank%s of %u thread%s and are of one operand",
                       comparison->points[0].ranks, hd_plural(comparison->points[0].ranks),
                       comparison->points[0].threads, hd_plural(comparison->points[0].threads));
  if (view->is_json && !hd_job_comparison_json(comparison, stdout))
    return HD_COMPLAIN("out of memory");
  if (!view->is_json)
    hd_job_comparison_print(comparison, view->limit, view->is_markdown, stdout);
  return hd_stream_finish(stdout, "standard output");
}

int hd_jobs_compare(char **operands, size_t count, const struct hd_job_compare_view *view) {
  struct jobs jobs = {0};
  struct hd_job_comparison *comparison = NULL;
  bool done = read_all(&jobs, operands, count);
  if (done && count > 1 && differ(&jobs, true))
    done = HD_COMPLAIN("of several directories each may have one number of ranks and threads: compare one alone, or "
                       "files of it");
  if (done)
    comparison = compare(&jobs, operands, count);
  done = done && print(comparison, view);
  hd_job_comparison_free(comparison);
  for (size_t i = 0; i < jobs.count; i++)
    hd_job_free(jobs.items[i]);
  free(jobs.items);
  free(jobs.sides);
  return done ? HD_EXIT_OK : HD_EXIT_FAILED;
}
