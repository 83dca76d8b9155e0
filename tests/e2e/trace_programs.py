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
