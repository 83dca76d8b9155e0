/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file column_names.h
 * What a number is called that several outputs have: its name in --csv, its key in the JSON, its title in the text, its
 * kind. A view's table has HD_COLUMN(GAIN, ...), the JSON HD_KEY(GAIN). A number of one view alone has its names there.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_COLUMN_NAMES_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_COLUMN_NAMES_H

#include "output/views/render/columns.h"

/* clang-format off */
#define HD_NAMES_CALLS            "calls",            "visits",                 "Calls",      HD_COUNT
#define HD_NAMES_CALLS_CONCURRENT "calls_concurrent", "visits_concurrent",      "Conc.calls", HD_COUNT
#define HD_NAMES_SELF             "self_s",           "busy_s",                 "Self",       HD_SECONDS
#define HD_NAMES_INCLUSIVE        "inclusive_s",      "busy_inclusive_s",       "Incl",       HD_SECONDS
#define HD_NAMES_BUSY             "busy_s",           "busy_s",                 "Busy",       HD_SECONDS
#define HD_NAMES_WAIT             "wait_s",           "wait_s",                 "Wait",       HD_SECONDS
#define HD_NAMES_RUNTIME          "runtime_s",        "runtime_s",              "Runtime",    HD_SECONDS
#define HD_NAMES_IDLE             "idle_s",           "idle_s",                 "Idle",       HD_SECONDS
#define HD_NAMES_UNRESOLVED       "unresolved_s",     "unresolved_s",           "Unresolved", HD_SECONDS
#define HD_NAMES_ELAPSED          "elapsed_s",        "elapsed_s",              "Elapsed",    HD_SECONDS
#define HD_NAMES_CPU              "cpu_s",            "cpu_s",                  "CPU",        HD_SECONDS
#define HD_NAMES_PROCESSOR        "processor_share",  "processor_share",        "Proc%",      HD_SHARE
#define HD_NAMES_GAIN             "gain_s",           "potential_gain_s",       "Gain",       HD_SECONDS
#define HD_NAMES_CONCURRENCY      "mean_concurrency", "mean_concurrency",       "Conc",       HD_NUMBER
#define HD_NAMES_IMBALANCE        "imbalance",        "imbalance",              "Imbal",      HD_NUMBER
#define HD_NAMES_TEAM_MIN         "team_min",         "min",                    NULL,         HD_COUNT
#define HD_NAMES_TEAM_MAX         "team_max",         "max",                    NULL,         HD_COUNT
#define HD_NAMES_WALL             "wall_share_s",     "wall_share_s",           NULL,         HD_SECONDS
#define HD_NAMES_WALL_INCLUSIVE   "wall_share_s",     "wall_share_inclusive_s", NULL,         HD_SECONDS
#define HD_NAMES_WALL_SHARE       "wall_share",       NULL,                     "Wall%",      HD_SHARE
#define HD_NAMES_SEQUENTIAL       "self_sequential_s","busy_sequential_s",      NULL,         HD_SECONDS
#define HD_NAMES_CONCURRENT       "self_concurrent_s","busy_concurrent_s",      NULL,         HD_SECONDS
#define HD_NAMES_OVERLAP          "overlap_s",        "elapsed_s",              "Overlap",    HD_SECONDS
#define HD_NAMES_THREAD           "thread",           "thread",                 "Thread",     HD_COUNT
#define HD_NAMES_THREAD_KIND      "thread_kind",      "kind",                   "Kind",       HD_WORD
#define HD_NAMES_CHUNKS           "chunks",           "chunks",                 "Chunks",     HD_COUNT
#define HD_NAMES_ITERATIONS       "iterations",       "iterations",             "Iterations", HD_COUNT
#define HD_NAMES_CREATED          "created",          "created",                "Created",    HD_COUNT
#define HD_NAMES_RUN              "run",              "run",                    "Run",        HD_COUNT
#define HD_NAMES_ELSEWHERE        "run_elsewhere",    "run_elsewhere",          "Elsewhere",  HD_COUNT
#define HD_NAMES_CALLS_MPI        "calls",            "calls",                  "Calls",      HD_COUNT
#define HD_NAMES_BYTES            "bytes",            "bytes",                  "Bytes",      HD_COUNT
#define HD_NAMES_PATH             "critical_path_s",  "critical_path_s",        "Path",       HD_SECONDS
#define HD_NAMES_PATH_SELF        "critical_path_self_s","critical_path_self_s","Self",       HD_SECONDS
#define HD_NAMES_WORK             "work_s",           "work_s",                 "Work",       HD_SECONDS
#define HD_NAMES_SPAN             "span_s",           "span_s",                 "Span",       HD_SECONDS
#define HD_NAMES_PARALLELISM      "work_per_span",    "work_per_span",          "Work/span",  HD_NUMBER
#define HD_NAMES_SPAN_INSTANCES   "span_instances",   "span_instances",         NULL,         HD_COUNT
#define HD_NAMES_EVENTS           "events",           "count",                  "Events",     HD_COUNT
#define HD_NAMES_EVENT_NS         "event_ns",         "ns_each",                "ns each",    HD_NUMBER
#define HD_NAMES_EVENT_TIME       "event_s",          "total_s",                "Total",      HD_SECONDS
/* clang-format on */

/** What columns of several views mean. */
#define HD_MEANS_CALLS "regions: how often one was opened; others: entries, summed over threads"
#define HD_MEANS_ELAPSED "regions: time from begin to end; loops: a thread's time in it on average"
#define HD_MEANS_SUM "thread time, summed over threads, with the lines below"
#define HD_MEANS_UNRESOLVED                                                                                            \
  "thread time in which events were refused: what threads did is estimated, if windows saw them\n"                     \
  "else it is part of Busy, and of barrier where tasks were refused at a region's end; see docs/budget.md"
#define HD_MEANS_WALL                                                                                                  \
  "part of the run, lines below included; threads that are busy at once share the time\n"                              \
  "the own parts of all lines and the time with no thread busy add up to the run"
#define HD_MEANS_ID "the callpath's number, for --with; of several in one line the first"

#define HD_COLUMN(name, order, rank, help) HD_COLUMN_OF_(HD_NAMES_##name, order, rank, help)
#define HD_COLUMN_OF_(...) HD_COLUMN_ROW_(__VA_ARGS__)
#define HD_COLUMN_ROW_(csv, json, title, kind, order, rank, help)                                                      \
  { csv, title, kind, order, rank, help }

#define HD_KEY(name) HD_KEY_OF_(HD_NAMES_##name)
#define HD_KEY_OF_(...) HD_KEY_ROW_(__VA_ARGS__)
#define HD_KEY_ROW_(csv, json, title, kind) json

#endif
