/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The tasks of a sparse LU factorisation by blocks, in the order and with the empty blocks of BOTS' sparselu; instead
 * of computing each works for WORK_NS. Argument: "taskwait", behind each step as there, or "depend". By the program's
 * own clock each task knows how long the longest chain is that leads to its end: "span 0 NS"     of the longest of all
 *   "worked 0 NS"   all threads
 */
#include <stdbool.h>
#include <string.h>

#include "spin.h"

enum { BLOCKS = 7, WORK_NS = 1000000 };

static uint64_t ends[BLOCKS][BLOCKS]; /* of the longest chain that leads to what the block is now */
static bool is_there[BLOCKS][BLOCKS];
static uint64_t nothing;
static bool waits;
static uint64_t chain_ns, since_ns; /* of the thread that creates the tasks: the longest so far, and when it went on */
static uint64_t worked_ns;

static uint64_t later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static void add_work(uint64_t ns) {
#pragma omp atomic
  worked_ns += ns;
}

static uint64_t chain(void) {
  return chain_ns + (now_ns() - since_ns);
}

static void update(uint64_t created_ns, const uint64_t *a, const uint64_t *b, uint64_t *block) {
  const uint64_t begin = now_ns();
  while (now_ns() - begin < WORK_NS)
    ;
  const uint64_t own = now_ns() - begin;
  *block = later(later(created_ns, *block), later(*a, *b)) + own;
  add_work(own);
}

static void create(const uint64_t *a, const uint64_t *b, uint64_t *block) {
  const uint64_t created = chain();
  if (waits) {
#pragma omp task
    update(created, a, b, block);
  } else {
#pragma omp task depend(in : *a, *b) depend(inout : *block)
    update(created, a, b, block);
  }
}

/* Behind all tasks so far. */
static void go_on(void) {
  for (int i = 0; i < BLOCKS; i++)
    for (int j = 0; j < BLOCKS; j++)
      chain_ns = later(chain_ns, ends[i][j]);
  since_ns = now_ns();
}

static void stop(void) {
  const uint64_t own = now_ns() - since_ns;
  chain_ns += own;
  add_work(own);
}

static void end_step(void) {
  if (!waits)
    return;
  stop();
#pragma omp taskwait
  go_on();
}

static void factorise(void) {
  for (int k = 0; k < BLOCKS; k++) {
    create(&nothing, &nothing, &ends[k][k]);
    end_step();
    for (int i = k + 1; i < BLOCKS; i++) {
      if (is_there[k][i])
        create(&ends[k][k], &nothing, &ends[k][i]);
      if (is_there[i][k])
        create(&ends[k][k], &nothing, &ends[i][k]);
    }
    end_step();
    for (int i = k + 1; i < BLOCKS; i++)
      for (int j = k + 1; j < BLOCKS; j++)
        if (is_there[i][k] && is_there[k][j]) {
          is_there[i][j] = true;
          create(&ends[i][k], &ends[k][j], &ends[i][j]);
        }
    end_step();
  }
}

static bool is_filled(int i, int j) {
  const bool is_near = i - j <= 1 && j - i <= 1;
  return is_near || (i % 2 == 0 && j % 2 == 0 && (i < j ? i : j) % 3 == 0);
}

int main(int argc, char **argv) {
  waits = argc > 1 && strcmp(argv[1], "taskwait") == 0;
  for (int i = 0; i < BLOCKS; i++)
    for (int j = 0; j < BLOCKS; j++)
      is_there[i][j] = is_filled(i, j);
#pragma omp parallel // mark: region
#pragma omp single
  {
    since_ns = now_ns();
    factorise();
    stop();
  }
  go_on();
  printf("span 0 %llu\nworked 0 %llu\n", (unsigned long long)chain_ns, (unsigned long long)worked_ns);
  return 0;
}
