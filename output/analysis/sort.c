/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/sort.h"

#define SORT(name, words) words,
const char *const hd_sort_names[HD_SORT_COUNT] = {HD_SORTS(SORT)};
