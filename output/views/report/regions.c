/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file regions.c
 * The table of regions, and what is outside all of them: columns that say nothing are left out.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/losses/line_causes.h"
#include "output/model/format_names.h"
#include "output/model/levels.h"
#include "output/views/render/column_names.h"
#include "output/views/render/level_bars.h"
#include "output/views/render/state_columns.h"
#include "output/views/report/listing.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"

enum {
  CALLS,
  TEAM_MIN,
  TEAM_MAX,
  ELAPSED,
  ELAPSED_SHARE,
  GAIN,
  GAIN_SHARE,
  CONCURRENCY,
  IMBALANCE,
  WALL,
  WALL_SHARE,
  STATES, /* HD_STATE_COLUMNS of them */
  TEAM = STATES + HD_STATE_COLUMNS,
  HEDDLE,
  LEVELS,
  IDLE,
  ID,
  PROCESSORS,
  MAIN_CAUSE,
  UNRESOLVED,
  GAIN_LOW,
  GAIN_HIGH,
  COLUMNS
};

enum { RANK_BESIDE_COUNTS = 5 };

_Static_assert(COLUMNS <= 64, "hd_columns.hidden has a bit for each");

static const struct hd_column table[COLUMNS] = {
    [CALLS] = HD_COLUMN(CALLS, 6, 0, "\n" HD_MEANS_CALLS),
    [TEAM_MIN] = HD_COLUMN(TEAM_MIN, 0, 0, "\nthreads of the smallest team"),
    [TEAM_MAX] = HD_COLUMN(TEAM_MAX, 0, 0, "\nof the largest team"),
    [ELAPSED] = HD_COLUMN(ELAPSED, 3, 0, "\n" HD_MEANS_ELAPSED),
    [ELAPSED_SHARE] = {"elapsed_share", "Run%", HD_SHARE, 4, 5, "\nElapsed as part of the run"},
    [GAIN] = HD_COLUMN(GAIN, 1, 0,
                       "wall time saved if the team were always busy, as far as there are processors\n"
                       "lost thread time / team size; instances at the same time share it"),
    [GAIN_SHARE] = {"gain_share", "Gain%", HD_SHARE, 2, 3, "\nGain as part of the run"},
    [CONCURRENCY] = HD_COLUMN(CONCURRENCY, 8, 0, "busy threads on average"),
    [IMBALANCE] = HD_COLUMN(IMBALANCE, 9, 2, "longest busy time of a thread over the mean\n1 is perfect balance"),
    [WALL] = HD_COLUMN(WALL_INCLUSIVE, 0, 0, "\nWall% in seconds"),
    [WALL_SHARE] = HD_COLUMN(WALL_SHARE, 5, 4, HD_MEANS_WALL),
    [TEAM] = {NULL, "Team", HD_TEXT, 7, 4, "\nthreads of the team, from the smallest to the largest"},
    [HEDDLE] = {NULL, "Heddle%", HD_SHARE, 10, 3,
                "what Heddle itself took of the line's time. More than 5 %: shares and small times mislead; see "
                "--overhead"},
    [LEVELS] = {NULL, "012", HD_TEXT, 11, 6,
                "share of the region's time with so many threads of the whole program busy\n"
                "01------64: 0, 1, then groups of up to 64"},
    [IDLE] = {NULL, "Idle", HD_SECONDS, 13, 8, "\nworkers that had not arrived yet or had already left"},
    [ID] = {NULL, "Id", HD_COUNT, 14, 1, "\n" HD_MEANS_ID},
    [PROCESSORS] = {"processor_share", NULL, HD_SHARE, 0, 0,
                    "\nof the whole run: of the time in which threads wanted a processor, how much they had one"},
    [MAIN_CAUSE] = {"main_cause", "Main cause", HD_WORD, 15, 0,
                    "\nwhat most of the lost thread time is lost to, and its share; docs/compare.md lists the causes"},
    [UNRESOLVED] = HD_COLUMN(UNRESOLVED, 12, 2, HD_MEANS_UNRESOLVED),
    [GAIN_LOW] = {"gain_low_s", NULL, HD_SECONDS, 0, 0, "\nregions whose gain is an estimate: 95 % interval"},
    [GAIN_HIGH] = {"gain_high_s", NULL, HD_SECONDS, 0, 0, "\nlikewise"},
};

