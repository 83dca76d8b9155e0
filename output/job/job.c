/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/job/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/losses/losses.h"
#include "output/model/format_names.h"
#include "support/command/memory.h"

/* ---- ranks ---- */

static struct hd_job_rank describe(const struct hd_model *model, const struct hd_loss_book *book) {
  struct hd_job_rank rank = {.model = model, .rank = model->header.rank, .threads = book->threads};
  rank.elapsed_s = hd_model_seconds(model, model->elapsed_ticks);
  rank.outside_mpi_s = fmax(rank.elapsed_s - hd_model_seconds(model, hd_losses_mpi_outside(book)), 0);
  rank.busy_s = hd_model_seconds(model, model->ticks[HD_BUSY]);
  rank.wait_s = hd_model_seconds(model, hd_ticks_waiting(model->ticks) - hd_ticks_in_mpi(model->ticks));
  rank.runtime_s = hd_model_seconds(model, hd_ticks_runtime(model->ticks));
  for (int kind = 0; kind < HD_MPI_KINDS; kind++)
    rank.mpi_s[kind] = hd_model_seconds(model, model->ticks[HD_WAIT_MPI_FIRST + kind]);
  return rank;
}

static int by_rank(const void *a, const void *b) {
  const struct hd_model *left = *(struct hd_model *const *)a, *right = *(struct hd_model *const *)b;
  return (left->header.rank > right->header.rank) - (left->header.rank < right->header.rank);
}

static uint32_t count_hosts(const struct hd_job *job) {
  uint32_t count = 0;
  for (size_t i = 0; i < job->rank_count; i++) {
    size_t first = 0;
    while (strcmp(job->ranks[first].model->header.host, job->ranks[i].model->header.host) != 0)
      first++;
    count += first == i;
  }
  return count;
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

/* ---- places ---- */

/* What a rank spent in a callpath, if that is to be compared; NAN: it is not. */
static double spent(const struct hd_model *model, const struct hd_loss_book *book, const struct hd_node *node) {
  if (node->kind == HD_KIND_MPI)
    return hd_model_seconds(model, hd_ticks_in_mpi(node->ticks));
  if (book->place[node->id] == HD_PLACE_REGION)
    return hd_model_seconds(model, node->team.elapsed_ticks);
  return node->id == 0 || book->place[node->id] == HD_PLACE_OUTSIDE ? hd_model_seconds(model, node->ticks[HD_BUSY])
                                                                    : NAN;
}

struct gathering {
  struct hd_job *job;
  const struct hd_united *united;
  struct hd_job_place *places; /* by united place; of those outside regions that of the program, which is 0 */
  double *seconds;             /* [place * ranks + rank] */
};

static void take(struct gathering *all, size_t rank, const struct hd_loss_book *book, const struct hd_node *node) {
  const struct hd_model *model = all->job->ranks[rank].model;
  const double seconds = spent(model, book, node);
  if (isnan(seconds))
    return;
  const bool is_own = node->kind == HD_KIND_MPI || book->place[node->id] == HD_PLACE_REGION;
  const uint32_t at = is_own ? all->united->nodes[all->united->node_of[rank][node->id]].place : 0;
  struct hd_job_place *place = &all->places[at];
  if (!place->node) {
    place->model = model;
    place->node = is_own ? node : &model->nodes[0];
    place->is_mpi = node->kind == HD_KIND_MPI;
  }
  place->visits += is_own ? node->visits : 0;
  place->bytes += node->shares.mpi_bytes;
  all->seconds[at * all->job->rank_count + rank] += seconds;
}

static void sum_up(struct hd_job_place *place, const double *seconds, size_t ranks) {
  double sum = 0;
  for (uint32_t i = 0; i < ranks; i++) {
    sum += seconds[i];
    if (seconds[i] > seconds[place->most_rank])
      place->most_rank = i;
    if (seconds[i] < seconds[place->least_rank])
      place->least_rank = i;
  }
  place->mean_s = sum / (double)ranks;
  place->most_s = seconds[place->most_rank];
  place->least_s = seconds[place->least_rank];
}

static int by_excess(const void *a, const void *b) {
  const struct hd_job_place *left = a, *right = b;
  const double left_s = hd_job_excess(left), right_s = hd_job_excess(right);
  if (left->is_mpi != right->is_mpi)
    return left->is_mpi ? 1 : -1;
  if (left_s != right_s)
    return left_s > right_s ? -1 : 1;
  return (left->node->id > right->node->id) - (left->node->id < right->node->id);
}

static uint32_t count_places(const struct hd_united *united) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < united->node_count; i++)
    most = united->nodes[i].place > most ? united->nodes[i].place : most;
  return most + 1;
}

static void find_places(struct hd_job *job, struct hd_loss_book *const *books, const struct hd_united *united) {
  const uint32_t count = count_places(united);
  struct gathering all = {job, united, hd_new(count, sizeof *all.places),
                          hd_new(count * job->rank_count, sizeof *all.seconds)};
  for (size_t rank = 0; rank < job->rank_count; rank++)
    for (uint32_t i = 0; i < job->ranks[rank].model->node_count; i++)
      take(&all, rank, books[rank], &job->ranks[rank].model->nodes[i]);
  for (uint32_t i = 0; i < count; i++)
    if (all.places[i].node) {
      job->places[job->place_count] = all.places[i];
      sum_up(&job->places[job->place_count++], &all.seconds[i * job->rank_count], job->rank_count);
    }
  qsort(job->places, job->place_count, sizeof *job->places, by_excess);
  free(all.places);
  free(all.seconds);
}

struct hd_job *hd_job_new(struct hd_model *const *models, size_t count) {
  struct hd_job *job = hd_new(1, sizeof *job);
  struct hd_model **sorted = hd_new(count, sizeof(struct hd_model *));
  struct hd_loss_book **books = hd_new(count, sizeof(struct hd_loss_book *));
  memcpy(sorted, models, count * sizeof(struct hd_model *));
  qsort(sorted, count, sizeof(struct hd_model *), by_rank);
  struct hd_united *united = hd_united_new(sorted, count, HD_UNITE_BY_ADDRESS);
  job->ranks = hd_new(count, sizeof *job->ranks);
  job->rank_count = count;
  job->places = hd_new((size_t)united->node_count + 1, sizeof *job->places);
  for (size_t i = 0; i < count; i++) {
    books[i] = hd_loss_book_new(sorted[i]);
    job->ranks[i] = describe(sorted[i], books[i]);
  }
  job->hosts = count_hosts(job);
  find_efficiencies(job);
  find_places(job, books, united);
  for (size_t i = 0; i < count; i++)
    hd_loss_book_free(books[i]);
  hd_united_free(united);
  free(books);
  free(sorted);
  return job;
}

void hd_job_free(struct hd_job *job) {
  if (!job)
    return;
  free(job->ranks);
  free(job->places);
  free(job);
}
