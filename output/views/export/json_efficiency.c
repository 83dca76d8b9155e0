/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file json_efficiency.c
 * How well threads are used, in the JSON: of the run and of regions that are in no other.
 */
#include "output/analysis/losses/efficiency.h"
#include "output/views/export/json_internal.h"

json_t *hd_json_efficiency(const struct hd_losses *losses, uint32_t marks) {
  const struct hd_efficiency efficiency = hd_efficiency_of(losses);
  const bool is_whole = !hd_gain_text(marks);
  json_t *object = HD_JSON({"parallel", hd_json_number(efficiency.parallel)});
  bool done = object != NULL;
  for (int factor = 0; done && factor < HD_FACTOR_COUNT; factor++)
    done = json_object_set_new(object, hd_factor_id((enum hd_factor)factor),
                               is_whole ? hd_json_number(efficiency.factors[factor]) : json_null()) == 0;
  return hd_json_finish(object, done);
}
