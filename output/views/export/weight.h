/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file weight.h
 * What a callpath weighs in formats that show one number for each (flame graphs). A weight is a callpath's own: those
 * of all callpaths add up to the whole.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_EXPORT_WEIGHT_H
#define HEDDLE_OUTPUT_VIEWS_EXPORT_WEIGHT_H

#include "output/model/model.h"

enum hd_weight {
  HD_WEIGHT_WALL, /* its part of the run's time; adds up to the elapsed time in which a thread was busy */
  HD_WEIGHT_BUSY,
  HD_WEIGHT_WAIT,
  HD_WEIGHT_RUNTIME,
  HD_WEIGHT_GAIN, /* of regions that are in no other */
  HD_WEIGHT_COUNT
};

/** "wall"; "Wall share". */
const char *hd_weight_id(enum hd_weight weight);
const char *hd_weight_words(enum hd_weight weight);

/** HD_WEIGHT_COUNT: there is none of that name. */
enum hd_weight hd_weight_find(const char *id);

/** Whether the profile has it: profiles without levels have no wall shares. */
bool hd_weight_is_known(const struct hd_model *model, enum hd_weight weight);

/** In nanoseconds; 0 where it is not known. */
uint64_t hd_weight_ns(const struct hd_model *model, const struct hd_node *node, enum hd_weight weight);

#endif
