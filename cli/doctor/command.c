/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file command.c
 * `heddle doctor [options] [-- PROGRAM [ARGUMENT...]]`: does Heddle work here, and if not, why?
 */
#include "cli/command.h"

#include <limits.h>
#include <signal.h>

#include "cli/doctor/doctor_internal.h"
#include "cli/program/find_libraries.h"
#include "support/command/options.h"
#include "support/command/output_stream.h"

struct choices {
  const char *libomp;
  bool json;
  bool verbose;
  const char *library;
};

static const struct hd_option options[] = {
    {0, "libomp", "PATH", "the libomp to try (default: PROGRAM's, else the newest found)",
     HD_OPTION_FILE(struct choices, libomp)},
    {0, "library", "PATH", "the libheddle.so to try (default: the one that belongs to this heddle)",
     HD_OPTION_FILE(struct choices, library)},
    {'v', "verbose", NULL, "list the events that were tested also when all arrive",
     HD_OPTION_FLAG(struct choices, verbose)},
    {0, "json", NULL, "write JSON, for scripts; docs/doctor.md lists the fields", HD_OPTION_FLAG(struct choices, json)},
    {0},
};

static const struct hd_usage usage = {
    .command = "doctor",
    .synopsis = "[options] [--] [PROGRAM [ARGUMENT...]]",
    .description =
        "Checks whether Heddle works here: runs a small OpenMP program of its own on the runtime, shows which events\n"
        "arrive and what reports lose if one does not; then inspects PROGRAM's file, the environment and the machine.\n"
        "Each problem is shown with a fix. PROGRAM is not run.",
    .options = options,
    .epilogue = "Exit status: 0 when all is well, 1 when something is wrong or lost, 2 for wrong options.",
    .in_order = true,
};

static void find_runtime(struct hd_doctor *doctor, const char *named) {
  char path[PATH_MAX];
  if (doctor->runtime == HD_DOCTOR_NONE || doctor->libomp[0])
    return;
  if (hd_libomp_look_for(named, path, sizeof path)) {
    snprintf(doctor->libomp, sizeof doctor->libomp, "%s", path);
    return;
  }
  doctor->runtime = HD_DOCTOR_NONE;
  SAY(WRONG, "runtime", "%s", path);
}

static void find_library(struct hd_doctor *doctor, const char *named) {
  char why[1024];
  if (!hd_library_choose(named, doctor->library)) {
    doctor->library[0] = '\0';
    SAY(WRONG, "libheddle.so", "not found: stderr has the reason");
  } else if (!hd_library_loads(doctor->library, why, sizeof why)) {
    SAY(WRONG, "libheddle.so", "cannot be loaded: %s", why);
    doctor->library[0] = '\0';
  }
}

static void examine(struct hd_doctor *doctor, const struct choices *choices) {
  find_library(doctor, choices->library);
  if (doctor->program)
    hd_doctor_check_app(doctor);
  hd_doctor_check_environment(doctor);
  hd_doctor_check_machine(doctor);
  find_runtime(doctor, choices->libomp);
  if (doctor->runtime != HD_DOCTOR_NONE)
    hd_doctor_check_runtime(doctor);
}

int hd_cmd_doctor(int argc, char **argv) {
  struct choices choices = {0};
  struct hd_doctor doctor = {0};
  int first = 0;
  hd_stream_guard();
  signal(SIGXFSZ, SIG_IGN); /* a small limit of files is a finding, and no reason to die */
  int status = HD_EXIT_OK;
  if (!hd_options_read(&usage, argc, argv, &choices, &first, &status))
    return status;
  doctor.program = first < argc ? argv[first] : NULL;
  doctor.runtime = choices.libomp ? HD_DOCTOR_NAMED : HD_DOCTOR_NEWEST;
  doctor.verbose = choices.verbose;
  examine(&doctor, &choices);
  (choices.json ? hd_doctor_report_json : hd_doctor_report_text)(&doctor, stdout);
  hd_probe_free(doctor.probe);
  const bool written = hd_stream_finish(stdout, "standard output");
  return written && doctor.findings.wrong == 0 ? HD_EXIT_OK : HD_EXIT_FAILED;
}
