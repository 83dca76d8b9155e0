/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file doctor_internal.h
 * The parts of `heddle doctor`, in the order in which command.c uses them. Each adds its findings; none changes
 * anything, and none runs the program.
 *
 *     findings.c      what was found
 *     app.c           the program: its file, what it links, what it defines
 *     environment.c   variables that steer OpenMP, the loader or Heddle
 *     machine.c       where profiles go, clock, processors, limits, counters
 *     runtime.c       the probe (probe/run.c) on the runtime; libheddle.so itself on that runtime
 *     report_text.c, report_json.c   what came of it
 */
#ifndef HEDDLE_CLI_DOCTOR_DOCTOR_INTERNAL_H
#define HEDDLE_CLI_DOCTOR_DOCTOR_INTERNAL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/doctor/probe/probe_internal.h"
#include "output/model/model.h"

/** A line each, with the cause and the cure. */
enum hd_finding_level {
  HD_FINDING_FINE,
  HD_FINDING_NOTE, /* good to know; nothing is lost by it */
  HD_FINDING_WRONG /* no profile, or a profile that lacks something */
};

struct hd_finding {
  enum hd_finding_level level;
  char about[40]; /* "/dev/shm" */
  char text[600];
};

enum { HD_FINDINGS_MOST = 64 };

/** Findings beyond HD_FINDINGS_MOST are dropped but counted. */
struct hd_findings {
  struct hd_finding items[HD_FINDINGS_MOST];
  size_t count;
  size_t wrong;
};

void hd_findings_add(struct hd_findings *findings, enum hd_finding_level level, const char *about, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));

/** Prints those from `from` to before `to`, a line each. Texts come from files and from the environment: what is not
 * printable is replaced. */
void hd_findings_print(const struct hd_findings *findings, size_t from, size_t to, FILE *out);

/** A finding of `doctor`: SAY(WRONG, "runtime", "hung in %s", place). */
#define SAY(level, about, ...) hd_findings_add(&doctor->findings, HD_FINDING_##level, about, __VA_ARGS__)

/** Which runtime the program would run on. */
enum hd_doctor_runtime {
  HD_DOCTOR_NEWEST, /* no program, or one that does not say: the newest found */
  HD_DOCTOR_NAMED,  /* `libomp` */
  HD_DOCTOR_NONE    /* one that cannot be tried apart from the program, or the program is nothing for Heddle */
};

struct hd_doctor {
  const char *program; /* as the command line has it; NULL: none */
  char libomp[PATH_MAX];
  char build_id[HD_BUILD_ID_TEXT_BYTES]; /* of `libomp`, hexadecimal; "": none, or not looked for */
  enum hd_doctor_runtime runtime;
  bool verbose;           /* all events are listed */
  char library[PATH_MAX]; /* libheddle.so; "": not found */
  struct hd_findings findings;
  size_t of_runtime;      /* the first finding of hd_doctor_check_runtime */
  struct hd_probe *probe; /* the runtime's events; NULL: none was tried */
  bool has_played;        /* the probe came through; else a finding says why not */
};

void hd_doctor_check_app(struct hd_doctor *doctor);
void hd_doctor_check_environment(struct hd_doctor *doctor);
void hd_doctor_check_machine(struct hd_doctor *doctor);

/** Tries the runtime, and libheddle.so on it. The caller frees `doctor->probe`. */
void hd_doctor_check_runtime(struct hd_doctor *doctor);

/** For people: the findings, the table of events if one is lost or all are asked for, the verdict. */
void hd_doctor_report_text(const struct hd_doctor *doctor, FILE *out);

/** The same for scripts: docs/doctor.md says what is in it. */
void hd_doctor_report_json(const struct hd_doctor *doctor, FILE *out);

#endif
