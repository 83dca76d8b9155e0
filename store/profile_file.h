/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file profile_file.h
 * Names for profiles and how a live file becomes a saved one. Used by the library at the end of a program and by the
 * command for programs that were killed. No allocation; no stdio streams.
 */
#ifndef HEDDLE_STORE_PROFILE_FILE_H
#define HEDDLE_STORE_PROFILE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "heddle-format.h"

#define HD_SAVE_DEFAULT_NAME "%n.%p.heddle"
/** In the private directory of `heddle run`: the program's arguments as it was started with them, each with its
 * terminator. */
#define HD_SAVE_COMMAND_FILE "command"
#define HD_FREE_NAME_BYTES 16u /* what a suffix may add to a path */

/** Expands %p (pid), %h (host), %r (rank, "none" without one), %n (program) and %% in `pattern` and prefixes the
 *  current directory, if there still is one, when it is relative. An unknown %x is kept as it stands. Of a directory:
 *  the default name in it. A forked child whose pattern has no %p has its pid before the ending. False: it does not
 *  fit. */
bool hd_save_expand_name(const char *pattern, const struct hd_file_header *header, char *text, size_t bytes);

/** Copies what the header of the file `from` claims to be in it, or what is mapped at `mapped` unless that is NULL (it
 * may still be written), to `path`, sealed (seal.h), or to path.1, path.2, ... when that exists: mode 0600, never over
 * a file, no link followed. The name used is put in `final_path`; it appears when the copy is whole. False: errno says
 * why, and nothing is left behind. (A process that dies meanwhile leaves .heddle.PID.part in that directory.) */
bool hd_save_to_free_name(int from, const char *mapped, const char *path, char *final_path, size_t final_bytes);

/** Likewise; where it cannot be saved under its name, in the current directory, else in $TMPDIR or /tmp. `*error` says
 * why; 0: it is where it should be. False: nowhere. */
bool hd_save_somewhere(int from, const char *mapped, const char *path, char *final_path, size_t final_bytes,
                       int *error);

#endif
