/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file resolve_names.h
 * Functions, files and lines for a model's nodes: from the profile itself where it holds them, else from the
 * program's debug information on this machine.
 */
#ifndef HEDDLE_OUTPUT_SYMBOLS_RESOLVE_NAMES_H
#define HEDDLE_OUTPUT_SYMBOLS_RESOLVE_NAMES_H

#include "output/model/model.h"

/**
 * Fills the names of nodes that have none or no line, and notes which modules' names cannot be shown (gone, rebuilt
 * since the run, without symbols). Slow: reads debug information. Never fails; what is not known stays NULL.
 * Returns how many names were found that the file does not hold yet. HEDDLE_DEBUGINFO: folders where debug information
 * is looked for by build id, before /usr/lib/debug; debuginfod is asked last, by libdw.
 */
size_t hd_names_resolve(struct hd_model *model);

#endif
