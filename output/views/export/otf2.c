/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file otf2.c
 * The Open Trace Format 2, for Vampir, Scalasca and what else reads it: a profile's trace as an archive (otf2/). Needs
 * the library OTF2 when Heddle is built.
 */
#include "output/views/export/export.h"

#ifdef HEDDLE_OTF2
#include "output/views/export/otf2/archive.h"

#define WRITE hd_otf2_write
#define MISSING NULL
#else
#define WRITE NULL
#define MISSING "was left out of this build, which found no OTF2"
#endif

const struct hd_exporter hd_export_otf2 = {
    "otf2",
    "for Vampir, Scalasca and other readers of OTF2: the trace ('heddle run --trace') as an\n"
    "             archive, which is the folder -o",
    .write_files = WRITE,
    .of_trace = true,
    .parts_of_trace = true,
    .missing = MISSING};
