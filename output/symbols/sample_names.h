/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file sample_names.h
 * Functions, files and lines for a model's samples, from the program's debug information on this machine.
 */
#ifndef HEDDLE_OUTPUT_SYMBOLS_SAMPLE_NAMES_H
#define HEDDLE_OUTPUT_SYMBOLS_SAMPLE_NAMES_H

#include "output/model/model.h"

/** Fills the names of all samples as far as they are known. Slow: reads debug information. Never fails. */
void hd_sample_names_resolve(struct hd_model *model);

#endif
