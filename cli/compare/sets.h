/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file sets.h
 * The operands of `heddle compare` as sets of runs.
 *
 * An operand is a profile, a set of one run, or a directory: its own files *.heddle are a set, and those of each of its
 * subdirectories are, as `heddle scale --param` leaves them: in the order of its scan.json, else by their names. Hidden
 * files and directories do not count.
 */
#ifndef HEDDLE_CLI_COMPARE_SETS_H
#define HEDDLE_CLI_COMPARE_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/comparison/comparison.h"

struct hd_compare_run {
  struct hd_model *model; /* names are resolved */
  uint32_t set;
  uint32_t threads; /* that were asked for, if all runs know that; else the most there were */
};

struct hd_compare_set {
  char *path;           /* as given, without slashes at its end */
  char *name;           /* the last part of path; of a scan's set, its parameters' values as they were given */
  const char *label;    /* that; all of path if another set's is the same */
  size_t thread_counts; /* how many different ones its runs have */
};

struct hd_compare_sets {
  struct hd_compare_run *runs; /* by set, then by name */
  size_t run_count;
  struct hd_compare_set *sets;
  size_t set_count;
  uint32_t *thread_counts; /* all that occur, ascending */
  size_t thread_count_count;
};

/** Opens all operands. False: stderr has said what is wrong with each; free in any case. */
bool hd_compare_sets_open(struct hd_compare_sets *sets, char **operands, size_t count);
void hd_compare_sets_free(struct hd_compare_sets *sets);

#endif
