/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file profile_file.h
 * Names a profile, and copies a live file to a saved one: in the library at the end of a program, in the command for
 * programs that were killed. No allocation; no stdio streams.
 */
#ifndef HEDDLE_STORE_PROFILE_FILE_H
#define HEDDLE_STORE_PROFILE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "heddle-format.h"

#define HD_SAVE_DEFAULT_NAME "%n.%p.heddle"
/** In the private directory of `heddle run`: the program's arguments, each with its terminator. */
#define HD_SAVE_COMMAND_FILE "command"
/** There, with a process's number: a link to the job's file that has its profile. */
#define HD_JOB_LINK "job."
/** A header's rank for the name of what all ranks of a job have in common. */
#define HD_RANK_ALL (-2)
#define HD_FREE_NAME_BYTES 16u /* what a suffix may add to a path */

/** Expands %p (pid), %h (host), %r (rank, "all" or "none"), %n (program) and %% in `pattern`, and keeps any other %x.
 * Prefixes a relative name with the current directory, if there still is one. In a directory the profile gets the
 * default name. A forked child whose pattern has no %p gets its pid before the ending. False: the name does not fit. */
bool hd_profile_file_expand_name(const char *pattern, const struct hd_file_header *header, char *text, size_t bytes);

/** Copies the profile in the file `from`, or at `mapped` unless that is NULL (threads may still write to it), as far as
 *  its header claims. Seals it (seal.h) and saves it as `path`, or path.1, path.2, ... if that exists: mode 0600, never
 *  over a file, follows no link. `final_path` gets the name, which appears when the copy is whole. False: errno says
 * why, and nothing is left behind. (A process that dies meanwhile leaves .heddle.PID.part in that directory.) */
bool hd_profile_file_to_free_name(int from, const char *mapped, const char *path, char *final_path, size_t final_bytes);

/** The same; if it cannot be saved under its name, then in the current directory, else in $TMPDIR or /tmp, and `*error`
 *  says why; 0: it is where it should be. False: it could not be saved anywhere. */
bool hd_profile_file_somewhere(int from, const char *mapped, const char *path, char *final_path, size_t final_bytes,
                               int *error);

#endif
