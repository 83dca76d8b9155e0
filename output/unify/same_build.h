/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file same_build.h
 * Whether runs are of one program, and of one build of it.
 */
#ifndef HEDDLE_OUTPUT_UNIFY_SAME_BUILD_H
#define HEDDLE_OUTPUT_UNIFY_SAME_BUILD_H

#include "output/model/model.h"

enum hd_same_program {
  HD_SAME_PROGRAM,
  HD_OTHER_BUILD,  /* of the executable, or of a library (not the runtime itself) that both have callpaths in */
  HD_OTHER_PROGRAM /* its name differs */
};

/** Whether all runs are of the same program; if not, `*a` and `*b` are the first two that differ, and `*module` (NULL:
 *  not known) is the one that was rebuilt, in b. What is not known (no build id) does not differ. */
enum hd_same_program hd_same_program(struct hd_model *const *models, size_t count, size_t *a, size_t *b,
                                     const struct hd_module **module);

/** Whether two command lines are the same but for the runs' thread counts in them: "-t 4" of a run with 4 threads is
 * "-t 2" of one with 2. */
bool hd_is_same_command(const struct hd_strings *a, uint32_t a_threads, const struct hd_strings *b, uint32_t b_threads);

/** Whether two runs are known to be of the same build, of the executable and of all libraries that both have callpaths
 * in. */
bool hd_is_same_build(const struct hd_model *a, const struct hd_model *b);

#endif
