/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/recover/salvage.h"
#include "cli/watch/watch.h"

bool hd_top_watch_open(struct hd_top_watch *watch, const char *path, char *error, size_t error_bytes) {
  const char *slash = strrchr(path, '/');
  *watch = (struct hd_top_watch){.live.path = path, .name = slash ? slash + 1 : path, .process = -1};
  watch->live.file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (watch->live.file < 0) {
    snprintf(error, error_bytes, "%s: %s", path, strerror(errno));
    return false;
  }
  watch->pid = hd_salvage_pid(watch->name);
  if (watch->pid > 0)
    watch->process = (int)syscall(SYS_pidfd_open, watch->pid, 0);
  return true;
}

bool hd_top_watch_runs(const struct hd_top_watch *watch) {
  struct hd_file_header header;
  return watch->pid > 0 && hd_salvage_read_header(watch->live.file, &header) && header.end_ticks == 0 &&
         hd_salvage_find_writer(watch->live.file, watch->name) == HD_SALVAGE_ALIVE;
}

/* The file outlives its name: what a program leaves is moved away, but stays what it is here. */
bool hd_top_watch_read(struct hd_top_watch *watch, char *error, size_t error_bytes) {
  const bool present = hd_top_watch_runs(watch);
  if (!hd_live_read(&watch->live, present, error, error_bytes))
    return false;
  const struct hd_model *model = watch->live.model;
  const bool ended = model->ended || (model->header.flags & HD_FILE_COMPLETE);
  watch->life = ended ? HD_TOP_ENDED : present ? HD_TOP_RUNS : HD_TOP_GONE;
  return true;
}

void hd_top_watch_wait(const struct hd_top_watch *watch, double seconds) {
  struct pollfd process = {.fd = watch->process, .events = POLLIN};
  poll(&process, 1, (int)(seconds * 1000));
}

void hd_top_watch_forget_process(struct hd_top_watch *watch) {
  if (watch->process >= 0)
    close(watch->process);
  watch->process = -1;
}

void hd_top_watch_close(struct hd_top_watch *watch) {
  hd_live_free(&watch->live);
  close(watch->live.file);
  hd_top_watch_forget_process(watch);
}

struct hd_top hd_top_of(const struct hd_top_watch *watch, enum hd_top_sort sort, uint32_t limit) {
  return (struct hd_top){
      .run = watch->live.run,
      .interval = watch->live.interval,
      .life = watch->life,
      .rates = &watch->live.rates,
      .error_seconds = watch->live.error_seconds,
      .sort = sort,
      .limit = limit,
  };
}
