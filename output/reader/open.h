/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file open.h
 * From a profile file to a model.
 */
#ifndef HEDDLE_OUTPUT_READER_OPEN_H
#define HEDDLE_OUTPUT_READER_OPEN_H

#include "output/model/model.h"

/**
 * Reads the profile at `path`. On success `*model` is the caller's, to be freed with hd_model_free(), and `error`
 * is empty. Returns false when the file cannot be read, is no profile, damaged or newer; then `error` holds one line
 * that names the file and the reason, without a newline, and `*model` is NULL.
 */
bool hd_profile_open(const char *path, struct hd_model **model, char *error, size_t error_bytes);

/**
 * The same for the file open in `file`, which is copied: it may grow and change meanwhile, or have no name any more.
 * `present`: its program runs; what threads are in ends when the copy was begun, not at the last event: whatever has
 * happened until then is in the copy. A trace is left out.
 */
bool hd_profile_read(const char *path, int file, bool present, struct hd_model **model, char *error,
                     size_t error_bytes);

/** For who copies such a file with its trace: blocks that were given to other threads meanwhile (`--trace-last`) are empty
 *  from now on in the copy at `bytes`. */
void hd_profile_settle_copy(int file, char *bytes, size_t size);

/** A second model of the copy that hd_profile_read() has made. `from` must outlive it. */
bool hd_profile_read_again(const struct hd_model *from, struct hd_model **model, char *error, size_t error_bytes);

/** The same for a file already in memory; `bytes` may be anything, and are not needed afterwards. `path` is used for
 *  messages only. All rows are made. */
bool hd_profile_parse(const char *path, const void *bytes, size_t size, struct hd_model **model, char *error,
                      size_t error_bytes);

#endif
