/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/doctor/doctor_internal.h"
#include "cli/program/find_libraries.h"
#include "cli/program/inspect.h"

static bool starts_others(const char *path) {
  static const char *const launchers[] = {"mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun", "prun",
                                          "srun",   "jsrun",   "aprun",         "sh",      "bash",    "dash",
                                          "make",   "env",     "time",          "ninja",   "ctest",   "taskset"};
  const char *base = basename(path);
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
    if (strcmp(base, launchers[i]) == 0)
      return true;
  return strncmp(base, "python", 6) == 0;
}

/* False: there is no file to look at. */
static bool check_presence(struct hd_doctor *doctor) {
  struct stat status;
  char path[PATH_MAX];
  const char *name = doctor->program;
  if (hd_program_find(name, path)) {
    if (access(path, R_OK) == 0)
      return true;
    SAY(NOTE, "program", "%s can be executed but not read, so what it links is unknown; chmod +r %s", path, path);
  } else if (stat(name, &status) == 0 && S_ISDIR(status.st_mode)) {
    SAY(WRONG, "program", "%s is a directory; name the program's file in it", name);
  } else if (!strchr(name, '/')) {
    SAY(WRONG, "program", "%s is not on the PATH; %s: ./%s", name,
        access(name, F_OK) == 0 ? "in this directory it is" : "name the file itself, as in", name);
  } else if (stat(name, &status) != 0) {
    SAY(WRONG, "program", "%s: %s", name, strerror(errno));
  } else {
    SAY(WRONG, "program", "%s is not executable: chmod +x %s", name, name);
  }
  return false;
}

static void check_script(struct hd_doctor *doctor, const struct hd_program *program) {
  char found[PATH_MAX];
  if (!hd_program_find(program->interpreter, found)) {
    SAY(WRONG, "program", "a script for %s, which does not exist: correct its first line, or install it",
        program->interpreter);
    return;
  }
  SAY(NOTE, "program",
      "a script for %s: every program it starts writes a profile if it runs on libomp; for programs built by GCC add "
      "--gomp",
      program->interpreter);
}

/* False: the file is nothing for this machine, or not for Heddle. */
static bool check_kind(struct hd_doctor *doctor, const struct hd_program *program) {
  if (!program->file.is_elf)
    SAY(WRONG, "program", "neither a program nor a script: its first line should be #!/path/of/an/interpreter");
  else if (program->file.is_foreign)
    SAY(WRONG, "program", "is for %s, and this heddle and its libheddle.so are not; take those built for it",
        program->file.machine);
  else if (program->file.is_cut)
    SAY(WRONG, "program", "is truncated: its headers describe more bytes than it has; copy or build it again");
  else if (program->kind == HD_PROGRAM_STATIC)
    SAY(WRONG, "program", "is statically linked, and tools are loaded dynamically; link it without -static");
  else if (program->missing[0])
    SAY(WRONG, "program", "cannot start: the loader does not find %s; add its folder to LD_LIBRARY_PATH",
        program->missing);
  else if (program->undefined[0])
    SAY(WRONG, "program",
        "calls %s, which its runtime (%s) lacks: it was built by a newer compiler; put that compiler's libomp first in "
        "LD_LIBRARY_PATH",
        program->undefined, program->libomp[0] ? program->libomp : "none is linked");
  else
    return true;
  return false;
}

static void check_extras(struct hd_doctor *doctor, const struct hd_program *program) {
  if (program->other_identity)
    SAY(WRONG, "identity",
        "is set-user-id or set-group-id, and such a program takes no settings from heddle; profile a "
        "copy without that bit, or run heddle as its owner");
  if (program->other_tool[0])
    SAY(WRONG, "another tool",
        "%s contains an OMPT tool (ompt_start_tool), and a runtime takes only one: build without it",
        program->other_tool);
  if (program->file.defines_hooks)
    SAY(NOTE, "hooks", "it defines __cyg_profile_func_enter itself: its instrumented routines are not measured");
  if (program->file.sanitizer)
    SAY(NOTE, "sanitizer", "built with %s: Heddle works, but the times are those of a slowed-down build",
        program->file.sanitizer);
  if (!program->file.has_symbols)
    SAY(NOTE, "names", "it is stripped: reports show addresses; keep its symbols, and build with -g for lines");
  else if (!program->file.has_lines)
    SAY(NOTE, "names", "it has no line numbers: reports show functions only; build with -g");
  else
    SAY(FINE, "names", "functions and lines are known");
  if (program->calls_heddle)
    SAY(FINE, "calls of Heddle", "instrumented routines or markers: heddle run loads libheddle.so with it");
  if (program->file.sleds)
    SAY(FINE, "sleds",
        "%u functions have sleds (-fxray-instrument): heddle run --routines=LIST measures those you choose",
        program->file.sleds);
}

