/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* flawed NAME[:SIZE]...: programs with planted flaws, one after the other. A thread's work is so much of its own
 * processor time, whatever else the machine does. On two processors each flaw costs some 40 ms times its size (1). */
#define WORK_CLOCK CLOCK_THREAD_CPUTIME_ID
#include "flaws.h"

static volatile double apart[64];
static double total;

static void all_work(unsigned us) {
#pragma omp parallel
  work_us(us);
}

/* ---- serial ---- */

static void serial(unsigned size) {
  work_us(80000 * size);
}

static void between(unsigned size) {
  for (unsigned i = 0; i < 20 * size; i++) {
    work_us(4000);
    all_work(500);
  }
}

static void team(unsigned size) {
#pragma omp parallel num_threads(1) // mark: team
  work_us(80000 * size);
}

static void single(unsigned size) {
#pragma omp parallel
#pragma omp single // mark: single
  work_us(80000 * size);
}

static void masked(unsigned size) {
#pragma omp parallel
  {
#pragma omp master // mark: masked
    work_us(80000 * size);
#pragma omp barrier
    work_us(5000);
  }
}

static void nowait(unsigned size) {
#pragma omp parallel
  {
#pragma omp single nowait // mark: nowait
    work_us(80000 * size);
    work_us(5000);
  }
}

static void sections(unsigned size) {
#pragma omp parallel
  {
#pragma omp sections // mark: sections
    {
      work_us(90000 * size);
#pragma omp section
      work_us(10000);
    }
  }
}

/* ---- loops ---- */

static void triangle(unsigned size) {
#pragma omp parallel for schedule(static) // mark: triangle
  for (unsigned i = 0; i < 40; i++)
    work_us(200 * size * i);
}

static void decreasing(unsigned size) {
#pragma omp parallel
  {
#pragma omp for schedule(static) // mark: decreasing
    for (unsigned i = 0; i < 40; i++)
      work_us(200 * size * (40 - i));
  }
}

static void unclosed(unsigned size) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait // mark: unclosed
    for (unsigned i = 0; i < 40; i++)
      work_us(200 * size * i);
  }
}

static void chunk(unsigned size) {
#pragma omp parallel for schedule(dynamic, 30) // mark: chunk
  for (int i = 0; i < 40; i++)
    work_us(4000 * size);
}

static void huge(unsigned size) {
#pragma omp parallel for schedule(dynamic) // mark: huge
  for (int i = 0; i < 40; i++)
    work_us(i == 39 ? 80000 * size : 500);
}

static void few(unsigned size) {
#pragma omp parallel
  {
#pragma omp for schedule(static) // mark: few
    for (int i = 0; i < 3; i++)
      work_us(80000 * size);
  }
}

static void number(unsigned size) {
#pragma omp parallel // mark: number
  work_us(omp_get_thread_num() == 0 ? 85000 * size : 5000);
}

static void scheduling(unsigned size) {
#pragma omp parallel for schedule(dynamic, 1) // mark: scheduling
  for (unsigned i = 0; i < 800000 * size; i++)
    apart[omp_get_thread_num() % 2 * 32] = i;
}

static double add(double to, double from) {
  work_us(200);
  return to + from;
}

#pragma omp declare reduction(slow:double : omp_out = add(omp_out, omp_in)) initializer(omp_priv = 0)

static void reduction(unsigned size) {
  double sums[2] = {0, 0};
  for (unsigned i = 0; i < 100 * size; i++) {
#pragma omp parallel for schedule(static) reduction(slow : sums) // mark: reduction
    for (int j = 0; j < 2; j++)
      sums[j] += 1;
  }
  total += sums[0] + sums[1];
}

/* ---- barriers and regions ---- */

static void turns(unsigned size) {
#pragma omp parallel
  for (unsigned i = 0; i < 10 * size; i++) {
    work_us((unsigned)omp_get_thread_num() % 2 == i % 2 ? 9000 : 1000);
#pragma omp barrier // mark: turns
  }
}

static void lasting(unsigned size) {
#pragma omp parallel // mark: lasting
  for (unsigned i = 0; i < 10 * size; i++) {
    work_us(omp_get_thread_num() == 0 ? 9000 : 1000);
#pragma omp barrier
  }
}

