/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/program/find_libraries.h"
#include "cli/program/inspect.h"
#include "cli/run/run_internal.h"
#include "support/log.h"

/* libomp knows these two values and refuses to load tools for any other. */
static bool is_switched_off(void) {
  const char *value = getenv("OMP_TOOL");
  if (!value || !*value || strcasecmp(value, "enabled") == 0)
    return false;
  hd_log("no profile: OMP_TOOL=%s in the environment keeps OpenMP runtimes from loading tools; unset it", value);
  return true;
}

static void explain_refusal(const char *library) {
  char why[1024];
  if (!hd_library_loads(library, why, sizeof why))
    hd_log("no profile: the OpenMP runtime could not load the tool: %s", why);
  else
    hd_log("no profile: the OpenMP runtime did not take %s.\n"
           "heddle: OMP_TOOL_VERBOSE_INIT=stderr heddle run ... shows the runtime's own reason",
           library);
}

static void explain_libgomp(const struct hd_run_options *options, const char *name) {
  hd_log("no profile: %s uses GCC's libgomp, which loads no tools. Run it on LLVM's libomp:\n"
         "heddle:   heddle run --gomp -- %s%s",
         name, name, options->command[1] ? " ..." : "");
}

static void explain_no_construct(const char *name, int signal) {
  if (signal)
    hd_log("no profile: signal %d (%s) ended %s before it ran its first OpenMP construct", signal, strsignal(signal),
           name);
  else
    hd_log("no profile: %s links an OpenMP runtime, but ran no OpenMP construct (a serial path, only simd,\n"
           "heddle: or regions that the compiler removed as empty); 'heddle doctor -- %s' checks further",
           name, name);
}

static void explain_script(const struct hd_program *program, const char *name, bool gomp) {
  hd_log("no profile: %s is a script for %s; nothing it started ran an OpenMP construct on LLVM's libomp%s", name,
         program->interpreter, gomp ? "" : ".\nheddle: For programs built by GCC: heddle run --gomp -- ...");
}

static void explain_preloaded(const char *name, int signal) {
  if (signal)
    hd_log("no profile: signal %d (%s) ended %s before it reached an instrumented routine, a marker or an OpenMP\n"
           "heddle: construct; or libheddle.so gave up for the reason above",
           signal, strsignal(signal), name);
  else
    hd_log("no profile: %s reached no instrumented routine, no marker and no OpenMP construct on LLVM's libomp; or\n"
           "heddle: libheddle.so gave up for the reason above",
           name);
}

/* What the file is; false: it may well have run, and used OpenMP. */
static bool explain_file(const struct hd_run_options *options, const struct hd_program *program) {
  const char *name = options->command[0];
  if (program->other_identity)
    hd_log("no profile: %s is set-user-id or set-group-id, and such a program takes no settings from heddle;\n"
           "heddle: profile a copy without that bit, or run heddle as its owner",
           name);
  else if (program->kind == HD_PROGRAM_SCRIPT)
    explain_script(program, name, options->gomp);
  else if (program->file.is_foreign)
    hd_log("no profile: %s is a program for %s, not for this machine; build it here", name, program->file.machine);
  else if (program->kind == HD_PROGRAM_STATIC)
    hd_log("no profile: %s is statically linked, and tools are loaded dynamically; link it without -static", name);
  else if (program->missing[0])
    hd_log("no profile: %s cannot start: the loader does not find %s; add its folder to LD_LIBRARY_PATH", name,
           program->missing);
  else
    return false;
  return true;
}

static void explain_tool(const char *name, const struct hd_program *program) {
  const bool is_own = strcmp(program->other_tool, program->path) == 0;
  hd_log("no profile: another OMPT tool came first, the one in %s, and a runtime takes only one;\n"
         "heddle: run %s without it%s",
         is_own ? "the program itself" : program->other_tool, name, is_own ? ": link it without ompt_start_tool" : "");
}

