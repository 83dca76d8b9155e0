/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/mpi_rank.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* -1: it is not set, or no number. */
static long number_of(const char *variable) {
  const char *text = variable ? getenv(variable) : NULL;
  return text && *text >= '0' && *text <= '9' ? strtol(text, NULL, 10) : -1;
}

/* A batch script of Slurm has a rank and a number of tasks, too, but no step: that is what srun starts. PMIx alone does
 * not say how many ranks there are. */
static const struct {
  const char *rank, *ranks;
  bool needs_both;
} launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", false},
                 {"PMI_RANK", "PMI_SIZE", false},
                 {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", false},
                 {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", true},
                 {"PMIX_RANK", NULL, false}};

struct hd_mpi_rank hd_mpi_rank_find(void) {
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
    const long rank = number_of(launchers[i].rank), ranks = number_of(launchers[i].ranks);
    const bool knows_both = ranks > rank && ranks <= UINT32_MAX;
    if (rank >= 0 && rank <= INT32_MAX && (knows_both || !launchers[i].needs_both))
      return (struct hd_mpi_rank){(int32_t)rank, knows_both ? (uint32_t)ranks : 0};
  }
  return (struct hd_mpi_rank){-1, 0};
}
