/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file private_directory.h
 * The private directory of a `heddle run`: heddle.XXXXXX with mode 0700 and probes in it. There libheddle.so keeps a
 * process's live file, PROGRAM.PID.live. Its `heddle run` has it locked, as long as it lives.
 */
#ifndef HEDDLE_CLI_RECOVER_PRIVATE_DIRECTORY_H
#define HEDDLE_CLI_RECOVER_PRIVATE_DIRECTORY_H

#include <stdbool.h>

/** Files in it that stand around libheddle.so in OMP_TOOL_LIBRARIES. They are no libraries; that a runtime has tried
 *  them tells how far it came. */
enum hd_private_probe {
  HD_PRIVATE_PROBE_STARTED, /* before it: a runtime was initialised and looks for tools */
  HD_PRIVATE_PROBE_REFUSED, /* behind it: the runtime did not take libheddle.so */
  HD_PRIVATE_PROBE_COUNT
};
extern const char *const hd_private_probe_names[HD_PRIVATE_PROBE_COUNT];

/** Makes one in `parent` and locks it; `path` has PATH_MAX bytes. Returns the descriptor of the lock; -1: it cannot be
 *  made there. */
int hd_private_directory_make(const char *parent, char *path);

/** Is it one, and of this user? Not one that is just being made. */
bool hd_private_directory_is(const char *path);

/** Whether the `heddle run` of that private directory may still be running: the directory is locked, or cannot be
 *  opened. */
bool hd_private_directory_may_be_used(const char *directory);

/** Opens a directory and locks it: a descriptor that keeps the lock until it is closed. -1: errno is EWOULDBLOCK when
 *  somebody else has locked it. A link is not followed. */
int hd_private_directory_lock(const char *path);

/** Removes a private directory with all that is not a live file; while there are such, all stays. `lock` is what
 *  hd_private_directory_lock gave, and is closed: no other descriptor is needed, of which there may be none. */
void hd_private_directory_remove(const char *path, int lock);

#endif