const struct hd_report_columns hd_report_regions_columns = {"", table, COLUMNS, STATES};

struct regions {
  const struct hd_lines *view;
  const struct hd_model *model;
  bool brief;
  struct hd_line_causes causes;
  double processor_share;
  bool disturbed; /* gains are other programs' doing, too */
  struct hd_column items[COLUMNS];
  struct hd_columns columns;
  struct hd_level_groups groups; /* of the whole program, so that the lines can be compared */
  char groups_title[HD_CELL_BYTES];
};

/* ---- values ---- */

/* A time of the team: of one that did not finish anything it is 0, which says nothing. */
static struct hd_value team_value(const struct hd_team_totals *team, struct hd_value value) {
  value.known = value.known && team->team_max > 0;
  value.dash = team->instances == 0 || hd_team_elapsed(team) <= 0;
  return value;
}

static void fill_team(struct hd_value *values, const struct hd_model *model, const struct hd_line *line) {
  const struct hd_team_totals *team = &line->team;
  const double whole = (double)model->elapsed_ticks, elapsed = hd_team_elapsed(team);
  values[TEAM_MIN] = hd_count(team->team_min, team->team_max > 0);
  values[TEAM_MAX] = hd_count(team->team_max, team->team_max > 0);
  values[ELAPSED] = team_value(team, hd_ticks(model, elapsed, true));
  values[ELAPSED_SHARE] = team_value(team, hd_share(elapsed, whole, true));
  values[GAIN] = team_value(team, hd_ticks(model, team->gain_ticks, true));
  values[GAIN_SHARE] = team_value(team, hd_share(team->gain_ticks, whole, true));
  values[CONCURRENCY] = hd_number(team->team_max > 0 ? hd_team_concurrency(team) : NAN);
  values[IMBALANCE] = hd_number(team->team_max > 0 ? hd_team_imbalance(team) : NAN);
  values[IDLE] = team_value(team, hd_ticks(model, (double)team->idle_ticks, hd_kind_is_region(line->node->kind)));
  values[TEAM] = (struct hd_value){.known = team->team_max > 0, .number = team->team_max};
  snprintf(values[TEAM].text, HD_CELL_BYTES, team->team_min == team->team_max ? "%u" : "%u-%u", team->team_min,
           team->team_max);
}

/* Only regions are opened and closed; few constructs are handed out in chunks, or create tasks. */
static void dash_runtime(struct hd_value states[HD_STATE_COLUMNS], const struct hd_line *line) {
  const bool region = hd_kind_is_region(line->node->kind);
  states[HD_STATE_COLUMN_RUNTIME].dash = !region && hd_ticks_runtime(line->ticks) == 0;
  for (int state = HD_RUNTIME_FIRST; state <= HD_RUNTIME_LAST; state++)
    states[hd_state_column(state)].dash = line->ticks[state] == 0 && !(region && state == HD_RUNTIME_FORK_JOIN);
}

/* What was not observed of the line is missing in all its sums; what was not observed in it is in its busy time. */
static void mark(struct hd_value values[COLUMNS], uint32_t marks, bool disturbed) {
  const char *gain = hd_gain_text(marks);
  values[CALLS].mark = hd_bounds_text(hd_bounds_of_visits(marks));
  values[ELAPSED].mark = values[ELAPSED_SHARE].mark = hd_bounds_text(hd_bounds_of_elapsed(marks));
  values[IDLE].mark = values[ELAPSED].mark;
  values[GAIN].mark = values[GAIN_SHARE].mark = gain ? gain : disturbed ? "~" : NULL;
  values[CONCURRENCY].mark = hd_bounds_text(hd_bounds_of_concurrency(marks));
  values[IMBALANCE].mark = hd_bounds_text(hd_bounds_of_imbalance(marks));
  values[WALL].mark = values[WALL_SHARE].mark = values[LEVELS].mark = hd_bounds_text(hd_bounds_of_levels(marks));
  hd_state_marks(values + STATES, marks);
}

