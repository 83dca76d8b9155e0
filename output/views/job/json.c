/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/json.h"

#include "output/analysis/losses/causes.h"
#include "output/model/format_names.h"
#include "output/views/job/job_view.h"
#include "output/views/render/column_names.h"

enum { VERSION = 1 };

static json_t *rank_number(const struct hd_job *job, uint32_t index) {
  return job->ranks[index].rank >= 0 ? json_integer(job->ranks[index].rank) : json_null();
}

static json_t *waits_in_mpi(const struct hd_job_rank *rank) {
  json_t *object = json_object();
  for (int state = HD_WAIT_MPI_FIRST; object && state <= HD_WAIT_LAST; state++)
    hd_json_put(object, hd_state_id((enum hd_state)state), hd_json_number(rank->mpi_s[state - HD_WAIT_MPI_FIRST]));
  return object;
}

static json_t *rank_members(const void *of, size_t index) {
  const struct hd_job *job = of;
  const struct hd_job_rank *rank = &job->ranks[index];
  return HD_JSON({"rank", rank_number(job, (uint32_t)index)}, {"file", hd_json_text(rank->model->path)},
                 {"host", hd_json_text(rank->model->header.host)}, {"threads", hd_json_count(rank->threads)},
                 {HD_KEY(ELAPSED), hd_json_number(rank->elapsed_s)},
                 {"outside_mpi_s", hd_json_number(rank->outside_mpi_s)}, {HD_KEY(BUSY), hd_json_number(rank->busy_s)},
                 {HD_KEY(WAIT), hd_json_number(rank->wait_s)}, {HD_KEY(RUNTIME), hd_json_number(rank->runtime_s)},
                 {"mpi_s", waits_in_mpi(rank)});
}

static json_t *place_members(const void *of, size_t index) {
  const struct hd_job *job = of;
  const struct hd_job_place *place = &job->places[index];
  const struct hd_node *node = place->node;
  return HD_JSON({"kind", json_string(hd_kind_id(node->kind))}, {"called", hd_json_text(node->called)},
                 {"function", hd_json_text(node->name.function)},
                 {"file", hd_json_text(node->name.file ? hd_base_name(node->name.file) : NULL)},
                 {"line", node->name.line ? hd_json_count(node->name.line) : json_null()},
                 {"visits", hd_json_count(place->visits)},
                 {HD_KEY(BYTES), place->is_mpi ? hd_json_count(place->bytes) : json_null()},
                 {"mean_s", hd_json_number(place->mean_s)}, {"most_s", hd_json_number(place->most_s)},
                 {"most_rank", rank_number(job, place->most_rank)}, {"least_s", hd_json_number(place->least_s)},
                 {"least_rank", rank_number(job, place->least_rank)});
}

bool hd_job_json(const struct hd_job *job, FILE *out) {
  json_t *efficiency =
      HD_JSON({"parallel", hd_json_number(job->parallel)}, {"mpi", hd_json_number(job->mpi)},
              {"balance", hd_json_number(job->balance)}, {"communication", hd_json_number(job->communication)},
              {"openmp", hd_json_number(job->openmp)});
  json_t *value = HD_JSON({"heddle", hd_json_count(VERSION)}, {HD_KEY(ELAPSED), hd_json_number(job->elapsed_s)},
                          {"efficiency", efficiency}, {"late_rank", rank_number(job, job->late)},
                          {"ranks", hd_json_array(job, job->rank_count, rank_members)},
                          {"places", hd_json_array(job, job->place_count, place_members)});
  const bool made = hd_json_write(value, out);
  fputc('\n', out);
  return made;
}
