/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file command.c
 * `heddle recover [-o NAME] --all|FILE|DIRECTORY...`: saves the profiles of programs that were killed.
 */
#include "cli/command.h"
#include "cli/recover/find.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/program/output_name.h"
#include "cli/recover/private_directory.h"
#include "cli/recover/salvage.h"
#include "output/model/memory.h"
#include "output/model/model.h"
#include "output/reader/open.h"
#include "output/symbols/name_cache.h"
#include "output/symbols/resolve_names.h"
#include "store/profile_file.h"
#include "support/command/options.h"
#include "support/command/output_stream.h"
#include "support/log.h"

struct work {
  const char *named;     /* by --output */
  char output[PATH_MAX]; /* template; "": each has the name that it was to have */
  bool list, all;
  size_t found;
  size_t waiting; /* could be saved */
  bool failed;
};

static const struct hd_option options[] = {
    {'o', "output", "NAME",
     "name of the profiles: %p pid, %h host, %r rank, %n program, %% percent\n"
     "(default: the name the program was given); an existing file is kept and .1, .2, ... added",
     .take = hd_take_output_name, .field = offsetof(struct work, named)},
    {'a', "all", NULL, "save everything found in the usual places", HD_OPTION_FLAG(struct work, all)},
    {'l', "list", NULL, "only show what is there", HD_OPTION_FLAG(struct work, list)},
    {0},
};

static const struct hd_usage usage = {
    .command = "recover",
    .synopsis = "[options] [--all|FILE|DIRECTORY...]",
    .description =
        "Saves the profiles of programs that were killed, crashed or ended without closing their profile: the FILEs, "
        "or\n"
        "those in the DIRECTORIES. With --all: those in $HEDDLE_STORE_DIR, /dev/shm, $TMPDIR, /tmp and the current\n"
        "directory; without arguments these are only listed. Profiles of running programs, and those that a\n"
        "'heddle run' will save, are skipped.",
    .options = options,
    .epilogue = "Exit status: 0, also when there was nothing to do; 1 when something could not be saved; 2 for wrong\n"
                "options.",
};

static void print_profile(const char *path, const struct hd_model *model) {
  printf("%s: %.3f s of %s (pid %u)%s\n", path, hd_model_seconds(model, model->elapsed_ticks), model->header.program,
         model->header.pid, model->ended || (model->header.flags & HD_FILE_COMPLETE) ? "" : ", up to its last event");
}

/* Reports would otherwise ask whether a process of this number lives. */
static void mark_recovered(const char *path) {
  struct hd_file_header header;
  const int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return;
  if (hd_salvage_read_header(fd, &header) && header.end_ticks == 0) {
    header.flags |= HD_FILE_RECOVERED;
    hd_salvage_replace_header(fd, &header);
  }
  close(fd);
}

/* A name that was made has no more % to expand. */
static bool choose_name(const struct work *work, const struct hd_model *model, char *name, size_t bytes) {
  if (*work->output || !model->output || *model->output != '/')
    return hd_profile_file_expand_name(*work->output ? work->output : HD_SAVE_DEFAULT_NAME, &model->header, name,
                                       bytes);
  const int length = snprintf(name, bytes, "%s", model->output);
  return length > 0 && (size_t)length < bytes;
}

static void save(struct work *work, const struct hd_recover_file *file, int fd, const struct hd_model *model) {
  char name[PATH_MAX];
  char saved[PATH_MAX + HD_FREE_NAME_BYTES];
  if (!choose_name(work, model, name, sizeof name)) {
    hd_log("%s: the profile's name is too long", file->path);
    work->failed = true;
  } else if (!hd_profile_file_to_free_name(fd, NULL, name, saved, sizeof saved)) {
    hd_log("cannot write %s: %s; the profile stays in %s", name, strerror(errno), file->path);
    work->failed = true;
  } else {
    mark_recovered(saved);
    unlinkat(file->directory, file->name, 0);
    hd_names_cache(saved);
    print_profile(saved, model);
  }
}

static void leave_alone(struct work *work, const struct hd_recover_file *file, const char *why) {
  work->found++;
  work->failed = work->failed || file->named;
  printf("%s: %s; skipped\n", file->path, why);
}

/* What cannot be read stays as it is. A private directory that is being visited is locked by this command. */
static void save_or_show(struct work *work, const struct hd_recover_file *file, int fd) {
  struct hd_model *model = NULL;
  char error[PATH_MAX + 256];
  if (!hd_profile_open(file->path, &model, error, sizeof error)) {
    hd_log("%s", error);
    work->found++;
    work->failed = true;
    return;
  }
  if (!file->in_private && model->run_directory && hd_private_directory_may_be_used(model->run_directory)) {
    leave_alone(work, file, "still running under 'heddle run', which will save it");
    hd_model_free(model);
    return;
  }
  work->found++;
  work->waiting += work->list;
  if (work->list)
    print_profile(file->path, model);
  else
    save(work, file, fd, model);
  hd_model_free(model);
}

/* What the library makes before it writes anything: nothing but holes and zeros. An empty file may be anybody's. */
static bool is_blank(const struct hd_recover_file *file, int fd, const struct stat *status) {
  char bytes[HD_BLOCK_BYTES];
  ssize_t length = 0;
  for (off_t at = lseek(fd, 0, SEEK_DATA); at >= 0; at = lseek(fd, at + length, SEEK_DATA)) {
    length = pread(fd, bytes, sizeof bytes, at);
    for (ssize_t i = 0; i < length; i++)
      if (bytes[i])
        return false;
    if (length <= 0)
      return false;
  }
  return errno == ENXIO && (status->st_size > 0 || file->in_private);
}

