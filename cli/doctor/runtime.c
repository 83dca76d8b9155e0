/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/doctor/doctor_internal.h"
#include "cli/program/elf_file.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "support/command/memory.h"

/* False: nothing came of it. */
static bool has_played(struct hd_doctor *doctor, const struct hd_probe *probe, const struct hd_probe_end *end) {
  const char *place = hd_probe_place_name(probe->place);
  char said[200];
  snprintf(said, sizeof said, "%.*s", (int)strcspn(end->said, "\n"), end->said);
  if (end->signal == SIGALRM)
    SAY(WRONG, "runtime", "hung in %s, without Heddle: use another version of libomp", place);
  else if (end->signal)
    SAY(WRONG, "runtime", "died of signal %d (%s) in %s, without Heddle: use another version of libomp%s%s",
        end->signal, strsignal(end->signal), place, said[0] ? "; it said: " : "", said);
  else if (!probe->done)
    SAY(WRONG, "runtime", "cannot be tried: %s", said[0] ? said : "no reason is known");
  else if (!probe->asked)
    SAY(WRONG, "runtime",
        "does not look for tools: built without OMPT, or older than version 8; use another libomp, such as Debian's "
        "libomp5-19");
  else if (!probe->started)
    SAY(WRONG, "runtime", "does not take tools: ompt_set_callback is missing; use another version of libomp");
  else
    return true;
  return false;
}

static void judge(struct hd_doctor *doctor, const struct hd_probe *probe) {
  struct hd_probe_row row;
  size_t counts[] = {[HD_PROBE_FINE] = 0, [HD_PROBE_HANDLED] = 0, [HD_PROBE_LOST] = 0};
  const size_t all = hd_probe_row_count();
  for (size_t i = 0; i < all; i++) {
    hd_probe_row(probe, i, &row);
    counts[row.verdict]++;
  }
  if (probe->team < HD_PROBE_TEAM)
    SAY(NOTE, "team", "the runtime gives a region of %d only one thread: workers' events were not tested",
        HD_PROBE_TEAM);
  if (counts[HD_PROBE_LOST])
    SAY(WRONG, "events", "%zu of %zu do not arrive as Heddle needs them: reports lose what the table says",
        counts[HD_PROBE_LOST], all);
  else
    SAY(FINE, "events", "all %zu arrive; %zu late or without an address, which Heddle handles; --verbose lists them",
        all, counts[HD_PROBE_HANDLED]);
}

static void try_runtime(struct hd_doctor *doctor) {
  struct hd_probe_end end;
  doctor->probe = hd_probe_run(doctor->libomp, NULL, NULL, &end);
  hd_need(doctor->probe != NULL);
  doctor->has_played = has_played(doctor, doctor->probe, &end);
  if (doctor->has_played)
    judge(doctor, doctor->probe);
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
        "the kernel's, because the processor's counter is not invariant here (a virtual machine?); every event costs "
        "more");
  if (broken || model->thread_count < HD_PROBE_TEAM)
    SAY(WRONG, "libheddle.so", "the times in its profile do not add up for %u of %u threads", broken,
        model->thread_count);
  else
    SAY(FINE, "libheddle.so", "%s wrote a profile of %u threads, and their times add up", doctor->library,
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
    SAY(NOTE, "libheddle.so", "was not tested: cannot make a folder in %s", parent && *parent ? parent : "/tmp");
    return;
  }
  try_library_in(doctor, directory);
  rmdir(directory);
}

void hd_doctor_check_runtime(struct hd_doctor *doctor) {
  struct hd_elf_file file;
  if (hd_elf_file_read(doctor->libomp, &file))
    memcpy(doctor->build_id, file.build_id, sizeof doctor->build_id);
  doctor->of_runtime = doctor->findings.count;
  try_runtime(doctor);
  if (doctor->library[0])
    try_library(doctor);
}
