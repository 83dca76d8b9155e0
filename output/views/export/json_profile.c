/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file json_profile.c
 * One callpath's profile in the JSON. What was not measured is null: of a routine known from the stack only, its visits
 * and all times of its own.
 */
#include <math.h>
#include <stdio.h>

#include "output/analysis/callpaths/callpath_truncate.h"
#include "output/model/accumulate.h"
#include "output/model/format_names.h"
#include "output/model/histories.h"
#include "output/model/lazy_rows.h"
#include "output/model/levels.h"
#include "output/views/export/json_internal.h"

static json_t *place_members(const struct hd_model *model, const struct hd_node *node) {
  char offset[32];
  const bool known = node->module != HD_NONE;
  snprintf(offset, sizeof offset, "0x%llx", (unsigned long long)node->offset);
  return HD_JSON({"id", hd_json_count(node->id)}, {"parent", node->id == 0 ? json_null() : hd_json_count(node->parent)},
                 {"kind", json_string(hd_kind_id(node->kind))}, {"name", hd_json_text(node->name.function)},
                 {"file", hd_json_text(node->name.file)},
                 {"line", node->name.line > 0 ? hd_json_count(node->name.line) : json_null()},
                 {"module", hd_json_text(known ? hd_base_name(model->modules[node->module].path) : NULL)},
                 {"module_path", hd_json_text(known ? model->modules[node->module].path : NULL)},
                 {"offset", known ? json_string(offset) : json_null()});
}

/* Time of the profile's own, of one state. */
static json_t *own(const struct hd_model *model, const struct hd_node *node, enum hd_state state) {
  return hd_node_is_measured(node) ? hd_json_seconds(model, node->ticks[state]) : json_null();
}

static json_t *times_members(const struct hd_model *model, const struct hd_node *node) {
  const uint64_t *inclusive = node->inclusive_ticks;
  const bool region = hd_kind_is_region(node->kind);
  return HD_JSON(
      {HD_KEY(BUSY), own(model, node, HD_BUSY)}, {HD_KEY(INCLUSIVE), hd_json_seconds(model, inclusive[HD_BUSY])},
      {HD_KEY(WAIT), hd_node_is_measured(node) ? hd_json_waits(model, node->ticks, region) : json_null()},
      {"wait_inclusive_s", hd_json_waits(model, inclusive, region)},
      {HD_JSON_MERGE, hd_json_runtime_members(model, hd_node_is_measured(node) ? node->ticks : NULL)},
      {"runtime_inclusive_s", hd_json_seconds(model, hd_ticks_runtime(inclusive))},
      {HD_KEY(IDLE), own(model, node, HD_IDLE)},
      {HD_KEY(UNRESOLVED), hd_node_is_measured(node) ? hd_json_seconds(model, node->unresolved.ticks) : json_null()},
      {"unresolved_inclusive_s", hd_json_seconds(model, node->unresolved_inclusive.ticks)});
}

/* ---- entries ---- */

static bool has_entries(const struct hd_model *model, const struct hd_node *node) {
  return node->kind == HD_KIND_ROUTINE && model->entries_known && hd_node_is_measured(node);
}

static json_t *entry(const struct hd_model *model, const struct hd_entries *from, int caller, int own) {
  return HD_JSON({HD_KEY(CALLS), hd_json_count(from->visits[caller][own])},
                 {HD_KEY(ELAPSED), hd_json_seconds(model, from->ticks[caller][own])});
}

/* By the state in which the caller was entered, and by its own: "S-C" was entered concurrently from a sequential
 * caller. */
static json_t *entries(const struct hd_model *model, const struct hd_entries *from) {
  return HD_JSON({"S-S", entry(model, from, HD_SEQUENTIAL, HD_SEQUENTIAL)},
                 {"S-C", entry(model, from, HD_SEQUENTIAL, HD_CONCURRENT)},
                 {"C-S", entry(model, from, HD_CONCURRENT, HD_SEQUENTIAL)},
                 {"C-C", entry(model, from, HD_CONCURRENT, HD_CONCURRENT)});
}

