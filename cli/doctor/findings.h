/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file findings.h
 * What `heddle doctor` found: one line each, with the cause and the cure.
 */
#ifndef HEDDLE_CLI_DOCTOR_FINDINGS_H
#define HEDDLE_CLI_DOCTOR_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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

#endif