/* Of what has a team; not where waits may be missing. */
static struct hd_value main_cause(const struct hd_losses *losses, bool known) {
  const struct hd_main_cause most = hd_main_cause_of(losses);
  const bool named = known && most.cause != HD_LOSS_NONE;
  struct hd_value value = hd_word(named ? hd_loss_id(most.cause) : NULL, named);
  if (named)
    snprintf(value.text, sizeof value.text, "%s %.0f%%", hd_loss_words(most.cause), 100 * most.share);
  return value;
}

static struct hd_value main_cause_of_line(const struct regions *regions, const struct hd_line *line) {
  struct hd_value value =
      main_cause(&regions->causes.lines[line - regions->view->lines],
                 line->team.team_max > 0 && (!hd_gain_text(line->marks) || line->marks & HD_MARK_ESTIMATED));
  value.blank = line->team.team_max == 0;
  return value;
}

static bool has_interval(const struct hd_line *line) {
  return line->marks & HD_MARK_ESTIMATED && hd_kind_is_region(line->node->kind);
}

static void fill(struct hd_value values[COLUMNS], const struct regions *regions, const struct hd_line *line) {
  const struct hd_model *model = regions->model;
  fill_team(values, model, line);
  values[CALLS] = hd_count(line->visits, line->visits > 0 || !hd_node_stands_in(line->node));
  values[WALL] = hd_ticks(model, line->wall_share_ticks, true);
  values[WALL_SHARE] = hd_share(line->wall_share_ticks, (double)model->elapsed_ticks, true);
  hd_state_values(values + STATES, model, line->ticks);
  dash_runtime(values + STATES, line);
  values[HEDDLE] = hd_share(hd_overhead_of(line->ticks, &line->intrusion, &line->team), 1, true);
  values[LEVELS] = (struct hd_value){.known = !hd_levels_mislead(model, line->ticks, line->unresolved.ticks)};
  hd_levels_sparkline(values[LEVELS].text, &line->elapsed_at, &regions->groups);
  values[ID] = hd_count(line->node->id, true);
  values[PROCESSORS] = hd_share(regions->processor_share, 1, true);
  values[MAIN_CAUSE] = main_cause_of_line(regions, line);
  values[UNRESOLVED] = hd_ticks(model, (double)line->unresolved.ticks, true);
  values[GAIN_LOW] = hd_ticks(model, line->gain_interval.low, has_interval(line));
  values[GAIN_HIGH] = hd_ticks(model, line->gain_interval.high, has_interval(line));
  mark(values, line->marks, regions->disturbed);
}

/* ---- which columns there are ---- */

struct survey {
  uint64_t most[HD_STATE_COUNT];
  uint64_t idle_ticks;
  uint64_t unresolved_ticks;
  double largest_ticks;
  bool has_cause;
};

static struct survey survey_lines(const struct regions *regions) {
  struct survey survey = {0};
  for (uint32_t i = 1; i < regions->view->count; i++) {
    const struct hd_line *line = &regions->view->lines[i];
    if (!line->shown)
      continue;
    for (int state = 0; state < HD_STATE_COUNT; state++)
      if (survey.most[state] < line->ticks[state])
        survey.most[state] = line->ticks[state];
    if (survey.idle_ticks < line->team.idle_ticks)
      survey.idle_ticks = line->team.idle_ticks;
    if (survey.unresolved_ticks < line->unresolved.ticks)
      survey.unresolved_ticks = line->unresolved.ticks;
    survey.largest_ticks = fmax(survey.largest_ticks, hd_team_elapsed(&line->team));
    survey.has_cause |= main_cause_of_line(regions, line).known;
    if (regions->brief)
      continue;
    survey.largest_ticks = fmax(survey.largest_ticks, (double)line->ticks[HD_BUSY]);
    survey.largest_ticks = fmax(survey.largest_ticks, (double)hd_ticks_waiting(line->ticks));
  }
  return survey;
}

static uint64_t bit(int column) {
  return UINT64_C(1) << column;
}

