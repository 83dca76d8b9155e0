/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file sql.c
 * A script for SQLite that makes tables and views: `heddle export --format sql FILE | sqlite3 run.db`. Times are in
 * seconds; NULL was not measured. What the tables hold stands in docs/exports.md.
 */
#include <inttypes.h>
#include <math.h>

#include "output/analysis/losses/causes.h"
#include "output/analysis/lines/hot_places.h"
#include "output/model/format_names.h"
#include "output/model/lazy_rows.h"
#include "output/model/levels.h"
#include "output/model/node_text.h"
#include "output/views/export/export.h"
#include "support/command/sanitize.h"

static const char tables[] =
    "BEGIN;\n"
    "CREATE TABLE run(program TEXT, host TEXT, pid INTEGER, processors INTEGER, threads INTEGER, elapsed_s REAL,\n"
    "  busy_s REAL, gain_s REAL);\n"
    "CREATE TABLE callpaths(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES callpaths(id), kind TEXT, place TEXT,\n"
    "  function TEXT, file TEXT, line INTEGER, visits INTEGER, elapsed_s REAL, busy_s REAL, busy_inclusive_s REAL,\n"
    "  wait_s REAL, runtime_s REAL, wall_share_s REAL, wall_share_inclusive_s REAL, team INTEGER,\n"
    "  mean_concurrency REAL, imbalance REAL, gain_s REAL, incomplete INTEGER);\n"
    "CREATE TABLE waits(callpath INTEGER REFERENCES callpaths(id), cause TEXT, seconds REAL);\n"
    "CREATE TABLE threads(id INTEGER PRIMARY KEY, kind TEXT, lifetime_s REAL, busy_s REAL, wait_s REAL, idle_s REAL);\n"
    "CREATE TABLE callpath_threads(callpath INTEGER REFERENCES callpaths(id), thread INTEGER REFERENCES threads(id),\n"
    "  visits INTEGER, busy_s REAL, wait_s REAL, idle_s REAL);\n"
    "CREATE TABLE levels(callpath INTEGER REFERENCES callpaths(id), busy_threads INTEGER, elapsed_s REAL, busy_s "
    "REAL);\n"
    "CREATE TABLE samples(callpath INTEGER REFERENCES callpaths(id), state TEXT, function TEXT, file TEXT, line "
    "INTEGER,\n"
    "  module TEXT, count INTEGER);\n";

static const char views[] =
    "CREATE VIEW regions_by_gain AS SELECT id, place, gain_s, elapsed_s, visits, team, mean_concurrency, imbalance\n"
    "  FROM callpaths WHERE kind IN ('parallel', 'teams') ORDER BY gain_s DESC;\n"
    "CREATE VIEW places AS SELECT kind, place, sum(visits) AS visits, sum(busy_s) AS busy_s, sum(wait_s) AS wait_s,\n"
    "  sum(wall_share_s) AS wall_share_s FROM callpaths GROUP BY kind, place ORDER BY sum(wall_share_s) DESC;\n"
    "CREATE VIEW waits_by_cause AS SELECT cause, sum(seconds) AS seconds FROM waits GROUP BY cause\n"
    "  ORDER BY sum(seconds) DESC;\n"
    "CREATE VIEW hot_functions AS SELECT function, module, state, sum(count) AS count FROM samples\n"
    "  GROUP BY function, module, state ORDER BY sum(count) DESC;\n"
    "COMMIT;\n";

/* ---- values ---- */

static void put_text(const char *text, FILE *out) {
  if (!text) {
    fputs("NULL", out);
    return;
  }
  putc('\'', out);
  for (; *text; text++) {
    const size_t bytes = hd_sanitize_character(text);
    fwrite(bytes > 0 ? text : "?", bytes > 0 ? bytes : 1, 1, out);
    if (*text == '\'') /* doubled */
      putc('\'', out);
    text += bytes > 0 ? bytes - 1 : 0;
  }
  putc('\'', out);
}

static void put_number(double number, FILE *out) {
  if (isfinite(number))
    fprintf(out, "%.9g", number);
  else
    fputs("NULL", out);
}

static void put_seconds(const struct hd_model *model, double ticks, FILE *out) {
  const double seconds = ticks * model->seconds_per_tick;
  if (isfinite(seconds))
    fprintf(out, "%.9f", seconds);
  else
    fputs("NULL", out);
}

static double if_known(bool known, double value) {
  return known ? value : NAN;
}

static void next_texts(const char *const *list, size_t count, FILE *out) {
  for (size_t i = 0; i < count; i++) {
    putc(',', out);
    put_text(list[i], out);
  }
}

static void next_seconds(const struct hd_model *model, const double *ticks, size_t count, FILE *out) {
  for (size_t i = 0; i < count; i++) {
    putc(',', out);
    put_seconds(model, ticks[i], out);
  }
}

#define NEXT_TEXTS(...)                                                                                                \
  next_texts((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), out)
#define NEXT_SECONDS(...)                                                                                              \
  next_seconds(model, (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double), out)

/* ---- rows ---- */

static void put_run(const struct hd_model *model, FILE *out) {
  fputs("INSERT INTO run VALUES(", out);
  put_text(model->header.program, out);
  NEXT_TEXTS(model->header.host);
  fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, (uint64_t)model->header.pid, (uint64_t)model->header.max_threads,
          hd_model_threads_ever(model));
  NEXT_SECONDS((double)model->elapsed_ticks, (double)model->ticks[HD_BUSY], model->gain_ticks);
  fputs(");\n", out);
}

static double elapsed_of(const struct hd_model *model, const struct hd_node *node) {
  if (node->id == 0)
    return (double)model->elapsed_ticks;
  return if_known(node->team.team_max > 0, hd_team_elapsed(&node->team));
}

