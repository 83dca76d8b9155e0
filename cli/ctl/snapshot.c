/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile of the run so far: a copy of the live one. The program does nothing for it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/ctl/ctl_internal.h"
#include "cli/recover/salvage.h"
#include "output/model/duration.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "output/symbols/name_cache.h"
#include "store/profile_file.h"
#include "support/command/options.h"
#include "support/command/output_stream.h"
#include "support/command/profile_clock.h"

enum { TRIES = 5 };
static const double error_allowed = 0.001; /* seconds */

struct copy {
  char path[PATH_MAX + HD_FREE_NAME_BYTES];
  double error_seconds;
  double elapsed_seconds;
};

static bool fail(struct hd_ctl *ctl, const char *path, const char *why) {
  snprintf(ctl->error, sizeof ctl->error, "cannot write %s: %s", path, why);
  return false;
}

/* The present, before the copy is made: all that happened until then is in it. */
static bool read_present(const struct hd_ctl *ctl, struct hd_clock_pair *now) {
  struct hd_file_header header;
  return hd_salvage_read_header(ctl->watch.live.file, &header) && hd_profile_clock_read(header.clock_kind, now);
}

static bool settle(int live, const char *path) {
  struct stat status;
  const int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  const bool known = fd >= 0 && fstat(fd, &status) == 0;
  char *bytes = known && status.st_size > 0
                    ? mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                    : MAP_FAILED;
  if (fd >= 0)
    close(fd);
  if (bytes == MAP_FAILED)
    return false;
  hd_profile_settle_copy(live, bytes, (size_t)status.st_size);
  munmap(bytes, (size_t)status.st_size);
  return true;
}

/* What threads are in ends then. */
static bool stamp(const char *path, const struct hd_clock_pair *now) {
  struct hd_file_header header;
  const int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  bool done = fd >= 0 && hd_salvage_read_header(fd, &header);
  if (done && header.end_ticks == 0) {
    header.end_ticks = hd_profile_clock_ticks(&header, now);
    header.clock_last = *now;
    if (header.paused_at_ticks)
      header.paused_ticks = now->ticks - header.paused_at_ticks;
    header.flags |= HD_FILE_SNAPSHOT;
    done = hd_salvage_replace_header(fd, &header);
  }
  if (fd >= 0)
    close(fd);
  return done;
}

static bool check(struct hd_ctl *ctl, struct copy *copy) {
  struct hd_model *model;
  if (!hd_profile_open(copy->path, &model, ctl->error, sizeof ctl->error))
    return false;
  copy->error_seconds = hd_model_seconds(model, hd_live_error_ticks(model));
  copy->elapsed_seconds = hd_model_seconds(model, model->elapsed_ticks);
  hd_model_free(model);
  return true;
}

static bool make(struct hd_ctl *ctl, const char *path, struct copy *copy) {
  struct hd_clock_pair now;
  if (!read_present(ctl, &now))
    return fail(ctl, path, "the live profile cannot be read");
  if (!hd_profile_file_to_free_name(ctl->watch.live.file, NULL, path, copy->path, sizeof copy->path))
    return fail(ctl, path, strerror(errno));
  if (settle(ctl->watch.live.file, copy->path) && stamp(copy->path, &now) ? check(ctl, copy)
                                                                          : fail(ctl, path, strerror(errno)))
    return true;
  unlink(copy->path);
  return false;
}

/* Of two copies the better one gets the name that the first one found free. */
static void keep_better(struct copy *best, const struct copy *copy) {
  if (copy->error_seconds >= best->error_seconds || rename(copy->path, best->path) != 0) {
    unlink(copy->path);
    return;
  }
  best->error_seconds = copy->error_seconds;
  best->elapsed_seconds = copy->elapsed_seconds;
}

/* A thread may write while the file is copied: the best of some copies, or the first that is good. */
static bool make_whole(struct hd_ctl *ctl, const char *path, struct copy *best) {
  bool found = false;
  for (int try = 0; try < TRIES && !(found && best->error_seconds <= error_allowed); try++) {
    struct copy copy;
    if (!make(ctl, path, &copy))
      continue;
    if (found)
      keep_better(best, &copy);
    else
      *best = copy;
    found = true;
  }
  return found;
}

int hd_ctl_snapshot(struct hd_ctl *ctl, const char *output) {
  struct hd_file_header header;
  struct copy copy;
  char path[PATH_MAX];
  const char *pattern = output ? output : HD_SAVE_DEFAULT_NAME;
  if (!hd_salvage_read_header(ctl->watch.live.file, &header) ||
      !hd_profile_file_expand_name(pattern, &header, path, sizeof path)) {
    snprintf(ctl->error, sizeof ctl->error, "%s: the profile's name is too long", pattern);
    return hd_ctl_fail(ctl);
  }
  if (!make_whole(ctl, path, &copy))
    return hd_ctl_fail(ctl);
  hd_names_cache(copy.path);
  printf("%s: %s of %s (pid %u)", copy.path, hd_duration(copy.elapsed_seconds).text, header.program, header.pid);
  if (copy.error_seconds > error_allowed)
    printf("; a thread wrote to it meanwhile: times may be wrong by %s", hd_duration_brief(copy.error_seconds).text);
  fputc('\n', stdout);
  return hd_stream_finish(stdout, "standard output") ? HD_EXIT_OK : HD_EXIT_FAILED;
}
