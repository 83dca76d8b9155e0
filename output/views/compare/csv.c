/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file csv.c
 * One line for each row and point, with one header, in full precision; what is not known is empty.
 */
#include <math.h>
#include <stdio.h>

#include "output/model/format_names.h"
#include "output/views/compare/compare_internal.h"

static void put_names(const struct hd_compared_counts *counts, FILE *out) {
  fputs("comparison,mode,row,parent,row_kind,", out);
  hd_csv_node_names(out);
  fputs(",point,label,threads,run_count,runs,calls,time_s,time_low_s,time_high_s,capacity_ticks,busy_ticks,"
        "mean_concurrency,matched,lost_s,lost_low_s,lost_high_s",
        out);
  for (int cause = 0; cause < HD_LOSS_COUNT; cause++)
    fprintf(out, ",lost_%s_s", hd_loss_id((enum hd_loss)cause));
  fputs(",main_cause,speedup,speedup_low,speedup_high,efficiency,efficiency_low,efficiency_high,work_efficiency,"
        "noise_known,in_noise,karp_flatt,amdahl_bound,amdahl_residual,usl_residual,untold_ticks,processor_share",
        out);
  for (uint32_t i = 0; i < counts->event_count; i++) {
    fputc(',', out);
    hd_csv_text(counts->comparison->runs[0].model->events[i].name, out);
  }
  fputc('\n', out);
}

static void put_interval(struct hd_interval interval, bool known, FILE *out) {
  hd_csv_number(known ? interval.low : NAN, out);
  hd_csv_number(known ? interval.high : NAN, out);
}

static void put_place(const struct hd_comparison *comparison, uint32_t index, FILE *out) {
  const struct hd_compared_row *row = &comparison->rows[index];
  fprintf(out, "%u,", index);
  if (row->parent != HD_NONE)
    fprintf(out, "%u", row->parent);
  fprintf(out, ",%s,", hd_compared_kind_id(row->kind));
  if (index < 2) {
    fputs(",,,,,", out);
    return;
  }
  const struct hd_node node = hd_row_node(comparison, row->united);
  hd_csv_node(comparison->united->nodes[row->united].model, &node, out);
}

static void put_against(const struct hd_comparison *comparison, uint32_t index, uint32_t point, FILE *out) {
  const struct hd_compared *at = &comparison->rows[index].at[point];
  const bool matched = at->runs > 0 && at->matched;
  fprintf(out, ",%s", matched ? "true" : "false");
  hd_csv_number(hd_if_matched(at, at->lost_total_s), out);
  put_interval(at->lost_total_interval, matched, out);
  for (int cause = 0; cause < HD_LOSS_COUNT; cause++)
    hd_csv_number(hd_if_matched(at, at->lost_s[cause]), out);
  fprintf(out, ",%s", matched && at->main_cause != HD_LOSS_COUNT ? hd_loss_id(at->main_cause) : "");
  hd_csv_number(hd_if_matched(at, at->speedup), out);
  put_interval(at->speedup_interval, matched, out);
  hd_csv_number(hd_if_matched(at, at->efficiency), out);
  put_interval(at->efficiency_interval, matched, out);
  hd_csv_number(hd_if_matched(at, at->work_efficiency), out);
  fprintf(out, ",%s,%s", matched ? at->noise_known ? "true" : "false" : "",
          matched && at->noise_known ? at->in_noise ? "true" : "false" : "");
}

/* Residuals are by those points at which the row occurs. */
static double residual(const struct hd_compared_row *row, uint32_t point, enum hd_law law) {
  size_t index = 0;
  if (!row->scaling.fitted || row->at[point].runs == 0)
    return NAN;
  for (uint32_t i = 0; i < point; i++)
    index += row->at[i].runs > 0;
  return row->scaling.residuals[(size_t)law * row->scaling.point_count + index];
}

