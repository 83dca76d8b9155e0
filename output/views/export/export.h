/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file export.h
 * Profiles in other programs' formats. A new one is one .c file and one word in export.c's list.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_EXPORT_EXPORT_H
#define HEDDLE_OUTPUT_VIEWS_EXPORT_EXPORT_H

#include <stdio.h>

#include "output/model/model.h"

struct hd_exporter {
  const char *name;    /* what --format calls it */
  const char *summary; /* for --help; lines after the first are indented by nine spaces */
  /** Writes the whole model. False: no memory; write errors are left to `out`. */
  bool (*write)(const struct hd_model *model, FILE *out);
};

/** All exporters, the default first, ended by NULL. */
extern const struct hd_exporter *const hd_exporters[];

/** NULL: no exporter has that name. */
const struct hd_exporter *hd_exporter_find(const char *name);

#endif
