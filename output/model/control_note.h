/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file control_note.h
 * The note of what `heddle ctl` changed while the program ran.
 */
#ifndef HEDDLE_OUTPUT_MODEL_CONTROL_NOTE_H
#define HEDDLE_OUTPUT_MODEL_CONTROL_NOTE_H

#include "output/model/model.h"

/** Adds the note, if anything was changed; again, after names of callpaths were found: replaces it. */
void hd_model_note_control(struct hd_model *model);

#endif
