/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Phases, serial parts and pauses, called by `measured` with n = 1. Page faults, of thread i in a region of two:
 *   phase "read"            70, on the first thread, serial
 *   phase "solve"           30 before, 40 after its region: 70; the region in it 100 (i + 1)
 *   phase "paused"          11 before and 13 after a pause in which 1000 pages are touched: 24
 * The pause is that of the first argument: "pause" (heddle.h), "control" (omp_control_tool), "none": there is no pause,
 * and 1024. Between the phases nothing is touched.
 */
#include <omp.h>
#include <string.h>

#include "heddle.h"
#include "pages.h"

static const char *how = "none";

static void stop(int again) {
  if (!strcmp(how, "pause"))
    again ? heddle_resume() : heddle_pause();
  else if (!strcmp(how, "control"))
    omp_control_tool(again ? omp_control_tool_start : omp_control_tool_pause, 0, NULL);
}

static __attribute__((noinline)) void body(int n) {
  heddle_phase_begin("read");
  touch(0, 70 * n);
  heddle_phase_end("read");
  heddle_phase_begin("solve");
  touch(0, 30 * n);
#pragma omp parallel num_threads(2) // mark: region
  touch(omp_get_thread_num(), 100 * n * (omp_get_thread_num() + 1));
  touch(0, 40 * n);
  heddle_phase_end("solve");
  heddle_phase_begin("paused");
  touch(0, 11 * n);
  stop(0);
  touch(0, 1000 * n);
  stop(1);
  touch(0, 13 * n);
  heddle_phase_end("paused");
}

CALLER(warm_up, body(0))
CALLER(measured, body(1))

int main(int argc, char **argv) {
  how = argc > 1 ? argv[1] : how;
  open_pages();
#pragma omp parallel num_threads(2) // starts the runtime, so that the phases are seen
  touch(omp_get_thread_num(), 1);
  warm_up();
  measured();
  return 0;
}
