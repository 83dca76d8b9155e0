/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file options.h
 * The options of `heddle compare`, which `heddle scale` passes on.
 */
#ifndef HEDDLE_CLI_COMPARE_OPTIONS_H
#define HEDDLE_CLI_COMPARE_OPTIONS_H

#include <stddef.h>

#include "support/command/options.h"

/** Their ids: letters, or from here on. */
enum { HD_COMPARE_OPTION_FIRST = HD_OPTION_LONG + 128 };

/** How results are shown and judged, and what is compared with what. */
extern const struct hd_option hd_compare_options[];
extern const size_t hd_compare_option_count;

#endif
