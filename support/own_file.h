/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file own_file.h
 * The file that this process was executed from.
 */
#ifndef HEDDLE_SUPPORT_OWN_FILE_H
#define HEDDLE_SUPPORT_OWN_FILE_H

#include <limits.h>
#include <stdbool.h>

/** Its path as /proc knows it. In a chroot or container without /proc it is the name that execve(2) was given; if that
 *  name is relative, it is taken from the present directory. False: neither leads to a file, `path` is "". errno may
 *  change. */
bool hd_own_file(char path[PATH_MAX]);

#endif
