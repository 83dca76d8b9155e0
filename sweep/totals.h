/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file totals.h
 * The totals of regions and worksharing constructs (hd_total_record), by profile, primary and team size.
 *
 * All numbers live in records of the profile file; every change is journalled. Not thread-safe: the caller has the
 * sweep's lock. Finding one costs one look-up in a hash table.
 */
#ifndef HEDDLE_SWEEP_TOTALS_H
#define HEDDLE_SWEEP_TOTALS_H

#include <stdbool.h>

#include "heddle-format.h"
#include "sweep/journal.h"

struct hd_total {
  struct hd_total_record *record; /* NULL: free */
  uint32_t kept_in;               /* journal.h */
};

struct hd_total_book {
  struct hd_journal *journal;
  struct hd_file_header *header; /* HD_FILE_FULL: some could not be kept */
  struct hd_total *slots;        /* hash table */
  uint32_t mask;                 /* slots - 1 */
  uint32_t count;
};

/** The total, which the caller may change until the end of the step. NULL: there is no space, which is told. */
struct hd_total_record *hd_totals_change(struct hd_total_book *book, uint32_t profile, uint32_t thread,
                                         uint32_t team_size);

/** Takes over a record from a file. False: no memory. */
bool hd_totals_restore(struct hd_total_book *book, struct hd_total_record *record);

/** Frees what is not records. */
void hd_totals_free(struct hd_total_book *book);

#endif
