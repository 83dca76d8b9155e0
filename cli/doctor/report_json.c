/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/doctor/doctor_internal.h"
#include "output/views/render/json.h"
#include "support/command/memory.h"

static json_t *finding_object(const struct hd_finding *finding) {
  static const char *const levels[] = {
      [HD_FINDING_FINE] = "ok", [HD_FINDING_NOTE] = "note", [HD_FINDING_WRONG] = "wrong"};
  return json_pack("{s:s, s:o, s:o}", "level", levels[finding->level], "about", hd_json_text(finding->about), "text",
                   hd_json_text(finding->text));
}

static json_t *findings_array(const struct hd_findings *findings) {
  json_t *array = json_array();
  for (size_t i = 0; i < findings->count; i++)
    hd_need(json_array_append_new(array, finding_object(&findings->items[i])) == 0);
  return array;
}

static json_t *event_object(const struct hd_probe_row *row) {
  static const char *const verdicts[] = {
      [HD_PROBE_FINE] = "fine", [HD_PROBE_HANDLED] = "known", [HD_PROBE_LOST] = "lost"};
  return json_pack("{s:s, s:s, s:s, s:i, s:i, s:s?, s:s?, s:s, s:s}", "event", row->event, "of", row->what,
                   "registered", row->registered, "delivered", (int)row->delivered, "expected", (int)row->expected,
                   "on_time", hd_probe_timely(row), "code_address", hd_probe_address_of(row), "verdict",
                   verdicts[row->verdict], "without_it", row->loss);
}

static json_t *events_array(const struct hd_probe *probe) {
  json_t *array = json_array();
  for (size_t i = 0; i < hd_probe_row_count(); i++) {
    struct hd_probe_row row;
    hd_probe_row(probe, i, &row);
    hd_need(json_array_append_new(array, event_object(&row)) == 0);
  }
  return array;
}

static json_t *runtime_object(const struct hd_doctor *doctor) {
  if (!doctor->probe)
    return json_null();
  return json_pack("{s:o, s:o, s:o, s:o}", "path", hd_json_text(doctor->libomp), "build_id",
                   hd_json_text(doctor->build_id[0] ? doctor->build_id : NULL), "version",
                   hd_json_text(doctor->probe->runtime[0] ? doctor->probe->runtime : NULL), "events",
                   doctor->has_played ? events_array(doctor->probe) : json_null());
}

void hd_doctor_report_json(const struct hd_doctor *doctor, FILE *out) {
  json_t *object =
      json_pack("{s:b, s:o, s:o, s:o}", "well", doctor->findings.wrong == 0, "program", hd_json_text(doctor->program),
                "findings", findings_array(&doctor->findings), "runtime", runtime_object(doctor));
  hd_need(object != NULL);
  json_dumpf(object, out, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
  fputc('\n', out);
  json_decref(object);
}
