/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file find.h
 * Looks for live files, for `heddle recover` and `heddle top`.
 */
#ifndef HEDDLE_CLI_RECOVER_FIND_H
#define HEDDLE_CLI_RECOVER_FIND_H

#include <stdbool.h>

/** A file with the name of a live file. */
struct hd_recover_file {
  int directory;    /* open */
  const char *path; /* of the file, in whole */
  const char *name; /* its last part */
  bool in_private;  /* in the private directory of a `heddle run` that is gone; `only_looks`: or not */
  bool named;       /* on the command line */
};

struct hd_recover_visitor {
  void (*take_file)(void *context, const struct hd_recover_file *file);
  void (*skip_directory)(void *context, const char *path); /* there are live files in it, but its `heddle run` lives */
  void *context;
  bool clear_directories; /* remove private directories once they hold no live files */
  bool only_looks;        /* locks nothing, and takes also files of a `heddle run` that lives */
};

/** Visits what is in a directory and in the private directories in it; or in the private directory that it is. Other
 *  users' private directories are passed over. False: errno, it cannot be read. */
bool hd_recover_visit_directory(const char *path, const struct hd_recover_visitor *visitor);

/** Visits one file. False: errno, its directory cannot be read; or EINVAL, its name is not a live file's. */
bool hd_recover_visit_file(const char *path, const struct hd_recover_visitor *visitor);

/** Visits all places where libheddle.so and `heddle run` make live files: $HEDDLE_STORE_DIR, /dev/shm, $TMPDIR, /tmp
 * and the current directory. */
void hd_recover_visit_all(const struct hd_recover_visitor *visitor);

#endif
