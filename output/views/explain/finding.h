/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file finding.h
 * One finding, as text and as JSON: the same wherever findings are shown.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_EXPLAIN_FINDING_H
#define HEDDLE_OUTPUT_VIEWS_EXPLAIN_FINDING_H

#include <jansson.h>

#include "output/analysis/findings/findings.h"
#include "output/views/render/document.h"

/** So many findings begin other reports. */
enum { HD_FINDINGS_BRIEF = 3 };

/** "412.15 ms (42 %) to gain: uneven work, parallel app.c:34 in draw". To be freed. */
char *hd_finding_headline(const struct hd_model *model, const struct hd_finding *finding);

/** Its evidence, and what to try, below a headline. */
void hd_finding_put_reasons(const struct hd_document *document, const struct hd_finding *finding);

/** A callpath in JSON: id, kind, function, file, path, line. */
json_t *hd_explain_place(const struct hd_node *node);

/** A member of `findings` in the JSON (docs/explain.md). NULL: no memory. */
json_t *hd_finding_json(const struct hd_model *model, const struct hd_finding *finding);

#endif
