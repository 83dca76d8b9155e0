/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file settings.h
 * What the environment asks of libheddle.so, read once at start. One table (settings.c) names every variable.
 */
#ifndef HEDDLE_SUPPORT_SETTINGS_H
#define HEDDLE_SUPPORT_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

struct hd_settings {
  const char *output;      /* HEDDLE_OUTPUT: name template of the profile */
  const char *store_dir;   /* HEDDLE_STORE_DIR: where the live file is mapped; NULL: /dev/shm */
  const char *start;       /* HEDDLE_START: "pid:ns", the start of the program on CLOCK_MONOTONIC */
  const char *clock;       /* HEDDLE_CLOCK: auto, tsc or monotonic */
  uint64_t callpath_depth; /* HEDDLE_CALLPATH_DEPTH: keep the last k sites; 0: all */
  uint64_t cycle_limit;    /* HEDDLE_CYCLE_LIMIT: fold a callpath when its last so many sites repeat */
  uint64_t unwind_depth;   /* HEDDLE_UNWIND: calling routines to find at a region's begin; "off" is 0 */
  uint64_t memory;         /* HEDDLE_MEMORY: bytes, without the threads' part; "off" is UINT64_MAX */
  uint64_t threads_apart;  /* HEDDLE_THREADS_APART: so many threads have records that later ones do not continue */
  uint64_t cpu_time;       /* HEDDLE_CPU_TIME: 1: measure processor time */
  uint64_t gomp;           /* HEDDLE_GOMP: 1: `heddle run --gomp` has put libomp in libgomp's place */
  const char *counters;    /* HEDDLE_COUNTERS: events to count, divided by commas; NULL: none */
  const char *counters_at; /* HEDDLE_COUNTERS_AT: region, loop or all */
  uint64_t take_turns;     /* HEDDLE_MULTIPLEX: 1: events that do not fit together take turns */
  uint64_t overhead_ppm;   /* HEDDLE_OVERHEAD: what events may cost; parts in a million; "off" is 0 */
  const char *test_delay;  /* HEDDLE_TEST_DELAY: NS or NS@THREAD, for tests of the virtual clock; NULL: none */
  const char *groups;      /* HEDDLE_GROUP_TEXT: for reports, see HD_TEXT_GROUP; divided by record separators (0x1e) */
};

/** Fills `settings` from the environment. Strings belong to the environment. A value that cannot be read is
 *  reported on stderr and the default kept. */
void hd_settings_read(struct hd_settings *settings);

/** The variables' names, one after another; NULL: there are no more. */
const char *hd_settings_name(size_t index);

#endif
