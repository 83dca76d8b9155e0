/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file own_file.h
 * The file that this process was executed from.
 */
#ifndef HEDDLE_SUPPORT_OWN_FILE_H
#define HEDDLE_SUPPORT_OWN_FILE_H

#include <limits.h>
#include <stdbool.h>

/** Its path from /proc. In a chroot or container without /proc the name that execve(2) got, seen from the present
 *  directory. False: neither leads to a file, and `path` is "". errno may change. */
bool hd_own_file(char path[PATH_MAX]);

#endif
