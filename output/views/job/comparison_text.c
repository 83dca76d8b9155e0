/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/account.h"
#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "output/views/job/comparison_view.h"
#include "output/views/render/document.h"
#include "support/command/memory.h"

enum { FINDINGS_MOST = 3, TITLE_BYTES = 32 };

static size_t last_of(const struct hd_job_comparison *comparison) {
  return comparison->point_count - 1;
}

/* ---- what was compared ---- */

static char *list_points(const struct hd_job_comparison *comparison) {
  char *all = hd_print("%s", "");
  for (size_t i = 0; i <= last_of(comparison); i++) {
    const struct hd_job_point *point = &comparison->points[i];
    char *name = hd_job_point_text(comparison, i);
    char *longer = hd_print("%s%s%s (%zu run%s)", all, i > 0 ? ", " : "", name, point->count, hd_plural(point->count));
    free(all);
    free(name);
    all = longer;
  }
  return all;
}

/* Of the first point that it is true of. */
static void put_doubts(const struct hd_document *document, const struct hd_job_comparison *comparison) {
  bool is_crowded = false, is_silent = false;
  for (size_t i = 0; i <= last_of(comparison); i++) {
    const struct hd_job_point *point = &comparison->points[i];
    const struct hd_job *job = point->job;
    char *name = hd_job_point_text(comparison, i);
    if (job->crowded != HD_NONE && !is_crowded)
      hd_document_fact(document, "warning",
                       "at %s %.200s has more threads than processors, %u: much of what is lost may be that", name,
                       job->ranks[job->crowded].host, job->ranks[job->crowded].processors);
    if (point->is_silent && !is_silent)
      hd_document_fact(document, "warning", "at %s no rank calls MPI: each is alone, and does all the work", name);
    is_crowded |= job->crowded != HD_NONE;
    is_silent |= point->is_silent;
    free(name);
  }
}

/* The point at which threads lacked processors most. */
static void put_sharing(const struct hd_document *document, const struct hd_job_comparison *comparison) {
  size_t least = 0;
  for (size_t i = 1; i <= last_of(comparison); i++)
    if (comparison->points[i].processor_share < comparison->points[least].processor_share)
      least = i;
  const double share = comparison->points[least].processor_share;
  char *name = hd_job_point_text(comparison, least);
  if (share < HD_ACCOUNT_SHARED)
    hd_document_fact(
        document, share < HD_ACCOUNT_LEAST_SHARE ? "warning" : "sharing",
        "at %s, the least, threads had a processor for %.0f %% of the time they wanted one: waits and extra "
        "work may be that",
        name, 100 * share);
  free(name);
}

static void put_findings(const struct hd_document *document, const struct hd_job_comparison *comparison) {
  for (size_t i = 0; i < comparison->finding_count && i < FINDINGS_MOST; i++) {
    const struct hd_job_compared_finding *finding = &comparison->findings[i];
    const double elapsed_s = comparison->points[finding->point].job->elapsed_s;
    char *name = hd_job_point_text(comparison, finding->point);
    hd_document_headline(document, i == 0 || document->markdown ? "findings" : "", "at %s %s (%.0f %%) to gain: %s, %s",
                         name, hd_duration(finding->gain_s).text, 100 * finding->gain_s / elapsed_s,
                         hd_job_part_words(finding->part), finding->row->like->text);
    hd_document_fact(document, "", "%s", finding->evidence);
    hd_document_fact(document, "", "try %s", finding->attempt);
    free(name);
  }
}

static void put_heading(const struct hd_document *document, const struct hd_job_comparison *comparison) {
  const struct hd_job *job = comparison->points[0].job;
  char *points = list_points(comparison);
  put_doubts(document, comparison);
  put_sharing(document, comparison);
  put_findings(document, comparison);
  hd_document_fact(document, "jobs", "%s on %u host%s", job->ranks[0].program, job->hosts, hd_plural(job->hosts));
  hd_document_fact(document, "compared", "%s", points);
  if (comparison->moved_count > 0)
    hd_document_fact(document, "moved", "%zu place%s: the line differs; matched by function, in the order of lines",
                     comparison->moved_count, hd_plural(comparison->moved_count));
  free(points);
}

