/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Thread 0 of p makes 2 p tasks of one unit; all threads run them, in the barrier at the region's end or, thread 0,
 * where the mode says. Who runs a task inside a wait is busy. In units, when the tasks are shared evenly:
 *   elapsed 2; elapsed at p 2; thread-time of the tasks at p 2 p; wall share of the tasks 2
 * Modes: "barrier", "taskwait", "taskgroup", "taskloop" (which is a taskgroup); "untied": each task yields halfway.
 */
#include <omp.h>

#include "books.h"

static void make_tasks(unsigned count) {
  for (unsigned i = 0; i < count; i++) {
#pragma omp task // mark: task
    work_at("task", 1);
  }
  at(NULL);
}

static void make_untied(unsigned count) {
  for (unsigned i = 0; i < count; i++) {
#pragma omp task untied // mark: untied
    {
      work_at("untied", 0.5);
#pragma omp taskyield
      work_at("untied", 0.5);
    }
  }
  at(NULL);
}

static uint64_t make_and_wait(unsigned count) {
  const uint64_t begin = now_ns();
  at(mode_is("taskloop") ? "taskloop" : "masked"); // until the tasks are made
  if (mode_is("taskloop")) {
#pragma omp taskloop num_tasks(count) // mark: taskloop
    for (unsigned i = 0; i < count; i++) {
      at("taskloop");
      work(1);
      at(NULL);
    }
  } else if (mode_is("untied")) {
    make_untied(count);
  } else if (mode_is("taskgroup")) {
#pragma omp taskgroup
    make_tasks(count);
  } else
    make_tasks(count);
  if (mode_is("taskwait")) {
#pragma omp taskwait
  }
  return begin;
}

int main(int argc, char **argv) {
  open_books(argc, argv);
  uint64_t begin;
#pragma omp parallel // mark: region
#pragma omp master // mark: masked
  begin = make_and_wait(2 * (unsigned)omp_get_num_threads());
  window("region", begin);
  at("outside");
  close_books();
  return 0;
}
