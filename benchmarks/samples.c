/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What it costs a thread to be sampled by the kernel (counters/sample_ring.h), at several rates: how much more
 * processor time the same work takes. The rates take turns, so that other work on the machine affects all alike; of
 * each rate's rounds the lower quartile counts.
 *
 * usage: samples [rounds]  (default 60)
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counters/sample_ring.h"

enum { STEPS = 40000000, ROUNDS_MOST = 1000, RING_BYTES = 16 << 10 };

static const uint64_t rates_hz[] = {0, 250, 1000, 4000, 16000};
enum { RATES = sizeof rates_hz / sizeof *rates_hz };

static volatile uint64_t sink;

static double processor_s(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double work(uint64_t hz) {
  struct hd_sample_ring ring = {0};
  const int error = hz ? hd_sample_ring_open(&ring, 1000000000 / hz, RING_BYTES) : 0;
  if (error) {
    char why[400];
    hd_sample_ring_explain(error, why, sizeof why);
    printf("not measured: %s\n", why);
    exit(0);
  }
  const double begin = processor_s();
  uint64_t x = 1;
  for (uint64_t i = 0; i < STEPS; i++)
    x = x * UINT64_C(6364136223846793005) + i;
  sink = x;
  const double took = processor_s() - begin;
  hd_sample_ring_close(&ring);
  return took;
}

static int compare(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

int main(int argc, char **argv) {
  static double took[RATES][ROUNDS_MOST];
  const int asked = argc > 1 ? atoi(argv[1]) : 60;
  const int rounds = asked < 1 ? 1 : asked > ROUNDS_MOST ? ROUNDS_MOST : asked;
  struct hd_sample_ring first = {0};
  hd_sample_ring_open(&first, UINT64_C(1) << 60, RING_BYTES); /* the machine's first one takes the kernel long */
  for (int round = 0; round < rounds; round++)
    for (int rate = 0; rate < RATES; rate++)
      took[rate][round] = work(rates_hz[rate]);
  hd_sample_ring_close(&first);
  for (int rate = 0; rate < RATES; rate++)
    qsort(took[rate], (size_t)rounds, sizeof(double), compare);
  const double none = took[0][rounds / 4];
  printf("%8s %12s %12s\n", "Hz", "slower by", "us a sample");
  for (int rate = 1; rate < RATES; rate++) {
    const double more = took[rate][rounds / 4] - none;
    printf("%8llu %11.2f%% %12.1f\n", (unsigned long long)rates_hz[rate], 100 * more / none,
           1e6 * more / (none * (double)rates_hz[rate]));
  }
  return 0;
}
