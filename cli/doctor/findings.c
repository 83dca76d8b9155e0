/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdarg.h>

#include "cli/doctor/doctor_internal.h"
#include "support/command/sanitize.h"

void hd_findings_add(struct hd_findings *findings, enum hd_finding_level level, const char *about, const char *format,
                     ...) {
  findings->wrong += level == HD_FINDING_WRONG;
  if (findings->count == HD_FINDINGS_MOST)
    return;
  struct hd_finding *finding = &findings->items[findings->count++];
  finding->level = level;
  snprintf(finding->about, sizeof finding->about, "%s", about);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(finding->text, sizeof finding->text, format, arguments);
  va_end(arguments);
  hd_sanitize(finding->about);
  hd_sanitize(finding->text);
}

void hd_findings_print(const struct hd_findings *findings, size_t from, size_t to, FILE *out) {
  static const char *const marks[] = {
      [HD_FINDING_FINE] = "ok", [HD_FINDING_NOTE] = "note", [HD_FINDING_WRONG] = "WRONG"};
  for (size_t i = from; i < to; i++)
    fprintf(out, "%-6s %-22s %s\n", marks[findings->items[i].level], findings->items[i].about, findings->items[i].text);
}
