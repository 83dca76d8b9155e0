/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file at_level.c
 * What runs while at most N threads are busy? The callpaths' wall shares at levels 1 to N, which add up, together with
 * the time at which nobody was busy, to the time at levels 0 to N.
 */
#include <math.h>
#include <stdlib.h>

#include "output/model/format_names.h"
#include "output/model/levels.h"
#include "output/views/render/level_bars.h"
#include "output/views/report/report_internal.h"

struct share {
  uint32_t line;
  double wall_ticks;
  uint64_t thread_ticks;
};

struct table {
  const struct hd_view *view;
  const struct hd_model *model;
  const struct hd_report_options *options;
  uint32_t level;
  double whole_ticks; /* at levels 0 to N */
  double none_ticks;
  struct hd_unit unit;
  struct share *shares; /* the largest first */
  uint32_t count;
  uint32_t shown;
  struct libscols_table *into;
};

static int compare_shares(const void *a, const void *b) {
  const struct share *left = a, *right = b;
  if (left->wall_ticks != right->wall_ticks)
    return left->wall_ticks > right->wall_ticks ? -1 : 1;
  return left->line < right->line ? -1 : 1;
}

static bool find_shares(struct table *table) {
  const struct hd_view *view = table->view;
  table->shares = calloc(view->count, sizeof *table->shares);
  if (!table->shares)
    return false;
  for (uint32_t i = 0; i < view->count; i++) {
    const struct hd_levels *levels = &view->lines[i].busy_at;
    const struct share share = {i, hd_levels_wall_share(levels, table->level), hd_levels_up_to(levels, table->level)};
    if (share.wall_ticks > 0)
      table->shares[table->count++] = share;
  }
  qsort(table->shares, table->count, sizeof *table->shares, compare_shares);
  return true;
}

static bool put_row(const struct table *table, double wall_ticks, double thread_ticks, const char *id,
                    const char *place) {
  char wall[HD_CELL_BYTES], share[HD_CELL_BYTES], thread[HD_CELL_BYTES];
  const double second = table->model->seconds_per_tick;
  struct libscols_line *line = scols_table_new_line(table->into, NULL);
  hd_cell_time(wall, &table->unit, wall_ticks * second);
  hd_cell_number(share, 100 * wall_ticks / table->whole_ticks, 1);
  hd_cell_time(thread, &table->unit, thread_ticks * second);
  return line && scols_line_set_data(line, 0, wall) == 0 && scols_line_set_data(line, 1, share) == 0 &&
         scols_line_set_data(line, 2, thread) == 0 && scols_line_set_data(line, 3, id) == 0 &&
         scols_line_set_data(line, 4, place) == 0;
}

static bool put_share(const struct table *table, const struct share *share) {
  char id[HD_CELL_BYTES], place[HD_CALLPATH_BYTES];
  snprintf(id, sizeof id, "%u", table->view->lines[share->line].node->id);
  hd_callpath_text(place, table->view, share->line);
  return put_row(table, share->wall_ticks, (double)share->thread_ticks, id, place);
}

/* Rows that are not shown, and what no row has, are named, so that the column adds up. */
static bool put_rest(const struct table *table) {
  char words[64];
  double rest = 0, thread = 0, missing = table->whole_ticks - table->none_ticks;
  for (uint32_t i = 0; i < table->count; i++) {
    missing -= table->shares[i].wall_ticks;
    rest += i < table->shown ? 0 : table->shares[i].wall_ticks;
    thread += i < table->shown ? 0 : (double)table->shares[i].thread_ticks;
  }
  snprintf(words, sizeof words, "(%u more: --limit 0 shows all)", table->count - table->shown);
  if (table->shown < table->count && !put_row(table, rest, thread, "", words))
    return false;
  if (table->none_ticks > 0 && !put_row(table, table->none_ticks, NAN, "", "(nobody busy)"))
    return false;
  return !hd_unit_shows(&table->unit, missing * table->model->seconds_per_tick) ||
         put_row(table, missing, NAN, "",
                 table->options->focus ? "(callpaths out of focus)" : "(callpaths for which the profile had no space)");
}

