/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/watch/watch.h"

enum { PAGE_BYTES = HD_HEADER_BYTES };

/* The file's mode lets nobody else in, but the superuser. */
bool hd_top_watch_is_own(const struct hd_top_watch *watch) {
  struct stat file;
  return fstat(watch->live.file, &file) == 0 && file.st_uid == geteuid();
}

/* The file as it is, whatever its name is by now. It is open for writing for this moment only: `heddle run` takes it
 * that somebody who has it open goes on writing. */
static void *map_header(const struct hd_top_watch *watch) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", watch->live.file);
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return MAP_FAILED;
  void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const int error = errno;
  close(fd);
  errno = error;
  return page;
}

static uint64_t word_of(const struct hd_top_request *what, uint32_t number) {
  return what->command == HD_CONTROL_ROUTINE ? hd_control_routine_word(number, what->address)
                                             : hd_control_word(number, what->command, what->event_class, what->ppm);
}

/* One word is the whole request. False: another request came just then. */
static bool put(struct hd_control *control, const struct hd_top_request *what, uint64_t *word, bool *replaced) {
  uint64_t before = __atomic_load_n(&control->asked, __ATOMIC_ACQUIRE);
  *replaced = before != __atomic_load_n(&control->done, __ATOMIC_ACQUIRE);
  *word = word_of(what, hd_control_number(before) + 1);
  return __atomic_compare_exchange_n(&control->asked, &before, *word, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

bool hd_top_watch_ask(const struct hd_top_watch *watch, const struct hd_top_request *what, uint64_t *word,
                      bool *replaced, char *error, size_t error_bytes) {
  struct hd_file_header *header = map_header(watch);
  if (header == MAP_FAILED) {
    snprintf(error, error_bytes, "%s: cannot be written: %s", watch->live.path, strerror(errno));
    return false;
  }
  const bool done = put(&header->control, what, word, replaced);
  munmap(header, PAGE_BYTES);
  if (!done)
    snprintf(error, error_bytes, "another 'heddle ctl' asked this program for something just now; nothing was changed");
  return done;
}
