/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The live profile of a process of the run, for those that look at it while it runs: each in a process of its own, so
 * that what goes wrong there costs nothing else. */
#include <stdio.h>

#include "cli/recover/find.h"
#include "cli/run/run_internal.h"

static void take_file(void *context, const struct hd_recover_file *file) {
  struct hd_run_follower *follower = context;
  char error[PATH_MAX + 256];
  if (follower->follows)
    return;
  snprintf(follower->path, sizeof follower->path, "%s", file->path);
  if (!hd_top_watch_open(&follower->watch, follower->path, error, sizeof error))
    return;
  follower->follows = hd_top_watch_read(&follower->watch, error, sizeof error) && follower->watch.life == HD_TOP_RUNS;
  if (!follower->follows)
    hd_top_watch_close(&follower->watch);
}

bool hd_run_follow(struct hd_run_follower *follower, const char *directory) {
  const struct hd_recover_visitor visitor = {.take_file = take_file, .context = follower, .only_looks = true};
  struct hd_top_watch *watch = &follower->watch;
  char error[PATH_MAX + 256];
  if (follower->follows && hd_top_watch_read(watch, error, sizeof error) && watch->life == HD_TOP_RUNS)
    return true;
  if (follower->follows)
    hd_top_watch_close(watch);
  follower->follows = false;
  hd_recover_visit_directory(directory, &visitor);
  return follower->follows;
}
