/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file columns.h
 * What a comparison says of a row at a point, each number in one place: the comma-separated values, the JSON, and the
 * columns from which the tables for people are made follow from it.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_COMPARE_COLUMNS_H
#define HEDDLE_OUTPUT_VIEWS_COMPARE_COLUMNS_H

#include <jansson.h>

#include "output/analysis/losses/efficiency.h"
#include "output/comparison/comparison.h"
#include "output/views/render/columns.h"

/**
 * In the order of the comma-separated values and of the JSON.
 *
 * COLUMN: its name; its name in comma-separated values, its title in tables, its kind; its key in the JSON (NULL: it is
 * not there); help for the legend; its value. OBJECT: what only the JSON has: its key, and the value where it is known.
 * Values use what hd_compared_values() has: the row `at` the point, how well its threads are `used`, `base`: it at the
 * baseline; `of`: the point; `row`, `point`: their numbers; `there`: the row occurs; `matched`: at the baseline, too;
 * `interval()`, `cause`.
 */
/* clang-format off */
#define HD_COMPARED_TIMES(COLUMN, OBJECT)                                                                              \
  COLUMN(POINT, "point", NULL, HD_COUNT, "point", NULL, hd_count(point, true))                                         \
  COLUMN(LABEL, "label", "Threads", HD_WORD, NULL, NULL, hd_word(of->label, true))                                     \
  COLUMN(THREADS, "threads", NULL, HD_COUNT, NULL, NULL, hd_count(of->threads, true))                                  \
  COLUMN(RUN_COUNT, "run_count", "Runs", HD_COUNT, NULL, NULL, hd_count(of->run_count, true))                          \
  COLUMN(RUNS, "runs", NULL, HD_COUNT, "runs", NULL, hd_count(at->runs, true))                                         \
  OBJECT("run", true, hd_json_count(at->run))                                                                          \
  COLUMN(CALLS, "calls", NULL, HD_COUNT, "calls", NULL, hd_count(at->calls, there))                                    \
  OBJECT("seconds", true, hd_json_numbers(at->seconds, at->runs))                                                      \
  OBJECT("time_ticks", true, json_integer(at->time_ticks))                                                             \
  COLUMN(TIME, "time_s", "Time", HD_SECONDS, "time_s", NULL, hd_number(there ? at->time_s : NAN))                      \
  COLUMN(TIME_INTERVAL, "time_low_s,time_high_s", "Time 95%", HD_INTERVAL, "time_interval_s", NULL,                    \
         interval(at->time_interval, there, unit))                                                                     \
  COLUMN(CAPACITY, "capacity_ticks", NULL, HD_TICKS, "capacity_ticks", NULL,                                           \
         hd_count((uint64_t)at->losses.capacity, there))                                                               \
  COLUMN(BUSY, "busy_ticks", NULL, HD_TICKS, "busy_ticks", NULL, hd_count((uint64_t)at->losses.busy, there))           \
  OBJECT("untold_ticks", true, hd_json_count(at->untold_ticks))                                                        \
  OBJECT("not_busy_ticks", true, ticks_by_cause(at->losses.lost))                                                      \
  COLUMN(CONCURRENCY, "mean_concurrency", "Busy", HD_NUMBER, "mean_concurrency", "threads busy on average",            \
         hd_number(there ? at->busy_concurrency : NAN))                                                                \
  COLUMN(MATCHED, "matched", NULL, HD_FLAG, "matched", NULL, hd_count(matched, true))                                  \
  OBJECT("lost_ticks", matched, ticks_by_cause(at->lost_ticks))                                                        \
  OBJECT("lost_total_ticks", matched, json_integer(at->lost_total_ticks))                                              \
  OBJECT("lost_s", matched, seconds_by_cause(at->lost_s))                                                              \
  COLUMN(LOST, "lost_s", "Lost", HD_SECONDS, "lost_total_s",                                                           \
         "wall time beyond the baseline's thread time divided by the threads here, so T(p) - T(1) / p; the causes add " \
         "up to it. Negative: less than at the baseline",                                                              \
         hd_number(matched ? at->lost_total_s : NAN))                                                                  \
  COLUMN(LOST_INTERVAL, "lost_low_s,lost_high_s", "Lost 95%", HD_INTERVAL, "lost_total_interval_s", NULL,              \
         interval(at->lost_total_interval, matched, unit))

