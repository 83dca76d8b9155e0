/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Behaves as the letters on its input say, each until the next one comes, and answers each with the letter:
 *   s  serial: the initial thread spins outside regions
 *   b  balanced: one region, in which all threads spin
 *   a  alone: one region, in which thread 0 spins and the others wait at its end
 *   f  fine: regions of a millisecond, in each of which only thread 1 spins
 *   x  executes itself again
 *   q  ends
 * Thread 0 of the team is the initial thread. The reader of the input is no OpenMP thread.
 */
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "spin.h"

static atomic_int phase = 's';

static void *read_input(void *unused) {
  char letter;
  while (read(STDIN_FILENO, &letter, 1) == 1)
    atomic_store(&phase, letter);
  atomic_store(&phase, 'q');
  return unused;
}

static void say(int now) {
  const char text[] = {(char)now, '\n'};
  if (write(STDOUT_FILENO, text, sizeof text) < 0)
    _exit(1);
}

static void spin_while(int now) {
  while (atomic_load(&phase) == now)
    continue;
}

__attribute__((noinline)) static void balanced(void) {
#pragma omp parallel // mark: balanced
  spin_while('b');
}

__attribute__((noinline)) static void alone(void) {
#pragma omp parallel // mark: alone
  if (omp_get_thread_num() == 0)
    spin_while('a');
}

__attribute__((noinline)) static void fine(void) {
  while (atomic_load(&phase) == 'f') {
#pragma omp parallel // mark: fine
    if (omp_get_thread_num() == 1)
      spin_ms(1, 1);
  }
}

int main(int argc, char **argv) {
  pthread_t reader;
  int now = 0;
#pragma omp parallel
  spin_ms(0, 1);
  if (pthread_create(&reader, NULL, read_input, NULL))
    return 1;
  while (now != 'q') {
    now = atomic_load(&phase);
    say(now);
    if (now == 's')
      spin_while('s');
    else if (now == 'b')
      balanced();
    else if (now == 'a')
      alone();
    else if (now == 'f')
      fine();
    else if (now == 'x' && argc)
      execv("/proc/self/exe", argv);
  }
  return 0;
}
