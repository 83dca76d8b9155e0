/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tool.h
 * The tool's life: from ompt_start_tool to finalize, or the library's destructor when finalize never comes.
 */
#ifndef HEDDLE_OMPT_TOOL_H
#define HEDDLE_OMPT_TOOL_H

#include <omp-tools.h>
#include <stdbool.h>

struct hd_tool {
  ompt_get_thread_data_t get_thread_data;
  const char *runtime; /* what ompt_start_tool was told */
  int pid;             /* of the process that is measured */
  bool started;        /* it was tried, with or without success */
  bool measuring;
  bool is_stopped;      /* the runtime has ended the measurement; the profile is saved at the program's end */
  bool is_exiting;      /* the program's exit handlers run */
  bool has_joined;      /* the runtime's events are registered for */
  bool needs_libgomp;   /* built by GCC, and run on libomp through its GOMP entry points */
  bool has_gcc_regions; /* regions may come through those; likewise in a test's runtime, which nothing is linked to */
  bool has_routines;    /* instrumented routines can tell of their entries and exits */
  bool unwinds;         /* calling routines of regions are looked for */
  uint64_t start_ticks; /* what its start took */
};
extern struct hd_tool hd_tool;

/** False before initialize, after finalize and in a forked child that has not begun. One system call: cold paths only.
 */
bool hd_tool_is_measuring(void);

/** Starts measuring before any runtime is there: at the first entry of an instrumented routine or the first marker.
 *  Once; any thread. */
void hd_tool_start_early(void);

/** In a forked child, at an event of the runtime's: starts measuring the child. Once; any thread. */
void hd_tool_start_in_child(void);

/** Pause and resume of the measurement; flush: what the rings hold is added up; end: for good, the profile is saved.
 *  False: there is nothing to be done any more. */
bool hd_tool_pause(void);
bool hd_tool_resume(void);
bool hd_tool_flush(void);
bool hd_tool_end(void);

/** Registers all callbacks (callbacks.c) and keeps the runtime's answers in the profile. Returns a bit for each event
 * that it will not always deliver. */
uint64_t hd_callbacks_register(ompt_set_callback_t set_callback);

#endif