/* Interpreters load what their modules need, GCC's libgomp as a rule: the file does not tell. */
static void explain_no_runtime(const struct hd_run_options *options, const char *name) {
  if (options->gomp)
    hd_log("no profile: %s links no OpenMP runtime, and nothing it loaded or started ran an OpenMP construct on\n"
           "heddle: libomp, though that takes libgomp's place; 'heddle doctor -- %s' checks further",
           name, name);
  else
    hd_log(
        "no profile: %s links no OpenMP runtime, and nothing it loaded or started used LLVM's libomp;\n"
        "heddle: run what loads libgomp (Python, Rscript) with heddle run --gomp; build other programs with -fopenmp",
        name);
}

/* What it is linked to. */
static void explain_links(const struct hd_run *run, const struct hd_program *program) {
  const struct hd_run_options *options = run->options;
  const char *name = options->command[0];
  const bool links_any = program->links_libomp || program->links_libgomp;
  if (program->links_libgomp && !options->gomp)
    explain_libgomp(options, name);
  else if (program->other_tool[0])
    explain_tool(name, program);
  else if (!links_any && program->file.defines_hooks)
    hd_log("no profile: %s has hooks for instrumented routines of its own, and they come before Heddle's;\n"
           "heddle: link it without its __cyg_profile_func_enter and __cyg_profile_func_exit",
           name);
  else if (run->preload && program->kind == HD_PROGRAM_DYNAMIC)
    explain_preloaded(name, run->outcome.signal);
  else if (links_any)
    explain_no_construct(name, run->outcome.signal);
  else if (program->kind == HD_PROGRAM_DYNAMIC)
    explain_no_runtime(options, name);
  else
    hd_log("no profile: nothing that %s started ran an OpenMP construct on LLVM's libomp", name);
}

void hd_run_diagnose(const struct hd_run *run) {
  struct hd_program program;
  if (is_switched_off())
    return;
  if (hd_run_watch_saw_probe(run->watch, HD_PRIVATE_PROBE_REFUSED)) {
    explain_refusal(run->library);
    return;
  }
  if (hd_run_watch_saw_probe(run->watch, HD_PRIVATE_PROBE_STARTED)) {
    hd_log("no profile: libheddle.so was loaded, but gave up for the reason above");
    return;
  }
  hd_program_inspect(run->options->command[0], &program);
  if (!explain_file(run->options, &program))
    explain_links(run, &program);
}

/* libomp ends with abort() where one of its assertions fails; but so may the program itself. */
void hd_run_explain_gomp(const struct hd_run *run) {
  const struct hd_run_options *options = run->options;
  if (options->gomp && !options->quiet && run->outcome.started && run->outcome.signal == SIGABRT)
    hd_log("%s aborted on LLVM's libomp, for which it was not built; if libomp says so above, it may still run on\n"
           "heddle: GCC's libgomp, without --gomp and without a profile of its regions",
           options->command[0]);
}

/* ---- a program that did not start ---- */

static void explain_absence(const char *command) {
  struct hd_program program;
  if (strchr(command, '/') && access(command, F_OK) == 0) {
    hd_program_inspect(command, &program);
    hd_log("cannot run '%s': the interpreter it asks for does not exist: %s", command,
           program.interpreter[0] ? program.interpreter : "it names none");
  } else if (strchr(command, '/')) {
    hd_log("cannot run '%s': No such file or directory", command);
  } else if (access(command, F_OK) == 0) {
    hd_log("cannot run '%s': it is not on the PATH; in this directory it is: ./%s", command, command);
  } else {
    hd_log("cannot run '%s': it is not on the PATH; name its file, as in ./%s", command, command);
  }
}

static void explain_refused_access(const char *command) {
  struct stat status;
  if (stat(command, &status) == 0 && S_ISDIR(status.st_mode))
    hd_log("cannot run '%s': it is a directory; name the program's file in it", command);
  else if (access(command, F_OK) == 0 && access(command, X_OK) != 0)
    hd_log("cannot run '%s': Permission denied; chmod +x %s, if it is a program", command, command);
  else
    hd_log("cannot run '%s': Permission denied, to it, its interpreter or its folder, or by the file system (noexec)",
           command);
}

void hd_run_explain_start(const char *command, int error) {
  if (error == ENOENT)
    explain_absence(command);
  else if (error == EACCES)
    explain_refused_access(command);
  else
    hd_log("cannot run '%s': %s", command, strerror(error));
}