/* Between them: the time lost to each cause (HD_LOSSES). */
#define HD_COMPARED_RATIOS(COLUMN, OBJECT)                                                                             \
  COLUMN(MAIN_CAUSE, "main_cause", "Main cause", HD_WORD, "main_cause", "its share of all that was lost", cause)       \
  COLUMN(SPEEDUP, "speedup", "Speedup", HD_NUMBER, "speedup", "time at the baseline / time here",                      \
         hd_number(matched ? at->speedup : NAN))                                                                       \
  COLUMN(SPEEDUP_INTERVAL, "speedup_low,speedup_high", "Speedup 95%", HD_INTERVAL, "speedup_interval", NULL,           \
         interval(at->speedup_interval, matched, NULL))                                                                \
  COLUMN(EFFICIENCY, "efficiency", "Effic%", HD_SHARE, "efficiency", "thread time at the baseline / here",             \
         hd_share(at->efficiency, 1, matched))                                                                         \
  COLUMN(EFFICIENCY_INTERVAL, "efficiency_low,efficiency_high", NULL, HD_INTERVAL, "efficiency_interval", NULL,        \
         interval(at->efficiency_interval, matched, NULL))                                                             \
  COLUMN(WORK, "work_efficiency", "Work%", HD_SHARE, "work_efficiency", "busy time at the baseline / here",            \
         hd_share(at->work_efficiency, 1, matched))                                                                    \
  COLUMN(NOISE_KNOWN, "noise_known", NULL, HD_FLAG, "noise_known", NULL, hd_count(at->noise_known, matched))           \
  COLUMN(IN_NOISE, "in_noise", NULL, HD_FLAG, "in_noise", NULL, hd_count(at->in_noise, matched && at->noise_known))    \
  COLUMN(KARP_FLATT, "karp_flatt", "Karp-Flatt%", HD_SHARE, NULL,                                                      \
         "the serial part that would explain the speedup; if it grows with the threads, overhead does",                \
         hd_share(hd_karp_flatt(at->speedup, of->threads, comparison->points[0].threads), 1, scaling && row == 0))     \
  COLUMN(AMDAHL, "amdahl_bound", "Amdahl", HD_NUMBER, NULL,                                                            \
         "the largest speedup if only the time outside regions, in single and in masked at the baseline stays serial", \
         hd_number(scaling && row == 0 ? hd_amdahl_bound(comparison, of->threads) : NAN))                              \
  COLUMN(AMDAHL_RESIDUAL, "amdahl_residual", NULL, HD_NUMBER, NULL, NULL,                                              \
         hd_number(residual(&comparison->rows[row], point, HD_LAW_AMDAHL)))                                            \
  COLUMN(USL_RESIDUAL, "usl_residual", NULL, HD_NUMBER, NULL, NULL,                                                    \
         hd_number(residual(&comparison->rows[row], point, HD_LAW_USL)))                                               \
  COLUMN(UNTOLD, "untold_ticks", NULL, HD_COUNT, NULL, NULL, hd_count(at->untold_ticks, there))                        \
  COLUMN(PROCESSORS, "processor_share", NULL, HD_NUMBER, NULL, NULL,                                                   \
         hd_number(there ? hd_account_share_of_program(comparison->runs[at->run].model) : NAN))                        \
  COLUMN(BUSY_AT_MOST, "busy_at_most", NULL, HD_FLAG, "busy_at_most", NULL,                                            \
         hd_count((at->marks & HD_MARK_NO_WORK) != 0, there))                                                          \
  COLUMN(WAIT_AT_MOST, "wait_at_most", NULL, HD_FLAG, "wait_at_most", NULL,                                            \
         hd_count((at->marks & HD_MARK_WORK) != 0, there))                                                             \
  COLUMN(CAUSES_UNKNOWN, "causes_unknown", NULL, HD_FLAG, "causes_unknown", NULL,                                      \
         hd_count(at->causes_unknown, matched))                                                                        \
  COLUMN(PARALLEL, "parallel_efficiency", "Parallel%", HD_SHARE, "parallel_efficiency",                                \
         "busy thread time / all: the product of the four that follow",                                                \
         hd_share(used.parallel, 1, there))                                                                            \
  COLUMN(SERIALIZATION, "serialization", "Serial%", HD_SHARE, "serialization",                                         \
         "what is left when threads without work are counted",                                                         \
         hd_share(used.factors[HD_FACTOR_SERIALIZATION], 1, there && at->untold_ticks == 0))                           \
  COLUMN(LOAD_BALANCE, "load_balance", "Balance%", HD_SHARE, "load_balance",                                           \
         "likewise imbalance",                                                                                         \
         hd_share(used.factors[HD_FACTOR_LOAD_BALANCE], 1, there && at->untold_ticks == 0))                            \
  COLUMN(SYNCHRONIZATION, "synchronization", "Sync%", HD_SHARE, "synchronization",                                     \
         "likewise waits at explicit barriers, for locks and tasks",                                                   \
         hd_share(used.factors[HD_FACTOR_SYNCHRONIZATION], 1, there && at->untold_ticks == 0))                         \
  COLUMN(SCHEDULING, "scheduling", "Sched%", HD_SHARE, "scheduling",                                                   \
         "likewise the runtime's own work",                                                                            \
         hd_share(used.factors[HD_FACTOR_SCHEDULING], 1, there && at->untold_ticks == 0))                              \
  COLUMN(LOST_SHARE, NULL, "Lost%", HD_SHARE, NULL, NULL, hd_share(at->lost_total_s, at->time_s, matched))             \
  COLUMN(DIFFERENCE, NULL, "Diff", HD_SECONDS, NULL, "after - before; negative: faster",                               \
         hd_number(matched && point > 0 ? at->time_s - base->time_s : NAN))                                            \
  COLUMN(DIFFERENCE_SHARE, NULL, "Diff%", HD_SHARE, NULL, NULL,                                                        \
         hd_share(at->time_s - base->time_s, base->time_s, matched && point > 0))
