/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file lock.h
 * Keeps a second scan out of the directory.
 */
#ifndef HEDDLE_CLI_SCALE_LOCK_H
#define HEDDLE_CLI_SCALE_LOCK_H

#define HD_SCALE_LOCK_NAME "scan.lock"

/** Locks `directory` until the descriptor that is returned is closed, in this process and in a child that is a run.
 *  -1: it cannot be, as was said. */
int hd_scale_lock(const char *directory);

#endif
