/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
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

/* Why there is no profile, and on a second line what to do about it; with -q the first alone. */
__attribute__((format(printf, 2, 3))) static void explain(const struct hd_run_options *options, const char *format,
                                                          ...) {
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0)
    return;
  if (options->quiet)
    text[strcspn(text, "\n")] = '\0';
  hd_log("no profile: %s", text);
  free(text);
}

/* libomp knows these two values and refuses to load tools for any other. */
static bool is_switched_off(void) {
  const char *value = getenv("OMP_TOOL");
  if (!value || !*value || strcasecmp(value, "enabled") == 0)
    return false;
  hd_log("no profile: OMP_TOOL=%s in the environment keeps OpenMP runtimes from loading tools; unset it", value);
  return true;
}

static void explain_refusal(const struct hd_run_options *options, const char *library) {
  char why[1024];
  if (!hd_library_loads(library, why, sizeof why))
    explain(options, "the OpenMP runtime could not load the tool: %s", why);
  else
    explain(options,
            "the OpenMP runtime did not take %s.\n"
            "heddle: OMP_TOOL_VERBOSE_INIT=stderr heddle run ... shows the runtime's own reason",
            library);
}

static void explain_libgomp(const struct hd_run_options *options, const char *name) {
  explain(options,
          "%s uses GCC's libgomp, which loads no tools.\n"
          "heddle: Run it on LLVM's libomp: heddle run --gomp -- %s%s",
          name, name, options->command[1] ? " ..." : "");
}

static void explain_no_construct(const struct hd_run_options *options, const char *name, int signal) {
  if (signal)
    explain(options, "signal %d (%s) ended %s before it ran its first OpenMP construct", signal, strsignal(signal),
            name);
  else
    explain(options,
            "%s links an OpenMP runtime, but ran no OpenMP construct.\n"
            "heddle: (A serial path, only simd, or regions that the compiler removed?) More: heddle doctor -- %s",
            name, name);
}

static void explain_script(const struct hd_run_options *options, const struct hd_program *program, const char *name) {
  explain(options, "%s is a script for %s; nothing it started ran an OpenMP construct on LLVM's libomp%s", name,
          program->interpreter, options->gomp ? "" : ".\nheddle: For programs built by GCC: heddle run --gomp -- ...");
}

static void explain_preloaded(const struct hd_run_options *options, const char *name, int signal) {
  static const char other[] = "heddle: Or libheddle.so gave up for the reason above";
  if (signal)
    explain(options, "signal %d (%s) ended %s before it reached an OpenMP construct, a marker or a routine.\n%s",
            signal, strsignal(signal), name, other);
  else
    explain(options, "%s reached no OpenMP construct on LLVM's libomp, no marker and no instrumented routine.\n%s",
            name, other);
}

/* What the file is; false: it may well have run, and used OpenMP. */
static bool explain_file(const struct hd_run_options *options, const struct hd_program *program) {
  const char *name = options->command[0];
  if (program->other_identity)
    explain(options,
            "%s is set-user-id or set-group-id, and such a program takes no settings from heddle.\n"
            "heddle: Profile a copy without that bit, or run heddle as its owner",
            name);
  else if (program->kind == HD_PROGRAM_SCRIPT)
    explain_script(options, program, name);
  else if (program->file.is_foreign)
    explain(options, "%s is a program for %s, not for this machine; build it here", name, program->file.machine);
  else if (program->kind == HD_PROGRAM_STATIC)
    explain(options, "%s is statically linked, and tools are loaded dynamically; link it without -static", name);
  else if (program->missing[0])
    explain(options, "%s cannot start: the loader does not find %s; add its folder to LD_LIBRARY_PATH", name,
            program->missing);
  else
    return false;
  return true;
}

static void explain_tool(const struct hd_run_options *options, const char *name, const struct hd_program *program) {
  const bool is_own = strcmp(program->other_tool, program->path) == 0;
  explain(options,
          "another OMPT tool came first, the one in %s, and a runtime takes only one.\n"
          "heddle: Run %s without it%s",
          is_own ? "the program itself" : program->other_tool, name, is_own ? ": link it without ompt_start_tool" : "");
}

/* Interpreters load what their modules need, GCC's libgomp as a rule: the file does not tell. */
static void explain_no_runtime(const struct hd_run_options *options, const char *name) {
  if (options->gomp)
    explain(options,
            "%s links no OpenMP runtime, and nothing it loaded or started ran an OpenMP construct on libomp.\n"
            "heddle: (With --gomp libomp takes libgomp's place.) More: heddle doctor -- %s",
            name, name);
  else
    explain(options,
            "%s links no OpenMP runtime, and nothing it loaded or started used LLVM's libomp.\n"
            "heddle: Run what loads libgomp (Python, Rscript) with heddle run --gomp; build other programs with "
            "-fopenmp",
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
    explain_tool(options, name, program);
  else if (!links_any && program->file.defines_hooks)
    explain(options,
            "%s has hooks for instrumented routines of its own, and they come before Heddle's.\n"
            "heddle: Link it without its __cyg_profile_func_enter and __cyg_profile_func_exit",
            name);
  else if (run->measurable && !run->preload)
    explain(options,
            "%s ran no OpenMP construct. %u of its functions can be measured.\n"
            "heddle: Choose some by their names: heddle run --routines=REGEX -- %s%s",
            name, run->measurable, name, options->command[1] ? " ..." : "");
  else if (run->mpi[0])
    explain(options, "nothing that %s started called MPI, or ran an OpenMP construct on LLVM's libomp", name);
  else if (run->preload && program->kind == HD_PROGRAM_DYNAMIC)
    explain_preloaded(options, name, run->outcome.signal);
  else if (links_any)
    explain_no_construct(options, name, run->outcome.signal);
  else if (program->kind == HD_PROGRAM_DYNAMIC)
    explain_no_runtime(options, name);
  else
    explain(options, "nothing that %s started ran an OpenMP construct on LLVM's libomp", name);
}

void hd_run_diagnose(const struct hd_run *run) {
  struct hd_program program;
  if (is_switched_off())
    return;
  if (hd_run_watch_saw_probe(run->watch, HD_PRIVATE_PROBE_REFUSED)) {
    explain_refusal(run->options, run->library);
    return;
  }
  if (hd_run_watch_saw_probe(run->watch, HD_PRIVATE_PROBE_STARTED)) {
    hd_log("no profile: libheddle.so was loaded, but gave up for the reason above");
    return;
  }
  hd_program_inspect_started(run->options->command, &program);
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
