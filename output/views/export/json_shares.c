/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file json_shares.c
 * What loops and tasks were handed out in, and what was called of MPI, in the JSON: for each callpath and thread; how
 * long chunks and tasks took, how long tasks waited to begin, and where among the iterations chunks were, for each
 * callpath.
 */
#include "output/model/lengths.h"
#include "output/model/loops.h"
#include "output/model/tasks.h"
#include "output/views/export/json_internal.h"

/* ---- how long many things took ---- */

static json_t *length(const void *of, size_t index) {
  return hd_json_count(((const struct hd_lengths *)of)->counts[index]);
}

static json_t *lengths_members(const struct hd_model *model, const struct hd_lengths *lengths) {
  const uint64_t count = hd_lengths_count(lengths);
  return HD_JSON({"observed", hd_json_count(count)},
                 {"mean", count > 0 ? hd_json_ticks(model, (double)lengths->ticks / (double)count) : json_null()},
                 {"max", count > 0 ? hd_json_seconds(model, lengths->longest_ticks) : json_null()},
                 {"log2_ns", hd_json_array(lengths, HD_LENGTH_BUCKETS, length)});
}

/* ---- chunks of a loop, from their begin to their end ---- */

struct space {
  const struct hd_model *model;
  const struct hd_model_loop *loop;
};

static json_t *bucket(const void *of, size_t index) {
  const struct space *space = of;
  return HD_JSON({"s", hd_json_seconds(space->model, space->loop->ticks[index])},
                 {HD_KEY(ITERATIONS), hd_json_count(space->loop->iterations[index])});
}

/* Of a loop whose chunks were observed from begin to end, on any thread. */
static json_t *chunk_members(const struct hd_model *model, const struct hd_model_loop *loop) {
  const struct space space = {model, loop};
  const bool one_space = (loop->flags & HD_CHUNKS_BOUNDS) && !(loop->flags & HD_CHUNKS_VARY) && loop->count > 0;
  const uint64_t upper = loop->first + (loop->count - 1) * (uint64_t)loop->step;
  json_t *where = HD_JSON({"lower", one_space ? json_integer((json_int_t)loop->first) : json_null()},
                          {"upper", one_space ? json_integer((json_int_t)upper) : json_null()},
                          {"buckets", hd_json_array(&space, HD_SPACE_BUCKETS, bucket)});
  return HD_JSON({"chunk_s", lengths_members(model, &loop->lengths)}, {"space", where});
}

/* ---- loops and tasks ---- */

static bool is_loop(const struct hd_node *node) {
  return node->kind >= HD_KIND_LOOP && node->kind <= HD_KIND_LOOP_GUIDED;
}

static json_t *loop_members(const struct hd_shares *from) {
  return HD_JSON({HD_KEY(CHUNKS), hd_json_count(from->chunks)}, {HD_KEY(ITERATIONS), hd_json_count(from->iterations)});
}

static json_t *task_members(const struct hd_node *node, const struct hd_shares *from, uint64_t run) {
  if (node->kind != HD_KIND_TASK)
    return json_null();
  return HD_JSON({HD_KEY(CREATED), hd_json_count(from->created)}, {HD_KEY(RUN), hd_json_count(run)},
                 {HD_KEY(ELSEWHERE), hd_json_count(from->elsewhere)});
}

static json_t *task_times(const struct hd_model *model, const struct hd_node *node) {
  const struct hd_model_task *times = node->kind == HD_KIND_TASK ? hd_tasks_find(model, node->id) : NULL;
  return times ? HD_JSON({"run_s", lengths_members(model, &times->run)},
                         {"delay_s", lengths_members(model, &times->delay)})
               : json_object();
}

static json_t *mpi_members(const struct hd_node *node, const struct hd_shares *from, uint64_t calls) {
  if (node->kind != HD_KIND_MPI)
    return json_null();
  return HD_JSON({HD_KEY(CALLS_MPI), hd_json_count(calls)}, {HD_KEY(BYTES), hd_json_count(from->mpi_bytes)});
}

json_t *hd_json_row_shares(const struct hd_node *node, const struct hd_row *row) {
  const bool is_known = is_loop(node) && node->shares.chunks > 0;
  return HD_JSON({"loop", is_known ? loop_members(&row->shares) : json_null()},
                 {"task", task_members(node, &row->shares, row->visits)},
                 {"mpi", mpi_members(node, &row->shares, row->visits)});
}

json_t *hd_json_node_shares(const struct hd_model *model, const struct hd_node *node) {
  const bool is_known = is_loop(node) && node->shares.chunks > 0;
  const struct hd_model_loop *loop = is_known ? hd_loops_find(model, node->id) : NULL;
  json_t *members = is_known ? HD_JSON({HD_JSON_MERGE, loop_members(&node->shares)},
                                       {HD_JSON_MERGE, loop ? chunk_members(model, loop) : json_object()})
                             : json_null();
  json_t *task = node->kind == HD_KIND_TASK ? HD_JSON({HD_JSON_MERGE, task_members(node, &node->shares, node->visits)},
                                                      {HD_JSON_MERGE, task_times(model, node)})
                                            : json_null();
  json_t *mpi = node->kind == HD_KIND_MPI ? HD_JSON({"function", hd_json_text(node->called)},
                                                    {HD_JSON_MERGE, mpi_members(node, &node->shares, node->visits)})
                                          : json_null();
  return HD_JSON({"loop", members}, {"task", task}, {"mpi", mpi});
}
