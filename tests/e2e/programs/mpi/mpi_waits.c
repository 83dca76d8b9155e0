/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranks that wait for each other in each of MPI's ways; each writes what it waited, by its own clock, to books.RANK:
 * "KIND nanoseconds calls bytes". Argument `regions`: they work in parallel regions meanwhile; `abort`: rank 1 ends
 * all; `forget`: none calls MPI_Finalize. Second argument: how many times all that, 1 unless told. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rest.h"

enum kind { POINT_TO_POINT, COLLECTIVE, ONE_SIDED, IO, KINDS };
static const char *const names[] = {"mpi_point_to_point", "mpi_collective", "mpi_one_sided", "mpi_io"};
static struct {
  long long ns, calls, bytes;
} books[KINDS];
static int rank, ranks;

#define BOOK(kind, size, call)                                                                                         \
  do {                                                                                                                 \
    const long long from = now();                                                                                      \
    call;                                                                                                              \
    books[kind].ns += now() - from;                                                                                    \
    books[kind].calls++;                                                                                               \
    books[kind].bytes += (size);                                                                                       \
  } while (0)

static void work(int with_regions, int ms) {
  if (with_regions) {
#pragma omp parallel // mark: region
    rest(ms);
  } else {
    rest(ms);
  }
}

static void late_sender(int with_regions) {
  char message[1000] = {0};
  if (rank == 0) {
    work(with_regions, 300);
    for (int to = 1; to < ranks; to++)
      BOOK(POINT_TO_POINT, 1000, MPI_Send(message, 1000, MPI_CHAR, to, 0, MPI_COMM_WORLD));
  } else {
    BOOK(POINT_TO_POINT, 1000,
         MPI_Recv(message, 1000, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)); // mark: late sender
  }
}

static void late_receiver(int with_regions) {
  int message[10] = {0};
  if (rank == 1) {
    work(with_regions, 200);
    BOOK(POINT_TO_POINT, 40, MPI_Recv(message, 10, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  } else if (rank == 0) {
    BOOK(POINT_TO_POINT, 40, MPI_Ssend(message, 10, MPI_INT, 1, 1, MPI_COMM_WORLD)); // mark: late receiver
  }
}

static void uneven_collective(int with_regions) {
  double mine[3] = {1, 2, 3}, sum[3];
  work(with_regions, rank == 0 ? 250 : 50);
  BOOK(COLLECTIVE, 24, MPI_Allreduce(mine, sum, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD)); // mark: collective
}

static void one_sided(int with_regions) {
  int mine = rank, got = 0;
  MPI_Win window;
  MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  BOOK(ONE_SIDED, 0, MPI_Win_fence(0, window));
  BOOK(ONE_SIDED, 4, MPI_Get(&got, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, window));
  work(with_regions, rank == 0 ? 100 : 10);
  BOOK(ONE_SIDED, 0, MPI_Win_fence(0, window)); // mark: fence
  MPI_Win_free(&window);
}

static void files(void) {
  MPI_File file;
  char text[16] = "fifteen letters";
  BOOK(IO, 0, MPI_File_open(MPI_COMM_WORLD, "written", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
  BOOK(IO, 15, MPI_File_write_at_all(file, 15 * (MPI_Offset)rank, text, 15, MPI_CHAR, MPI_STATUS_IGNORE));
  BOOK(IO, 0, MPI_File_close(&file));
}

static void write_books(void) {
  char name[32], part[40];
  snprintf(name, sizeof name, "books.%d", rank);
  snprintf(part, sizeof part, "%s.part", name);
  FILE *out = fopen(part, "w");
  for (int kind = 0; out && kind < KINDS; kind++)
    fprintf(out, "%s %lld %lld %lld\n", names[kind], books[kind].ns, books[kind].calls, books[kind].bytes);
  if (out && fclose(out) == 0)
    rename(part, name);
}

/* Before one ends all. */
static void wait_for_books(void) {
  char name[32];
  for (int other = 0; other < ranks; other++) {
    snprintf(name, sizeof name, "books.%d", other);
    while (access(name, F_OK) != 0)
      usleep(1000);
  }
}

int main(int argc, char **argv) {
  const int with_regions = argc > 1 && strcmp(argv[1], "regions") == 0;
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int round = argc > 2 ? atoi(argv[2]) : 1; round > 0; round--) {
    late_sender(with_regions);
    late_receiver(with_regions);
    uneven_collective(with_regions);
    one_sided(with_regions);
    files();
  }
  write_books();
  if (argc > 1 && strcmp(argv[1], "regions") != 0)
    wait_for_books();
  if (argc > 1 && strcmp(argv[1], "abort") == 0 && rank == 1)
    MPI_Abort(MPI_COMM_WORLD, 3);
  if (argc > 1 && strcmp(argv[1], "forget") == 0)
    _exit(0);
  MPI_Finalize();
  return 0;
}
