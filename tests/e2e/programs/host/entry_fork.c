/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A process that forks in an undeferred task: GCC's code runs that inside GOMP_task. The child returns from there, too,
 * then works in a dynamic loop of 100 iterations and ends; the parent waits for it and does the same. Each prints "sum
 * 100".
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  pid_t child = -1;
  int sum = 0;
#pragma omp task if (0) shared(child) // mark: task
  child = fork();
  if (child > 0)
    waitpid(child, NULL, 0);
#pragma omp parallel for schedule(dynamic) reduction(+ : sum) // mark: loop
  for (int i = 0; i < 100; i++)
    sum++;
  printf("sum %d\n", sum);
  return 0;
}
