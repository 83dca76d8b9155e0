/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Any number of ranks, of which one, argv[2], has most to do in a parallel region; the others wait for it as argv[1]
 * says; argv[3], if given: all work lasts so many times as long. Each writes to books.RANK, by its own clock, how long
 * its regions and its calls of MPI took: "work NS", "wait NS". */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rest.h"

enum { ROUNDS = 3, LONG_MS = 200, SHORT_MS = 20, STAIR_MS = 10 };

static int rank, ranks, late, longer = 1;
static long long work_ns, wait_ns;

/* Thread 0 for `first` milliseconds, the others for `others`. Inlined, its calls would be merged and have no line. */
__attribute__((noinline)) static void work(int first, int others) {
  const long long from = now();
#pragma omp parallel // mark: region
  rest(omp_get_thread_num() == 0 ? first : others);
  work_ns += now() - from;
}

static void send(void) {
  char message[1000] = {0};
  for (int other = 0; other < ranks; other++)
    if (rank == late && other != late)
      MPI_Send(message, 1000, MPI_CHAR, other, 0, MPI_COMM_WORLD);
  if (rank != late)
    MPI_Recv(message, 1000, MPI_CHAR, late, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // mark: sender
}

static void receive(void) {
  char message[1000] = {0};
  for (int other = 0; other < ranks; other++)
    if (rank == late && other != late)
      MPI_Recv(message, 1000, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank != late)
    MPI_Ssend(message, 1000, MPI_CHAR, late, 0, MPI_COMM_WORLD); // mark: receiver
}

static void collect(void) {
  double mine = 1, sum;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // mark: collective
}

static void send_to_nobody(void) {
  MPI_Send(NULL, 0, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD); // mark: nothing
}

static void play(const char *how) {
  const int ms = longer * (rank == late ? LONG_MS : SHORT_MS);
  const int stair = longer * (rank == late ? LONG_MS : STAIR_MS * (rank + 1));
  if (strcmp(how, "stairs") == 0)
    work(stair, stair);
  else if (strcmp(how, "hybrid") == 0)
    work(longer * SHORT_MS, ms);
  else
    work(ms, ms);
  const long long from = now();
  if (strcmp(how, "sender") == 0)
    send();
  else if (strcmp(how, "receiver") == 0)
    receive();
  else
    collect();
  wait_ns += now() - from;
}

static void write_books(void) {
  char name[32];
  snprintf(name, sizeof name, "books.%d", rank);
  FILE *out = fopen(name, "w");
  if (!out)
    exit(1);
  fprintf(out, "work %lld\nwait %lld\n", work_ns, wait_ns);
  fclose(out);
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  late = atoi(argv[2]);
  longer = argc > 3 ? atoi(argv[3]) : 1;
  send_to_nobody();
  omp_get_max_threads(); // the runtime and the tool begin now, not in the first region
  for (int round = 0; round < ROUNDS; round++)
    play(argv[1]);
  write_books();
  MPI_Finalize();
  return 0;
}
