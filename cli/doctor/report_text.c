/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/doctor/doctor_internal.h"
#include "output/views/render/table.h"
#include "support/command/memory.h"

static void add_row(struct libscols_table *table, const struct hd_probe_row *row) {
  static const char *const verdicts[] = {[HD_PROBE_FINE] = "", [HD_PROBE_HANDLED] = "known", [HD_PROBE_LOST] = "LOST"};
  char delivered[24];
  const char *const timely = hd_probe_timely(row), *const address = hd_probe_address_of(row);
  const char *const cells[] = {row->event,
                               row->what,
                               row->registered,
                               delivered,
                               timely ? timely : "-",
                               address ? address : "-",
                               verdicts[row->verdict],
                               row->loss};
  struct libscols_line *line = scols_table_new_line(table, NULL);
  snprintf(delivered, sizeof delivered, "%u/%u", row->delivered, row->expected);
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
    hd_need(line && scols_line_set_data(line, i, cells[i]) == 0);
}

static void print_rows(const struct hd_probe *probe, FILE *out) {
  static const char *const titles[] = {"Event", "Of", "Answer", "Came", "On time", "Address", "", "Without it"};
  struct libscols_table *table = hd_table_new(out);
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    hd_need(table && hd_scols_column(table, titles[i], 0));
  for (size_t i = 0; i < hd_probe_row_count(); i++) {
    struct hd_probe_row row;
    hd_probe_row(probe, i, &row);
    add_row(table, &row);
  }
  hd_need(scols_print_table(table) == 0 || ferror(out));
  scols_unref_table(table);
}

static bool is_any_lost(const struct hd_probe *probe) {
  struct hd_probe_row row = {.verdict = HD_PROBE_FINE};
  for (size_t i = 0; i < hd_probe_row_count() && row.verdict != HD_PROBE_LOST; i++)
    hd_probe_row(probe, i, &row);
  return row.verdict == HD_PROBE_LOST;
}

static void print_runtime(const struct hd_doctor *doctor, FILE *out) {
  const struct hd_probe *probe = doctor->probe;
  fprintf(out, "\nRuntime %s%s%s", doctor->libomp, probe->runtime[0] ? ": " : "", probe->runtime);
  if (doctor->build_id[0])
    fprintf(out, ", build-id %.*s", (int)HD_BUILD_ID_SHORT, doctor->build_id);
  fputc('\n', out);
  if (!doctor->has_played || (!doctor->verbose && !is_any_lost(probe)))
    return;
  print_rows(probe, out);
  fputs("Answer: what ompt_set_callback returned. Came: events received of those expected. late: received after the "
        "thread\n"
        "had gone on. runtime's: the address lies inside the runtime; Heddle finds the caller on the stack.\n"
        "known: normal for this version; Heddle does without.\n",
        out);
}

static void print_verdict(const struct hd_doctor *doctor, FILE *out) {
  const size_t wrong = doctor->findings.wrong;
  if (wrong)
    fprintf(out, "\n%zu thing%s wrong: see above for the fix%s.\n", wrong, wrong == 1 ? " is" : "s are",
            wrong == 1 ? "" : "es");
  else if (doctor->probe)
    fputs("\nHeddle works with this runtime.\n", out);
  else
    fputs("\nNo problem found; the runtime was not tested.\n", out);
}

void hd_doctor_report_text(const struct hd_doctor *doctor, FILE *out) {
  const size_t count = doctor->findings.count, of_runtime = doctor->probe ? doctor->of_runtime : count;
  hd_findings_print(&doctor->findings, 0, of_runtime, out);
  if (doctor->probe)
    print_runtime(doctor, out);
  fputs("\n", out);
  hd_findings_print(&doctor->findings, of_runtime, count, out);
  print_verdict(doctor, out);
}
