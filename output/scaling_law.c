/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/scaling_law.h"

bool hd_scaling_fit(const struct hd_scaling_point *points, size_t count, struct hd_scaling *scaling) {
  *scaling = (struct hd_scaling){.why = "not fitted", .points = points, .point_count = count};
  return true;
}
void hd_scaling_free(struct hd_scaling *scaling) {
  (void)scaling;
}
void hd_scaling_predict(const struct hd_scaling *scaling, uint32_t threads, struct hd_prediction *prediction) {
  (void)scaling, (void)threads, (void)prediction;
}
