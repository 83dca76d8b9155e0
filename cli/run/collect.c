/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/recover/salvage.h"
#include "cli/run/run_internal.h"
#include "heddle-format.h"
#include "store/profile_file.h"
#include "support/command/directory.h"
#include "support/command/memory.h"
#include "support/command/profile_clock.h"
#include "support/command/sanitize.h"
#include "support/log.h"

/* The library's link to a finished profile bears the process's number. */
static bool is_link_name(const char *name) {
  return name[0] >= '0' && name[0] <= '9' && hd_salvage_pid(name) == 0;
}

static bool is_job_link(const char *name) {
  return strncmp(name, HD_JOB_LINK, strlen(HD_JOB_LINK)) == 0;
}

/* ---- the header ---- */

static void stamp_end(int fd) {
  struct hd_file_header header;
  if (!hd_salvage_read_header(fd, &header) || !hd_profile_clock_read(header.clock_kind, &header.clock_last))
    return;
  if (header.paused_at_ticks) /* all other times leave pauses out */
    header.paused_ticks = header.clock_last.ticks - header.paused_at_ticks;
  header.end_ticks = header.clock_last.ticks - header.paused_ticks;
  if (HD_SALVAGE_WRITE(fd, &header, clock_last) && HD_SALVAGE_WRITE(fd, &header, paused_ticks))
    HD_SALVAGE_WRITE(fd, &header, end_ticks);
}

/* Opened for writing only when there is something to write: the watch sees every such use of a live file. */
static bool lacks_end(int directory, const char *file) {
  struct hd_file_header header;
  const int fd = hd_salvage_open(directory, file);
  struct hd_clock_pair now;
  const bool lacks = fd >= 0 && hd_salvage_read_header(fd, &header) && header.end_ticks == 0 &&
                     hd_profile_clock_read(header.clock_kind, &now) &&
                     hd_salvage_find_writer(fd, file) != HD_SALVAGE_ALIVE;
  if (fd >= 0)
    close(fd);
  return lacks;
}