/* A routine has no team; its elapsed time is that between entry and exit, summed over threads. */
static json_t *routine_members(const struct hd_model *model, const struct hd_node *node) {
  const bool known = has_entries(model, node);
  const double share = node->wall_share_inclusive_ticks;
  if (node->kind != HD_KIND_ROUTINE)
    return HD_JSON({"entries", json_null()});
  return HD_JSON(
      {HD_KEY(ELAPSED), known ? hd_json_seconds(model, hd_entries_ticks(&node->entries)) : json_null()},
      {HD_KEY(CONCURRENCY), hd_json_number(share > 0 ? (double)node->inclusive_ticks[HD_BUSY] / share : NAN)},
      {"entries", known ? entries(model, &node->entries) : json_null()});
}

static json_t *concurrent_visits(const struct hd_model *model, const struct hd_node *node) {
  const bool known = model->entries_known && node->id != 0 && hd_node_is_measured(node);
  return known ? hd_json_count(node->visits_concurrent) : json_null();
}

static json_t *cpu_seconds(const struct hd_model *model, uint64_t ns, bool known) {
  return known && (model->header.flags & HD_FILE_CPU_TIME) ? json_real((double)ns * 1e-9) : json_null();
}

static json_t *cpu_members(const struct hd_model *model, const struct hd_node *node) {
  return HD_JSON({HD_KEY(CPU), cpu_seconds(model, node->cpu_ns, hd_node_is_measured(node))},
                 {"cpu_inclusive_s", cpu_seconds(model, node->cpu_inclusive_ns, true)});
}

/* ---- teams ---- */

static json_t *running(const struct hd_model *model, const struct hd_node *node) {
  const bool known = node->running_ticks > 0 && node->running_ticks != HD_TICKS_UNKNOWN;
  return known ? hd_json_seconds(model, node->running_ticks) : json_null();
}

static json_t *team_members(const struct hd_model *model, const struct hd_node *node) {
  const struct hd_team_totals *team = &node->team;
  return HD_JSON_IF(team->team_max > 0, {"instances", hd_json_count(team->instances)},
                    {"open_instances", hd_json_count(team->open_instances)},
                    {HD_KEY(ELAPSED), hd_json_ticks(model, hd_team_elapsed(team))},
                    {"capacity_s", hd_json_seconds(model, team->capacity_ticks)},
                    {"team_size", HD_JSON({HD_KEY(TEAM_MIN), hd_json_count(team->team_min)},
                                          {HD_KEY(TEAM_MAX), hd_json_count(team->team_max)})},
                    {HD_KEY(CONCURRENCY), hd_json_number(hd_team_concurrency(team))},
                    {HD_KEY(IMBALANCE), hd_json_number(hd_team_imbalance(team))},
                    {HD_KEY(GAIN), hd_json_ticks(model, team->gain_ticks)},
                    {"team_busy_s", hd_json_seconds(model, team->busy_ticks)},
                    {"team_idle_s", hd_json_seconds(model, team->idle_ticks)}, {"running_s", running(model, node)});
}

/* The program has no team, but it does have an elapsed time. */
static json_t *program_team_members(const struct hd_model *model) {
  return HD_JSON(
      {HD_KEY(ELAPSED), hd_json_seconds(model, model->elapsed_ticks)},
      {"mean_concurrency",
       hd_json_number(model->elapsed_ticks > 0 ? (double)model->ticks[HD_BUSY] / (double)model->elapsed_ticks : NAN)});
}

/* ---- threads ---- */

static uint64_t concurrent_of(const struct hd_entries *from) {
  return from->visits[HD_SEQUENTIAL][HD_CONCURRENT] + from->visits[HD_CONCURRENT][HD_CONCURRENT];
}

static json_t *row_entries_members(const struct hd_model *model, const struct hd_node *node,
                                   const struct hd_row *from) {
  const bool routine = has_entries(model, node);
  return HD_JSON({HD_KEY(CALLS_CONCURRENT), routine ? hd_json_count(concurrent_of(&from->entries)) : json_null()},
                 {HD_KEY(ELAPSED), routine ? hd_json_seconds(model, hd_entries_ticks(&from->entries)) : json_null()},
                 {"entries", routine ? entries(model, &from->entries) : json_null()},
                 {HD_KEY(CPU), cpu_seconds(model, from->cpu_ns, true)});
}

