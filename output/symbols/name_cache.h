/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file name_cache.h
 * Writes names into the profile: a copy of the file with one more block of text takes the file's place.
 */
#ifndef HEDDLE_OUTPUT_SYMBOLS_NAME_CACHE_H
#define HEDDLE_OUTPUT_SYMBOLS_NAME_CACHE_H

#include "output/model/model.h"

/**
 * Writes the names that the file lacks into it, so that it reads the same on another machine: a copy beside the file
 * takes its place, with its mode. Returns false, silently, when the profile may still be written to, the directory is
 * not writable or the file is not the one that was read; the file is then unchanged.
 */
bool hd_names_store(const struct hd_model *model);

/** For `heddle run`: opens the profile, finds its names, stores them. Silent; false when there was nothing to do or it
 *  could not be done. */
bool hd_names_cache(const char *path);

#endif
