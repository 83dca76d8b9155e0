/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Uneven regions and a pause of the measurement, then regions that wait for a critical section; after each of the two
 * it says "s" and waits for a line. */
#include <omp.h>
#include <stdio.h>

enum { UNEVEN = 5, CRITICAL = 7 };

static void spin(double seconds) {
  const double end = omp_get_wtime() + seconds;
  while (omp_get_wtime() < end)
    ;
}

static void wait_for_line(void) {
  puts("s");
  fflush(stdout);
  for (int byte; (byte = getchar()) != '\n' && byte != EOF;)
    ;
}

/* Functions of their own: one region each, even if the loops in main are unrolled. */
__attribute__((noinline)) static void uneven(void) {
#pragma omp parallel num_threads(2)
  spin(0.01 * (1 + 2 * omp_get_thread_num()));
}

__attribute__((noinline)) static void contend(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    spin(0.02);
  }
}

int main(void) {
  for (int i = 0; i < UNEVEN; i++)
    uneven();
  omp_control_tool(omp_control_tool_pause, 0, NULL);
  spin(0.02);
  omp_control_tool(omp_control_tool_start, 0, NULL);
  wait_for_line();
  for (int i = 0; i < CRITICAL; i++)
    contend();
  wait_for_line();
  return 0;
}
