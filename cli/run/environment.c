/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/run/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/program/find_libomp.h"
#include "cli/program/find_library.h"
#include "cli/program/inspect.h"
#include "cli/program/output_name.h"
#include "store/profile_file.h"
#include "support/log.h"

static bool make_directory(struct hd_run_environment *environment) {
  char output_directory[PATH_MAX];
  memcpy(output_directory, environment->output, sizeof output_directory);
  strrchr(output_directory, '/')[0] = '\0';
  const char *parents[] = {getenv("HEDDLE_STORE_DIR"), "/dev/shm", getenv("TMPDIR"), "/tmp", output_directory};
  for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
    environment->lock = hd_private_directory_make(parents[i], environment->directory);
    if (environment->lock >= 0)
      return true;
  }
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
  for (size_t i = 0; i < HD_PRIVATE_PROBE_COUNT; i++) {
    char *probe = environment->probes[i];
    snprintf(probe, PATH_MAX, "%.*s/%s", PATH_MAX - 64, environment->directory, hd_private_probe_names[i]);
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
    struct hd_program program;
    hd_program_inspect(options->command[0], &program);
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
  if (!hd_output_name_template(options->output, environment->output) ||
      !hd_library_choose(options->library, environment->library))
    return false;
  if (options->gomp && !hd_libomp_find(options->libomp, environment->libomp, sizeof environment->libomp))
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

static bool set_choices(const struct hd_run_options *options) {
  bool set = true;
  for (size_t i = 0; i < HD_SETTING_COUNT; i++)
    set = set && set_choice(hd_setting_name((enum hd_setting)i), options->set[i]);
  return set;
}

bool hd_run_environment_apply(const struct hd_run_options *options, const struct hd_run_environment *environment) {
  return prepend("OMP_TOOL_LIBRARIES", environment->probes[HD_PRIVATE_PROBE_REFUSED]) &&
         prepend("OMP_TOOL_LIBRARIES", environment->library) &&
         prepend("OMP_TOOL_LIBRARIES", environment->probes[HD_PRIVATE_PROBE_STARTED]) &&
         set_choice("HEDDLE_OUTPUT", environment->output) && set_choice("HEDDLE_STORE_DIR", environment->directory) &&
         set_choices(options) && set_choice(hd_setting_name(HD_SET_GOMP), options->gomp ? "1" : NULL) &&
         hd_run_counters_apply(&environment->counters) && set_preload(environment);
}

void hd_run_environment_remove(struct hd_run_environment *environment) {
  hd_run_counters_free(&environment->counters);
  if (!environment->directory[0])
    return;
  hd_private_directory_remove(environment->directory, environment->lock);
  environment->directory[0] = '\0';
}
