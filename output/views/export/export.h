/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file export.h
 * Profiles in other programs' formats. A new one is one .c file and one word in export.c's list.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_EXPORT_EXPORT_H
#define HEDDLE_OUTPUT_VIEWS_EXPORT_EXPORT_H

#include <stdio.h>

#include "output/views/export/weight.h"

struct hd_exporter {
  const char *name;    /* what --format calls it */
  const char *summary; /* for --help; lines after the first are indented by 13 spaces */
  /** Writes the whole model. `weight`: the one number that some formats show for each callpath, and what formats with
   *  several show first, if the model has it. False: no memory; write errors are left to `out`. NULL: write_files. */
  bool (*write)(const struct hd_model *model, enum hd_weight weight, FILE *out);
  /** Likewise of two runs, `before` and `after`. NULL: it shows one only. */
  void (*write_both)(const struct hd_model *before, const struct hd_model *after, enum hd_weight weight, FILE *out);
  /** Instead of `write`: of formats that are several files, or a folder. Makes `path` and what belongs to it; `force`:
   *  also where a file of this format is. False: it failed, as stderr says. */
  bool (*write_files)(const struct hd_model *model, const char *path, bool force);
  bool of_trace;       /* shows the trace: there must be one (hd_trace_is_there()) */
  bool parts_of_trace; /* a part of a run is that part of its trace (hd_part_show()), else a profile of its own */
  bool one_weight;     /* shows no other */
  bool binary;         /* not for a terminal */
  const char *missing; /* why this build cannot write it; NULL: it can */
};

/** All exporters, the default first, ended by NULL. */
extern const struct hd_exporter *const hd_exporters[];

/** NULL: no exporter has that name. */
const struct hd_exporter *hd_exporter_find(const char *name);

/** Whether it can show the model by that weight. */
bool hd_exporter_can_weigh(const struct hd_exporter *exporter, const struct hd_model *model, enum hd_weight weight);

#endif
