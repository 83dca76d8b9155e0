/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* shapes_cured NAME[:SIZE]...: the programs of shapes.c, each with the change that its finding asks for. */
#define WORK_CLOCK CLOCK_THREAD_CPUTIME_ID
#include "flaws.h"

enum { PLANES = 3, SIDE = 24, CELLS = 40, ITEMS = 60000 };
static double cells[CELLS], items[ITEMS], total;

static void all_work(unsigned us) {
#pragma omp parallel
  work_us(us);
}

static void orphan(unsigned size) {
#pragma omp parallel
  {
#pragma omp for schedule(guided)
    for (unsigned i = 0; i < CELLS; i++)
      work_us(200 * size * i);
  }
}

static void collapsed(unsigned size) {
#pragma omp parallel for collapse(2) schedule(guided)
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++)
      if (j <= i)
        work_us(550 * size);
}

static void turns(unsigned size) {
#pragma omp parallel for schedule(dynamic, 1)
  for (unsigned i = 0; i < CELLS; i++)
    work_us(i % 2 == 0 ? 4000 * size : 200);
}

static void guided(unsigned size) {
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < CELLS; i++)
    work_us(4000 * size);
}

static void planes(unsigned size) {
#pragma omp parallel for collapse(2)
  for (int plane = 0; plane < PLANES; plane++)
    for (unsigned i = 0; i < 20; i++)
      work_us(4000 * size);
}

static void longest(unsigned size) {
  double sum = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < CELLS; i++) {
      work_us(i < 20 ? 4000 * size : 500);
      sum += i;
    }
  }
  total += sum;
}

static void nested(unsigned size) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(1)
#pragma omp parallel for num_threads(2) schedule(guided)
  for (unsigned i = 0; i < CELLS; i++)
    work_us(200 * size * i);
}

static void halves(unsigned size) {
#pragma omp parallel sections
  {
    work_us(45000 * size + 7500);
#pragma omp section
    work_us(45000 * size + 7500);
  }
}

static void copies(unsigned size) {
#pragma omp parallel
  for (unsigned i = 0; i < 10 * size; i++) {
#pragma omp for
    for (int half = 0; half < 2; half++)
      work_us(4500);
  }
}

static void pointer(unsigned size) {
#pragma omp parallel for schedule(static) reduction(+ : total)
  for (int i = 0; i < CELLS; i++) {
    work_us(200 + 2000 * size);
    total += i;
  }
}

static void chain(unsigned size) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < CELLS; i++) {
#pragma omp task depend(inout : cells[i])
    work_us(2000 * size);
  }
}

static void each(unsigned size) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(10000)
  for (unsigned i = 0; i < ITEMS * size; i++)
    items[i % ITEMS] += i;
}

static void parts(unsigned size) {
#pragma omp parallel
#pragma omp master
#pragma omp taskloop num_tasks(20)
  for (int i = 0; i < 60; i++)
    work_us(4000 * size);
}

static const struct flaw table[] = {
#define ROW(name)                                                                                                      \
  { #name, name }
    ROW(orphan), ROW(collapsed), ROW(turns),   ROW(guided), ROW(planes), ROW(longest), ROW(nested),
    ROW(halves), ROW(copies),    ROW(pointer), ROW(chain),  ROW(each),   ROW(parts)};

int main(int argc, char **argv) {
  (void)argc;
  all_work(1000);
  run_flaws(argv, table, sizeof table / sizeof *table);
  return total < 0;
}