static json_t *row(const struct hd_model *model, const struct hd_node *node, const struct hd_row *from) {
  return HD_JSON({HD_KEY(THREAD), hd_json_count(from->thread)}, {HD_KEY(CALLS), hd_json_count(from->visits)},
                 {HD_KEY(BUSY), hd_json_seconds(model, from->ticks[HD_BUSY])},
                 {HD_KEY(WAIT), hd_json_waits(model, from->ticks, hd_kind_is_region(node->kind))},
                 {HD_JSON_MERGE, hd_json_runtime_members(model, from->ticks)},
                 {HD_KEY(IDLE), hd_json_seconds(model, from->ticks[HD_IDLE])},
                 {HD_KEY(UNRESOLVED), hd_json_seconds(model, from->unresolved.ticks)},
                 {HD_JSON_MERGE, hd_json_row_shares(node, from)},
                 {HD_JSON_MERGE, row_entries_members(model, node, from)},
                 {HD_JSON_MERGE, hd_json_row_counts(model, node, from)});
}

/* In the order of threads. Where callpaths are cut, a thread may have counted for a profile that it never was in. */
static json_t *rows(const struct hd_model *model, const struct hd_node *node) {
  json_t *array = json_array();
  uint32_t i = 0, j = 0;
  hd_model_need_rows(model);
  while (array && (i < node->row_count || j < node->counts_count)) {
    const struct hd_row *next = i < node->row_count ? &model->rows[node->row_first + i] : NULL;
    const struct hd_counts *counts = j < node->counts_count ? &model->counts[node->counts_first + j] : NULL;
    const struct hd_row none = {.node = node->id, .thread = counts ? counts->thread : 0};
    const bool has_row = next && (!counts || next->thread <= counts->thread);
    j += counts && (!has_row || counts->thread == next->thread);
    i += has_row;
    json_array_append_new(array, row(model, node, has_row ? next : &none));
  }
  return array;
}

/* ---- levels ---- */

static json_t *elapsed_levels(const struct hd_model *model, const struct hd_node *node) {
  if (!model->levels_known || (node->id != 0 && node->team.team_max == 0) ||
      (node->id != 0 && !hd_kind_is_region(node->kind)))
    return json_null();
  if (node->id != 0 && node->elapsed_at.count == 0 && node->team.elapsed_ticks > 0)
    return json_null(); /* there was no space */
  return hd_json_levels(model, node->id == 0 ? &model->time_at : &node->elapsed_at);
}

static json_t *ticks_or_null(const struct hd_model *model, uint64_t ticks) {
  return ticks == HD_TICKS_UNKNOWN ? json_null() : hd_json_seconds(model, ticks);
}

/* The profile's own, then with everything below, by level and as wall shares. */
static json_t *levels_members(const struct hd_model *model, const struct hd_node *node) {
  const bool no_space = node->busy_at.count == 0 && node->ticks[HD_BUSY] > 0;
  const bool known = model->levels_known && !no_space;
  const bool own = known && hd_node_is_measured(node);
  /* At levels 0 and 1 no other thread was busy beside this one. */
  const uint64_t sequential = hd_levels_up_to(&node->busy_at, 1);
  const uint64_t concurrent = hd_levels_up_to(&node->busy_at, UINT32_MAX) - sequential;
  return HD_JSON(
      {"elapsed_at_k_s", elapsed_levels(model, node)},
      {"thread_time_at_k_s", own ? hd_json_levels(model, &node->busy_at) : json_null()},
      {"thread_time_at_k_inclusive_s", known ? hd_json_levels(model, &node->busy_at_inclusive) : json_null()},
      {HD_KEY(WALL), own ? hd_json_ticks(model, node->wall_share_ticks) : json_null()},
      {HD_KEY(WALL_INCLUSIVE), known ? hd_json_ticks(model, node->wall_share_inclusive_ticks) : json_null()},
      {"active_s", own ? ticks_or_null(model, node->active_ticks) : json_null()},
      {"unpaired_s", own ? hd_json_seconds(model, node->unpaired_ticks) : json_null()},
      {HD_KEY(SEQUENTIAL), own ? hd_json_seconds(model, sequential) : json_null()},
      {HD_KEY(CONCURRENT), own ? hd_json_seconds(model, concurrent) : json_null()});
}

