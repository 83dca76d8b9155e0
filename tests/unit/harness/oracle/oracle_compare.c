/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Comparison of what the oracle worked out with a profile. */
#include "oracle_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "output/analysis/losses/causes.h"
#include "output/model/lazy_rows.h"
#include "output/model/tasks.h"

static char difference[1000];

static const char *describe(const struct or_path *path) {
  static char text[600];
  size_t used = 0;
  text[0] = '\0';
  for (uint32_t i = 0; i < path->count && used < sizeof text - 40; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "/%u@%" PRIx64, path->sites[i].kind, path->sites[i].code);
  return text[0] ? text : "program";
}

static void path_of_node(const struct hd_model *model, const struct hd_node *node, struct or_path *path) {
  if (node->id == 0) {
    path->count = 0;
    return;
  }
  path_of_node(model, &model->nodes[node->parent], path);
  path->sites[path->count++] = (struct or_site){.kind = hd_kind_of_site(node->kind), .code = ex_code(node)};
}

uint32_t *or_match_nodes(const struct or_result *result, const struct hd_model *model) {
  uint32_t *oracle_node = or_grown(NULL, (model->node_count + 1) * sizeof *oracle_node);
  for (uint32_t i = 0; i < model->node_count; i++) {
    struct or_path path;
    path_of_node(model, &model->nodes[i], &path);
    oracle_node[i] = or_find(result, &path);
  }
  return oracle_node;
}

const struct hd_node **or_match_back(const struct or_result *result, const struct hd_model *model,
                                     const uint32_t *oracle_node) {
  const struct hd_node **found = or_grown(NULL, result->node_count * sizeof *found);
  memset(found, 0, result->node_count * sizeof *found);
  for (uint32_t i = model->node_count; i-- > 0;)
    if (oracle_node[i] != FK_NONE)
      found[oracle_node[i]] = &model->nodes[i];
  return found;
}

bool or_differ(const struct or_path *path, const char *what, uint32_t thread, uint64_t expected, uint64_t found) {
  if (expected == found)
    return false;
  snprintf(difference, sizeof difference, "%s: %s of thread %d: expected %" PRIu64 ", found %" PRIu64, describe(path),
           what, (int)thread, expected, found);
  return true;
}

const char *or_last_difference(void) {
  return difference;
}

static bool visits_differ(const struct or_node *node, const struct hd_model *model, const struct hd_node *found) {
  for (uint32_t thread = 0; thread < model->thread_count && found->id != 0; thread++) {
    const struct hd_row *row = hd_model_row(model, found->id, thread);
    uint64_t expected = thread < node->row_count ? node->rows[thread].visits : 0;
    if (or_differ(&node->path, "visits", thread, expected, row ? row->visits : 0))
      return true;
  }
  return false;
}

static bool ticks_differ(const struct or_node *node, const struct hd_model *model, const struct hd_node *found) {
  static const struct hd_row empty;
  for (uint32_t thread = 0; thread < model->thread_count; thread++) {
    const struct hd_row *row = hd_model_row(model, found->id, thread);
    struct or_row expected = thread < node->row_count ? node->rows[thread] : (struct or_row){0};
    row = row ? row : &empty;
    for (int state = 0; state < HD_STATE_COUNT; state++)
      if (or_differ(&node->path, hd_state_id((enum hd_state)state), thread, expected.ticks[state], row->ticks[state]))
        return true;
  }
  return false;
}

static bool shares_differ(const struct or_node *node, const struct hd_model *model, const struct hd_node *found) {
  static const struct hd_row empty;
  for (uint32_t thread = 0; thread < model->thread_count; thread++) {
    const struct hd_row *row = hd_model_row(model, found->id, thread);
    const struct hd_shares none = {0}, *actual = row ? &row->shares : &empty.shares;
    const struct hd_shares *expected = thread < node->row_count ? &node->rows[thread].shares : &none;
    if (or_differ(&node->path, "chunks", thread, expected->chunks, actual->chunks) ||
        or_differ(&node->path, "iterations", thread, expected->iterations, actual->iterations) ||
        or_differ(&node->path, "tasks created", thread, expected->created, actual->created) ||
        or_differ(&node->path, "tasks run elsewhere", thread, expected->elsewhere, actual->elsewhere) ||
        or_differ(&node->path, "bytes of MPI", thread, expected->mpi_bytes, actual->mpi_bytes))
      return true;
  }
  return false;
}

