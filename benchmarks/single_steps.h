/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file single_steps.h
 * Counts instructions by the processor's single steps: they depend on nothing else that the machine does.
 */
#ifndef HEDDLE_BENCHMARKS_SINGLE_STEPS_H
#define HEDDLE_BENCHMARKS_SINGLE_STEPS_H

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(__x86_64__)
enum { CAN_STEP = 1 };

static volatile uint64_t steps;

static void on_step(int signal) {
  (void)signal;
  steps++;
}

/* The trap flag makes the processor stop after each instruction. */
static uint64_t count_instructions(void (*act)(void)) {
  steps = 0;
  __asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
  act();
  __asm__ volatile("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
  return steps;
}
#else
enum { CAN_STEP = 0 };

static void on_step(int signal) {
  (void)signal;
}

static uint64_t count_instructions(void (*act)(void)) {
  act();
  return 0;
}
#endif

#endif
