/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file folder.h
 * The folder of an OTF2 archive. Between the files of this folder only.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_EXPORT_OTF2_FOLDER_H
#define HEDDLE_OUTPUT_VIEWS_EXPORT_OTF2_FOLDER_H

#include <stdbool.h>

/** What the files of an archive are called, as measurement systems do: PATH/traces.otf2, ... */
#define HD_OTF2_NAME "traces"

/** Makes it. `force`: or takes one that is empty or has an archive, and deletes that. False: stderr says why not. */
bool hd_otf2_make_folder(const char *path, bool force);

#endif
