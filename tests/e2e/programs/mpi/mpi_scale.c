/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Any number of ranks that divide WORK_MS of sleep, in a parallel region of each rank, and then meet in an
 * MPI_Allreduce. argv[1]: "even": no more. "uneven": the last rank sleeps UNEVEN_MS more for each rank there is beyond
 * the first. "serial": before, each rank sleeps SERIAL_MS outside of regions. "whole": nothing is divided. "alone": MPI
 * is never called. Each rank prints "work NS", by its own clock: how long its region took. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "rest.h"

enum { WORK_MS = 800, UNEVEN_MS = 300, SERIAL_MS = 400 };

__attribute__((noinline)) static void work(int ms) {
  const long long from = now();
#pragma omp parallel // mark: region
  rest(ms);
  printf("work %lld\n", now() - from);
}

int main(int argc, char **argv) {
  int rank = 0, ranks = 1, provided;
  double mine = 1, sum;
  const char *how = argv[1];
  if (strcmp(how, "alone") == 0) {
    work(WORK_MS);
    return 0;
  }
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (strcmp(how, "serial") == 0)
    rest(SERIAL_MS);
  const int own_ms = strcmp(how, "whole") == 0 ? WORK_MS : WORK_MS / ranks;
  work(own_ms + (strcmp(how, "uneven") == 0 && rank == ranks - 1 ? UNEVEN_MS * (ranks - 1) : 0));
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // mark: collective
  MPI_Finalize();
  return sum != ranks;
}
