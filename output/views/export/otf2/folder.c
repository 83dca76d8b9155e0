/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/export/otf2/folder.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/command/output_stream.h"

enum { ARCHIVE, FILES }; /* depths in the folder */

static bool ends_in(const char *name, const char *end) {
  const size_t length = strlen(name), end_length = strlen(end);
  return length > end_length && strcmp(name + length - end_length, end) == 0;
}

static bool is_of_archive(const FTSENT *entry) {
  const char *name = entry->fts_name;
  const bool is_file = entry->fts_info == FTS_F;
  const bool is_folder = entry->fts_info == FTS_D || entry->fts_info == FTS_DP;
  switch (entry->fts_level - 1) {
  case ARCHIVE:
    return is_folder ? strcmp(name, HD_OTF2_NAME) == 0
                     : is_file && (!strcmp(name, HD_OTF2_NAME ".otf2") || !strcmp(name, HD_OTF2_NAME ".def"));
  case FILES:
    return is_file && (ends_in(name, ".evt") || ends_in(name, ".def"));
  default:
    return is_folder && entry->fts_level == FTS_ROOTLEVEL;
  }
}

/* False: `errno` says why; 0: there is something else in it. */
static bool visit(FTS *fts, bool removes) {
  for (FTSENT *entry; errno = 0, (entry = fts_read(fts));) {
    if (!is_of_archive(entry)) {
      errno = entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR ? entry->fts_errno : 0;
      return false;
    }
    if (!removes || entry->fts_level == FTS_ROOTLEVEL || entry->fts_info == FTS_D)
      continue;
    if ((entry->fts_info == FTS_DP ? rmdir(entry->fts_accpath) : unlink(entry->fts_accpath)) != 0)
      return false;
  }
  return errno == 0;
}

static bool visit_all(const char *path, bool removes) {
  char *name = strdup(path);
  char *const paths[] = {name, NULL};
  FTS *fts = name ? fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
  const bool done = fts && visit(fts, removes);
  const int error = errno;
  if (fts)
    fts_close(fts);
  free(name);
  errno = error;
  return done;
}

bool hd_otf2_make_folder(const char *path, bool force) {
  const char *why = NULL;
  if (mkdir(path, 0777) == 0)
    return true;
  if (errno == EEXIST && !force)
    why = HD_STREAM_TAKEN;
  else if (errno != EEXIST)
    why = strerror(errno);
  else if (visit_all(path, false) && visit_all(path, true))
    return true;
  else
    why = errno == 0 ? "holds something else than an OTF2 archive; -o names another folder" : strerror(errno);
  fprintf(stderr, "heddle: %s: %s\n", path, why);
  return false;
}
