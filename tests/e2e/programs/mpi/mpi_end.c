/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Any number of ranks that end as argv[1] says, where argv[2] names a rank, 0 by default. "well": all alike. That rank
 * calls MPI_Abort ("abort"), is killed ("killed"), leaves ("leaves"), ends much later ("late"), or takes ("takes") what
 * the others sent before they ended, from any rank and with any tag. "after": all go on without MPI. With argv[3] each
 * thread may call MPI. That rank writes the sum of what it got. */
#include <mpi.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rest.h"

enum { LATE_MS = 300, MUCH_LATER_MS = 2500, WORK_MS = 20 };

static int rank, ranks, which;

__attribute__((noinline)) static void work(void) {
#pragma omp parallel // mark: region
  rest(WORK_MS);
}

/* The others' messages lie there before they end, and what Heddle sends must not come among them. */
static int take(void) {
  int sum = 0, got;
  if (rank != which) {
    MPI_Send(&rank, 1, MPI_INT, which, rank, MPI_COMM_WORLD);
    return 0;
  }
  rest(LATE_MS);
  for (int i = 0; i < ranks - 1; i++) {
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += got;
  }
  return sum;
}

static void threads_exchange(void) {
#pragma omp parallel num_threads(2)
  {
    int mine = rank, other, tag = omp_get_thread_num();
    MPI_Sendrecv(&mine, 1, MPI_INT, rank, tag, &other, 1, MPI_INT, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void end_badly(const char *how) {
  rest(LATE_MS);
  if (!strcmp(how, "abort"))
    MPI_Abort(MPI_COMM_WORLD, 3);
  if (!strcmp(how, "killed"))
    kill(getpid(), SIGKILL);
  if (!strcmp(how, "leaves"))
    exit(0);
  if (!strcmp(how, "late"))
    rest(MUCH_LATER_MS);
}

int main(int argc, char **argv) {
  const char *how = argv[1];
  const int is_multiple = argc > 3;
  int provided, sum = 0;
  which = argc > 2 ? atoi(argv[2]) : 0;
  MPI_Init_thread(&argc, &argv, is_multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  work();
  if (is_multiple && provided == MPI_THREAD_MULTIPLE)
    threads_exchange();
  if (!strcmp(how, "takes"))
    sum = take();
  else if (rank == which)
    end_badly(how);
  MPI_Finalize();
  if (!strcmp(how, "after"))
    work();
  if (rank == which)
    printf("sum %d\n", sum);
  return 0;
}
