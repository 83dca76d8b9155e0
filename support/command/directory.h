/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file directory.h
 * What is in a directory, and how much room.
 */
#ifndef HEDDLE_SUPPORT_COMMAND_DIRECTORY_H
#define HEDDLE_SUPPORT_COMMAND_DIRECTORY_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

struct hd_directory {
  DIR *stream;      /* NULL: it cannot be read (errno says why), or the last entry has been visited */
  const char *name; /* of the entry that is visited; never "." or ".." */
};

struct hd_directory hd_directory_open(const char *path);

/** Visits the next entry. False: there is none, and the directory is closed; so do not leave the loop early. */
bool hd_directory_next(struct hd_directory *directory);

bool hd_is_directory(const char *path);

/** Bytes that a user may still write there; 0: also when that is not known, and errno says why. */
uint64_t hd_directory_room(const char *path);

#endif
