/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file overhead_notes.h
 * Notes of how much of the busy time Heddle's events took, in the run and in its regions.
 */
#ifndef HEDDLE_OUTPUT_MODEL_OVERHEAD_NOTES_H
#define HEDDLE_OUTPUT_MODEL_OVERHEAD_NOTES_H

#include "output/model/model.h"

/** Adds the notes, where Heddle took much; again, after busy times have become estimates: replaces them, so that all
 *  that is said of it has one basis. */
void hd_model_note_overhead(struct hd_model *model);

#endif
