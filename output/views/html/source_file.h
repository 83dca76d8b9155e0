/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file source_file.h
 * Source files that a profile names, for a page that others may get to see.
 *
 * Whoever made the profile chose the names. So that no other file of this machine gets into a page, only regular files
 * are read whose name ends as that of a source file, and that are text.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_HTML_SOURCE_FILE_H
#define HEDDLE_OUTPUT_VIEWS_HTML_SOURCE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_source_file {
  char *text;         /* terminated; ends of lines are as well */
  const char **lines; /* lines[0] is line 1 */
  uint32_t count;
  uint64_t modified_ns; /* since the epoch */
};

enum { HD_SOURCE_BYTES_MOST = 4 << 20 };

/** Whether a name ends as those of sources in C, C++ or Fortran do. */
bool hd_source_is_named(const char *path);

/** False: the file is not there, or is none to show. The lines are freed with hd_source_free(). */
bool hd_source_read(const char *path, struct hd_source_file *file);
void hd_source_free(struct hd_source_file *file);

#endif
