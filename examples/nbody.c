/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * N-body: gravity between all pairs of bodies, and the potential energy after every step.
 *
 * Flaw: the energy loop is a triangle (body i meets i others) shared out in equal blocks of i. The thread with the last
 * block has most of the pairs: with two threads 3/4 of the work, so its imbalance is 1.5.
 * In Heddle: `parallel potential_energy` shows that imbalance and the waiting at its barrier; `parallel move_bodies`,
 * whose loop is a square, has an imbalance of about 1.
 * Fixed twin: nbody_fixed.c deals the rows of the triangle out in turn.
 *
 * usage: nbody [BODIES [STEPS]]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_BODIES = 20000 };
static const double TIME_STEP = 1e-4, SOFTENING = 1e-3;
static double position[MAX_BODIES][3], velocity[MAX_BODIES][3], potential[MAX_BODIES];

/* A cube of bodies at rest, from a fixed linear congruential generator. */
static void set_bodies(int count) {
  unsigned long state = 1;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) {
      state = state * 6364136223846793005UL + 1442695040888963407UL;
      position[i][k] = (double)(state >> 11) / 9007199254740992.0;
    }
}

/* Two loop nests on purpose: all positions must be final before they move. */
static void move_bodies(int count) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < count; i++)
      for (int j = 0; j < count; j++) {
        double x = position[j][0] - position[i][0], y = position[j][1] - position[i][1];
        double z = position[j][2] - position[i][2], r2 = x * x + y * y + z * z + SOFTENING;
        double pull = TIME_STEP / (count * r2 * sqrt(r2));
        velocity[i][0] += x * pull;
        velocity[i][1] += y * pull;
        velocity[i][2] += z * pull;
      }
#pragma omp for
    for (int i = 0; i < count; i++)
      for (int k = 0; k < 3; k++)
        position[i][k] += TIME_STEP * velocity[i][k];
  }
}

/* Every pair once: body i meets the bodies before it. */
static double potential_energy(int count) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < count; i++) {
    potential[i] = 0.0;
    for (int j = 0; j < i; j++) {
      double x = position[j][0] - position[i][0], y = position[j][1] - position[i][1];
      double z = position[j][2] - position[i][2];
      potential[i] -= 1.0 / sqrt(x * x + y * y + z * z + SOFTENING);
    }
  }
  double sum = 0.0; /* in order, so that the result does not depend on the number of threads */
  for (int i = 0; i < count; i++)
    sum += potential[i];
  return sum / count / count;
}

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 2500;
  int steps = argc > 2 ? atoi(argv[2]) : 50;
  if (count < 2 || count > MAX_BODIES || steps < 1) {
    fprintf(stderr, "usage: %s [BODIES [STEPS]]\n", argv[0]);
    return 2;
  }
  set_bodies(count);
  double energy = 0.0;
  for (int step = 0; step < steps; step++) {
    move_bodies(count);
    energy = potential_energy(count);
  }
  printf("nbody %d %d: checksum %.12f\n", count, steps, energy);
  return 0;
}
