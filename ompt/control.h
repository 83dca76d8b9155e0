/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file control.h
 * What the program asks for, by markers and omp_control_tool: pause and resume of the measurement; flush: what the
 * rings hold is added up; end: for good, the profile is saved. False: nothing is measured any more. All keep
 * errno.
 */
#ifndef HEDDLE_OMPT_CONTROL_H
#define HEDDLE_OMPT_CONTROL_H

#include <stdbool.h>

bool hd_control_pause(void);
bool hd_control_resume(void);
bool hd_control_flush(void);
bool hd_control_end(void);

#endif
