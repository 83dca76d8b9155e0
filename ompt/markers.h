/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file markers.h
 * The tool's side of include/heddle.h: phases, pause and resume.
 */
#ifndef HEDDLE_OMPT_MARKERS_H
#define HEDDLE_OMPT_MARKERS_H

/** Gives every loaded module that has markers the tool's functions. Modules loaded later are not found. */
void hd_markers_connect(void);

#endif