static void put_callpath(const struct hd_model *model, const struct hd_node *node, FILE *out) {
  char place[HD_PLACE_BYTES];
  const bool own = hd_node_is_measured(node), has_team = node->team.team_max > 0;
  hd_node_text(place, model, node, NULL);
  fprintf(out, "INSERT INTO callpaths VALUES(%" PRIu32 ",", node->id);
  if (node->id == 0)
    fputs("NULL", out);
  else
    fprintf(out, "%" PRIu32, node->parent);
  NEXT_TEXTS(hd_kind_id(node->kind), place, node->name.function, node->name.file);
  fprintf(out, node->name.line > 0 ? ",%" PRIu32 : ",NULL", node->name.line);
  fprintf(out, own ? ",%" PRIu64 : ",NULL", node->visits);
  NEXT_SECONDS(elapsed_of(model, node), if_known(own, (double)node->ticks[HD_BUSY]),
               (double)node->inclusive_ticks[HD_BUSY], if_known(own, (double)hd_ticks_waiting(node->ticks)),
               if_known(own, (double)hd_ticks_runtime(node->ticks)),
               if_known(own && model->levels_known, node->wall_share_ticks),
               if_known(model->levels_known, node->wall_share_inclusive_ticks));
  fprintf(out, has_team ? ",%" PRIu32 "," : ",NULL,", node->team.team_max);
  put_number(if_known(has_team, hd_team_concurrency(&node->team)), out);
  putc(',', out);
  put_number(if_known(has_team, hd_team_imbalance(&node->team)), out);
  NEXT_SECONDS(if_known(has_team, node->team.gain_ticks));
  fprintf(out, ",%d);\n", node->marks[HD_MARKS_OF_CALLPATHS] != 0);
}

static void put_waits(const struct hd_model *model, const struct hd_node *node, FILE *out) {
  for (int state = HD_WAIT_FIRST; state <= HD_WAIT_LAST; state++) {
    if (node->ticks[state] == 0)
      continue;
    fprintf(out, "INSERT INTO waits VALUES(%" PRIu32, node->id);
    NEXT_TEXTS(hd_state_id((enum hd_state)state));
    NEXT_SECONDS((double)node->ticks[state]);
    fputs(");\n", out);
  }
}

static void put_rows(const struct hd_model *model, const struct hd_node *node, FILE *out) {
  for (uint32_t i = 0; i < node->row_count; i++) {
    const struct hd_row *row = &model->rows[node->row_first + i];
    fprintf(out, "INSERT INTO callpath_threads VALUES(%" PRIu32 ",%" PRIu32 ",%" PRIu64, node->id, row->thread,
            row->visits);
    NEXT_SECONDS((double)row->ticks[HD_BUSY], (double)hd_ticks_waiting(row->ticks), (double)row->ticks[HD_IDLE]);
    fputs(");\n", out);
  }
}

static void put_levels(const struct hd_model *model, const struct hd_node *node, FILE *out) {
  const struct hd_levels *elapsed = node->id == 0 ? &model->time_at : &node->elapsed_at, *busy = &node->busy_at;
  const uint32_t count = elapsed->count > busy->count ? elapsed->count : busy->count;
  for (uint32_t k = 0; model->levels_known && k < count; k++) {
    if (hd_levels_at(elapsed, k) == 0 && hd_levels_at(busy, k) == 0)
      continue;
    fprintf(out, "INSERT INTO levels VALUES(%" PRIu32 ",%" PRIu32, node->id, k);
    NEXT_SECONDS(if_known(elapsed->count > 0, (double)hd_levels_at(elapsed, k)), (double)hd_levels_at(busy, k));
    fputs(");\n", out);
  }
}

static void put_samples(const struct hd_model *model, const struct hd_node *node, FILE *out) {
  uint32_t count;
  const struct hd_model_sample *first = hd_samples_of(model, node->id, &count);
  for (uint32_t i = 0; i < count; i++) {
    const struct hd_model_sample *sample = &first[i];
    const char *module = sample->module != HD_NONE ? hd_base_name(model->modules[sample->module].path) : NULL;
    fprintf(out, "INSERT INTO samples VALUES(%" PRIu32, node->id);
    NEXT_TEXTS(hd_state_id((enum hd_state)sample->state), sample->name.function, sample->name.file);
    fprintf(out, sample->name.line > 0 ? ",%" PRIu32 : ",NULL", sample->name.line);
    NEXT_TEXTS(module);
    fprintf(out, ",%" PRIu64 ");\n", sample->count);
  }
}

static void put_threads(const struct hd_model *model, FILE *out) {
  for (uint32_t i = 0; i < model->thread_count; i++) {
    const struct hd_model_thread *thread = &model->threads[i];
    fprintf(out, "INSERT INTO threads VALUES(%" PRIu32, thread->id);
    NEXT_TEXTS(hd_thread_kind_id(thread->kind));
    NEXT_SECONDS((double)thread->lifetime_ticks, (double)thread->ticks[HD_BUSY],
                 (double)hd_ticks_waiting(thread->ticks), (double)thread->ticks[HD_IDLE]);
    fputs(");\n", out);
  }
}

static bool write_sql(const struct hd_model *model, enum hd_weight weight, FILE *out) {
  (void)weight;
  hd_model_need_rows(model);
  fputs(tables, out);
  put_run(model, out);
  put_threads(model, out);
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    put_callpath(model, node, out);
    put_waits(model, node, out);
    put_rows(model, node, out);
    put_levels(model, node, out);
    put_samples(model, node, out);
  }
  fputs(views, out);
  return true;
}

const struct hd_exporter hd_export_sql = {
    "sql", "tables and views for SQLite: heddle export -f sql FILE | sqlite3 run.db", .write = write_sql};
