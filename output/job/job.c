/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/job/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/job/job_internal.h"
#include "output/model/account.h"
#include "output/model/format_names.h"
#include "support/command/memory.h"

struct hd_job *hd_job_new(void) {
  return hd_new(1, sizeof(struct hd_job));
}

static void free_rank(struct hd_job_rank *rank) {
  free(rank->file);
  free(rank->host);
  free(rank->program);
}

void hd_job_free(struct hd_job *job) {
  if (!job)
    return;
  for (size_t i = 0; i < job->rank_count; i++)
    free_rank(&job->ranks[i]);
  for (size_t i = 0; i < job->place_count; i++)
    hd_job_place_free(&job->places[i]);
  hd_interner_free(&job->keys);
  free(job->ranks);
  free(job->places);
  free(job->findings);
  free(job);
}

/* ---- ranks ---- */

struct hd_job_rank *hd_job_new_rank(struct hd_job *job) {
  if (job->rank_count == job->rank_limit) {
    job->rank_limit = 2 * job->rank_limit + 16;
    job->ranks = hd_grow(job->ranks, job->rank_limit, sizeof *job->ranks);
  }
  struct hd_job_rank *rank = &job->ranks[job->rank_count++];
  *rank = (struct hd_job_rank){.rank = -1};
  return rank;
}

static struct hd_job_rank describe(const struct hd_loss_book *book) {
  const struct hd_model *model = book->model;
  struct hd_job_rank rank = {.file = hd_print("%s", model->path),
                             .host = hd_print("%s", model->header.host),
                             .program = hd_print("%s", model->header.program),
                             .rank = model->header.rank,
                             .ranks = model->header.ranks,
                             .threads = book->threads,
                             .processors = model->header.online_processors};
  rank.processor_share = hd_account_share_of_program(model);
  rank.elapsed_s = hd_model_seconds(model, model->elapsed_ticks);
  rank.outside_mpi_s = fmax(rank.elapsed_s - hd_model_seconds(model, hd_losses_mpi_outside(book)), 0);
  rank.busy_s = hd_model_seconds(model, model->ticks[HD_BUSY]);
  rank.wait_s = hd_model_seconds(model, hd_ticks_waiting(model->ticks) - hd_ticks_in_mpi(model->ticks));
  rank.runtime_s = hd_model_seconds(model, hd_ticks_runtime(model->ticks));
  for (int kind = 0; kind < HD_MPI_KINDS; kind++)
    rank.mpi_s[kind] = hd_model_seconds(model, model->ticks[HD_WAIT_MPI_FIRST + kind]);
  hd_job_rank_find_timeline(&rank, model);
  return rank;
}

void hd_job_add(struct hd_job *job, const struct hd_model *model) {
  struct hd_loss_book *book = hd_loss_book_new(model);
  *hd_job_new_rank(job) = describe(book);
  hd_job_add_places(job, (uint32_t)job->rank_count - 1, book);
  hd_loss_book_free(book);
}

static void add_place(struct hd_job *job, size_t first_rank, struct hd_job_place *part) {
  struct hd_job_place *place = hd_job_find_or_add_place(job, part);
  place->visits += part->visits;
  place->bytes += part->bytes;
  place->busy_us = place->busy_us < 0 || part->busy_us < 0 ? -1 : place->busy_us + part->busy_us;
  for (uint32_t i = 0; i < part->limit; i++)
    if (part->seconds[i] != 0)
      *hd_job_seconds(place, (uint32_t)first_rank + i) = part->seconds[i];
  free(part->seconds);
}

void hd_job_add_job(struct hd_job *job, struct hd_job *part) {
  const size_t first_rank = job->rank_count;
  for (size_t i = 0; i < part->rank_count; i++)
    *hd_job_new_rank(job) = part->ranks[i];
  for (size_t i = 0; i < part->place_count; i++)
    add_place(job, first_rank, &part->places[i]);
  part->rank_count = part->place_count = 0;
}

/* ---- all of them ---- */

static int by_rank(const void *a, const void *b) {
  const struct hd_job_rank *left = *(struct hd_job_rank *const *)a, *right = *(struct hd_job_rank *const *)b;
  return left->rank != right->rank ? (left->rank > right->rank) - (left->rank < right->rank)
                                   : (left > right) - (left < right);
}

/* order[i] is the present index of what will be the i-th. */
static uint32_t *sort_ranks(struct hd_job *job) {
  struct hd_job_rank **sorted = hd_new(job->rank_count + 1, sizeof(struct hd_job_rank *));
  struct hd_job_rank *ranks = hd_new(job->rank_count + 1, sizeof *ranks);
  uint32_t *order = hd_new(job->rank_count + 1, sizeof *order);
  for (size_t i = 0; i < job->rank_count; i++)
    sorted[i] = &job->ranks[i];
  qsort(sorted, job->rank_count, sizeof *sorted, by_rank);
  for (size_t i = 0; i < job->rank_count; i++) {
    order[i] = (uint32_t)(sorted[i] - job->ranks);
    ranks[i] = *sorted[i];
  }
  free(sorted);
  free(job->ranks);
  job->ranks = ranks;
  return order;
}

static void find_hosts(struct hd_job *job) {
  struct hd_interner hosts = {0};
  uint64_t *threads = hd_new(job->rank_count + 1, sizeof *threads); /* by host */
  job->crowded = HD_NONE;
  for (size_t i = 0; i < job->rank_count; i++) {
    const struct hd_job_rank *rank = &job->ranks[i];
    uint64_t *here = &threads[hd_intern_text(&hosts, rank->host)];
    *here += rank->threads;
    if (rank->processors > 0 && *here > rank->processors)
      job->crowded = (uint32_t)i;
  }
  job->hosts = hosts.count;
  hd_interner_free(&hosts);
  free(threads);
}

static void find_efficiencies(struct hd_job *job) {
  double threads = 0, busy = 0, outside = 0, most = 0;
  for (size_t i = 0; i < job->rank_count; i++) {
    const struct hd_job_rank *rank = &job->ranks[i];
    threads += rank->threads;
    busy += rank->busy_s;
    outside += rank->threads * rank->outside_mpi_s;
    job->elapsed_s = fmax(job->elapsed_s, rank->elapsed_s);
    if (rank->outside_mpi_s > most) {
      most = rank->outside_mpi_s;
      job->late = (uint32_t)i;
    }
  }
  job->parallel = busy / (threads * job->elapsed_s);
  job->mpi = outside / threads / job->elapsed_s;
  job->balance = outside / threads / most;
  job->communication = most / job->elapsed_s;
  job->openmp = busy / outside;
}

static int by_excess(const void *a, const void *b) {
  const struct hd_job_place *left = a, *right = b;
  const double left_s = hd_job_excess(left), right_s = hd_job_excess(right);
  if ((left->wait == HD_BUSY) != (right->wait == HD_BUSY))
    return left->wait == HD_BUSY ? -1 : 1;
  return left_s != right_s ? (left_s < right_s) - (left_s > right_s) : strcmp(left->text, right->text);
}

void hd_job_finish(struct hd_job *job) {
  uint32_t *order = sort_ranks(job);
  find_hosts(job);
  find_efficiencies(job);
  hd_job_find_timeline(job);
  for (size_t i = 0; i < job->place_count; i++)
    if (!job->is_summary)
      hd_job_place_sum_up(&job->places[i], order, job->rank_count);
  free(order);
  if (job->place_count > 0)
    qsort(job->places, job->place_count, sizeof *job->places, by_excess);
  hd_job_add_findings(job);
}