/* ---- in time ---- */

static json_t *history(const struct hd_model *model, const struct hd_node *node) {
  const struct hd_history *from = hd_histories_find(model, node->id);
  if (!from)
    return json_null();
  json_t *elapsed = json_array(), *busy = json_array();
  for (uint32_t i = 0; i < hd_history_buckets_in_use(model); i++) {
    const bool known = i * model->history_width_ticks >= from->since_ticks;
    json_array_append_new(elapsed, known ? hd_json_seconds(model, from->buckets[i].elapsed_ticks) : json_null());
    json_array_append_new(busy, known ? hd_json_seconds(model, from->buckets[i].busy_ticks) : json_null());
  }
  return HD_JSON({"begin_s", hd_json_seconds(model, model->before_ticks)},
                 {"width_s", hd_json_seconds(model, model->history_width_ticks)}, {HD_KEY(ELAPSED), elapsed},
                 {HD_KEY(BUSY), busy});
}

static json_t *history_members(const struct hd_model *model, const struct hd_node *node) {
  return HD_JSON_IF(hd_kind_is_region(node->kind), {"history", history(model, node)});
}

/* ---- all of it ---- */

static json_t *marks_members(const struct hd_node *node) {
  const bool back = node->flags & HD_PROFILE_BACK;
  const bool measured = hd_node_is_measured(node);
  return HD_JSON({"measured", json_boolean(measured)},
                 {HD_JSON_MERGE, hd_json_marks(node->marks[HD_MARKS_OF_CALLPATHS])},
                 {"folded", json_boolean(node->flags & HD_PROFILE_FOLDED)},
                 {"shortened", json_boolean(node->flags & HD_PROFILE_SHORTENED)},
                 {"stands_in", json_boolean(hd_node_stands_in(node))},
                 {"tail_call", json_boolean(node->flags & HD_PROFILE_TAIL_CALL)},
                 {"recursive", json_boolean(node->flags & HD_PROFILE_RECURSIVE)},
                 {"recursive_of", back ? hd_json_count(node->target) : json_null()});
}

static json_t *efficiency_members(const struct hd_loss_book *book, const struct hd_node *node) {
  return HD_JSON_IF(book->place[node->id] == HD_PLACE_REGION,
                    {"efficiency", hd_json_efficiency(&book->inclusive[node->id], node->marks[HD_MARKS_OF_CALLPATHS])});
}

json_t *hd_json_profile(const struct hd_loss_book *book, const struct hd_node *node) {
  const struct hd_model *model = book->model;
  return HD_JSON({HD_JSON_MERGE, place_members(model, node)},
                 {HD_KEY(CALLS), hd_node_is_measured(node) ? hd_json_count(node->visits) : json_null()},
                 {HD_KEY(CALLS_CONCURRENT), concurrent_visits(model, node)}, {HD_JSON_MERGE, team_members(model, node)},
                 {HD_JSON_MERGE, node->id == 0 ? program_team_members(model) : json_object()},
                 {HD_JSON_MERGE, routine_members(model, node)}, {HD_JSON_MERGE, times_members(model, node)},
                 {HD_JSON_MERGE, hd_json_node_locks(model, node)}, {HD_JSON_MERGE, hd_json_node_shares(model, node)},
                 {HD_JSON_MERGE, efficiency_members(book, node)}, {HD_JSON_MERGE, hd_json_node_path(model, node)},
                 {HD_JSON_MERGE, hd_json_node_corrected(model, node)}, {HD_JSON_MERGE, cpu_members(model, node)},
                 {HD_JSON_MERGE, levels_members(model, node)}, {HD_JSON_MERGE, history_members(model, node)},
                 {HD_JSON_MERGE, marks_members(node)}, {HD_JSON_MERGE, hd_json_node_counts(model, node)},
                 {HD_JSON_MERGE, hd_json_node_samples(model, node)}, {"threads", rows(model, node)});
}
