/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file findings.c
 * What is wrong with a point of a comparison, above everything else.
 */
#include <stdlib.h>

#include "output/views/compare/compare_internal.h"
#include "output/views/explain/finding.h"
#include "output/views/render/json.h"

static void put_finding(const struct hd_document *document, const struct hd_comparison *comparison,
                        const struct hd_compared_finding *from, bool first) {
  char name[HD_PLACE_BYTES];
  char *headline = hd_finding_headline(from->model, &from->finding);
  hd_point_text(name, comparison, from->point);
  hd_document_headline(document, first || document->markdown || document->html ? "findings" : "", "at %s %s", name,
                       headline);
  hd_finding_put_reasons(document, &from->finding);
  free(headline);
}

void hd_compare_findings(struct hd_document *document, const struct hd_comparison *comparison) {
  struct hd_compared_findings findings = hd_compared_findings_new(comparison);
  for (size_t i = 0; i < findings.count && i < HD_FINDINGS_BRIEF; i++)
    put_finding(document, comparison, &findings.items[i], i == 0);
  hd_compared_findings_free(&findings);
}

json_t *hd_compare_json_findings(const struct hd_comparison *comparison, size_t index) {
  struct hd_compared_findings findings = hd_compared_findings_new(comparison);
  json_t *array = json_array();
  for (size_t i = 0; i < findings.count; i++) {
    const struct hd_compared_finding *from = &findings.items[i];
    json_t *object = hd_finding_json(from->model, &from->finding);
    bool done = object && hd_json_put(object, "comparison", hd_json_count(index));
    done = done && hd_json_put(object, "point", hd_json_count(from->point));
    done = done && hd_json_put(object, "profile", hd_json_text(from->model->path));
    json_array_append_new(array, hd_json_finish(object, done));
  }
  hd_compared_findings_free(&findings);
  return array;
}
