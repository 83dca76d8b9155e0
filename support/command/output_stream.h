/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file output_stream.h
 * Writing results so that a full disk is noticed.
 */
#ifndef HEDDLE_SUPPORT_COMMAND_OUTPUT_STREAM_H
#define HEDDLE_SUPPORT_COMMAND_OUTPUT_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/**
 * Makes sure that a closed standard stream stays closed: without it the next file that is opened would take its place
 * and be written to. Call before opening anything.
 */
void hd_stream_guard(void);

/** What is said of a result's name that is taken: no command writes over a file by itself. */
#define HD_STREAM_TAKEN "file already exists; --force replaces it, -o names another"

/** Opens the file for a result; `replace`: also over a regular file that is there. NULL: the reason is on stderr. */
FILE *hd_stream_create(const char *path, bool replace);

/**
 * Ends writing: flushes and, unless it is stdout, closes `out`; shows what a pager is for (pager.h). Returns false when
 * not all was written, after saying so on stderr (`name` is what the user calls the stream); a reader that went away
 * early ("| head") is not worth a word.
 */
bool hd_stream_finish(FILE *out, const char *name);

#endif
