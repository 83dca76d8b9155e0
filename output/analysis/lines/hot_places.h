/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file hot_places.h
 * Samples by function and line: of the addresses of a function, or of one of its lines, one entry.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_HOT_PLACES_H
#define HEDDLE_OUTPUT_ANALYSIS_HOT_PLACES_H

#include "output/model/model.h"

/** What else is to be told apart besides module, function and what that is inlined into. */
enum hd_hot_by {
  HD_HOT_CALLPATHS = 1,
  HD_HOT_STATES = 2,
  HD_HOT_LINES = 4 /* of the source; where no function is known, addresses */
};

struct hd_hot_places {
  struct hd_model_sample *items; /* the most samples first; what is not told apart is 0 or NULL */
  uint32_t count;
};

/** The samples from `first` on, `count` of them, whose names are known. Free with hd_hot_places_free(). */
struct hd_hot_places hd_hot_places_new(const struct hd_model_sample *first, uint32_t count, unsigned by);
void hd_hot_places_free(struct hd_hot_places *places);

/** The samples of a callpath, without those below. */
const struct hd_model_sample *hd_samples_of(const struct hd_model *model, uint32_t node, uint32_t *count);

/**
 * A share of `whole` samples and its 95 % interval (Wilson's score interval of a binomial share). Samples that stand
 * for several count as the fewer that they are.
 */
struct hd_sample_sum {
  double count;
  double taken;
};
struct hd_sample_share {
  double share, low, high; /* NaN: there are no samples */
};
struct hd_sample_share hd_sample_share_of(struct hd_sample_sum part, struct hd_sample_sum whole);

#endif