static bool lengths_differ(const struct or_node *node, const char *const names[3], const struct hd_lengths *expected,
                           const struct hd_lengths *actual) {
  for (uint32_t i = 0; i < HD_LENGTH_BUCKETS; i++)
    if (or_differ(&node->path, names[0], i, expected->counts[i], actual->counts[i]))
      return true;
  return or_differ(&node->path, names[1], FK_NONE, expected->ticks, actual->ticks) ||
         or_differ(&node->path, names[2], FK_NONE, expected->longest_ticks, actual->longest_ticks);
}

static bool times_differ(const struct or_node *node, const struct hd_model *model, const struct hd_node *found) {
  static const char *const run[] = {"tasks that took so long", "tasks' time", "longest task"};
  static const char *const delay[] = {"tasks that waited so long", "tasks' delay", "longest delay"};
  static const struct hd_model_task none;
  const struct hd_model_task *times = hd_tasks_find(model, found->id);
  times = times ? times : &none;
  return lengths_differ(node, run, &node->times.run, &times->run) ||
         lengths_differ(node, delay, &node->times.delay, &times->delay);
}

static bool totals_differ(const struct or_node *node, const struct hd_node *found) {
  const struct hd_team_totals *expected = &node->team;
  const struct or_path *path = &node->path;
  return or_differ(path, "instances", FK_NONE, expected->instances, found->team.instances) ||
         or_differ(path, "open instances", FK_NONE, expected->open_instances, found->team.open_instances) ||
         or_differ(path, "elapsed", FK_NONE, expected->elapsed_ticks, found->team.elapsed_ticks) ||
         or_differ(path, "capacity", FK_NONE, expected->capacity_ticks, found->team.capacity_ticks) ||
         or_differ(path, "team busy", FK_NONE, expected->busy_ticks, found->team.busy_ticks) ||
         or_differ(path, "largest busy", FK_NONE, expected->busy_max_ticks, found->team.busy_max_ticks) ||
         or_differ(path, "team idle", FK_NONE, expected->idle_ticks, found->team.idle_ticks);
}

static bool flags_differ(const struct or_node *node, const struct hd_node *found) {
  return or_differ(&node->path, "flag of routines", FK_NONE, node->called, (found->flags & HD_PROFILE_CALLED) != 0) ||
         or_differ(&node->path, "flag of recursive entries", FK_NONE, node->back,
                   (found->flags & HD_PROFILE_BACK) != 0);
}

static bool node_differs(const struct or_node *node, const struct hd_model *model, const struct hd_node *found) {
  if (found)
    return flags_differ(node, found) || visits_differ(node, model, found) || or_entries_differ(node, model, found) ||
           ticks_differ(node, model, found) || shares_differ(node, model, found) || times_differ(node, model, found) ||
           totals_differ(node, found);
  snprintf(difference, sizeof difference, "%s: not in the profile", describe(&node->path));
  return true;
}

static bool nodes_differ(const struct or_result *result, const struct hd_model *model, const uint32_t *oracle_node) {
  const struct hd_node **found = or_match_back(result, model, oracle_node);
  bool differs = false;
  for (uint32_t i = 0; i < result->node_count && !differs; i++) {
    const struct or_node *node = &result->nodes[i];
    differs = node_differs(node, model, found[i]) ||
              (node->back && or_differ(&node->path, "target", FK_NONE, found[node->target]->id, found[i]->target));
  }
  free(found);
  return differs;
}

