/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "doctor/probe.h"
#include "output/model.h"
#include "output/report_parts.h"

#define SAY(level, about, ...) hd_findings_add(&doctor->findings, HD_FINDING_##level, about, __VA_ARGS__)

/* ---- the table ---- */

enum { CELL_BYTES = 24, COLUMNS = 7 };

static const char *tell_time(const struct hd_probe_row *row) {
  if (row->delivered == 0)
    return "-";
  return row->timely == row->delivered ? "yes" : "late";
}

static const char *tell_address(const struct hd_probe_row *row) {
  if (row->needing_address == 0)
    return "-";
  if (row->addressed == row->needing_address)
    return "yes";
  return row->addressed + row->in_runtime == row->needing_address ? "runtime's" : "no";
}

static bool add_row(struct libscols_table *table, const struct hd_probe_row *row) {
  static const char *const verdicts[] = {[HD_PROBE_FINE] = "", [HD_PROBE_HANDLED] = "known", [HD_PROBE_LOST] = "LOST"};
  char delivered[CELL_BYTES];
  snprintf(delivered, sizeof delivered, "%u/%u", row->delivered, row->expected);
  const char *const cells[] = {row->event,     row->what,         row->registered,        delivered,
                               tell_time(row), tell_address(row), verdicts[row->verdict], row->loss};
  struct libscols_line *line = scols_table_new_line(table, NULL);
  bool done = line != NULL;
  for (size_t i = 0; i < sizeof cells / sizeof *cells && done; i++)
    done = scols_line_set_data(line, i, cells[i]) == 0;
  return done;
}

static struct libscols_table *new_table(FILE *out) {
  static const char *const titles[] = {"Event",   "Of",           "Registered", "Delivered",
                                       "On time", "Code address", "",           "Without it"};
  struct libscols_table *table = hd_table_new(out);
  bool done = table != NULL;
  for (size_t i = 0; i < sizeof titles / sizeof *titles && done; i++)
    done = hd_table_column(table, titles[i], i == 3 ? SCOLS_FL_RIGHT : 0);
  if (done)
    return table;
  scols_unref_table(table);
  return NULL;
}

struct counts {
  size_t fine, handled, lost;
};

static bool print_rows(const struct hd_probe *probe, struct counts *counts, FILE *out) {
  struct hd_probe_row row;
  struct libscols_table *table = new_table(out);
  bool done = table != NULL;
  for (size_t i = 0; i < hd_probe_row_count() && done; i++) {
    hd_probe_row(probe, i, &row);
    counts->fine += row.verdict == HD_PROBE_FINE;
    counts->handled += row.verdict == HD_PROBE_HANDLED;
    counts->lost += row.verdict == HD_PROBE_LOST;
    done = add_row(table, &row);
  }
  done = done && scols_print_table(table) == 0;
  scols_unref_table(table);
  return done;
}

static void print_legend(FILE *out) {
  fputs("late: not before the thread went on. runtime's: the address lies inside the runtime; Heddle looks for its "
        "caller\n"
        "on the stack. known: all of this version are so, and Heddle does without.\n",
        out);
}

/* ---- the runtime ---- */

/* False: nothing came of it. */
static bool has_played(struct hd_doctor *doctor, const struct hd_probe *probe, const struct hd_probe_end *end) {
  const char *place = hd_probe_place_name(probe->place);
  char said[200];
  snprintf(said, sizeof said, "%.*s", (int)strcspn(end->said, "\n"), end->said);
  if (end->signal == SIGALRM)
    SAY(WRONG, "runtime", "hung in %s, without Heddle: take another version of libomp", place);
  else if (end->signal)
    SAY(WRONG, "runtime", "died of signal %d (%s) in %s, without Heddle: take another version of libomp%s%s",
        end->signal, strsignal(end->signal), place, said[0] ? "; it said: " : "", said);
  else if (!probe->done)
    SAY(WRONG, "runtime", "cannot be tried: %s", said[0] ? said : "no reason is known");
  else if (!probe->asked)
    SAY(WRONG, "runtime",
        "looks for no tools: it was built without OMPT, or before version 8; take another libomp, as of "
        "Debian's libomp5-19");
  else if (!probe->started)
    SAY(WRONG, "runtime", "does not take tools: ompt_set_callback is missing; take another version of libomp");
  else
    return true;
  return false;
}

