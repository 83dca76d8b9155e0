/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file sample.h
 * Samples in a trace (HD_TRACE_SAMPLE): what a thread executed, and when.
 */
#ifndef HEDDLE_OUTPUT_TRACE_SAMPLE_H
#define HEDDLE_OUTPUT_TRACE_SAMPLE_H

#include "output/model/node_text.h"
#include "output/trace/entry.h"

/** The entry as a sample of a profile, without names. */
struct hd_model_sample hd_trace_sample_of(const struct hd_model *model, const struct hd_trace_entry *entry);

/** hd_sample_text(), by the names of the model's samples (output/symbols/sample_names.h); where these say nothing
 *  "libomp.so.5+0x7d6d2". */
void hd_trace_sample_text(char text[HD_PLACE_BYTES], const struct hd_model *model, const struct hd_trace_entry *entry);

#endif
