/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "output/save.h"
#include "run_libomp.h"
#include "salvage.h"
#include "support/log.h"
#include "support/own_file.h"

#ifndef HEDDLE_INSTALL_LIBDIR
#define HEDDLE_INSTALL_LIBDIR "lib" /* relative to the installation's prefix */
#endif
#define INSTALLED "../" HEDDLE_INSTALL_LIBDIR

const char *const hd_run_probe_names[HD_RUN_PROBE_COUNT] = {"a-runtime-looked-for-tools", "libheddle-was-not-taken"};

static const char default_name[] = HD_SAVE_DEFAULT_NAME;

/* A profile takes a few hundred KiB; a directory with less room than this would fail sooner than the next one. */
enum { LEAST_FREE_BYTES = 16 << 20 };

bool hd_run_output_is_valid(const char *output) {
  for (const char *c = output; (c = strchr(c, '%')); c += 2)
    if (!c[1] || !strchr("phrn%", c[1]))
      return false;
  return *output != '\0';
}

static bool append(char *path, size_t *used, const char *text, size_t length) {
  if (*used + length + 1 > PATH_MAX)
    return false;
  memcpy(path + *used, text, length);
  *used += length;
  path[*used] = '\0';
  return true;
}

/* The current directory, with its own % doubled: the library expands the template. */
static bool start_with_directory(char *path, size_t *used) {
  char directory[PATH_MAX];
  if (!getcwd(directory, sizeof directory))
    return false;
  for (const char *c = directory; *c; c++)
    if (!append(path, used, "%%", *c == '%') || !append(path, used, c, 1))
      return false;
  return append(path, used, "/", directory[1] != '\0');
}

static bool is_directory(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Absolute, because the program may change its directory before its first OpenMP construct. */
bool hd_run_output_template(const char *name, char *path) {
  if (!name || !*name)
    name = getenv("HEDDLE_OUTPUT");
  if (!name || !*name)
    name = default_name;
  const size_t length = strlen(name);
  size_t used = 0;
  bool fits = (*name == '/' || start_with_directory(path, &used)) && append(path, &used, name, length);
  if (fits && (name[length - 1] == '/' || is_directory(name)))
    fits =
        append(path, &used, "/", name[length - 1] != '/') && append(path, &used, default_name, sizeof default_name - 1);
  if (!fits)
    hd_log("cannot make a file name of '%s': it is too long or the current directory is gone", name);
  return fits;
}

static bool take_library(const char *path, char *library) {
  if (!realpath(path, library))
    return false;
  return is_directory(library) ? (errno = EISDIR, false) : access(library, R_OK) == 0;
}

static bool take_matching(const char *pattern, char *library) {
  glob_t found;
  bool taken = false;
  if (glob(pattern, 0, NULL, &found) != 0)
    return false;
  for (size_t i = 0; i < found.gl_pathc && !taken; i++)
    taken = take_library(found.gl_pathv[i], library);
  globfree(&found);
  return taken;
}

/* Next to this program: where it was built or installed. */
static bool find_library(char *library) {
  static const char *const places[] = {"../ompt", INSTALLED, "../lib*", "../lib/*"};
  char self[PATH_MAX];
  char path[2 * PATH_MAX];
  if (!hd_own_file(self)) {
    hd_log("this program's own file cannot be found (is /proc mounted?); name libheddle.so with --library PATH");
    return false;
  }
  *strrchr(self, '/') = '\0';
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    snprintf(path, sizeof path, "%s/%s/libheddle.so", self, places[i]);
    if (take_library(path, library) || take_matching(path, library))
      return true;
  }
  hd_log("libheddle.so is not where it belongs (%s/%s); name it with --library PATH", self, INSTALLED);
  return false;
}