/* The largest time fixes the unit; a state whose time is written as zero on every line gets no column. */
static void choose_columns(struct regions *regions) {
  const struct hd_model *model = regions->model;
  const struct survey survey = survey_lines(regions);
  struct hd_columns *columns = &regions->columns;
  columns->unit = hd_unit_for(survey.largest_ticks * model->seconds_per_tick);
  const uint64_t states = hd_state_columns_hidden(model, survey.most, &columns->unit) | bit(HD_STATE_COLUMN_IDLE);
  const bool alone = states & bit(HD_STATE_COLUMN_WAIT); /* the only cause stands for all waits */
  for (int state = HD_WAIT_FIRST; alone && state <= HD_WAIT_LAST; state++)
    regions->items[STATES + hd_state_column(state)].rank = regions->items[STATES + HD_STATE_COLUMN_WAIT].rank;
  columns->hidden = states << STATES;
  if (!hd_report_overhead_matters(regions->view))
    columns->hidden |= bit(HEDDLE);
  if (!model->levels_known)
    columns->hidden |= bit(LEVELS);
  if (!hd_unit_shows(&columns->unit, hd_model_seconds(model, survey.idle_ticks)))
    columns->hidden |= bit(IDLE);
  if (!hd_unit_shows(&columns->unit, hd_model_seconds(model, survey.unresolved_ticks)))
    columns->hidden |= bit(UNRESOLVED);
  for (int i = 0; regions->brief && i < HD_STATE_COLUMNS; i++)
    columns->hidden |= bit(STATES + i);
  if (regions->brief)
    columns->hidden |= bit(LEVELS) | bit(IDLE) | bit(ID);
  if (model->header.event_count > 0) /* who counts wants to see that */
    regions->items[MAIN_CAUSE].rank = RANK_BESIDE_COUNTS;
  if (regions->brief || !survey.has_cause)
    columns->hidden |= bit(MAIN_CAUSE);
}

static void start(struct regions *regions, const struct hd_lines *view, bool brief) {
  *regions = (struct regions){.view = view,
                              .model = view->model,
                              .brief = brief,
                              .causes = hd_line_causes_of(view),
                              .processor_share = hd_account_share_of_program(view->model),
                              .disturbed = hd_account_is_disturbed(view->model)};
  memcpy(regions->items, table, sizeof table);
  hd_state_columns(regions->items + STATES, 12);
  regions->groups = hd_level_groups_for(hd_levels_highest(&view->model->time_at));
  hd_levels_sparkline_title(regions->groups_title, &regions->groups);
  regions->items[LEVELS].title = regions->groups_title;
  regions->items[STATES + HD_STATE_COLUMN_IDLE].title = NULL; /* regions have their own */
  regions->columns = (struct hd_columns){.items = regions->items, .count = COLUMNS};
  choose_columns(regions);
}

/* ---- outside all regions ---- */

/* "outside all regions; 62 % in phase setup": of the busy time there, if a phase or a routine has most of it. */
static void outside_text(char place[HD_CALLPATH_BYTES], const struct regions *regions) {
  const struct hd_model *model = regions->model;
  const struct hd_node *most = NULL;
  char name[HD_PLACE_BYTES];
  strcpy(place, "outside all regions");
  for (uint32_t i = 1; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    const bool is_outside = regions->view->line_of_node[i] == 0 || node->kind == HD_KIND_PHASE;
    if (is_outside && (node->kind == HD_KIND_ROUTINE || node->kind == HD_KIND_PHASE) &&
        node->ticks[HD_BUSY] > (most ? most->ticks[HD_BUSY] : 0))
      most = node;
  }
  const double share = most ? (double)most->ticks[HD_BUSY] / (double)regions->causes.outside.busy : 0;
  if (!(share > 0.5 && share <= 1))
    return;
  hd_node_text(name, model, most, NULL);
  snprintf(place, HD_CALLPATH_BYTES, "outside all regions; %.0f %% in %.200s", 100 * share, name);
}

/* What takes less than a hundredth of the run is left out. */
static bool has_outside(const struct regions *regions) {
  return regions->causes.known && !regions->brief && regions->model->header.event_count == 0 &&
         hd_outside_elapsed(&regions->causes) >= 0.01 * (double)regions->model->elapsed_ticks;
}

/* Whether the row stands before a line that is in no other. */
static bool precedes(const struct regions *regions, const struct hd_line *line, enum hd_sort sort) {
  if (sort == HD_SORT_GAIN)
    return hd_outside_loss(&regions->causes) > line->loss_ticks;
  return sort == HD_SORT_ELAPSED && hd_outside_elapsed(&regions->causes) > hd_team_elapsed(&line->team);
}

