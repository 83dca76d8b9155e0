/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>

#include "output/views/job/comparison_view.h"
#include "output/views/job/job_view_internal.h"
#include "output/views/render/column_names.h"

enum { VERSION = 1 };

/* ---- numbers ---- */

static json_t *interval(const struct hd_interval *from) {
  return isnan(from->low) ? json_null() : json_pack("[o, o]", hd_json_number(from->low), hd_json_number(from->high));
}

static json_t *parts(const double part_s[HD_JOB_PARTS]) {
  json_t *object = json_object();
  for (int part = 0; object && part < HD_JOB_PARTS; part++)
    hd_json_put(object, hd_job_part_id((enum hd_job_part)part), hd_json_number(part_s[part]));
  return object;
}

static json_t *loss(const struct hd_job_loss *from) {
  const enum hd_job_part main = hd_job_loss_main(from);
  const bool is_known = isfinite(from->interval.low);
  return HD_JSON({"lost_s", parts(from->part_s)}, {"lost_total_s", hd_json_number(from->seconds)},
                 {"lost_total_interval_s", interval(&from->interval)},
                 {"main_cause", main < HD_JOB_PARTS ? json_string(hd_job_part_id(main)) : json_null()},
                 {"in_noise", is_known ? json_boolean(from->is_noise) : json_null()});
}

static json_t *elapsed_by_run(const struct hd_job_point *point) {
  json_t *array = json_array();
  for (size_t i = 0; array && i < point->count; i++)
    json_array_append_new(array, hd_json_number(point->elapsed_s[i]));
  return array;
}

/* ---- points ---- */

static json_t *point_members(const void *of, size_t index) {
  const struct hd_job_comparison *comparison = of;
  const struct hd_job_point *point = &comparison->points[index];
  return HD_JSON(
      {"label", hd_json_text(point->label)}, {"ranks", hd_json_count(point->ranks)},
      {"threads", hd_json_count(point->threads)}, {"seconds", elapsed_by_run(point)},
      {HD_KEY(ELAPSED), hd_json_number(point->job->elapsed_s)},
      {"elapsed_interval_s", interval(&point->elapsed_interval)}, {"speedup", hd_json_number(point->speedup)},
      {"speedup_interval", interval(&point->speedup_interval)},
      {"scaling_efficiency", hd_json_number(point->efficiency)}, {"work_efficiency", hd_json_number(point->work)},
      {"efficiency", hd_job_efficiency(point->job)}, {"late_rank", hd_job_rank_number(point->job, point->job->late)},
      {HD_KEY(PROCESSOR), hd_json_number(point->processor_share)}, {"calls_mpi", json_boolean(!point->is_silent)},
      {"parts_s", parts(point->part_s)}, {HD_JSON_MERGE, loss(&point->loss)});
}

/* ---- places ---- */

struct row_of {
  const struct hd_job_comparison *comparison;
  const struct hd_job_row *row;
};

static json_t *at_members(const void *of, size_t index) {
  const struct row_of *in = of;
  const struct hd_job_at *at = &in->row->at[index];
  const struct hd_job_place *place = at->place;
  const struct hd_job *job = in->comparison->points[index].job;
  const bool is_call = in->row->like->wait != HD_BUSY;
  return HD_JSON({"mean_s", hd_json_number(place ? place->mean_s : 0)},
                 {"most_s", hd_json_number(place ? hd_job_most(place) : 0)},
                 {"most_rank", place ? hd_job_rank_number(job, place->most_rank) : json_null()},
                 {"visits", hd_json_count(place ? place->visits : 0)},
                 {HD_KEY(BYTES), is_call ? hd_json_count(place ? place->bytes : 0) : json_null()},
                 {HD_KEY(BUSY), is_call ? json_null() : hd_json_number(place ? hd_job_busy(place) : 0)},
                 {"parts_s", parts(at->part_s)}, {HD_JSON_MERGE, loss(&at->loss)});
}

static json_t *row_members(const void *of, size_t index) {
  const struct hd_job_comparison *comparison = of;
  const struct row_of in = {comparison, &comparison->rows[index]};
  return HD_JSON({HD_JSON_MERGE, hd_job_place_source(in.row->like)}, {"text", hd_json_text(in.row->like->text)},
                 {"at", hd_json_array(&in, comparison->point_count, at_members)});
}

static json_t *finding_members(const void *of, size_t index) {
  const struct hd_job_comparison *comparison = of;
  const struct hd_job_compared_finding *finding = &comparison->findings[index];
  return HD_JSON({"point", hd_json_count(finding->point)}, {"cause", json_string(hd_job_part_id(finding->part))},
                 {"gain_s", hd_json_number(finding->gain_s)}, {"place", hd_job_place_source(finding->row->like)},
                 {"text", hd_json_text(finding->row->like->text)}, {"evidence", hd_json_text(finding->evidence)},
                 {"try", hd_json_text(finding->attempt)});
}

bool hd_job_comparison_json(const struct hd_job_comparison *comparison, FILE *out) {
  json_t *value = HD_JSON({"heddle_compare_jobs", hd_json_count(VERSION)},
                          {"mode", json_string(comparison->is_scaling ? "scaling" : "sides")},
                          {"moved", hd_json_count(comparison->moved_count)},
                          {"points", hd_json_array(comparison, comparison->point_count, point_members)},
                          {"findings", hd_json_array(comparison, comparison->finding_count, finding_members)},
                          {"places", hd_json_array(comparison, comparison->row_count, row_members)});
  const bool made = hd_json_write(value, out);
  fputc('\n', out);
  return made;
}
