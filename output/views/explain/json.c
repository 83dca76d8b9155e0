/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/json.h"

#include "output/analysis/findings/findings.h"
#include "output/model/format_names.h"
#include "output/views/explain/explain.h"
#include "output/views/explain/explain_internal.h"
#include "output/views/explain/finding.h"
#include "output/views/render/column_names.h"

static json_t *sentences(const char (*lines)[HD_FINDING_BYTES]) {
  json_t *array = json_array();
  for (int i = 0; array && i < HD_EVIDENCE_MOST; i++)
    if (lines[i][0])
      json_array_append_new(array, hd_json_text(lines[i]));
  return array;
}

json_t *hd_explain_place(const struct hd_node *node) {
  return HD_JSON({"id", hd_json_count(node->id)}, {"kind", json_string(hd_kind_id(node->kind))},
                 {"function", hd_json_text(node->name.function)},
                 {"file", hd_json_text(node->name.file ? hd_base_name(node->name.file) : NULL)},
                 {"path", hd_json_text(node->name.file)},
                 {"line", node->name.line ? hd_json_count(node->name.line) : json_null()});
}

json_t *hd_finding_json(const struct hd_model *model, const struct hd_finding *from) {
  return HD_JSON({"cause", json_string(hd_cause_id(from->cause))}, {"gain_s", hd_json_ticks(model, from->gain_ticks)},
                 {"gain_low_s", hd_json_ticks(model, from->low_ticks)},
                 {"gain_high_s", hd_json_ticks(model, from->high_ticks)},
                 {"basis", json_string(hd_basis_id(from->basis))}, {"place", hd_explain_place(from->place)},
                 {"evidence", sentences(from->evidence)}, {"try", sentences(from->attempt)});
}

static json_t *finding(const void *of, size_t index) {
  const struct hd_findings *findings = of;
  return hd_finding_json(findings->model, &findings->items[index]);
}

bool hd_explain_what_if_json(const struct hd_model *model, const struct hd_what_if *question, FILE *out) {
  const struct hd_prediction prediction = hd_what_if_predict(model, question);
  const bool has_place = question->change != HD_CHANGE_THREADS;
  json_t *value = HD_JSON({"heddle", hd_json_count(HD_EXPLAIN_JSON_VERSION)}, {"file", hd_json_text(model->path)},
                          {HD_KEY(ELAPSED), hd_json_seconds(model, model->elapsed_ticks)},
                          {"place", has_place ? hd_explain_place(&model->nodes[question->node]) : json_null()},
                          {"predicted_s", hd_json_ticks(model, prediction.elapsed_ticks)},
                          {"predicted_low_s", hd_json_ticks(model, prediction.low_ticks)},
                          {"predicted_high_s", hd_json_ticks(model, prediction.high_ticks)},
                          {"basis", json_string(hd_basis_id(prediction.basis))});
  const bool made = hd_json_write(value, out);
  fputc('\n', out);
  return made;
}

/* Classes of events that were switched off: what is lost there may be missing. */
static json_t *classes_off(const struct hd_model *model) {
  json_t *array = json_array();
  for (int class = 0; array && class < HD_CLASS_COUNT; class ++)
    if (model->off_classes >> class & 1)
      json_array_append_new(array, json_string(hd_event_class_id((enum hd_event_class) class)));
  return array;
}

bool hd_explain_json(const struct hd_model *model, bool all, FILE *out) {
  struct hd_findings *findings = hd_findings_new(model, all ? 0 : HD_FINDING_LEAST);
  json_t *value = HD_JSON(
      {"heddle", hd_json_count(HD_EXPLAIN_JSON_VERSION)}, {"file", hd_json_text(model->path)},
      {HD_KEY(ELAPSED), hd_json_seconds(model, model->elapsed_ticks)}, {"threads", hd_json_count(findings->threads)},
      {"processors", model->header.max_threads ? hd_json_count(model->header.max_threads) : json_null()},
      {"findings", hd_json_array(findings, findings->count, finding)},
      {"unexplained_s", hd_json_ticks(model, findings->unexplained_ticks)}, {"events_off", classes_off(model)},
      {"waits_unreported", json_boolean(model->refused & HD_REFUSED_SINKS)});
  hd_findings_free(findings);
  const bool made = hd_json_write(value, out);
  fputc('\n', out);
  return made;
}
