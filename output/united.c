/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/united.h"

struct hd_united *hd_united_new(struct hd_model *const *models, size_t count, enum hd_unite_by by) {
  (void)models, (void)count, (void)by;
  return NULL;
}
void hd_united_free(struct hd_united *united) {
  (void)united;
}
bool hd_united_place_is_same(const struct hd_united *united, uint32_t a, uint32_t b) {
  (void)united;
  return a == b;
}
enum hd_same_program hd_same_program(struct hd_model *const *models, size_t count, size_t *a, size_t *b,
                                     const struct hd_module **module) {
  (void)models, (void)count, (void)a, (void)b, (void)module;
  return HD_SAME_PROGRAM;
}
