/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file archive.h
 * A profile's trace as an archive of the Open Trace Format 2, which Vampir, Scalasca and others read.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_EXPORT_OTF2_ARCHIVE_H
#define HEDDLE_OUTPUT_VIEWS_EXPORT_OTF2_ARCHIVE_H

#include <stdbool.h>

#include "output/model/model.h"

/**
 * Makes the folder `path` and writes into it. `force`: also where an archive is, which it replaces; never where
 * anything else is. Memory grows with the numbers of threads and callpaths, not with the trace.
 *
 * False: it failed, or the trace is damaged, and stderr says how; what could be written is there.
 */
bool hd_otf2_write(const struct hd_model *model, const char *path, bool force);

#endif
