/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file salvage_writer.h
 * Does a live file's process still write to it?
 */
#ifndef HEDDLE_CLI_RECOVER_SALVAGE_WRITER_H
#define HEDDLE_CLI_RECOVER_SALVAGE_WRITER_H

enum hd_salvage_writer {
  HD_SALVAGE_GONE,   /* nobody will write to it any more */
  HD_SALVAGE_UNSEEN, /* no process that can be seen here; its file system does not tell of others */
  HD_SALVAGE_ALIVE,  /* the process it was made by has it in its memory */
  HD_SALVAGE_UNKNOWN /* somebody has it open whom this process cannot see: another user, another container */
};

/** Who may still write to the live file `name`, open in `fd`? Not the process's number counts, which another may have
 * by now, but whether it has the file in its memory. For files of this host. */
enum hd_salvage_writer hd_salvage_find_writer(int fd, const char *name);

#endif