static void check_mpi(struct hd_doctor *doctor, const struct hd_program *program) {
  static const char *const names[] = {[HD_MPI_NONE] = "", [HD_MPI_OPEN_MPI] = "Open MPI", [HD_MPI_MPICH] = "MPICH"};
  char path[PATH_MAX];
  if (program->links_mpi == HD_MPI_NONE || !doctor->library[0])
    return;
  if (hd_mpi_wrappers_find(doctor->library, program->links_mpi, path))
    SAY(FINE, "MPI", "%s: each rank has a profile, with what it waits in MPI: heddle run -- mpirun ...",
        names[program->links_mpi]);
  else
    SAY(WRONG, "MPI", "%s, and %s is not there, so time in it counts as busy: build Heddle with its development files",
        names[program->links_mpi], path);
}

/* libgomp's entry points are libomp's, too. */
static void check_libgomp(struct hd_doctor *doctor) {
  const char *name = doctor->program;
  SAY(NOTE, "runtime", "GCC's libgomp, which loads no tools: heddle run --gomp -- %s runs it on LLVM's libomp", name);
}

static void take_runtime(struct hd_doctor *doctor, const char *libomp) {
  if (doctor->runtime == HD_DOCTOR_NAMED || !libomp[0])
    return;
  snprintf(doctor->libomp, sizeof doctor->libomp, "%s", libomp);
  doctor->runtime = HD_DOCTOR_NAMED;
}

static void check_linked(struct hd_doctor *doctor, const struct hd_program *program) {
  if (program->links_libomp)
    take_runtime(doctor, program->libomp);
  if (program->file.defines_libomp)
    SAY(NOTE, "runtime",
        "libomp is linked into the program: it loads tools if it was built with OMPT; only a run can show");
  else if (program->file.defines_libgomp)
    SAY(WRONG, "runtime",
        "GCC's libgomp is part of the program: it loads no tools; link libgomp dynamically, then heddle "
        "run --gomp works");
  else if (program->links_libomp && program->links_libgomp)
    SAY(WRONG, "runtime",
        "both libomp and GCC's libgomp are loaded: two thread pools, and Heddle sees only libomp's; heddle run --gomp "
        "runs everything on libomp");
  else if (program->links_libomp)
    SAY(FINE, "runtime", "%s", program->libomp[0] ? program->libomp : "LLVM's libomp");
  else if (program->links_libgomp)
    check_libgomp(doctor);
  else if (program->links_mpi != HD_MPI_NONE)
    SAY(NOTE, "runtime", "it links no OpenMP runtime: its ranks' profiles have what they waited in MPI");
  else if (starts_others(program->path))
    SAY(NOTE, "runtime",
        "none itself: the programs it starts write the profiles; every host needs libheddle.so at the same path; for "
        "programs built by GCC add --gomp");
  else
    SAY(WRONG, "runtime",
        "it links no OpenMP runtime: build it with clang -fopenmp, or with gcc -fopenmp and use heddle run --gomp; a "
        "runtime loaded later is seen only in a run");
  if (program->file.defines_libomp && doctor->runtime == HD_DOCTOR_NEWEST)
    doctor->runtime = HD_DOCTOR_NONE;
}

void hd_doctor_check_app(struct hd_doctor *doctor) {
  struct hd_program program;
  if (!check_presence(doctor))
    return;
  hd_program_inspect(doctor->program, &program);
  if (program.kind == HD_PROGRAM_SCRIPT) {
    check_script(doctor, &program);
    return;
  }
  if (!check_kind(doctor, &program))
    return;
  check_linked(doctor, &program);
  check_mpi(doctor, &program);
  check_extras(doctor, &program);
}
