/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/program/find_libraries.h"
#include "cli/program/inspect.h"
#include "cli/program/output_name.h"
#include "cli/run/run_internal.h"
#include "store/profile_file.h"
#include "support/command/complain.h"
#include "support/command/variables.h"
#include "support/own_file.h"

static bool make_directory(struct hd_run *run) {
  char output_directory[PATH_MAX];
  memcpy(output_directory, run->output, sizeof output_directory);
  strrchr(output_directory, '/')[0] = '\0';
  const char *parents[] = {getenv("HEDDLE_STORE_DIR"), "/dev/shm", getenv("TMPDIR"), "/tmp", output_directory};
  for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
    run->lock = hd_private_directory_make(parents[i], run->directory);
    if (run->lock >= 0)
      return true;
  }
  run->directory[0] = '\0';
  return HD_COMPLAIN(
      "no place for the profile while the program runs: /dev/shm, $TMPDIR, /tmp and the output directory are all\n"
      "heddle: full or not writable; name another directory with HEDDLE_STORE_DIR");
}

/*
 * A runtime tries the entries of OMP_TOOL_LIBRARIES in turn and stops at the first that starts.
 * (OMP_TOOL_VERBOSE_INIT=FILE would tell more, but libomp 14 to 19 crash when they cannot open FILE, as in a process
 * on another host or one that outlives this run.)
 */
static bool make_probes(struct hd_run *run) {
  for (size_t i = 0; i < HD_PRIVATE_PROBE_COUNT; i++) {
    char *probe = run->probes[i];
    snprintf(probe, PATH_MAX, "%.*s/%s", PATH_MAX - 64, run->directory, hd_private_probe_names[i]);
    const int fd = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
    if (fd < 0)
      return hd_complain_of("create", probe);
    close(fd);
  }
  return true;
}

/* The program may change its arguments before its first construct, where the library finds them (HD_SAVE_COMMAND_FILE).
 * Without the file the library takes what it finds. */
static void write_command(const struct hd_run *run) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/%s", run->directory, HD_SAVE_COMMAND_FILE) >= (int)sizeof path)
    return;
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
  bool written = fd >= 0;
  for (char **argument = run->options->command; written && *argument; argument++)
    written = write(fd, *argument, strlen(*argument) + 1) == (ssize_t)strlen(*argument) + 1;
  if (fd >= 0)
    close(fd);
  if (!written)
    unlink(path);
}

/* libheddle-entry.so lies beside libheddle.so. False: it should be loaded, and is not there. */
static bool choose_entries(struct hd_run *run, const struct hd_program *program) {
  const enum hd_run_preload handout = run->options->handout;
  const bool calls = program->calls_entries || (run->options->gomp && program->calls_gomp_entries);
  char *path = run->entries;
  path[0] = '\0';
  if (handout != HD_RUN_PRELOAD_YES && (handout == HD_RUN_PRELOAD_NO || !calls || program->other_identity))
    return true;
  const int directory = (int)(strrchr(run->library, '/') - run->library);
  const int length = snprintf(path, PATH_MAX, "%.*s/libheddle-entry.so", directory, run->library);
  if (length < PATH_MAX && access(path, R_OK) == 0)
    return true;
  hd_log("%s is not there: how long the runtime hands out chunks and creates tasks will not be known", path);
  path[0] = '\0';
  return handout != HD_RUN_PRELOAD_YES;
}

static void choose_mpi(struct hd_run *run, const struct hd_program *program) {
  if (run->options->no_mpi || program->links_mpi == HD_MPI_NONE || program->other_identity ||
      hd_mpi_wrappers_find(run->library, program->links_mpi, run->mpi))
    return;
  hd_log("%s is not there: time in MPI will count as busy time", run->mpi);
  run->mpi[0] = '\0';
}

static bool cannot_preload(const char *library) {
  if (!strpbrk(library, ": "))
    return false;
  hd_log("%s cannot be loaded with the program: LD_PRELOAD separates its entries by ':' and ' '", library);
  return true;
}

/* Whether a choice was made among functions with sleds. If the program has none of them, that is said. */
static bool chooses_functions(const struct hd_run_options *options, const struct hd_program *program) {
  const char *list = options->measured ? options->measured : getenv(hd_setting_name(HD_SET_ROUTINES));
  if (!list || !*list)
    return false;
  if (options->measured && program->kind == HD_PROGRAM_DYNAMIC && !program->file.sleds)
    hd_log("%s has no functions to choose from with --routines=LIST: compile it with clang -fxray-instrument",
           options->command[0]);
  if (program->kind == HD_PROGRAM_DYNAMIC && program->file.sleds && !program->file.has_symbols)
    hd_log("%s is stripped: none of its functions can be measured", options->command[0]);
  return true;
}

