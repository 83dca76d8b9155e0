/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/lines/critical_path.h"

#include "output/model/paths.h"
#include "support/command/memory.h"

/* ---- by line ---- */

static void add_nodes(const struct hd_lines *view, struct hd_line_path *paths) {
  const struct hd_model *model = view->model;
  for (uint32_t i = 0; i < model->path_count; i++) {
    struct hd_line_path *path = &paths[view->line_of_node[model->paths[i].node]];
    path->own_ticks += model->paths[i].own_ticks;
    path->span_ticks += model->paths[i].span_ticks;
    path->work_ticks += model->paths[i].work_ticks;
    path->instances += model->paths[i].instances;
  }
}

/* Those below a line come after it. */
struct hd_line_path *hd_line_paths_of(const struct hd_lines *view) {
  struct hd_line_path *paths = hd_new(view->count, sizeof *paths);
  add_nodes(view, paths);
  for (uint32_t i = view->count; i-- > 0;) {
    paths[i].inclusive_ticks += paths[i].own_ticks;
    if (i == 0 || paths[i].instances == 0)
      paths[i].work_ticks = view->lines[i].ticks[HD_BUSY];
    if (i > 0)
      paths[view->lines[i].parent].inclusive_ticks += paths[i].inclusive_ticks;
  }
  paths[0].span_ticks = paths[0].inclusive_ticks;
  paths[0].instances = 1;
  return paths;
}

/* ---- what is not known ---- */

const char *hd_path_missing(const struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  if (model->path_known)
    return NULL;
  if (header->flags & HD_FILE_MERGED)
    return "the runs that were added up have a critical path each";
  if (!(header->path_flags & HD_PATH_ASKED))
    return "it was not followed; 'heddle run --critical-path' does";
  if (model->since_ticks > 0 || model->header.flags & HD_FILE_PART)
    return "it is known of whole runs only, not of parts";
  if (header->path_flags & HD_PATH_NO_ROOM)
    return "there was no memory to follow it to the end; 'heddle run --critical-path --memory 64M' has more";
  return "the program was killed, or still runs: the path is written at its end";
}

static bool has_doacross(const struct hd_model *model) {
  for (uint32_t i = 0; i < model->node_count; i++)
    if (model->nodes[i].flags & HD_PROFILE_SINKS)
      return true;
  return false;
}

static bool has_own_threads(const struct hd_model *model) {
  uint64_t initial = 0;
  for (uint32_t i = 0; i < model->thread_count; i++)
    if (model->threads[i].kind == HD_THREAD_INITIAL)
      initial += model->threads[i].threads;
  return initial > 1;
}

static bool was_refused(const struct hd_model *model) {
  const uint32_t classes = 1u << HD_CLASS_MUTEX | 1u << HD_CLASS_TASK | 1u << HD_CLASS_SYNC;
  return (model->refused | model->off_classes) & classes;
}

const char *hd_path_lack(const struct hd_model *model, uint32_t index) {
  const struct {
    bool holds;
    const char *words;
  } reasons[] = {
      {was_refused(model), "Events were switched off for a time: 'heddle run "
                           "--critical-path --overhead off' observes all."},
      {model->header.path_flags & HD_PATH_TEAMS,
       "Threads of different teams passed locks to each other, which is not followed."},
      {has_doacross(model), "The runtime does not report waits of doacross loops (ordered depend): they count as busy, "
                            "and what they wait for is not followed."},
      {has_own_threads(model), "The program starts threads without OpenMP: their chains begin with them, and what "
                               "waits for their ends is not known."},
      {model->header.folded_paths > 0, "Some regions or callpaths had no room in memory."},
  };
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (reasons[i].holds && index-- == 0)
      return reasons[i].words;
  return NULL;
}