/* ---- cells ---- */

static void begin(struct hd_table *grid, FILE *out) {
  *grid = (struct hd_table){.table = hd_table_new(out)};
}

static void put_interval(struct hd_table *grid, const struct hd_unit *unit, const struct hd_interval *interval) {
  char low[HD_CELL_BYTES], high[HD_CELL_BYTES];
  if (isnan(interval->low)) {
    hd_table_cell(grid, "-");
    return;
  }
  hd_cell_time(low, unit, interval->low);
  hd_cell_time(high, unit, interval->high);
  hd_table_cell(grid, "%s-%s", low, high);
}

static void put_point(struct hd_table *grid, const struct hd_job_comparison *comparison, size_t index) {
  char *name = hd_job_point_text(comparison, index);
  char *text = hd_print("%s%s", name, index == 0 ? ", the baseline" : "");
  hd_table_at(grid, text);
  free(text);
  free(name);
}

static bool has_intervals(const struct hd_job_comparison *comparison) {
  for (size_t i = 0; i <= last_of(comparison); i++)
    if (isfinite(comparison->points[i].elapsed_interval.low))
      return true;
  return false;
}

/* ---- the jobs ---- */

static void put_times(const struct hd_job_comparison *comparison, struct hd_document *document) {
  const struct hd_unit unit = hd_unit_for(comparison->points[0].job->elapsed_s), none = {"", 1, 2};
  const bool intervals = has_intervals(comparison);
  struct hd_table grid;
  begin(&grid, document->out);
  hd_table_column(&grid, "Time", 0);
  if (intervals)
    hd_table_column(&grid, "Time 95%", 4);
  hd_table_column(&grid, "Speedup", 0);
  if (intervals)
    hd_table_column(&grid, "Speedup 95%", 4);
  hd_table_column(&grid, "Effic%", 0);
  hd_table_place(&grid, "At", false);
  for (size_t i = 0; i <= last_of(comparison); i++) {
    const struct hd_job_point *point = &comparison->points[i];
    hd_table_row(&grid, NULL);
    hd_table_time(&grid, &unit, point->job->elapsed_s);
    if (intervals)
      put_interval(&grid, &unit, &point->elapsed_interval);
    hd_table_number(&grid, point->speedup, 2);
    if (intervals)
      put_interval(&grid, &none, &point->speedup_interval);
    hd_table_number(&grid, 100 * point->efficiency, 1);
    put_point(&grid, comparison, i);
  }
  hd_document_title(document, 2, "Jobs: times in %s", unit.name);
  hd_document_table(document, &grid);
}

static void put_efficiencies(const struct hd_job_comparison *comparison, struct hd_document *document) {
  static const char *const titles[] = {"Parallel%", "MPI%", "Balance%", "Comm%", "OpenMP%", "Work%"};
  struct hd_table grid;
  begin(&grid, document->out);
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    hd_table_column(&grid, titles[i], 0);
  hd_table_place(&grid, "At", false);
  for (size_t i = 0; i <= last_of(comparison); i++) {
    const struct hd_job *job = comparison->points[i].job;
    const double values[] = {job->parallel,      job->mpi,    job->balance,
                             job->communication, job->openmp, comparison->points[i].work};
    hd_table_row(&grid, NULL);
    for (size_t j = 0; j < sizeof values / sizeof *values; j++)
      hd_table_number(&grid, 100 * values[j], 1);
    put_point(&grid, comparison, i);
  }
  hd_document_title(document, 2, "Efficiencies");
  hd_document_table(document, &grid);
}

static void add_part_columns(struct hd_table *grid) {
  for (int part = 0; part < HD_JOB_PARTS; part++)
    hd_table_column(grid, hd_job_part_title((enum hd_job_part)part), 0);
}

static void put_parts(struct hd_table *grid, const struct hd_unit *unit, const struct hd_job_loss *loss) {
  for (int part = 0; part < HD_JOB_PARTS; part++)
    hd_table_time(grid, unit, loss->part_s[part]);
}

