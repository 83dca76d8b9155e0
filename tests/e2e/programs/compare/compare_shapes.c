/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The flaws of compare_flaws.c in other shapes. Each region has N units of work for any number of threads up to 2:
 *   master     all of it in a master, the others wait at a barrier           serial
 *   first      half of it in a master, then an even loop                     serial
 *   more       half of it by thread 0 only, then an even loop                imbalance
 *   uneven     a loop without its own barrier, 3 : 1, then a barrier         explicit barriers
 *   sections   two sections, 3 : 1                                           imbalance
 *   reduction  a loop, 3 : 1, that sums up                                   imbalance
 *   lock       nine tenths of it with a lock held                            locks
 *   ordered    nine tenths of it in order                                    locks
 *   tasks      one task                                                      tasks
 *   taskloop   one task of a taskloop                                        tasks
 *   taskwait   two tasks, 3 : 1, that are waited for                         tasks
 *   atomic     nothing but additions to one number                           work inflation
 *   small      a team of one thread                                          serial
 *   nested     two teams of one thread in a team of two                      nothing
 */
#include <omp.h>

#include "compare_work.h"

static void waits(long units) {
#pragma omp parallel // mark: master
  {
#pragma omp master
    work_units(units);
#pragma omp barrier
  }
#pragma omp parallel // mark: first
  {
#pragma omp master
    work_units(units / 2);
#pragma omp for schedule(static)
    for (int part = 0; part < 2; part++)
      work_units(units / 4);
  }
#pragma omp parallel // mark: more
  {
    if (omp_get_thread_num() == 0)
      work_units(units / 2);
#pragma omp for schedule(static)
    for (int part = 0; part < 2; part++)
      work_units(units / 4);
  }
#pragma omp parallel // mark: uneven
  {
#pragma omp for schedule(static) nowait
    for (int part = 0; part < 2; part++)
      work_units(part ? units / 4 : units * 3 / 4);
#pragma omp barrier
  }
}

static uint64_t loops(long units) {
  uint64_t sum = 0;
#pragma omp parallel sections // mark: sections
  {
#pragma omp section
    work_units(units * 3 / 4);
#pragma omp section
    work_units(units / 4);
  }
#pragma omp parallel for schedule(static) reduction(+ : sum) // mark: reduction
  for (int part = 0; part < 2; part++)
    sum += work_units(part ? units / 4 : units * 3 / 4);
  return sum;
}

static void turns(long units) {
  const long parts = compare_parts(units);
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel for schedule(static) // mark: lock
  for (long part = 0; part < parts; part++) {
    work_units(units / parts / 10);
    omp_set_lock(&lock);
    work_units(units / parts * 9 / 10);
    omp_unset_lock(&lock);
  }
#pragma omp parallel for ordered schedule(static, 1) // mark: ordered
  for (long part = 0; part < parts; part++) {
    work_units(units / parts / 10);
#pragma omp ordered
    work_units(units / parts * 9 / 10);
  }
}

static void tasks(long units) {
#pragma omp parallel // mark: tasks
#pragma omp single
#pragma omp task
  work_units(units);
#pragma omp parallel // mark: taskloop
#pragma omp single
#pragma omp taskloop num_tasks(1)
  for (int part = 0; part < 2; part++)
    work_units(units / 2);
#pragma omp parallel // mark: taskwait
#pragma omp master
  {
#pragma omp task
    work_units(units * 3 / 4);
#pragma omp task
    work_units(units / 4);
#pragma omp taskwait
  }
}

static __attribute__((noinline)) uint64_t atomic(long units) {
  uint64_t sum = 0;
#pragma omp parallel for schedule(static) // mark: atomic
  for (long step = 0; step < units * COMPARE_STEPS / 4; step++) {
#pragma omp atomic
    sum++;
  }
  return sum;
}

static void others(long units) {
#pragma omp parallel num_threads(1) // mark: small
  work_units(units);
#pragma omp parallel for schedule(static) // mark: nested
  for (int part = 0; part < 2; part++) {
#pragma omp parallel num_threads(1) // mark: inner
    work_units(units / 2);
  }
}

int main(int argc, char **argv) {
  const long units = compare_units(argc, argv, 100000);
  waits(units);
  loops(units);
  turns(units);
  tasks(units);
  atomic(units);
  others(units);
  return 0;
}
