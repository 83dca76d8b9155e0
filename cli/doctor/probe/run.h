/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file run.h
 * A small OpenMP program inside `heddle` that tries out a runtime: it calls a libomp's entry points itself
 * (constructs.c), as compiled code would, so that no OpenMP compiler is needed, and is at the same time the OMPT tool
 * (tool.c) that notes what arrives. Both run in a child, since a runtime that was loaded into a process stays there.
 */
#ifndef HEDDLE_CLI_DOCTOR_PROBE_RUN_H
#define HEDDLE_CLI_DOCTOR_PROBE_RUN_H

#include "cli/doctor/probe/record.h"

struct hd_probe_end {
  int signal;      /* that ended the child; 0: none. SIGALRM: it hung */
  char said[1000]; /* lines that the runtime or the tool wrote to stderr, or why the probe could not run */
};

/**
 * Runs the probe in a child on `libomp` (a path). `tool` NULL: with the probe's own tool; else with this library, as
 * OMP_TOOL_LIBRARIES, which writes its profile to `output`. Variables that steer OpenMP are kept from it; those for
 * libheddle.so are not. The result is in shared memory that the caller unmaps with hd_probe_free(); NULL: no memory.
 */
struct hd_probe *hd_probe_run(const char *libomp, const char *tool, const char *output, struct hd_probe_end *end);
void hd_probe_free(struct hd_probe *probe);

/** The construct's name in OpenMP's words. */
const char *hd_probe_place_name(uint32_t place);

#endif
