/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that looks after its descriptors itself. A region of two threads in which thread i touches 100 (i + 1)
 * pages, from `measured`; then "close": closes all descriptors from 3 on, opens the file FILE as each number from
 * 3 to its limit and has the region again, from `afterwards`; then every one must stand where it was opened, and FILE
 * hold what it held: "offsets 0" is the sum of all offsets. "limit LEFT": first leaves itself just so many descriptors,
 * and has its region with 8 threads. "opens N": the number of the next file that it opened, after the region.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "pages.h"

static int team = 2;

static __attribute__((noinline)) void region(int n) {
#pragma omp parallel num_threads(team) // mark: region
  touch(omp_get_thread_num(), 100 * n * (omp_get_thread_num() + 1));
}

CALLER(warm_up, region(0))
CALLER(measured, region(1))
CALLER(afterwards, region(1))

static void limit_descriptors(int left) {
  const struct rlimit limit = {(rlim_t)(3 + left), (rlim_t)(3 + left)};
  setrlimit(RLIMIT_NOFILE, &limit);
  team = 8;
}

static void close_and_open(const char *path) {
  off_t offsets = 0;
  closefrom(3);
  const int file = open(path, O_RDWR), most = (int)sysconf(_SC_OPEN_MAX);
  for (int i = file + 1; i < most; i++)
    dup2(file, i); // all share one offset: who reads from one of them moves it
  afterwards();
  for (int i = file; i < most; i++)
    offsets += lseek(i, 0, SEEK_CUR);
  closefrom(3); // the profile is written through one
  printf("offsets %lld\n", (long long)offsets);
}

int main(int argc, char **argv) {
  open_pages();
  if (argc > 2 && !strcmp(argv[1], "limit"))
    limit_descriptors(atoi(argv[2]));
  warm_up();
  measured();
  printf("opens %d\n", open("/dev/null", O_RDONLY));
  if (argc > 2 && !strcmp(argv[1], "close"))
    close_and_open(argv[2]);
  return 0;
}