bool hd_run_library_choose(const struct hd_run_options *options, char *library) {
  const char *named = options->library ? options->library : getenv("HEDDLE_LIBRARY");
  if (named && *named) {
    if (!take_library(named, library)) {
      hd_log("cannot use library %s: %s", named, strerror(errno));
      return false;
    }
  } else if (!find_library(library)) {
    return false;
  }
  if (strchr(library, ':')) {
    hd_log("cannot use library %s: OMP_TOOL_LIBRARIES separates its entries by ':'", library);
    return false;
  }
  return true;
}

static bool has_room(const char *directory) {
  struct statvfs status;
  return statvfs(directory, &status) == 0 &&
         (uint64_t)status.f_bavail * (uint64_t)status.f_frsize >= (uint64_t)LEAST_FREE_BYTES;
}

/* The name goes into OMP_TOOL_LIBRARIES, so it must not contain a separator. */
static bool make_directory_in(const char *parent, char *directory) {
  char absolute[PATH_MAX];
  if (!parent || !*parent || !realpath(parent, absolute) || strchr(absolute, ':'))
    return false;
  if (snprintf(directory, PATH_MAX, "%s/heddle.XXXXXX", absolute) >= PATH_MAX - 64 || !has_room(absolute))
    return false;
  return mkdtemp(directory) != NULL; /* 0700 */
}

/* The lock tells `heddle recover` that this run goes on. */
static bool make_locked_directory_in(const char *parent, struct hd_run_environment *environment) {
  if (!make_directory_in(parent, environment->directory))
    return false;
  environment->lock = hd_salvage_lock_directory(environment->directory);
  if (environment->lock < 0)
    rmdir(environment->directory);
  return environment->lock >= 0;
}

static bool make_directory(struct hd_run_environment *environment) {
  char output_directory[PATH_MAX];
  memcpy(output_directory, environment->output, sizeof output_directory);
  strrchr(output_directory, '/')[0] = '\0';
  const char *parents[] = {getenv("HEDDLE_STORE_DIR"), "/dev/shm", getenv("TMPDIR"), "/tmp", output_directory};
  for (size_t i = 0; i < sizeof parents / sizeof *parents; i++)
    if (make_locked_directory_in(parents[i], environment))
      return true;
  hd_log("no place for the profile while the program runs: /dev/shm, $TMPDIR, /tmp and the output directory are all\n"
         "heddle: full or not writable; name another directory with HEDDLE_STORE_DIR");
  environment->directory[0] = '\0';
  return false;
}

/*
 * A runtime tries the entries of OMP_TOOL_LIBRARIES in turn and stops at the first that starts.
 * (OMP_TOOL_VERBOSE_INIT=FILE would tell more, but libomp 14 to 19 crash when they cannot open FILE, as in a process
 * on another host or one that outlives this run.)
 */
static bool make_probes(struct hd_run_environment *environment) {
  for (size_t i = 0; i < HD_RUN_PROBE_COUNT; i++) {
    char *probe = environment->probes[i];
    snprintf(probe, PATH_MAX, "%.*s/%s", PATH_MAX - 64, environment->directory, hd_run_probe_names[i]);
    const int fd = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
    if (fd < 0) {
      hd_log("cannot create %s: %s", probe, strerror(errno));
      return false;
    }
    close(fd);
  }
  return true;
}

/* The program may change its arguments before its first construct, where the library finds them (HD_SAVE_COMMAND_FILE).
 * Without the file the library takes what it finds. */
static void write_command(const struct hd_run_options *options, const struct hd_run_environment *environment) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/%s", environment->directory, HD_SAVE_COMMAND_FILE) >= (int)sizeof path)
    return;
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
  bool written = fd >= 0;
  for (char **argument = options->command; written && *argument; argument++)
    written = write(fd, *argument, strlen(*argument) + 1) == (ssize_t)strlen(*argument) + 1;
  if (fd >= 0)
    close(fd);
  if (!written)
    unlink(path);
}

