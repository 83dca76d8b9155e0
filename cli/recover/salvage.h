/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file salvage.h
 * What a program that did not close its profile leaves behind, for `heddle run` and `heddle recover`: live files
 * (PROGRAM.PID.live, with more behind it when that name was taken).
 */
#ifndef HEDDLE_CLI_RECOVER_SALVAGE_H
#define HEDDLE_CLI_RECOVER_SALVAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "heddle-format.h"

/** The process in the name of a live file; 0: that is none. */
pid_t hd_salvage_pid(const char *name);

/** Opens one for reading, through no link; -1: errno. */
int hd_salvage_open(int directory, const char *name);

/** Its header, with terminated strings. False: there is none, or it is another version's. */
bool hd_salvage_read_header(int fd, struct hd_file_header *header);

/** Writes one field of a live file's header. */
bool hd_salvage_write_field(int fd, const void *value, size_t bytes, size_t offset);
#define HD_SALVAGE_WRITE(fd, header, field)                                                                            \
  hd_salvage_write_field(fd, &(header)->field, sizeof(header)->field, offsetof(struct hd_file_header, field))

/** Gives a saved profile, which nobody writes any more, another header, and seals it again (store/seal.h). */
bool hd_salvage_replace_header(int fd, const struct hd_file_header *header);

/** Locks an open file until it is closed. False: somebody else has locked it. (Where there are no locks: true.) */
bool hd_salvage_lock(int fd);

/** Who may still write to a live file. */
enum hd_salvage_writer {
  HD_SALVAGE_GONE,   /* nobody will any more */
  HD_SALVAGE_UNSEEN, /* no process that can be seen here; its file system does not tell of others */
  HD_SALVAGE_ALIVE,  /* the process it was made by has it in its memory */
  HD_SALVAGE_UNKNOWN /* somebody has it open whom this process cannot see: another user, another container */
};

/** Who may still write to the live file `name`, open in `fd`? The process's number may be another's by now, so what
 *  counts is whether a process has the file in its memory. For files of this host. */
enum hd_salvage_writer hd_salvage_find_writer(int fd, const char *name);

#endif
