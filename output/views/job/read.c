/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file read.c
 * A job from the JSON that json.c writes: what can be computed from the rest is not read. Nothing in it is trusted.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/format_names.h"
#include "output/views/job/job_view.h"
#include "support/command/memory.h"

#define BUSY_MOST_S 1e12 /* in microseconds that is still an int64_t */

static char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? hd_print("%s", text) : NULL;
}

static char *known_text_of(const json_t *object, const char *key) {
  char *text = text_of(object, key);
  return text ? text : hd_print("%s", "?");
}

static double number_of(const json_t *object, const char *key) {
  return json_number_value(json_object_get(object, key));
}

/* NaN: it is not there, as in files of earlier versions, or null. */
static double known_number_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

/* `none`: it is not there, or is none. */
static int64_t count_of(const json_t *object, const char *key, int64_t most, int64_t none) {
  const json_t *value = json_object_get(object, key);
  const int64_t count = json_integer_value(value);
  return json_is_integer(value) && count >= 0 && count <= most ? count : none;
}

/* Not known: of files of versions before this, and of what cannot be. */
static void read_timeline(struct hd_job_rank *rank, const json_t *array) {
  for (size_t i = 0; i < HD_JOB_TIMES; i++) {
    const json_t *value = json_array_get(array, i);
    const double busy = json_is_number(value) ? json_number_value(value) : NAN;
    rank->busy_at[i] = busy >= 0 && busy <= rank->threads ? busy : NAN;
  }
}

static bool read_rank(struct hd_job *job, const json_t *from) {
  struct hd_job_rank *rank = hd_job_new_rank(job);
  const json_t *waits = json_object_get(from, "mpi_s");
  rank->file = known_text_of(from, "file");
  rank->host = known_text_of(from, "host");
  rank->program = known_text_of(from, "program");
  rank->rank = (int32_t)count_of(from, "rank", INT32_MAX, -1);
  rank->ranks = (uint32_t)count_of(from, "ranks", UINT32_MAX, 0);
  rank->threads = (uint32_t)count_of(from, "threads", UINT32_MAX, 0);
  rank->processors = (uint32_t)count_of(from, "processors", UINT32_MAX, 0);
  rank->elapsed_s = number_of(from, "elapsed_s");
  rank->outside_mpi_s = number_of(from, "outside_mpi_s");
  rank->busy_s = number_of(from, "busy_s");
  rank->wait_s = number_of(from, "wait_s");
  rank->runtime_s = number_of(from, "runtime_s");
  rank->processor_share = known_number_of(from, "processor_share");
  for (int kind = 0; kind < HD_MPI_KINDS; kind++)
    rank->mpi_s[kind] = number_of(waits, hd_state_id((enum hd_state)(HD_WAIT_MPI_FIRST + kind)));
  read_timeline(rank, json_object_get(from, "busy_at"));
  return rank->threads > 0 && rank->elapsed_s > 0;
}

/* HD_STATE_COUNT, HD_KIND_COUNT: none of these is called so. */
static enum hd_state wait_of(const json_t *from) {
  const char *id = json_string_value(json_object_get(from, "wait"));
  int state = HD_WAIT_MPI_FIRST;
  while (id && state <= HD_WAIT_LAST && strcmp(hd_state_id((enum hd_state)state), id) != 0)
    state++;
  return !id ? HD_BUSY : state <= HD_WAIT_LAST ? (enum hd_state)state : HD_STATE_COUNT;
}

static enum hd_kind kind_of(const json_t *from) {
  const char *id = json_string_value(json_object_get(from, "kind"));
  int kind = 0;
  while (id && kind < HD_KIND_COUNT && strcmp(hd_kind_id((enum hd_kind)kind), id) != 0)
    kind++;
  return id ? (enum hd_kind)kind : HD_KIND_COUNT;
}

static uint32_t index_of(const struct hd_job *job, int64_t rank) {
  size_t i = 0;
  while (i < job->rank_count && job->ranks[i].rank != rank)
    i++;
  return i < job->rank_count ? (uint32_t)i : 0;
}

static bool read_seconds(struct hd_job *job, struct hd_job_place *place, const json_t *from) {
  const json_t *seconds = json_object_get(from, "seconds");
  const json_t *quartiles = json_object_get(from, "quartiles_s");
  if (json_array_size(quartiles) != HD_JOB_QUARTILES ||
      (json_is_array(seconds) && json_array_size(seconds) != job->rank_count))
    return false;
  for (size_t i = 0; i < HD_JOB_QUARTILES; i++)
    place->quartiles_s[i] = json_number_value(json_array_get(quartiles, i));
  for (size_t i = 0; i < json_array_size(seconds); i++)
    *hd_job_seconds(place, (uint32_t)i) = json_number_value(json_array_get(seconds, i));
  place->mean_s = number_of(from, "mean_s");
  place->most_rank = index_of(job, count_of(from, "most_rank", INT32_MAX, -1));
  place->least_rank = index_of(job, count_of(from, "least_rank", INT32_MAX, -1));
  job->is_summary |= !json_is_array(seconds);
  return true;
}

static bool read_place(struct hd_job *job, const json_t *from) {
  const size_t before = job->place_count;
  struct hd_job_place like = {.kind = kind_of(from), .wait = wait_of(from)};
  if (like.kind == HD_KIND_COUNT || like.wait == HD_STATE_COUNT)
    return false;
  like.text = known_text_of(from, "text");
  like.called = text_of(from, "called");
  like.function = text_of(from, "function");
  like.path = text_of(from, "path");
  like.line = (uint32_t)count_of(from, "line", UINT32_MAX, 0);
  struct hd_job_place *place = hd_job_find_or_add_place(job, &like);
  if (job->place_count == before) /* twice */
    return false;
  place->visits = (uint64_t)count_of(from, "visits", INT64_MAX, 0);
  place->bytes = (uint64_t)count_of(from, "bytes", INT64_MAX, 0);
  const double busy_s = place->wait == HD_BUSY ? known_number_of(from, "busy_s") : 0;
  place->busy_us = busy_s >= 0 && busy_s < BUSY_MOST_S ? llround(1e6 * busy_s) : -1;
  return read_seconds(job, place, from);
}

static bool read_all(struct hd_job *job, const json_t *array, bool (*take)(struct hd_job *job, const json_t *from)) {
  bool done = json_is_array(array);
  for (size_t i = 0; done && i < json_array_size(array); i++)
    done = take(job, json_array_get(array, i));
  return done;
}

struct hd_job *hd_job_read(FILE *in) {
  json_t *value = json_loadf(in, JSON_ALLOW_NUL, NULL);
  struct hd_job *job = hd_job_new();
  const bool done = read_all(job, json_object_get(value, "ranks"), read_rank) && job->rank_count > 0 &&
                    read_all(job, json_object_get(value, "places"), read_place);
  json_decref(value);
  if (done)
    return job;
  hd_job_free(job);
  return NULL;
}