static void closing(unsigned size) {
#pragma omp parallel
  for (unsigned i = 0; i < 5 * size; i++) {
#pragma omp for schedule(static) // mark: closing
    for (int j = 0; j < 8; j++)
      work_us(j < 4 ? 2200 : 200);
#pragma omp for schedule(static) // mark: second
    for (int j = 0; j < 8; j++)
      work_us(j < 4 ? 200 : 2200);
  }
}

static void tiny(unsigned size) {
  for (unsigned i = 0; i < 4000 * size; i++) {
#pragma omp parallel // mark: tiny
    apart[omp_get_thread_num() % 2 * 32] = i;
  }
}

/* ---- threads that queue ---- */

static void critical(unsigned size) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 40; i++) {
    work_us(200);
#pragma omp critical // mark: critical
    work_us(2000 * size);
  }
}

static void lock(unsigned size) {
  omp_lock_t one;
  omp_init_lock(&one);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 40; i++) {
    work_us(200);
    omp_set_lock(&one); // mark: lock
    work_us(2000 * size);
    omp_unset_lock(&one);
  }
  omp_destroy_lock(&one);
}

static void ordered(unsigned size) {
#pragma omp parallel for schedule(static, 1) ordered
  for (int i = 0; i < 40; i++) {
    work_us(200);
#pragma omp ordered // mark: ordered
    work_us(2000 * size);
  }
}

/* ---- tasks ---- */

static void small(unsigned size) {
#pragma omp parallel
#pragma omp single
  for (unsigned i = 0; i < 50000 * size; i++) {
#pragma omp task // mark: small
    apart[omp_get_thread_num() % 2 * 32]++;
  }
}

static void producer(unsigned size) {
#pragma omp parallel
#pragma omp single
  for (unsigned i = 0; i < 50 * size; i++) {
    work_us(2000);
#pragma omp task // mark: producer
    work_us(100);
  }
}

static void three(unsigned size) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 3; i++) {
#pragma omp task // mark: three
    work_us(80000 * size);
  }
}

static void uneven(unsigned size) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task // mark: uneven
    work_us(i == 19 ? 80000 * size : 1000);
  }
}

/* ---- healthy ---- */

static void even(unsigned size) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 80; i++)
    work_us(1000 * size);
}

static void guided(unsigned size) {
#pragma omp parallel for schedule(guided)
  for (unsigned i = 0; i < 160; i++)
    work_us((1000 - 5 * i) * size);
}

static void rare(unsigned size) {
#pragma omp parallel for schedule(dynamic) reduction(+ : total)
  for (int i = 0; i < 80; i++) {
    work_us(1000 * size);
#pragma omp critical
    total += i;
  }
}

static void chunks(unsigned size) {
#pragma omp parallel for schedule(dynamic, 4)
  for (unsigned i = 0; i < 400; i++)
    work_us(200 * size);
}

static void loops(unsigned size) {
#pragma omp parallel
  for (unsigned step = 0; step < 10 * size; step++) {
#pragma omp for
    for (int i = 0; i < 16; i++)
      work_us(500);
  }
}

static const struct flaw table[] = {
#define ROW(name) {#name, name}
    ROW(serial),     ROW(between),    ROW(team),     ROW(single),   ROW(masked),  ROW(nowait), ROW(sections),
    ROW(triangle),   ROW(decreasing), ROW(unclosed), ROW(chunk),    ROW(huge),    ROW(few),    ROW(number),
    ROW(scheduling), ROW(reduction),  ROW(turns),    ROW(lasting),  ROW(closing), ROW(tiny),   ROW(critical),
    ROW(lock),       ROW(ordered),    ROW(small),    ROW(producer), ROW(three),   ROW(uneven), ROW(even),
    ROW(guided),     ROW(rare),       ROW(chunks),   ROW(loops)};

int main(int argc, char **argv) { // mark: main
  (void)argc;
  all_work(1000);
  run_flaws(argv, table, sizeof table / sizeof *table);
  return 0;
}