/* LD_PRELOAD reaches everything that the program starts, so only what needs it gets it. */
static bool choose_preload(struct hd_run *run) {
  const struct hd_run_options *options = run->options;
  struct hd_program program;
  hd_program_inspect_started(options->command, &program);
  choose_mpi(run, &program);
  const bool chooses = chooses_functions(options, &program);
  const bool calls = program.calls_heddle || (chooses && program.file.sleds) || run->mpi[0];
  run->measurable = !chooses && program.file.has_symbols ? program.file.sleds : 0;
  run->untold_libgomp = options->routines == HD_RUN_PRELOAD_AUTO && program.links_libgomp && !options->gomp;
  run->preload = options->routines == HD_RUN_PRELOAD_YES ||
                 (options->routines == HD_RUN_PRELOAD_AUTO && calls && !program.other_identity);
  if (!choose_entries(run, &program))
    return false;
  if (run->preload && cannot_preload(run->library)) {
    if (options->routines == HD_RUN_PRELOAD_YES)
      return false;
    hd_log("instrumented routines and markers count from the first OpenMP construct on");
    run->preload = false;
  }
  if (run->mpi[0] && (!run->preload || cannot_preload(run->mpi)))
    run->mpi[0] = '\0';
  if (options->set[HD_SET_ONE_FILE] && program.links_mpi == HD_MPI_NONE)
    hd_log("--one-file has no effect: %s is not known to use Open MPI or MPICH", options->command[0]);
  if (run->entries[0] && cannot_preload(run->entries)) {
    if (options->handout == HD_RUN_PRELOAD_YES)
      return false;
    run->entries[0] = '\0';
  }
  return true;
}

bool hd_run_environment_prepare(struct hd_run *run) {
  const struct hd_run_options *options = run->options;
  hd_variables_warn();
  if (!hd_output_name_template(options->output, run->output) || !hd_library_choose(options->library, run->library))
    return false;
  if (options->gomp && !hd_libomp_find(options->libomp, run->libomp, sizeof run->libomp))
    return false;
  if (!hd_run_trace_condition_prepare(run) || !hd_run_counters_prepare(options, &run->counters) ||
      !choose_preload(run) || !make_directory(run))
    return false;
  if (make_probes(run)) {
    write_command(run);
    return true;
  }
  hd_run_environment_remove(run);
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

/* Nothing to be added: the variable stays as it is. */
static bool prepend(const char *name, const char *first) {
  return !*first || set_list(name, first, get(name));
}

static bool append(const char *name, const char *last) {
  return !*last || set_list(name, get(name), last);
}

/*
 * libomp has to come before the libgomp whose place it takes, and libheddle-entry.so before libomp. Else what is
 * Heddle's comes last: others may insist on being first (the sanitizers do), and its symbols, the hooks and
 * ompt_start_tool, have to come only before those of the program's own libraries.
 */
static bool set_preload(const struct hd_run *run) {
  const bool set = run->libomp[0] ? prepend("LD_PRELOAD", run->libomp) && prepend("LD_PRELOAD", run->entries)
                                  : append("LD_PRELOAD", run->entries);
  return set && append("LD_PRELOAD", run->mpi) && append("LD_PRELOAD", run->preload ? run->library : "");
}

static bool set_choice(const char *name, const char *value) {
  return !value || setenv(name, value, 1) == 0;
}

/* Where events are switched off nobody knows what had to wait for what, nor who held it. */
static bool set_limit_of_order(const struct hd_run_options *options) {
  const char *name = hd_setting_name(HD_SET_OVERHEAD);
  const bool asked = options->set[HD_SET_CRITICAL_PATH] || options->set[HD_SET_LOCKS] || options->set[HD_SET_TRACE] ||
                     options->set[HD_SET_TRACE_LAST];
  return !asked || getenv(name) || setenv(name, "off", 1) == 0;
}

static bool set_choices(const struct hd_run_options *options) {
  bool set = set_choice("OMP_NUM_THREADS", options->threads) && set_limit_of_order(options);
  for (size_t i = 0; i < HD_SETTING_COUNT; i++)
    set = set && set_choice(hd_setting_name((enum hd_setting)i), options->set[i]);
  return set;
}

/* What joins the ranks' profiles. Where it is not known, that is said then. */
static bool set_command(const struct hd_run_options *options) {
  const bool wanted = options->set[HD_SET_ONE_FILE] || getenv(hd_setting_name(HD_SET_ONE_FILE));
  char path[PATH_MAX];
  return !wanted || !hd_own_file(path) || set_choice(hd_setting_name(HD_SET_COMMAND), path);
}

bool hd_run_environment_apply(const struct hd_run *run) {
  return prepend("OMP_TOOL_LIBRARIES", run->probes[HD_PRIVATE_PROBE_REFUSED]) &&
         prepend("OMP_TOOL_LIBRARIES", run->library) &&
         prepend("OMP_TOOL_LIBRARIES", run->probes[HD_PRIVATE_PROBE_STARTED]) &&
         set_choice("HEDDLE_OUTPUT", run->output) && set_choice("HEDDLE_STORE_DIR", run->directory) &&
         set_choices(run->options) && set_command(run->options) &&
         set_choice(hd_setting_name(HD_SET_TRACE_WHEN), run->trace_condition) &&
         set_choice(hd_setting_name(HD_SET_ROUTINES), run->options->measured) &&
         set_choice(hd_setting_name(HD_SET_GOMP), run->options->gomp ? "1" : NULL) &&
         hd_run_counters_apply(&run->counters) && set_preload(run);
}

void hd_run_environment_remove(struct hd_run *run) {
  hd_run_counters_free(&run->counters);
  free(run->trace_condition);
  run->trace_condition = NULL;
  if (!run->directory[0])
    return;
  hd_private_directory_remove(run->directory, run->lock);
  run->directory[0] = '\0';
}