static void put_outside(const struct regions *regions, struct hd_listing *listing) {
  const struct hd_line_causes *causes = &regions->causes;
  const double elapsed = hd_outside_elapsed(causes);
  struct hd_listed row = {.node = NULL};
  struct hd_value values[COLUMNS] = {0};
  values[ELAPSED] = hd_ticks(regions->model, elapsed, true);
  values[ELAPSED_SHARE] = hd_share(elapsed, (double)regions->model->elapsed_ticks, true);
  values[STATES + HD_BUSY] = hd_ticks(regions->model, (double)causes->outside.busy, true);
  values[MAIN_CAUSE] = main_cause(&causes->outside, true);
  outside_text(row.place, regions);
  hd_listing_put(listing, &row, values);
}

/* ---- all rows ---- */

/* Columns that did not fit are then hidden. */
static void put_rows(struct regions *regions, const struct hd_report_options *options, FILE *out) {
  const struct hd_lines *view = regions->view;
  const bool csv = options && options->csv;
  const enum hd_sort sort = options ? options->sort : HD_SORT_GAIN;
  const bool counted = !regions->brief && regions->model->header.event_count > 0;
  void **rows = hd_new(view->count, sizeof *rows);
  bool outside = !csv && has_outside(regions);
  struct hd_count_sum *sums = counted ? hd_lines_count(view, true) : NULL;
  struct hd_listing listing = {.model = regions->model,
                               .columns = regions->columns,
                               .late = bit(ID) | bit(MAIN_CAUSE),
                               .csv = csv,
                               .markdown = options && options->markdown,
                               .asked = options,
                               .out = out,
                               .counts_of = {" inclusive"},
                               .largest = GAIN,
                               .grid.quiet = regions->brief};
  if (counted && !csv)
    hd_count_columns_choose(&listing.counted, regions->model, false);
  hd_listing_begin(&listing, HD_LINE_FIRST, "Region", !regions->brief);
  for (uint32_t i = 1; i < view->count; i++) {
    const struct hd_line *line = &view->lines[i];
    const bool inner = !regions->brief && line->parent != 0;
    struct hd_value values[COLUMNS] = {0};
    if (!line->shown)
      continue;
    if (outside && line->parent == 0 && precedes(regions, line, sort)) {
      put_outside(regions, &listing);
      outside = false;
    }
    struct hd_listed row = hd_listed_line(view, i);
    row.parent = inner ? rows[line->parent] : NULL;
    row.sums[0] = sums ? &sums[i] : NULL;
    row.elapsed_ticks = hd_count_elapsed(&line->team);
    hd_place_text(row.place, regions->model, line, inner ? &view->lines[line->parent] : NULL);
    fill(values, regions, line);
    rows[i] = hd_listing_put(&listing, &row, values);
  }
  if (outside)
    put_outside(regions, &listing);
  hd_listing_end(&listing, 0);
  regions->columns.hidden = listing.columns.hidden;
  if (counted && !csv)
    hd_count_legend(&listing.counted, "with the lines below", out);
  free(sums);
  free(rows);
}

uint64_t hd_report_regions(const struct hd_lines *view, const struct hd_report_options *options, FILE *out) {
  struct regions regions;
  start(&regions, view, !options);
  put_rows(&regions, options, out);
  hd_line_causes_free(&regions.causes);
  return regions.columns.hidden;
}

void hd_report_regions_legend(const struct hd_lines *view, uint64_t hidden, FILE *out) {
  struct regions regions;
  start(&regions, view, false);
  regions.columns.hidden = hidden;
  hd_columns_legend(&regions.columns,
                    "Busy and waiting times are summed over threads and include the lines below. '-': not measured.",
                    out);
  hd_line_causes_free(&regions.causes);
}

void hd_report_regions_csv(struct hd_lines *view, const struct hd_report_options *options, FILE *out) {
  struct regions regions;
  hd_lines_select(view, options->sort, hd_limit_of(options), false);
  start(&regions, view, false);
  put_rows(&regions, options, out);
  hd_line_causes_free(&regions.causes);
}
