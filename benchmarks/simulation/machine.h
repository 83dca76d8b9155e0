/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file machine.h
 * What this machine's processors cost each other.
 */
#ifndef HEDDLE_BENCHMARKS_SIMULATION_MACHINE_H
#define HEDDLE_BENCHMARKS_SIMULATION_MACHINE_H

struct machine {
  int processors;      /* that this process may use */
  double line_ns;      /* a line goes from one processor to another: two threads write it in turn. 0: one processor */
  double lines_ns;     /* each of many lines that another processor has written, read one after the other */
  double interrupt_ns; /* membarrier(2) while a thread runs on the other processor; 0: likewise, or not permitted */
};

/** Medians of many; some 50 ms. */
struct machine machine_measure(void);

/** A double's order, for qsort. */
int machine_by_value(const void *a, const void *b);

#endif
