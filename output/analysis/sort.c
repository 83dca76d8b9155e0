/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/sort.h"

const char *const hd_sort_names[HD_SORT_COUNT] = {
    [HD_SORT_GAIN] = "gain",           [HD_SORT_ELAPSED] = "elapsed", [HD_SORT_WALL] = "wall",
    [HD_SORT_BUSY] = "busy",           [HD_SORT_WAIT] = "wait",       [HD_SORT_CALLS] = "calls",
    [HD_SORT_IMBALANCE] = "imbalance", [HD_SORT_NAME] = "name",       [HD_SORT_SELF] = "self",
    [HD_SORT_INCLUSIVE] = "inclusive",
};
