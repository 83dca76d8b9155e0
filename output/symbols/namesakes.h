/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file namesakes.h
 * Overloaded C++ functions and instances of a template are shown alike, without arguments; where that makes two
 * different ones look the same, their names are shown in full.
 */
#ifndef HEDDLE_OUTPUT_SYMBOLS_NAMESAKES_H
#define HEDDLE_OUTPUT_SYMBOLS_NAMESAKES_H

#include "output/model/model.h"

/** Marks the C++ names that must be shown with arguments, so that different places do not look the same. */
void hd_names_mark_namesakes(struct hd_model *model);

#endif
