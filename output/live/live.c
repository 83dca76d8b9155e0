/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/live/live.h"

#include <stdlib.h>
#include <string.h>

#include "output/analysis/resolve/resolve.h"
#include "output/live/interval.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "output/symbols/resolve_names.h"
#include "support/command/memory.h"

enum { TRIES = 5 };
static const double error_allowed = 0.001; /* seconds */

/* ---- whether it is whole ---- */

static uint64_t distance(uint64_t a, uint64_t b) {
  return a > b ? a - b : b - a;
}

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* By the identities that hold of every profile: what a thread did adds up to its life; times by level to the run, and
 * times their level to the busy time. */
uint64_t hd_live_error_ticks(const struct hd_model *model) {
  uint64_t most = 0, elapsed = 0, busy = 0;
  for (uint32_t i = 0; i < model->thread_count; i++)
    most = larger(most, distance(hd_ticks_all(model->threads[i].ticks), model->threads[i].lifetime_ticks));
  for (uint32_t k = 0; k < model->time_at.count; k++) {
    elapsed += model->time_at.ticks[k];
    busy += k * model->time_at.ticks[k];
  }
  if (!model->levels_known)
    return most;
  return larger(most, larger(distance(elapsed, model->elapsed_ticks), distance(busy, model->ticks[HD_BUSY])));
}

/* The best of some: a thread that is not heard of for seconds may send its event just then. */
struct hd_model *hd_live_copy(const struct hd_live *live, bool present, double *seconds, char *error,
                              size_t error_bytes) {
  struct hd_model *best = NULL;
  for (int try = 0; try < TRIES; try++) {
    struct hd_model *model;
    if (!hd_profile_read(live->path, live->file, present, &model, error, error_bytes))
      continue; /* perhaps it was being made larger */
    const double off = hd_model_seconds(model, hd_live_error_ticks(model));
    const bool better = !best || off < *seconds;
    hd_model_free(better ? best : model);
    if (!better)
      continue;
    best = model;
    *seconds = off;
    if (off <= error_allowed)
      break;
  }
  if (best)
    *error = '\0';
  return best;
}

/* ---- names: found once ---- */

static const char *keep_text(const char *text) {
  return text ? hd_print("%s", text) : NULL;
}

static void free_name(struct hd_name *name) {
  free((char *)name->function);
  free((char *)name->file);
}

static void take_names(const struct hd_live *live, struct hd_model *model) {
  for (uint32_t i = 0; i < model->node_count && i < live->name_count; i++) {
    if (live->names[i].name.function || live->names[i].name.file)
      model->nodes[i].name = live->names[i].name;
    model->nodes[i].name_fresh = live->names[i].fresh;
  }
}

static void keep_names(struct hd_live *live, const struct hd_model *model) {
  struct hd_live_name *names = hd_new(model->node_count, sizeof *names);
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    names[i].name = node->name;
    names[i].name.function = keep_text(node->name.function);
    names[i].name.file = keep_text(node->name.file);
    names[i].fresh = node->name_fresh;
  }
  for (uint32_t i = 0; i < live->name_count; i++)
    free_name(&live->names[i].name);
  free(live->names);
  live->names = names;
  live->name_count = model->node_count;
}

/* Callpaths keep their numbers: only new ones are looked up. */
static void find_names(struct hd_live *live, struct hd_model *model) {
  take_names(live, model);
  if (live->name_count >= model->node_count)
    return;
  hd_names_resolve(model);
  keep_names(live, model);
  take_names(live, model);
}

/* ---- readings ---- */

/* The reading once more, to be changed. NULL: it cannot be. */
static struct hd_model *read_again(const struct hd_live *live, const struct hd_model *model) {
  struct hd_model *again;
  char error[256];
  if (!hd_profile_read_again(model, &again, error, sizeof error))
    return NULL;
  take_names(live, again);
  return again;
}

static struct hd_model *make_interval(const struct hd_live *live, const struct hd_model *before) {
  struct hd_model *interval = before ? read_again(live, live->model) : NULL;
  if (interval && hd_interval_make(interval, before)) {
    hd_resolve(interval);
    return interval;
  }
  hd_model_free(interval);
  return NULL;
}

static struct hd_model *estimate(const struct hd_live *live) {
  const bool has_estimates = live->model->unresolved.ticks > 0 && live->model->watched_count > 0;
  struct hd_model *run = has_estimates ? read_again(live, live->model) : NULL;
  if (!run)
    return live->model;
  hd_resolve(run);
  return run;
}

static void forget_shown(struct hd_live *live) {
  hd_model_free(live->interval);
  if (live->run != live->model)
    hd_model_free(live->run);
}

bool hd_live_read(struct hd_live *live, bool present, char *error, size_t error_bytes) {
  double seconds = 0;
  struct hd_model *model = hd_live_copy(live, present, &seconds, error, error_bytes);
  if (!model)
    return false;
  struct hd_model *before = live->model;
  forget_shown(live);
  find_names(live, model);
  live->model = model;
  live->run = estimate(live);
  live->interval = make_interval(live, before);
  live->rates = before ? hd_live_rates_between(before, model) : (struct hd_live_rates){0};
  hd_model_free(before);
  live->error_seconds = seconds;
  return true;
}

bool hd_live_read_callpaths(struct hd_live *live, char *error, size_t error_bytes) {
  struct hd_model *model;
  if (!hd_profile_read(live->path, live->file, true, &model, error, error_bytes))
    return false;
  forget_shown(live);
  hd_model_free(live->model);
  find_names(live, model);
  live->model = live->run = model;
  live->interval = NULL;
  return true;
}

void hd_live_free(struct hd_live *live) {
  forget_shown(live);
  hd_model_free(live->model);
  for (uint32_t i = 0; i < live->name_count; i++)
    free_name(&live->names[i].name);
  free(live->names);
  *live = (struct hd_live){.path = live->path, .file = live->file};
}
