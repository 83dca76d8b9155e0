/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file keep_errno.h
 * What runs inside the program leaves errno as it was.
 */
#ifndef HEDDLE_SUPPORT_INPROCESS_KEEP_ERRNO_H
#define HEDDLE_SUPPORT_INPROCESS_KEEP_ERRNO_H

#include <errno.h>

static inline void hd_errno_restore(const int *kept) {
  errno = *kept;
}

/** When the block is left, errno is what it is here. */
#define HD_KEEP_ERRNO __attribute__((cleanup(hd_errno_restore), unused)) const int kept_errno = errno

#endif
