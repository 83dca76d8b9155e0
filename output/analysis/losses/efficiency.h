/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file efficiency.h
 * How well a run, or a region, uses its threads, as factors that multiply to the parallel efficiency.
 *
 * The definitions are those of POP's multiplicative model as DLB's TALP has them for OpenMP (pm.bsc.es/dlb, talp:
 * "hybrid" model), from thread time that was useful and lost by cause (losses.h); synchronization is a factor more.
 * Each factor is a part of the thread time in which a loss is left out that the next one brings in:
 *
 *     serialization    useful / (useful + serial)
 *     load balance     (useful + serial) / (... + imbalance)
 *     synchronization  (useful + serial + imbalance) / (... + waits for barriers, locks and tasks, and in MPI)
 *     scheduling       all but the runtime's own work / all
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_EFFICIENCY_H
#define HEDDLE_OUTPUT_ANALYSIS_EFFICIENCY_H

#include "output/analysis/losses/losses.h"

/** Each factor with its key in JSON and CSV, its title, what its losses are, and their causes. */
/* clang-format off */
#define HD_FACTORS(FACTOR)                                                                                            \
  FACTOR(SERIALIZATION, "serialization", "Serial", "no work for the thread", 1u << HD_LOSS_SERIAL)                    \
  FACTOR(LOAD_BALANCE, "load_balance", "Balance", "others had more to do", 1u << HD_LOSS_IMBALANCE)                   \
  FACTOR(SYNCHRONIZATION, "synchronization", "Sync", "explicit barriers, locks, waits for tasks, in MPI, other waits",\
         1u << HD_LOSS_BARRIER | 1u << HD_LOSS_LOCKS | 1u << HD_LOSS_TASKS | 1u << HD_LOSS_MPI |                      \
             1u << HD_LOSS_OTHER)                                                                                     \
  FACTOR(SCHEDULING, "scheduling", "Sched",                                                                           \
         "the runtime's own work: fork, join and barriers, chunks handed out, tasks created",                         \
         1u << HD_LOSS_RUNTIME | 1u << HD_LOSS_SCHEDULING | 1u << HD_LOSS_TASK_CREATION | 1u << HD_LOSS_INFLATION)
/* clang-format on */

enum hd_factor {
#define HD_FACTOR_NUMBER(name, ...) HD_FACTOR_##name,
  HD_FACTORS(HD_FACTOR_NUMBER)
#undef HD_FACTOR_NUMBER
      HD_FACTOR_COUNT
};

struct hd_efficiency {
  double parallel; /* useful / all; NaN: there was no thread time */
  double factors[HD_FACTOR_COUNT];
};

struct hd_efficiency hd_efficiency_of(const struct hd_losses *losses);

const char *hd_factor_id(enum hd_factor factor);

#endif