/* LD_PRELOAD reaches everything that the program starts, so only what needs it gets it. */
static bool choose_preload(const struct hd_run_options *options, struct hd_run_environment *environment) {
  environment->preload = options->routines == HD_RUN_ROUTINES_YES;
  if (options->routines == HD_RUN_ROUTINES_AUTO) {
    struct hd_run_program program;
    hd_run_program_inspect(options->command[0], &program);
    environment->preload = program.calls_heddle && !program.other_identity;
    environment->untold_libgomp = program.links_libgomp && !options->gomp;
  }
  if (!environment->preload || !strpbrk(environment->library, ": "))
    return true;
  hd_log("%s cannot be loaded with the program: LD_PRELOAD separates its entries by ':' and ' '", environment->library);
  if (options->routines == HD_RUN_ROUTINES_YES)
    return false;
  hd_log("instrumented routines and markers count from the first OpenMP construct on");
  environment->preload = false;
  return true;
}

bool hd_run_environment_prepare(const struct hd_run_options *options, struct hd_run_environment *environment) {
  memset(environment, 0, sizeof *environment);
  if (!hd_run_output_template(options->output, environment->output) ||
      !hd_run_library_choose(options, environment->library))
    return false;
  if (options->gomp && !hd_run_libomp_find(options->libomp, environment->libomp, sizeof environment->libomp))
    return false;
  if (!hd_run_counters_prepare(options, &environment->counters) || !choose_preload(options, environment) ||
      !make_directory(environment))
    return false;
  if (make_probes(environment)) {
    write_command(options, environment);
    return true;
  }
  hd_run_environment_remove(environment);
  return false;
}

/* Sets NAME to FIRST:SECOND; one of them may be empty. */
static bool set_list(const char *name, const char *first, const char *second) {
  char *both = NULL;
  if (asprintf(&both, "%s%s%s", first, *first && *second ? ":" : "", second) < 0)
    return false;
  const bool set = setenv(name, both, 1) == 0;
  free(both);
  return set;
}

static const char *get(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

static bool prepend(const char *name, const char *first) {
  return set_list(name, first, get(name));
}

/*
 * libomp has to come before the libgomp whose place it takes. libheddle.so comes last: others may insist on being first
 * (the sanitizers do), and its symbols, the hooks and ompt_start_tool, have to come only before those of the program's
 * own libraries.
 */
static bool set_preload(const struct hd_run_environment *environment) {
  return (!environment->libomp[0] || prepend("LD_PRELOAD", environment->libomp)) &&
         (!environment->preload || set_list("LD_PRELOAD", get("LD_PRELOAD"), environment->library));
}

static bool set_choice(const char *name, const char *value) {
  return !value || setenv(name, value, 1) == 0;
}

bool hd_run_environment_apply(const struct hd_run_options *options, const struct hd_run_environment *environment) {
  return prepend("OMP_TOOL_LIBRARIES", environment->probes[HD_RUN_PROBE_REFUSED]) &&
         prepend("OMP_TOOL_LIBRARIES", environment->library) &&
         prepend("OMP_TOOL_LIBRARIES", environment->probes[HD_RUN_PROBE_STARTED]) &&
         set_choice("HEDDLE_OUTPUT", environment->output) && set_choice("HEDDLE_STORE_DIR", environment->directory) &&
         set_choice("HEDDLE_CALLPATH_DEPTH", options->depth) &&
         set_choice("HEDDLE_CYCLE_LIMIT", options->cycle_limit) && set_choice("HEDDLE_UNWIND", options->unwind) &&
         set_choice("HEDDLE_OVERHEAD", options->overhead) && set_choice("HEDDLE_MEMORY", options->memory) &&
         set_choice("HEDDLE_CPU_TIME", options->cpu_time ? "1" : NULL) &&
         set_choice("HEDDLE_GOMP", options->gomp ? "1" : NULL) &&
         hd_run_counters_apply(options, &environment->counters) && set_preload(environment);
}

void hd_run_environment_remove(struct hd_run_environment *environment) {
  hd_run_counters_free(&environment->counters);
  if (!environment->directory[0])
    return;
  hd_salvage_remove_directory(environment->directory, environment->lock);
  environment->directory[0] = '\0';
}
