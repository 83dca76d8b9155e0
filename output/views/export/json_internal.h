/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file json_internal.h
 * Between the files of the JSON export only: what their objects hold. NULL: no memory.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_EXPORT_JSON_INTERNAL_H
#define HEDDLE_OUTPUT_VIEWS_EXPORT_JSON_INTERNAL_H

#include "output/analysis/losses/losses.h"
#include "output/views/render/column_names.h"
#include "output/views/render/json.h"

/** What was counted, in the order in which it was asked for; NULL: no memory. Without counters "counters" is null and
 * the rest absent. Members of what they are of, but for the run's. */
json_t *hd_json_run_counters(const struct hd_model *model);
json_t *hd_json_node_counts(const struct hd_model *model, const struct hd_node *node);
json_t *hd_json_row_counts(const struct hd_model *model, const struct hd_node *node, const struct hd_row *row);
json_t *hd_json_thread_counts(const struct hd_model *model, uint32_t thread);
json_t *hd_json_program_counts(const struct hd_model *model);

/** What Heddle itself cost; corrected times, which are estimates. Members. */
json_t *hd_json_run_overhead(const struct hd_model *model);
json_t *hd_json_program_corrected(const struct hd_model *model);
json_t *hd_json_node_corrected(const struct hd_model *model, const struct hd_node *node);
json_t *hd_json_thread_overhead(const struct hd_model *model, const struct hd_model_thread *thread);

/** What threads were executing, by function and line. Members; absent without samples. */
json_t *hd_json_program_samples(const struct hd_model *model);
json_t *hd_json_node_samples(const struct hd_model *model, const struct hd_node *node);

/** json_efficiency.c: `marks`: of what the losses are of. What waits that may be missing have changed is null. */
json_t *hd_json_efficiency(const struct hd_losses *losses, uint32_t marks);

/** json_path.c: the critical path. Members; null without it. */
json_t *hd_json_program_path(const struct hd_model *model);
json_t *hd_json_path_steps(const struct hd_model *model);
json_t *hd_json_program_locks(const struct hd_model *model);
json_t *hd_json_node_locks(const struct hd_model *model, const struct hd_node *node);
json_t *hd_json_node_path(const struct hd_model *model, const struct hd_node *node);
/** json_estimates.c: what unresolved time was in all likelihood. `resolved`: the same profile, resolved; NULL: nothing
 *  could be. Members of a profile and the program. */
json_t *hd_json_estimates(const struct hd_model *resolved, uint32_t node);
json_t *hd_json_program_estimates(const struct hd_model *resolved);

/** One of "profiles". */
json_t *hd_json_profile(const struct hd_loss_book *book, const struct hd_node *node);

/** json_shares.c: what a loop or the tasks of a construct were handed out in. */
json_t *hd_json_row_shares(const struct hd_node *node, const struct hd_row *row);
json_t *hd_json_node_shares(const struct hd_model *model, const struct hd_node *node);

#endif