static void put_total(struct hd_table *grid, const struct hd_unit *unit, const struct hd_job_loss *loss) {
  char cell[HD_CELL_BYTES];
  hd_cell_time(cell, unit, loss->seconds);
  hd_table_cell(grid, "%s%s", loss->is_noise ? "~" : "", cell);
}

/* What became longer than the baseline, or its even division, and most of it why. */
static void say_change(const struct hd_document *document, const struct hd_job_comparison *comparison, size_t index) {
  const struct hd_job_point *point = &comparison->points[index];
  const enum hd_job_part part = hd_job_loss_main(&point->loss);
  char *name = hd_job_point_text(comparison, index), *base = hd_job_point_text(comparison, 0);
  const bool is_divided = point->capacity != comparison->points[0].capacity;
  if (point->loss.is_noise)
    hd_document_say(document, "At %s no loss exceeds the noise.", name);
  else if (part != HD_JOB_PARTS)
    hd_document_say(
        document, "At %s the run is %s (%.1f %%) %s than %s%s; %.0f %% of that is %s.", name,
        hd_duration(fabs(point->loss.seconds)).text, 100 * fabs(point->loss.seconds) / point->job->elapsed_s,
        point->loss.seconds < 0 ? "shorter" : "longer", is_divided ? "a perfect division of that at " : "at ", base,
        100 * hd_job_loss_share(&point->loss, part), hd_job_part_title(part));
  free(name);
  free(base);
}

static void say_changes(const struct hd_document *document, const struct hd_job_comparison *comparison) {
  for (size_t i = comparison->is_scaling ? last_of(comparison) : 1; i <= last_of(comparison); i++)
    say_change(document, comparison, i);
}

static void put_losses(const struct hd_job_comparison *comparison, struct hd_document *document) {
  const struct hd_job_point *last = &comparison->points[last_of(comparison)];
  const struct hd_unit unit = hd_unit_for(fabs(last->loss.seconds));
  const bool intervals = has_intervals(comparison);
  struct hd_table grid;
  begin(&grid, document->out);
  add_part_columns(&grid);
  hd_table_column(&grid, "Lost", 0);
  if (intervals)
    hd_table_column(&grid, "Lost 95%", 4);
  hd_table_column(&grid, "Lost%", 1);
  hd_table_place(&grid, "At", false);
  for (size_t i = 1; i <= last_of(comparison); i++) {
    const struct hd_job_point *point = &comparison->points[i];
    hd_table_row(&grid, NULL);
    put_parts(&grid, &unit, &point->loss);
    put_total(&grid, &unit, &point->loss);
    if (intervals)
      put_interval(&grid, &unit, &point->loss.interval);
    hd_table_number(&grid, 100 * point->loss.seconds / point->job->elapsed_s, 1);
    put_point(&grid, comparison, i);
  }
  hd_document_title(document, 2, "Lost wall %s by cause", unit.name);
  hd_document_table(document, &grid);
  say_changes(document, comparison);
}

/* ---- places ---- */

static void add_means(struct hd_table *grid, const struct hd_job_comparison *comparison, size_t shown) {
  const bool threads = hd_job_comparison_has_threads(comparison);
  for (size_t i = 0; comparison->is_scaling && i <= last_of(comparison); i++) {
    const struct hd_job_point *point = &comparison->points[i];
    char title[TITLE_BYTES];
    snprintf(title, sizeof title, threads ? "Mean(%ux%u)" : "Mean(%u)", point->ranks, point->threads);
    hd_table_column(grid, title, i == 0 || i == shown ? 0 : 5);
  }
  if (!comparison->is_scaling) {
    hd_table_column(grid, "Mean before", 0);
    hd_table_column(grid, "after", 0);
  }
  hd_table_column(grid, comparison->is_scaling ? "Most" : "Most before", 3);
  if (!comparison->is_scaling)
    hd_table_column(grid, "after", 3);
  hd_table_column(grid, "By", 3);
}

static double mean_at(const struct hd_job_at *at) {
  return at->place ? at->place->mean_s : 0;
}