static void stamp_file(int directory, const char *file) {
  if (!lacks_end(directory, file))
    return;
  const int fd = openat(directory, file, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return;
  stamp_end(fd);
  close(fd);
}

void hd_run_stamp_process(const char *path, pid_t pid) {
  struct hd_directory directory = hd_directory_open(path);
  while (hd_directory_next(&directory))
    if (hd_salvage_pid(directory.name) == pid)
      stamp_file(dirfd(directory.stream), directory.name);
}

static void stamp_exit(int fd, struct hd_file_header *header, const struct hd_run_outcome *outcome) {
  header->exit_status = outcome->exit_status;
  header->flags |= HD_FILE_EXIT_KNOWN | (outcome->signal ? HD_FILE_KILLED : 0);
  hd_salvage_replace_header(fd, header);
}

/* From the process's start to the end of its profile, without pauses. */
static uint64_t run_time_ns(const struct hd_file_header *header) {
  const struct hd_clock_pair *first = &header->clock_first;
  const struct hd_clock_pair *last = &header->clock_last;
  double end_ns = (double)last->ns;
  if (header->end_ticks && last->ticks > first->ticks)
    end_ns += ((double)header->end_ticks - (double)last->ticks) * (double)(last->ns - first->ns) /
              (double)(last->ticks - first->ticks); /* end_ticks lies before the last pair by the pauses */
  return end_ns > (double)header->begin_ns ? (uint64_t)(end_ns - (double)header->begin_ns) : 0;
}

/* ---- the list ---- */

/* Of a path that is the name asked for and a number, the bytes of that name; else 0. */
static size_t wanted_name(const struct hd_run *run, const struct hd_file_header *header, const char *path) {
  char name[PATH_MAX];
  if (!hd_profile_file_expand_name(run->output, header, name, sizeof name))
    return 0;
  const size_t length = strlen(name);
  const char *rest = path + length;
  return strncmp(path, name, length) == 0 && *rest == '.' && rest[1] && !rest[1 + strspn(rest + 1, "0123456789")]
             ? length
             : 0;
}

static void add_profile(struct hd_run *run, const char *path) {
  struct hd_run_profiles *profiles = &run->profiles;
  struct hd_file_header header;
  const int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  struct hd_run_profile *grown = realloc(profiles->items, (profiles->count + 1) * sizeof *grown);
  if (grown)
    profiles->items = grown;
  if (fd >= 0 && grown && hd_salvage_read_header(fd, &header)) {
    if ((pid_t)header.pid == run->outcome.pid)
      stamp_exit(fd, &header, &run->outcome);
    struct hd_run_profile *profile = &grown[profiles->count++];
    snprintf(profile->path, sizeof profile->path, "%s", path);
    snprintf(profile->program, sizeof profile->program, "%.*s", (int)sizeof profile->program - 1, header.program);
    hd_sanitize(profile->program);
    profile->pid = (pid_t)header.pid;
    profile->parent = (pid_t)header.parent_pid;
    profile->run_ns = run_time_ns(&header);
    profile->wanted = wanted_name(run, &header, path);
  } else if (grown) {
    hd_log("the profile %s was written, but it cannot be read: %s", path, strerror(errno));
  }
  if (fd >= 0)
    close(fd);
}

/* ---- saving what killed programs left ---- */

static bool save_somewhere(int fd, const char *name, char *saved, size_t saved_bytes) {
  int error;
  const bool done = hd_profile_file_somewhere(fd, NULL, name, saved, saved_bytes, &error);
  if (done && error)
    hd_log("cannot write %s: %s; the profile is in %s instead", name, strerror(error), saved);
  errno = error;
  return done;
}

/* `place` is the directory's name. */
static void save_live_file(struct hd_run *run, int directory, const char *place, const char *file) {
  struct hd_file_header header;
  char name[PATH_MAX];
  char saved[PATH_MAX + HD_FREE_NAME_BYTES];
  const int fd = hd_salvage_open(directory, file);
  if (fd < 0)
    return;
  if (!hd_salvage_read_header(fd, &header)) {
    unlinkat(directory, file, 0); /* killed before it had written anything */
  } else if (hd_profile_file_expand_name(run->output, &header, name, sizeof name) &&
             save_somewhere(fd, name, saved, sizeof saved)) {
    unlinkat(directory, file, 0);
    if (place != run->directory) /* the program has said that it is there */
      hd_log("saved %s/%s as %s", place, file, saved);
    add_profile(run, saved);
  } else {
    hd_log("cannot write %s: %s; the profile stays in %s/%s\n"
           "heddle: until 'heddle recover' saves it",
           run->output, strerror(errno), place, file);
    run->profiles.unsaved++;
  }
  close(fd);
}

/* The program itself is known to be gone. */
static bool is_being_written(const struct hd_run *run, int directory, const char *file) {
  const int fd = hd_salvage_pid(file) == run->outcome.pid ? -1 : hd_salvage_open(directory, file);
  const bool alive = fd >= 0 && hd_salvage_find_writer(fd, file) > HD_SALVAGE_UNSEEN;
  if (fd >= 0)
    close(fd);
  return alive;
}

static void take_live_file(struct hd_run *run, int directory, const char *place, const char *file) {
  if (is_being_written(run, directory, file))
    run->profiles.running++;
  else
    save_live_file(run, directory, place, file);
}

/* Each rank has left a link. */
static void add_job(struct hd_run *run, const char *path) {
  struct hd_run_jobs *jobs = &run->jobs;
  for (size_t i = 0; i < jobs->count; i++)
    if (strcmp(jobs->paths[i], path) == 0)
      return;
  jobs->paths = hd_grow_by_one(jobs->paths, jobs->count, sizeof *jobs->paths);
  jobs->paths[jobs->count++] = hd_print("%s", path);
}

static void add_linked(struct hd_run *run, int directory, const char *name) {
  char path[PATH_MAX];
  const ssize_t length = readlinkat(directory, name, path, sizeof path - 1);
  if (length <= 0)
    return;
  path[length] = '\0';
  if (is_job_link(name))
    add_job(run, path);
  else
    add_profile(run, path);
}

static int longest_first(const void *a, const void *b) {
  const struct hd_run_profile *left = a;
  const struct hd_run_profile *right = b;
  return (left->run_ns < right->run_ns) - (left->run_ns > right->run_ns);
}

/* Anybody may put a file there: not one that is nothing but holes, which would fill the disk. */
static bool has_what_it_claims(int directory, const char *name) {
  struct hd_file_header header;
  struct stat status;
  const int fd = hd_salvage_open(directory, name);
  const bool has = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                   hd_salvage_read_header(fd, &header) &&
                   (uint64_t)header.block_count * HD_BLOCK_BYTES <= (uint64_t)status.st_blocks * 512;
  if (fd >= 0)
    close(fd);
  return has;
}

/* Of a process of this run that could not use the private directory: PROGRAM.PID.live-XXXXXX, the X being that one's.
 */
static bool is_of_this_run(const char *name, const struct hd_run *run) {
  const char *mark = strrchr(run->directory, '.') + 1;
  const char *suffix = strrchr(name, '-');
  return suffix && hd_salvage_pid(name) && strncmp(suffix + 1, mark, strlen(mark)) == 0;
}

static void collect_elsewhere(struct hd_run *run, const char *place) {
  struct hd_directory directory = hd_directory_open(place);
  while (hd_directory_next(&directory)) {
    const int fd = dirfd(directory.stream);
    if (!is_of_this_run(directory.name, run) || !has_what_it_claims(fd, directory.name))
      continue;
    if (hd_salvage_pid(directory.name) == run->outcome.pid)
      stamp_file(fd, directory.name);
    take_live_file(run, fd, place, directory.name);
  }
}

/* Where the library goes then, too (store/store.c). */
static void collect_from_others(struct hd_run *run) {
  char output[PATH_MAX];
  const char *temporary = getenv("TMPDIR");
  snprintf(output, sizeof output, "%.*s", (int)(strrchr(run->output, '/') - run->output), run->output);
  collect_elsewhere(run, "/dev/shm");
  if (temporary && *temporary && strcmp(temporary, "/tmp") != 0 && strcmp(temporary, "/dev/shm") != 0)
    collect_elsewhere(run, temporary);
  collect_elsewhere(run, "/tmp");
  if (*output && strcmp(output, "/tmp") != 0)
    collect_elsewhere(run, output);
}

void hd_run_collect(struct hd_run *run) {
  struct hd_directory directory = hd_directory_open(run->directory);
  while (hd_directory_next(&directory))
    if (is_link_name(directory.name) || is_job_link(directory.name))
      add_linked(run, dirfd(directory.stream), directory.name);
    else if (hd_salvage_pid(directory.name) != 0)
      take_live_file(run, dirfd(directory.stream), run->directory, directory.name);
  collect_from_others(run);
  if (run->profiles.count)
    qsort(run->profiles.items, run->profiles.count, sizeof *run->profiles.items, longest_first);
}