static bool print_shares(struct table *table, FILE *out) {
  table->unit = hd_unit_for(table->whole_ticks * table->model->seconds_per_tick);
  table->into = hd_table_new(out);
  bool done = table->into && hd_table_column(table->into, "Wall", SCOLS_FL_RIGHT) &&
              hd_table_column(table->into, "%", SCOLS_FL_RIGHT) &&
              hd_table_column(table->into, "Busy", SCOLS_FL_RIGHT) &&
              hd_table_column(table->into, "Id", SCOLS_FL_RIGHT) &&
              hd_table_column(table->into, "Callpath, innermost first", SCOLS_FL_TRUNC);
  for (uint32_t i = 0; done && i < table->shown; i++)
    done = put_share(table, &table->shares[i]);
  done = done && put_rest(table) && put_row(table, table->whole_ticks, NAN, "", "(sum)");
  if (done) {
    fprintf(out, "\nTimes in %s.\n", table->unit.name);
    done = scols_print_table(table->into) == 0;
  }
  scols_unref_table(table->into);
  return done;
}

static void print_answer(const struct table *table, FILE *out) {
  char time[HD_CELL_BYTES], none[HD_CELL_BYTES], whole[HD_CELL_BYTES];
  const double second = table->model->seconds_per_tick;
  const double run = (double)table->model->elapsed_ticks;
  const uint32_t highest = hd_levels_highest(&table->model->time_at);
  hd_cell_duration(time, table->whole_ticks * second);
  hd_cell_duration(none, table->none_ticks * second);
  hd_cell_duration(whole, run * second);
  if (table->level == 0)
    fprintf(out, "Nobody was busy for %s", time);
  else
    fprintf(out, "At most %u thread%s busy for %s", table->level, table->level == 1 ? " was" : "s were", time);
  fprintf(out, ", %.1f %% of the run's %s", run > 0 ? 100 * table->whole_ticks / run : 0, whole);
  if (table->level > 0)
    fprintf(out, "; nobody for %s of it", none);
  fputs(".\n", out);
  if (table->level >= highest)
    fprintf(out, "Never were more than %u busy: this is the whole run.\n", highest);
}

static bool print_text(struct table *table, FILE *out) {
  print_answer(table, out);
  hd_report_notes(table->model, SIZE_MAX, out);
  hd_report_scope(table->model, table->options, out);
  if (table->level == 0) {
    fputs("Nothing ran then, so there is nothing to list. What the threads waited for: 'heddle report'.\n", out);
    return true;
  }
  if (table->count > 0 && !print_shares(table, out))
    return false;
  fputs("\nWall: part of that time; threads that are busy at the same time share it, so that the column adds up.\n"
        "%: of that time. Busy: time summed over threads. All for the line itself, without those below it.\n",
        out);
  return true;
}

static void print_csv(const struct table *table, FILE *out) {
  const double second = table->model->seconds_per_tick;
  hd_csv_place_names(out);
  fputs(",wall_s,share,busy_s\n", out);
  for (uint32_t i = 0; i < table->shown; i++) {
    const struct share *share = &table->shares[i];
    hd_csv_place(table->view, share->line, out);
    hd_csv_number(share->wall_ticks * second, out);
    hd_csv_number(share->wall_ticks / table->whole_ticks, out);
    hd_csv_number((double)share->thread_ticks * second, out);
    fputc('\n', out);
  }
  fputs(",,,nobody,,,,,,,", out);
  hd_csv_number(table->none_ticks * second, out);
  hd_csv_number(table->whole_ticks > 0 ? table->none_ticks / table->whole_ticks : NAN, out);
  fputs(",\n", out);
}

bool hd_report_at_level(const struct hd_view *view, const struct hd_report_options *options, FILE *out) {
  const struct hd_model *model = view->model;
  struct table table = {.view = view,
                        .options = options,
                        .model = model,
                        .level = options->level,
                        .whole_ticks = (double)hd_levels_up_to(&model->time_at, options->level),
                        .none_ticks = (double)hd_levels_at(&model->time_at, 0)};
  bool done = find_shares(&table);
  table.shown = options->limit > 0 && options->limit < table.count ? (uint32_t)options->limit : table.count;
  if (done && options->csv)
    print_csv(&table, out);
  else if (done)
    done = print_text(&table, out);
  free(table.shares);
  return done;
}