static void put_laws(const struct hd_comparison *comparison, uint32_t index, uint32_t point, FILE *out) {
  const struct hd_compared_row *row = &comparison->rows[index];
  const bool scaling = comparison->options.mode == HD_COMPARE_SCALING;
  const bool program = index == 0 && scaling;
  const uint32_t threads = comparison->points[point].threads;
  hd_csv_number(
      program && point > 0 ? hd_karp_flatt(row->at[point].speedup, threads, comparison->points[0].threads) : NAN, out);
  hd_csv_number(program ? hd_amdahl_bound(comparison, threads) : NAN, out);
  hd_csv_number(scaling ? residual(row, point, HD_LAW_AMDAHL) : NAN, out);
  hd_csv_number(scaling ? residual(row, point, HD_LAW_USL) : NAN, out);
}

static void put_counts(const struct hd_compared_counts *counts, uint32_t row, uint32_t point, FILE *out) {
  struct hd_count_sums *sums = hd_compared_count(counts, row, point);
  for (uint32_t i = 0; i < counts->event_count; i++) {
    struct hd_count count = {0};
    const uint32_t run = counts->comparison->rows[row].at[point].run;
    if (sums)
      count =
          hd_count_sum_of(sums->model, &sums->sums[0], counts->event_of[run * counts->event_count + i], HD_COUNT_BUSY);
    hd_csv_number(count.known && !count.partial ? count.value : NAN, out);
  }
  hd_count_sums_free(sums);
}

static void put_line(const struct hd_compare_series *series, const struct hd_compared_counts *counts, uint32_t row,
                     uint32_t point, FILE *out) {
  const struct hd_comparison *comparison = series->comparison;
  const struct hd_point *of = &comparison->points[point];
  const struct hd_compared *at = &comparison->rows[row].at[point];
  hd_csv_text(series->title, out);
  fprintf(out, ",%s,", comparison->options.mode == HD_COMPARE_SCALING ? "scaling" : "sides");
  put_place(comparison, row, out);
  fprintf(out, ",%u,", point);
  hd_csv_text(of->label, out);
  fprintf(out, ",%u,%u,%u", of->threads, of->run_count, at->runs);
  hd_csv_count(at->calls, at->runs > 0, out);
  hd_csv_number(at->runs > 0 ? at->time_s : NAN, out);
  put_interval(at->time_interval, at->runs > 0, out);
  if (at->runs > 0)
    fprintf(out, ",%lld,%lld", (long long)at->losses.capacity, (long long)at->losses.busy);
  else
    fputs(",,", out);
  hd_csv_number(at->runs > 0 ? at->busy_concurrency : NAN, out);
  put_against(comparison, row, point, out);
  put_laws(comparison, row, point, out);
  hd_csv_count(at->untold_ticks, at->runs > 0, out);
  hd_csv_number(at->runs > 0 ? hd_account_share_of_program(comparison->runs[at->run].model) : NAN, out);
  put_counts(counts, row, point, out);
  fputc('\n', out);
}

/* Columns of counters are there if all comparisons have them. */
static bool put_one(const struct hd_compare_series *series, bool counted, bool first, FILE *out) {
  struct hd_compared_counts counts;
  if (!hd_compared_counts_make(&counts, series->comparison))
    return false;
  if (!counted)
    counts.event_count = 0;
  if (first)
    put_names(&counts, out);
  for (uint32_t row = 0; row < series->comparison->row_count; row++)
    for (uint32_t point = 0; point < series->comparison->point_count; point++)
      put_line(series, &counts, row, point, out);
  hd_compared_counts_free(&counts);
  return true;
}

static bool all_counted(const struct hd_compare_series *series, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct hd_compared_counts counts;
    const bool done = hd_compared_counts_make(&counts, series[i].comparison);
    const bool counted = done && counts.event_count > 0;
    hd_compared_counts_free(&counts);
    if (!counted)
      return false;
  }
  return true;
}

bool hd_compare_csv(const struct hd_compare_series *series, size_t count, FILE *out) {
  const bool counted = all_counted(series, count);
  for (size_t i = 0; i < count; i++)
    if (!put_one(&series[i], counted, i == 0, out))
      return false;
  return true;
}
