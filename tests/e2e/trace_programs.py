# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose traces tests read, in Heddle's own words and in other formats."""

PROGRAMS = [("tasks.c", "2"), ("tasks.c", "2", "taskwait"), ("nested.c", "5"), ("counts.c",), ("locks.c",), ("ordered.c",),
            ("taskwait_one.c",), ("cancelled.c",), ("league.c",), ("two_initials.c",), ("threads_short.c",)]
TRACED = {"HEDDLE_TRACE": "64M", "HEDDLE_OVERHEAD": "off", "OMP_WAIT_POLICY": "passive"}

# A long trace: a thread that enters a critical section again and again.
LONG = r"""
int main(void) {
  static int sum;
#pragma omp parallel num_threads(2)
#pragma omp master
  for (int i = 0; i < 500000; i++)
#pragma omp critical
    sum++;
  return sum != 500000;
}
"""

# Three times: a phase around a region with tasks, locks and a critical section, and such a region outside; one that a
# thread begins and ends in the middle of a region, while another one runs a task of that phase, with a lock; two that
# a lock is held between, and given back and got again there. Needs heddle.h.
PHASED = r"""
#include <omp.h>

#include "heddle.h"

static omp_lock_t lock;
static int sum, step;

static int now(void) {
  return __atomic_load_n(&step, __ATOMIC_ACQUIRE);
}

static void go_to(int next) {
  __atomic_store_n(&step, next, __ATOMIC_RELEASE);
}

static void tasks(void) {
  for (int i = 0; i < 20; i++)
#pragma omp task
  {
    omp_set_lock(&lock);
    sum++;
    omp_unset_lock(&lock);
  }
}

static void region(void) {
#pragma omp parallel num_threads(3)
  {
#pragma omp single
    tasks();
#pragma omp critical
    sum++;
  }
}

static void wait_for(int wanted) {
  while (now() != wanted)
    ;
}

static void cut_region(void) {
#pragma omp parallel num_threads(3)
  if (omp_get_thread_num() == 0) {
    heddle_phase_begin("solve");
    go_to(1);
    wait_for(2);
    heddle_phase_end("solve");
    go_to(3);
  } else if (omp_get_thread_num() == 1) {
    wait_for(1);
#pragma omp task if (0)
    {
      omp_set_lock(&lock);
      go_to(2);
      wait_for(3);
      omp_unset_lock(&lock);
    }
  }
}

int main(void) {
  omp_init_lock(&lock);
  for (int i = 0; i < 3; i++) {
    region();
    heddle_phase_begin("solve");
    region();
    heddle_phase_end("solve");
    go_to(0);
    cut_region();
    heddle_phase_begin("solve");
    omp_set_lock(&lock);
    heddle_phase_end("solve");
    omp_unset_lock(&lock);
    omp_set_lock(&lock);
    heddle_phase_begin("solve");
    omp_unset_lock(&lock);
    heddle_phase_end("solve");
  }
  return sum != 3 * 2 * (20 + 3);
}
"""


def run_phased(build_program, run_heddle, source, path, *options):
    """A trace of the phase in that program."""
    program = build_program(PHASED, flags=(f"-I{source}/include",))
    result = run_heddle("run", "-q", "--trace", "--trace-when", "phase solve", *options, "-o", path, "--", program,
                        env={"OMP_WAIT_POLICY": "passive"})
    assert result.returncode == 0 and result.stderr == "", result.stderr
    return path
