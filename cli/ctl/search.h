/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file search.h
 * The search for what a running program loses time to, with few events: measures regions alone, and then, for a short
 * time each, the classes of events that a hypothesis needs. Where its cure would save a stated share of the time the
 * hypothesis holds. After Paradyn's Performance Consultant (B. P. Miller et al., "The Paradyn Parallel Performance
 * Measurement Tool", IEEE Computer 28(11), 1995): why, where, when. *Where* needs no search here: callpaths tell it.
 */
#ifndef HEDDLE_CLI_CTL_SEARCH_H
#define HEDDLE_CLI_CTL_SEARCH_H

#include <stdbool.h>
#include <stdio.h>

struct hd_search_options {
  double interval_seconds; /* of a test */
  double threshold;        /* share of the time, 0 to 1, from which a hypothesis holds */
  double wait_seconds;     /* for the program to act, at most */
  bool goes_on;            /* tests again and again, until the program ends */
  bool json;
};

/** So long a test is if nobody says otherwise, and so much of the time it is about. */
#define HD_SEARCH_SECONDS 0.25
#define HD_SEARCH_THRESHOLD 0.05

/** Searches in the program that writes the live profile `path`, and writes to `out` what was tested and found. Then as
 *  much is measured as before. False: nothing could be tested; `error` says why. */
bool hd_search(const char *path, const struct hd_search_options *options, FILE *out, char *error, size_t error_bytes);

#endif