static void take_without_header(struct work *work, const struct hd_recover_file *file, int fd,
                                const struct stat *status) {
  char magic[8];
  if (is_blank(file, fd, status) && hd_salvage_find_writer(fd, file->name) == HD_SALVAGE_GONE) {
    work->found++;
    if (!work->list)
      unlinkat(file->directory, file->name, 0);
    printf("%s: empty; its program was killed before anything was measured%s\n", file->path,
           work->list ? "" : "; removed");
  } else if (pread(fd, magic, sizeof magic, 0) == sizeof magic && !memcmp(magic, HD_MAGIC, sizeof magic)) {
    leave_alone(work, file, "of another version of Heddle");
  } else if (file->named || file->in_private) {
    leave_alone(work, file, "not a Heddle profile");
  }
}

static bool is_of_this_host(const struct hd_file_header *header) {
  char host[sizeof header->host] = "";
  return gethostname(host, sizeof host - 1) != 0 || !header->host[0] || !strcmp(host, header->host);
}

static void take_profile(struct work *work, const struct hd_recover_file *file, int fd,
                         const struct hd_file_header *header) {
  char why[sizeof header->program + 64];
  const enum hd_salvage_writer writer = hd_salvage_find_writer(fd, file->name);
  if (writer == HD_SALVAGE_ALIVE) {
    snprintf(why, sizeof why, "%s (pid %d) still runs", header->program, (int)hd_salvage_pid(file->name));
    leave_alone(work, file, why);
  } else if (writer == HD_SALVAGE_UNKNOWN) {
    leave_alone(work, file, "in use by a process of another user or container");
  } else if (writer == HD_SALVAGE_UNSEEN && !file->named) {
    leave_alone(work, file, "perhaps in use in another container; name it to save it");
  } else if (!is_of_this_host(header) && !file->named) {
    snprintf(why, sizeof why, "made on %s, where its program may still run", header->host);
    leave_alone(work, file, why);
  } else {
    save_or_show(work, file, fd);
  }
}

/* Another `heddle recover` may have taken it meanwhile. */
static bool is_still_there(const struct hd_recover_file *file, const struct stat *status) {
  struct stat now;
  return fstatat(file->directory, file->name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_ino == status->st_ino &&
         now.st_dev == status->st_dev;
}

static void take_open_file(struct work *work, const struct hd_recover_file *file, int fd) {
  struct hd_file_header header;
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid()) {
    if (file->named)
      leave_alone(work, file, "not a file of this user");
  } else if (!hd_salvage_lock(fd) || !is_still_there(file, &status)) {
    if (file->named)
      leave_alone(work, file, "taken by another 'heddle recover'");
  } else if (hd_salvage_read_header(fd, &header)) {
    take_profile(work, file, fd, &header);
  } else {
    take_without_header(work, file, fd, &status);
  }
}

static void take_file(void *context, const struct hd_recover_file *file) {
  struct work *work = context;
  const int fd = hd_salvage_open(file->directory, file->name);
  if (fd >= 0) {
    take_open_file(work, file, fd);
    close(fd);
  } else if (file->named) {
    hd_log("%s: %s", file->path, errno == ELOOP ? "a link, and links are not followed" : strerror(errno));
    work->found++;
    work->failed = true;
  }
}

static void skip_directory(void *context, const char *path) {
  struct work *work = context;
  work->found++;
  printf("%s: still running under 'heddle run'; skipped\n", path);
}

static void visit(const char *path, const struct hd_recover_visitor *visitor) {
  struct work *work = visitor->context;
  struct stat status;
  if (stat(path, &status) == 0 &&
      (S_ISDIR(status.st_mode) ? hd_recover_visit_directory(path, visitor) : hd_recover_visit_file(path, visitor)))
    return;
  if (errno == EINVAL)
    hd_log("%s: not the name of a running or killed program's profile, which is PROGRAM.PID.live; a saved profile\n"
           "heddle: needs no recovery: heddle report %s",
           path, path);
  else
    hd_log("%s: %s", path, strerror(errno));
  work->found++;
  work->failed = true;
}

int hd_cmd_recover(int argc, char **argv) {
  struct work work = {0};
  int first = 0;
  hd_stream_guard();
  int status = HD_EXIT_OK;
  if (!hd_options_read(&usage, argc, argv, &work, &first, &status))
    return status;
  if (work.all && first < argc)
    return hd_usage_complain(&usage, "--all takes no FILE or DIRECTORY"), HD_EXIT_USAGE;
  if (work.named && !hd_output_name_template(work.named, work.output))
    return HD_EXIT_USAGE;
  work.list = work.list || (first == argc && !work.all);
  const struct hd_recover_visitor visitor = {
      .take_file = take_file, .skip_directory = skip_directory, .context = &work, .clear_directories = !work.list};
  for (int i = first; i < argc; i++)
    visit(argv[i], &visitor);
  if (first == argc)
    hd_recover_visit_all(&visitor);
  if (work.found == 0)
    puts("nothing to recover: no killed program left a profile");
  if (first == argc && !work.all && work.waiting > 0)
    puts("nothing was changed: 'heddle recover --all' saves those not skipped, 'heddle recover FILE' one of them");
  return hd_stream_finish(stdout, "standard output") && !work.failed ? HD_EXIT_OK : HD_EXIT_FAILED;
}
