/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* shapes NAME[:SIZE]...: flaws in other shapes than flawed.c has: orphaned loops, function pointers, nested teams, task
 * loops, dependences, reductions of the program's own. Work and size are as there. */
#define WORK_CLOCK CLOCK_THREAD_CPUTIME_ID
#include "flaws.h"

enum { PLANES = 3, SIDE = 24, CELLS = 40, ITEMS = 60000 };
static double cells[CELLS], items[ITEMS], total;

static void all_work(unsigned us) {
#pragma omp parallel
  work_us(us);
}

/* ---- loops ---- */

static void sweep(unsigned size) {
#pragma omp for schedule(static) // mark: orphan
  for (unsigned i = 0; i < CELLS; i++)
    work_us(200 * size * i);
}

static void orphan(unsigned size) {
#pragma omp parallel
  sweep(size);
}

static void collapsed(unsigned size) {
#pragma omp parallel for collapse(2) schedule(static) // mark: collapsed
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++)
      if (j <= i)
        work_us(550 * size);
}

static void turns(unsigned size) {
#pragma omp parallel for schedule(static, 1) // mark: turns
  for (unsigned i = 0; i < CELLS; i++)
    work_us(i % 2 == 0 ? 4000 * size : 200);
}

static void guided(unsigned size) {
#pragma omp parallel for schedule(guided, 30) // mark: guided
  for (int i = 0; i < CELLS; i++)
    work_us(4000 * size);
}

static void runtime(unsigned size) {
  omp_set_schedule(omp_sched_dynamic, 30);
#pragma omp parallel for schedule(runtime) // mark: runtime
  for (int i = 0; i < CELLS; i++)
    work_us(4000 * size);
}

static void planes(unsigned size) {
#pragma omp parallel for // mark: planes
  for (int plane = 0; plane < PLANES; plane++)
    for (unsigned i = 0; i < 20; i++)
      work_us(4000 * size);
}

/* The barrier in which its copies are combined waits for the long iteration, too. */
static void longest(unsigned size) {
  double sum = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic) reduction(+ : sum) // mark: longest
    for (int i = 0; i < CELLS; i++) {
      work_us(i == CELLS - 1 ? 80000 * size : 500);
      sum += i;
    }
  }
  total += sum;
}

static void inner(unsigned size) {
#pragma omp parallel for num_threads(2) schedule(static) // mark: nested
  for (unsigned i = 0; i < CELLS; i++)
    work_us(200 * size * i);
}

static void nested(unsigned size) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(1)
  inner(size);
}

/* ---- parts of a region for one thread ---- */

static void halves(unsigned size) {
#pragma omp parallel sections // mark: halves
  {
    work_us(90000 * size);
#pragma omp section
    work_us(10000);
#pragma omp section
    work_us(5000);
  }
}

static void copies(unsigned size) {
  double scale;
#pragma omp parallel private(scale)
  for (unsigned i = 0; i < 10 * size; i++) {
#pragma omp single copyprivate(scale) // mark: copies
    {
      work_us(8000);
      scale = i;
    }
    work_us(500);
  }
}

/* ---- threads that queue ---- */

static void note(unsigned us) {
#pragma omp critical(notes) // mark: pointer
  {
    work_us(us);
    total += us;
  }
}

static void pointer(unsigned size) {
  void (*volatile visit)(unsigned) = note;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < CELLS; i++) {
    work_us(200);
    visit(2000 * size);
  }
}

struct sum {
  double value;
};

static void join(struct sum *to, const struct sum *from) {
  work_us(2000);
  to->value += from->value;
}

#pragma omp declare reduction(slow : struct sum : join(&omp_out, &omp_in)) initializer(omp_priv = {0})

static void combine(unsigned size) {
  struct sum sum = {0};
  for (unsigned i = 0; i < 40 * size; i++) {
#pragma omp parallel for reduction(slow : sum) // mark: combine
    for (int j = 0; j < 8; j++)
      sum.value += j;
  }
  total += sum.value;
}

/* ---- tasks ---- */

static void chain(unsigned size) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < CELLS; i++) {
#pragma omp task depend(inout : cells) // mark: chain
    work_us(2000 * size);
  }
}

static void each(unsigned size) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1) // mark: each
  for (unsigned i = 0; i < ITEMS * size; i++)
    items[i % ITEMS] += i;
}

static void parts(unsigned size) {
#pragma omp parallel
#pragma omp master
#pragma omp taskloop num_tasks(3) // mark: parts
  for (int i = 0; i < 60; i++)
    work_us(4000 * size);
}

static const struct flaw table[] = {
#define ROW(name)                                                                                                      \
  { #name, name }
    ROW(orphan), ROW(collapsed), ROW(turns),   ROW(guided),  ROW(runtime), ROW(planes), ROW(longest), ROW(nested),
    ROW(halves), ROW(copies),    ROW(pointer), ROW(combine), ROW(chain),   ROW(each),   ROW(parts)};

int main(int argc, char **argv) {
  (void)argc;
  all_work(1000);
  run_flaws(argv, table, sizeof table / sizeof *table);
  return total < 0;
}
