/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file rows.h
 * What had to arrive from a runtime, what did, and what Heddle's reports lose without it.
 */
#ifndef HEDDLE_CLI_DOCTOR_PROBE_ROWS_H
#define HEDDLE_CLI_DOCTOR_PROBE_ROWS_H

#include <stddef.h>

#include "cli/doctor/probe/record.h"

enum hd_probe_verdict {
  HD_PROBE_FINE,
  HD_PROBE_HANDLED, /* not as the standard wants it, but Heddle knows and does without */
  HD_PROBE_LOST
};

/** One line of the table. */
struct hd_probe_row {
  const char *event;      /* "work" */
  const char *what;       /* "static loop" */
  const char *loss;       /* what reports lose without it */
  const char *registered; /* the runtime's answer: "always", ... */
  unsigned expected, delivered;
  unsigned timely;     /* of those delivered */
  unsigned addressed;  /* of those that need one: with an address inside the code that called the runtime */
  unsigned in_runtime; /* with one inside the runtime, so that the caller must be looked for */
  unsigned needing_address;
  enum hd_probe_verdict verdict;
};

/** How many rows there are, and row `index` of them, from what the probe recorded. */
size_t hd_probe_row_count(void);
void hd_probe_row(const struct hd_probe *probe, size_t index, struct hd_probe_row *row);

/** "yes" or "late"; NULL: none came. */
const char *hd_probe_timely(const struct hd_probe_row *row);

/** Whose the addresses were: "yes" (of the code that called), "runtime's" or "no"; NULL: none is needed. */
const char *hd_probe_address_of(const struct hd_probe_row *row);

#endif
