/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/losses/losses.h"
#include "output/job/job_internal.h"
#include "output/model/format_names.h"
#include "output/model/node_text.h"
#include "support/command/memory.h"

/* ---- the table ---- */

/* A place without a line is known by its module and offset, which its text names. */
char *hd_job_place_key(const struct hd_job_place *place) {
  return hd_print("%d\n%s\n%s\n%s\n%u\n%s", (int)place->kind, place->called ? place->called : "",
                  place->function ? place->function : "", place->path ? place->path : "", place->line,
                  place->line ? "" : place->text);
}

static uint32_t number_of(struct hd_interner *keys, const struct hd_job_place *place) {
  char *key = hd_job_place_key(place);
  const uint32_t number = hd_intern_text(keys, key);
  free(key);
  return number;
}

static void free_texts(struct hd_job_place *place) {
  free(place->text);
  free(place->called);
  free(place->function);
  free(place->path);
}

struct hd_job_place *hd_job_find_or_add_place(struct hd_job *job, struct hd_job_place *like) {
  const uint32_t number = number_of(&job->keys, like);
  if (number < job->place_count) {
    free_texts(like);
    return &job->places[number];
  }
  if (job->place_count == job->place_limit) {
    job->place_limit = 2 * job->place_limit + 64;
    job->places = hd_grow(job->places, job->place_limit, sizeof *job->places);
  }
  struct hd_job_place *place = &job->places[job->place_count++];
  *place = (struct hd_job_place){.text = like->text,
                                 .kind = like->kind,
                                 .called = like->called,
                                 .function = like->function,
                                 .path = like->path,
                                 .line = like->line,
                                 .wait = like->wait};
  return place;
}

double *hd_job_seconds(struct hd_job_place *place, uint32_t rank) {
  if (rank >= place->limit) {
    const uint32_t limit = 2 * rank + 8;
    place->seconds = hd_grow(place->seconds, limit, sizeof *place->seconds);
    memset(place->seconds + place->limit, 0, (limit - place->limit) * sizeof *place->seconds);
    place->limit = limit;
  }
  return &place->seconds[rank];
}

bool hd_job_spent(const struct hd_job_place *place, uint32_t rank, double *seconds) {
  *seconds = place->seconds && rank < place->limit ? place->seconds[rank] : 0;
  return place->seconds;
}

void hd_job_place_free(struct hd_job_place *place) {
  free_texts(place);
  free(place->seconds);
}

/* ---- of a rank's profile ---- */

/* What it spent in a callpath, if that is to be compared; NAN: it is not. */
static double spent(const struct hd_model *model, const struct hd_loss_book *book, const struct hd_node *node) {
  if (node->kind == HD_KIND_MPI)
    return hd_model_seconds(model, hd_ticks_in_mpi(node->ticks));
  if (book->place[node->id] == HD_PLACE_REGION)
    return hd_model_seconds(model, node->team.elapsed_ticks);
  return node->id == 0 || book->place[node->id] == HD_PLACE_OUTSIDE ? hd_model_seconds(model, node->ticks[HD_BUSY])
                                                                    : NAN;
}

/* Thread time that is work, of what is to be compared. */
static double busy(const struct hd_model *model, const struct hd_loss_book *book, const struct hd_node *node,
                   double seconds) {
  if (node->kind == HD_KIND_MPI)
    return 0;
  return book->place[node->id] == HD_PLACE_REGION ? hd_model_seconds(model, (uint64_t)book->inclusive[node->id].busy)
                                                  : seconds;
}

static char *copy(const char *text) {
  return text ? hd_print("%s", text) : NULL;
}

/* All that is outside of regions is one place, the program. */
static struct hd_job_place describe(const struct hd_model *model, const struct hd_node *node) {
  char text[HD_PLACE_BYTES] = "outside all regions, busy";
  if (node->id == 0)
    return (struct hd_job_place){.text = copy(text), .kind = HD_KIND_PROGRAM, .wait = HD_BUSY};
  hd_node_text(text, model, node, NULL);
  return (struct hd_job_place){.text = copy(text),
                               .kind = node->kind,
                               .called = copy(node->called),
                               .function = copy(node->name.function),
                               .path = copy(node->name.file),
                               .line = node->name.line,
                               .wait = node->kind == HD_KIND_MPI ? hd_mpi_kind(node->ticks) : HD_BUSY};
}

void hd_job_add_places(struct hd_job *job, uint32_t rank, const struct hd_loss_book *book) {
  const struct hd_model *model = book->model;
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    const double seconds = spent(model, book, node);
    const bool is_own = node->kind == HD_KIND_MPI || book->place[i] == HD_PLACE_REGION;
    if (isnan(seconds))
      continue;
    struct hd_job_place like = describe(model, is_own ? node : &model->nodes[0]);
    struct hd_job_place *place = hd_job_find_or_add_place(job, &like);
    place->visits += is_own ? node->visits : 0;
    place->bytes += node->shares.mpi_bytes;
    place->busy_us += llround(1e6 * busy(model, book, node, seconds));
    *hd_job_seconds(place, rank) += seconds;
  }
}

/* ---- all ranks ---- */

static int by_size(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

/* Quartiles by the nearest rank. */
static void find_quartiles(struct hd_job_place *place, const double *seconds, size_t ranks) {
  double *sorted = hd_new(ranks, sizeof *sorted);
  memcpy(sorted, seconds, ranks * sizeof *sorted);
  qsort(sorted, ranks, sizeof *sorted, by_size);
  for (size_t i = 0; i < HD_JOB_QUARTILES; i++)
    place->quartiles_s[i] = sorted[(i * (ranks - 1) + 2) / 4];
  free(sorted);
}

void hd_job_place_sum_up(struct hd_job_place *place, const uint32_t *order, size_t ranks) {
  double *seconds = hd_new(ranks, sizeof *seconds);
  double sum = 0;
  for (uint32_t i = 0; i < ranks; i++) {
    hd_job_spent(place, order[i], &seconds[i]);
    sum += seconds[i];
    if (seconds[i] > seconds[place->most_rank])
      place->most_rank = i;
    if (seconds[i] < seconds[place->least_rank])
      place->least_rank = i;
  }
  free(place->seconds);
  place->seconds = seconds;
  place->limit = (uint32_t)ranks;
  place->mean_s = sum / (double)ranks;
  find_quartiles(place, seconds, ranks);
}
