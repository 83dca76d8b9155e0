/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file json_internal.h
 * Between the files of the JSON export only: what their objects hold. NULL or false: no memory.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_EXPORT_JSON_INTERNAL_H
#define HEDDLE_OUTPUT_VIEWS_EXPORT_JSON_INTERNAL_H

#include "output/views/render/json.h"

/** What was counted, in the order in which it was asked for; false: no memory. Without counters
 * "counters" is null and the rest absent. */
json_t *hd_json_run_counters(const struct hd_model *model);
bool hd_json_put_node_counts(json_t *object, const struct hd_model *model, const struct hd_node *node);
bool hd_json_put_row_counts(json_t *object, const struct hd_model *model, const struct hd_node *node,
                            const struct hd_row *row);
bool hd_json_put_thread_counts(json_t *object, const struct hd_model *model, uint32_t thread);
bool hd_json_put_program_counts(json_t *object, const struct hd_model *model);

/** What Heddle itself cost; corrected times, which are estimates. */
bool hd_json_put_run_overhead(json_t *object, const struct hd_model *model);
bool hd_json_put_program_corrected(json_t *object, const struct hd_model *model);
bool hd_json_put_node_corrected(json_t *object, const struct hd_model *model, const struct hd_node *node);
bool hd_json_put_thread_overhead(json_t *object, const struct hd_model *model, const struct hd_thread *thread);

/** One of "profiles". */
json_t *hd_json_profile(const struct hd_model *model, const struct hd_node *node);

#endif
