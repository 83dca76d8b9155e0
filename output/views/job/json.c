/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/job/job_view_internal.h"

#include "output/analysis/losses/causes.h"
#include "output/model/format_names.h"
#include "output/views/job/job_view.h"
#include "output/views/render/column_names.h"

enum { VERSION = 1 };

json_t *hd_job_rank_number(const struct hd_job *job, uint32_t index) {
  return job->ranks[index].rank >= 0 ? json_integer(job->ranks[index].rank) : json_null();
}

static json_t *waits_in_mpi(const struct hd_job_rank *rank) {
  json_t *object = json_object();
  for (int state = HD_WAIT_MPI_FIRST; object && state <= HD_WAIT_LAST; state++)
    hd_json_put(object, hd_state_id((enum hd_state)state), hd_json_number(rank->mpi_s[state - HD_WAIT_MPI_FIRST]));
  return object;
}

static json_t *numbers(const double *from, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; array && i < count; i++)
    json_array_append_new(array, hd_json_number(from[i]));
  return array;
}

static json_t *rank_members(const void *of, size_t index) {
  const struct hd_job *job = of;
  const struct hd_job_rank *rank = &job->ranks[index];
  return HD_JSON({"rank", hd_job_rank_number(job, (uint32_t)index)}, {"ranks", hd_json_count(rank->ranks)},
                 {"file", hd_json_text(rank->file)}, {"program", hd_json_text(rank->program)},
                 {"host", hd_json_text(rank->host)}, {"threads", hd_json_count(rank->threads)},
                 {"processors", rank->processors ? hd_json_count(rank->processors) : json_null()},
                 {HD_KEY(ELAPSED), hd_json_number(rank->elapsed_s)},
                 {"outside_mpi_s", hd_json_number(rank->outside_mpi_s)}, {HD_KEY(BUSY), hd_json_number(rank->busy_s)},
                 {HD_KEY(WAIT), hd_json_number(rank->wait_s)}, {HD_KEY(RUNTIME), hd_json_number(rank->runtime_s)},
                 {"mpi_s", waits_in_mpi(rank)}, {"busy_at", numbers(rank->busy_at, HD_JOB_TIMES)},
                 {HD_KEY(PROCESSOR), hd_json_number(rank->processor_share)});
}

/* ---- places ---- */

json_t *hd_job_place_source(const struct hd_job_place *place) {
  return HD_JSON({"kind", json_string(hd_kind_id(place->kind))}, {"called", hd_json_text(place->called)},
                 {"function", hd_json_text(place->function)},
                 {"file", hd_json_text(place->path ? hd_base_name(place->path) : NULL)},
                 {"path", hd_json_text(place->path)}, {"line", place->line ? hd_json_count(place->line) : json_null()});
}

/* Of many ranks, each one's time only where it matters: a hundredth of the job. */
struct shown {
  const struct hd_job *job;
  bool all_ranks;
};

static json_t *place_members(const void *of, size_t index) {
  const struct shown *shown = of;
  const struct hd_job *job = shown->job;
  const struct hd_job_place *place = &job->places[index];
  const bool is_call = place->wait != HD_BUSY;
  const bool matters = shown->all_ranks || hd_job_most(place) >= job->elapsed_s / 100;
  return HD_JSON({HD_JSON_MERGE, hd_job_place_source(place)}, {"text", hd_json_text(place->text)},
                 {"wait", is_call ? json_string(hd_state_id(place->wait)) : json_null()},
                 {"visits", hd_json_count(place->visits)},
                 {HD_KEY(BYTES), is_call ? hd_json_count(place->bytes) : json_null()},
                 {HD_KEY(BUSY), is_call ? json_null() : hd_json_number(hd_job_busy(place))},
                 {"mean_s", hd_json_number(place->mean_s)}, {"most_s", hd_json_number(hd_job_most(place))},
                 {"most_rank", hd_job_rank_number(job, place->most_rank)},
                 {"least_s", hd_json_number(place->quartiles_s[HD_JOB_LEAST])},
                 {"least_rank", hd_job_rank_number(job, place->least_rank)},
                 {"quartiles_s", numbers(place->quartiles_s, HD_JOB_QUARTILES)},
                 {"seconds", place->seconds && matters ? numbers(place->seconds, job->rank_count) : json_null()});
}

/* ---- findings ---- */

/* Names in it may not be UTF-8. */
static json_t *alone(const char *sentence) {
  json_t *array = json_array();
  if (array)
    json_array_append_new(array, hd_json_text(sentence));
  return array;
}

static json_t *finding_members(const void *of, size_t index) {
  const struct hd_job *job = of;
  const struct hd_job_finding *finding = &job->findings[index];
  return HD_JSON({"cause", json_string(hd_cause_id(finding->cause))}, {"gain_s", hd_json_number(finding->gain_s)},
                 {"gain_low_s", hd_json_number(finding->gain_s)}, {"gain_high_s", hd_json_number(finding->gain_s)},
                 {"basis", json_string(hd_basis_id(HD_BASIS_MEASURED))},
                 {"rank", hd_job_rank_number(job, finding->rank)}, {"place", hd_job_place_source(finding->place)},
                 {"evidence", alone(finding->evidence)}, {"try", alone(finding->attempt)});
}

static uint64_t count_threads(const struct hd_job *job) {
  uint64_t threads = 0;
  for (size_t i = 0; i < job->rank_count; i++)
    threads += job->ranks[i].threads;
  return threads;
}

json_t *hd_job_efficiency(const struct hd_job *job) {
  return HD_JSON({"parallel", hd_json_number(job->parallel)}, {"mpi", hd_json_number(job->mpi)},
                 {"balance", hd_json_number(job->balance)}, {"communication", hd_json_number(job->communication)},
                 {"openmp", hd_json_number(job->openmp)});
}

bool hd_job_json(const struct hd_job *job, bool all_ranks, FILE *out) {
  const struct shown shown = {job, all_ranks};
  json_t *value = HD_JSON({"heddle", hd_json_count(VERSION)}, {HD_KEY(ELAPSED), hd_json_number(job->elapsed_s)},
                          {"threads", hd_json_count(count_threads(job))}, {"efficiency", hd_job_efficiency(job)},
                          {"late_rank", hd_job_rank_number(job, job->late)},
                          {"findings", hd_json_array(job, job->finding_count, finding_members)},
                          {"ranks", hd_json_array(job, job->rank_count, rank_members)},
                          {"places", hd_json_array(&shown, job->place_count, place_members)});
  const bool made = hd_json_write(value, out);
  fputc('\n', out);
  return made;
}