static void judge(struct hd_doctor *doctor, const struct hd_probe *probe, const struct counts *counts) {
  const size_t all = counts->fine + counts->handled + counts->lost;
  if (probe->team < HD_PROBE_TEAM)
    SAY(NOTE, "team", "the runtime gives one thread to a region of %d: what workers send was not tried", HD_PROBE_TEAM);
  if (counts->lost)
    SAY(WRONG, "events", "%zu of %zu do not arrive as Heddle needs them: reports lose what the table says",
        counts->lost, all);
  else
    SAY(FINE, "events", "all %zu arrive; %zu in ways that Heddle knows of and does without", all, counts->handled);
}

static bool try_runtime(struct hd_doctor *doctor, FILE *out) {
  struct hd_probe_end end;
  struct counts counts = {0};
  struct hd_probe *probe = hd_probe_run(doctor->libomp, NULL, NULL, &end);
  if (!probe)
    return false;
  bool done = true;
  fprintf(out, "\nRuntime %s%s%s\n", doctor->libomp, probe->runtime[0] ? ": " : "", probe->runtime);
  if (has_played(doctor, probe, &end)) {
    done = print_rows(probe, &counts, out);
    print_legend(out);
    judge(doctor, probe, &counts);
  }
  hd_probe_free(probe);
  return done;
}

/* ---- libheddle.so on that runtime ---- */

static void check_profile(struct hd_doctor *doctor, const char *path) {
  char error[PATH_MAX + 256];
  struct hd_model *model = NULL;
  uint32_t broken = 0;
  if (!hd_profile_open(path, &model, error, sizeof error)) {
    SAY(WRONG, "libheddle.so", "its profile cannot be read: %s", error);
    return;
  }
  for (uint32_t i = 0; i < model->thread_count; i++)
    broken += !hd_model_thread_is_whole(model, i);
  if (model->header.clock_kind == HD_CLOCK_TSC)
    SAY(FINE, "clock", "the processor's counter");
  else
    SAY(NOTE, "clock",
        "the kernel's: the processor's counter is not invariant here (a virtual machine?); every event "
        "costs more");
  if (broken || model->thread_count < HD_PROBE_TEAM)
    SAY(WRONG, "libheddle.so", "the times in its profile do not add up for %u of %u threads", broken,
        model->thread_count);
  else
    SAY(FINE, "libheddle.so", "%s: wrote a profile of %u threads, and their times add up", doctor->library,
        model->thread_count);
  hd_model_free(model);
}

/* Among them are its complaints about the HEDDLE_* variables that are set. */
static void take_lines(struct hd_doctor *doctor, char *said) {
  static const char prefix[] = "heddle: ";
  char *rest = NULL;
  for (char *line = strtok_r(said, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    SAY(WRONG, "libheddle.so", "says: %s", strncmp(line, prefix, sizeof prefix - 1) ? line : line + sizeof prefix - 1);
}

static void try_library_in(struct hd_doctor *doctor, const char *directory) {
  char output[PATH_MAX + 16];
  struct hd_probe_end end;
  snprintf(output, sizeof output, "%s/probe.heddle", directory);
  struct hd_probe *probe = hd_probe_run(doctor->libomp, doctor->library, output, &end);
  if (!probe)
    return;
  const char *place = hd_probe_place_name(probe->place);
  take_lines(doctor, end.said);
  if (end.signal)
    SAY(WRONG, "libheddle.so", "the runtime died with it of signal %d (%s) in %s", end.signal, strsignal(end.signal),
        place);
  else if (access(output, F_OK) == 0)
    check_profile(doctor, output);
  else
    SAY(WRONG, "libheddle.so", "%s wrote no profile: the runtime did not take it", doctor->library);
  unlink(output);
  hd_probe_free(probe);
}

static void try_library(struct hd_doctor *doctor) {
  char directory[PATH_MAX];
  const char *parent = getenv("TMPDIR");
  snprintf(directory, sizeof directory, "%s/heddle-doctor.XXXXXX", parent && *parent ? parent : "/tmp");
  if (!mkdtemp(directory)) {
    SAY(NOTE, "libheddle.so", "was not tried: no folder can be made in %s", parent && *parent ? parent : "/tmp");
    return;
  }
  try_library_in(doctor, directory);
  rmdir(directory);
}

bool hd_doctor_check_runtime(struct hd_doctor *doctor, FILE *out) {
  if (!try_runtime(doctor, out))
    return false;
  if (doctor->library[0])
    try_library(doctor);
  return true;
}
