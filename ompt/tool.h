/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file tool.h
 * The tool's start, and its life with the runtime: from ompt_start_tool to finalize.
 */
#ifndef HEDDLE_OMPT_TOOL_H
#define HEDDLE_OMPT_TOOL_H

#include <omp-tools.h>
#include <stdbool.h>

/** The runtime asks for a tool: ompt_start_tool. */
ompt_start_tool_result_t *hd_tool_offer(const char *runtime_version);

/** Starts measuring before any runtime is there: at the first entry of an instrumented routine or the first marker.
 *  Once; any thread. */
void hd_tool_start_early(void);

/** Whether the hooks of instrumented routines lead here: the C library's own, which do nothing, have been replaced by
 *  ours because this library was loaded with the program. */
bool hd_tool_has_hooks(void);

/** A routine is entered, and nobody listens: does that too, or begins a dormant measurement if somebody has asked for
 *  it. False: still nobody listens. */
__attribute__((cold)) bool hd_tool_hears_routines(void);

#endif
