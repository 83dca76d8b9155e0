/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file callpath_filter.h
 * Leaves those callpaths of a model that go through given sites.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_CALLPATH_FILTER_H
#define HEDDLE_OUTPUT_ANALYSIS_CALLPATH_FILTER_H

#include "output/model/model.h"

/** A flag of hd_node, beyond those of the file: out of focus, to be skipped by views. */
#define HD_NODE_GONE (1u << 16)

/**
 * Keeps the callpaths that end in, or go through, a node of `through` (by id). Nodes above them stay, with their
 * visits, for they lead there; their own times are dropped, and so are all numbers of the others, which get
 * HD_NODE_GONE. Ids do not change. Numbers of the program as a whole and of its threads stay those of the run.
 */
void hd_callpath_filter(struct hd_model *model, const bool *through);

#endif