/* clang-format on */

#define HD_COMPARED_NONE(...)
enum hd_compared_column {
#define HD_COMPARED_NAME(name, ...) HD_COMPARED_##name,
#define HD_COMPARED_LOSS(name, ...) HD_COMPARED_LOST_##name,
  HD_COMPARED_TIMES(HD_COMPARED_NAME, HD_COMPARED_NONE) HD_LOSSES(HD_COMPARED_LOSS)
      HD_COMPARED_RATIOS(HD_COMPARED_NAME, HD_COMPARED_NONE) HD_COMPARED_COLUMNS,
#undef HD_COMPARED_NAME
#undef HD_COMPARED_LOSS
  HD_COMPARED_LOST_FIRST = HD_COMPARED_LOST_INTERVAL + 1
};

/** All of them. */
extern const struct hd_column hd_compared_columns[HD_COMPARED_COLUMNS];

/** The values of a row at a point. `unit`: of the times in tables. */
void hd_compared_values(struct hd_value values[HD_COMPARED_COLUMNS], const struct hd_comparison *comparison,
                        uint32_t row, uint32_t point, const struct hd_unit *unit);

/** Their JSON. NULL: no memory. */
json_t *hd_compared_json(const struct hd_comparison *comparison, uint32_t row, uint32_t point);

#endif
