/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/mpi_rank.h"

#include <stddef.h>
#include <stdlib.h>

/* -1: it is not set, or no number. */
static long number_of(const char *variable) {
  const char *text = variable ? getenv(variable) : NULL;
  return text && *text >= '0' && *text <= '9' ? strtol(text, NULL, 10) : -1;
}

struct hd_mpi_rank hd_mpi_rank_find(void) {
  static const struct {
    const char *rank, *ranks;
  } launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                   {"PMI_RANK", "PMI_SIZE"},
                   {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                   {"PMIX_RANK", NULL},
                   {"SLURM_PROCID", "SLURM_NTASKS"}};
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
    const long rank = number_of(launchers[i].rank), ranks = number_of(launchers[i].ranks);
    if (rank >= 0 && rank <= INT32_MAX)
      return (struct hd_mpi_rank){(int32_t)rank, ranks > rank && ranks <= UINT32_MAX ? (uint32_t)ranks : 0};
  }
  return (struct hd_mpi_rank){-1, 0};
}