static double most_at(const struct hd_job_at *at) {
  return at->place ? hd_job_most(at->place) : 0;
}

static void put_means(struct hd_table *grid, const struct hd_unit *unit, const struct hd_job_comparison *comparison,
                      const struct hd_job_row *row, size_t shown) {
  const struct hd_job *job = comparison->points[shown].job;
  const struct hd_job_place *place = row->at[shown].place;
  for (size_t i = 0; i <= last_of(comparison); i++)
    if (comparison->is_scaling || i == 0 || i == shown)
      hd_table_time(grid, unit, mean_at(&row->at[i]));
  if (!comparison->is_scaling)
    hd_table_time(grid, unit, most_at(&row->at[0]));
  hd_table_time(grid, unit, most_at(&row->at[shown]));
  if (place && job->ranks[place->most_rank].rank >= 0)
    hd_table_cell(grid, "%d", job->ranks[place->most_rank].rank);
  else
    hd_table_cell(grid, "-");
}

static void put_cause(struct hd_table *grid, const struct hd_job_loss *loss) {
  const enum hd_job_part part = hd_job_loss_main(loss);
  if (part == HD_JOB_PARTS || loss->is_noise)
    hd_table_cell(grid, "-");
  else
    hd_table_cell(grid, "%s %.0f%%", hd_job_part_title(part), 100 * hd_job_loss_share(loss, part));
}

static struct hd_unit unit_of(const struct hd_job_comparison *comparison, size_t shown) {
  double most = 0;
  for (size_t i = 0; i < comparison->row_count; i++)
    most = fmax(most, fmax(mean_at(&comparison->rows[i].at[0]), mean_at(&comparison->rows[i].at[shown])));
  return hd_unit_for(most);
}

static void put_places(const struct hd_job_comparison *comparison, size_t shown, size_t limit,
                       struct hd_document *document) {
  const struct hd_unit unit = unit_of(comparison, shown);
  const size_t count = limit > 0 && limit < comparison->row_count ? limit : comparison->row_count;
  char *name = hd_job_point_text(comparison, shown);
  struct hd_table grid;
  begin(&grid, document->out);
  add_means(&grid, comparison, shown);
  hd_table_column(&grid, "Lost", 0);
  hd_table_column(&grid, "Main cause", 0);
  hd_table_place(&grid, "Place", false);
  for (size_t i = 0; i < count; i++) {
    const struct hd_job_row *row = &comparison->rows[i];
    hd_table_row(&grid, NULL);
    put_means(&grid, &unit, comparison, row, shown);
    put_total(&grid, &unit, &row->at[shown].loss);
    put_cause(&grid, &row->at[shown].loss);
    hd_table_at(&grid, row->like->text);
  }
  hd_document_title(document, 2, "Places: %s by rank; what is lost, and why, at %s", unit.name, name);
  hd_document_table(document, &grid);
  if (count < comparison->row_count)
    hd_document_say(document, "and %zu more: --limit 0", comparison->row_count - count);
  free(name);
}

/* ---- all of it ---- */

void hd_job_comparison_print(const struct hd_job_comparison *comparison, size_t limit, bool is_markdown, FILE *out) {
  struct hd_document document = {.out = out, .markdown = is_markdown};
  put_heading(&document, comparison);
  put_times(comparison, &document);
  put_efficiencies(comparison, &document);
  put_losses(comparison, &document);
  for (size_t point = comparison->is_scaling ? last_of(comparison) : 1; point <= last_of(comparison); point++)
    put_places(comparison, point, limit, &document);
  hd_document_legend(
      &document,
      "Lost: elapsed time beyond a perfect division of the baseline among all threads, by causes that add "
      "up to it: imbalance between ranks; waits of even the late rank in MPI; threads of a rank that wait or "
      "have no work; more work of all ranks together. A place: what the late rank, for which the others "
      "wait, spends there, likewise. Means are over all ranks. Work%: busy time of all threads at the "
      "baseline / here; other efficiencies as in 'heddle job'. ~: it may be noise. See docs/compare.md.");
}