/* A node that the oracle does not know may only be a step on the way to one that it knows (bounded depth). */
static bool is_unexpected(const struct hd_model *model, const struct hd_node *node, const uint32_t *oracle_node) {
  if (oracle_node[node->id] != FK_NONE || (node->visits == 0 && hd_ticks_all(node->ticks) == 0))
    return false;
  struct or_path path;
  path_of_node(model, node, &path);
  snprintf(difference, sizeof difference, "%s: in the profile, but not expected", describe(&path));
  return true;
}

static bool threads_differ(const struct or_result *result, const struct hd_model *model) {
  static const struct or_path program;
  if (or_differ(&program, "number of threads", FK_NONE, result->thread_count, model->thread_count))
    return true;
  for (uint32_t i = 0; i < result->thread_count; i++)
    if (or_differ(&program, "begin", i, result->threads[i].begin, model->threads[i].begin_ticks) ||
        or_differ(&program, "end", i, result->threads[i].end, model->threads[i].end_ticks) ||
        or_differ(&program, "time apart", i, result->threads[i].apart, model->threads[i].apart_ticks) ||
        or_differ(&program, "threads", i, result->threads[i].owners, model->threads[i].threads))
      return true;
  return false;
}

static bool unmatched_differ(const struct or_result *result, const struct hd_file_header *found) {
  static const struct or_path program;
  return or_differ(&program, "routines left", FK_NONE, result->left_routines, found->left_routines) ||
         or_differ(&program, "exits without an entry", FK_NONE, result->unmatched_routines,
                   found->unmatched_routines) ||
         or_differ(&program, "unmatched phases", FK_NONE, result->unmatched_phases, found->unmatched_phases);
}

static bool header_differs(const struct or_result *result, const struct hd_model *model) {
  const struct hd_file_header *found = &model->header;
  static const struct or_path program;
  return or_differ(&program, "entries are known", FK_NONE, 1, model->entries_known) ||
         unmatched_differ(result, found) || or_differ(&program, "pauses", FK_NONE, result->pauses, found->pauses) ||
         or_differ(&program, "paused", FK_NONE, result->paused_ticks, found->paused_ticks);
}

const char *or_difference(const struct or_result *result, const struct hd_model *model) {
  const char *contradiction = or_contradiction(result);
  if (contradiction)
    return contradiction;
  uint32_t *oracle_node = or_match_nodes(result, model);
  bool differs =
      threads_differ(result, model) || header_differs(result, model) || nodes_differ(result, model, oracle_node);
  for (uint32_t i = 1; i < model->node_count && !differs; i++)
    differs = is_unexpected(model, &model->nodes[i], oracle_node);
  differs = differs || or_levels_differ(result, model, oracle_node);
  free(oracle_node);
  return differs ? difference : NULL;
}

static bool counts_differ(const struct or_node *node, const struct hd_model *model, const struct hd_node *found) {
  uint64_t visits = 0, seen = 0;
  for (uint32_t thread = 0; thread < node->row_count; thread++)
    visits += node->rows[thread].visits;
  for (uint32_t thread = 0; found && thread < model->thread_count; thread++) {
    const struct hd_row *row = hd_model_row(model, found->id, thread);
    seen += row ? row->visits : 0;
  }
  return or_differ(&node->path, "visits of all threads", FK_NONE, visits, seen) ||
         or_differ(&node->path, "instances", FK_NONE, node->team.instances, found ? found->team.instances : 0);
}

/* Threads are numbered as they are heard of, which the real clock's runs decide for themselves: sums over threads. */
const char *or_count_difference(const struct or_result *result, const struct hd_model *model) {
  uint32_t *oracle_node = or_match_nodes(result, model);
  const struct hd_node **found = or_match_back(result, model, oracle_node);
  bool differs = unmatched_differ(result, &model->header);
  for (uint32_t i = 1; i < result->node_count && !differs; i++)
    differs = counts_differ(&result->nodes[i], model, found[i]);
  free(found);
  free(oracle_node);
  return differs ? difference : NULL;
}
