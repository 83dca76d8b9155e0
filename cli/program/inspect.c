/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/program/inspect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- where the file is ---- */

static bool is_executable_file(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* As execvp looks for it. */
bool hd_program_find(const char *command, char *path) {
  if (strchr(command, '/'))
    return snprintf(path, PATH_MAX, "%s", command) < PATH_MAX && is_executable_file(path);
  const char *search = getenv("PATH");
  if (!search)
    search = "/bin:/usr/bin";
  for (;;) {
    const size_t length = strcspn(search, ":");
    const int written = snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, search, length ? "/" : "./", command);
    if (written < PATH_MAX && is_executable_file(path))
      return true;
    if (!search[length])
      return false;
    search += length + 1;
  }
}

static bool changes_identity(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && (((status.st_mode & S_ISUID) && status.st_uid != geteuid()) ||
                                      ((status.st_mode & S_ISGID) && status.st_gid != getegid()));
}

/* ---- scripts ---- */

/* "#!/usr/bin/env python3" is a script for python3. */
static bool read_script(struct hd_program *program) {
  char line[PATH_MAX];
  const int fd = open(program->path, O_RDONLY | O_CLOEXEC);
  const ssize_t length = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
  if (fd >= 0)
    close(fd);
  if (length < 2 || memcmp(line, "#!", 2) != 0)
    return false;
  line[length] = '\0';
  line[strcspn(line, "\n")] = '\0';
  char *rest = NULL;
  char *word = strtok_r(line + 2, " \t", &rest);
  const char *base = word ? strrchr(word, '/') : NULL;
  if (base && strcmp(base, "/env") == 0) {
    char *next = strtok_r(NULL, " \t", &rest);
    while (next && (*next == '-' || strchr(next, '=')))
      next = strtok_r(NULL, " \t", &rest);
    word = next ? next : word;
  }
  snprintf(program->interpreter, sizeof program->interpreter, "%s", word ? word : "an unknown interpreter");
  program->kind = HD_PROGRAM_SCRIPT;
  return true;
}

/* ---- what it links ---- */

static bool has_prefix(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* A libgomp.so.1 may be a link to libomp: then it is libomp, so `resolved` decides when it is known. */
static void note_library(struct hd_program *program, const char *name, const char *resolved) {
  char target[PATH_MAX];
  const enum hd_openmp openmp = hd_openmp_of(basename(resolved && realpath(resolved, target) ? target : name));
  if (program->links_mpi == HD_MPI_NONE)
    program->links_mpi = hd_mpi_of(name);
  program->links_libgomp |= openmp == HD_OPENMP_GCC;
  program->links_libomp |= openmp == HD_OPENMP_LLVM;
  if (openmp == HD_OPENMP_LLVM)
    snprintf(program->libomp, sizeof program->libomp, "%s", resolved ? resolved : "");
}

/* What it calls, and whether it is a tool. */
static void note_file(struct hd_program *program, const char *path, const struct hd_elf_file *file) {
  program->calls_heddle |= file->calls_heddle;
  if (hd_openmp_of(basename(path)) != HD_OPENMP_NONE)
    return; /* a runtime is no user of its own */
  program->calls_entries |= file->calls_entries;
  program->calls_gomp_entries |= file->calls_gomp_entries;
  program->calls_gomp_runtime |= file->calls_gomp_runtime;
  if (file->exports_tool && !file->defines_libomp && !program->other_tool[0] && !strstr(path, "libheddle.so"))
    snprintf(program->other_tool, sizeof program->other_tool, "%s", path);
}

/* "\tlibomp.so.5 => not found"; or, instead of a list, "app: error while loading shared libraries: libomp.so.5: ...".
 */
static bool note_missing(struct hd_program *program, const char *line) {
  static const char words[] = "error while loading shared libraries: ";
  const char *after = strstr(line, words);
  const char *name = after                           ? after + sizeof words - 1
                     : strstr(line, " => not found") ? line + strspn(line, " \t")
                                                     : NULL;
  if (name && !program->missing[0])
    snprintf(program->missing, sizeof program->missing, "%.*s", (int)strcspn(name, ": \n"), name);
  return name;
}

/* "undefined symbol: __kmpc_dispatch_deinit, version VERSION\t(./app)": of interest are OpenMP's. */
static bool note_undefined(struct hd_program *program, const char *line) {
  static const char words[] = "undefined symbol: ";
  const char *name = strstr(line, words);
  if (!name)
    return false;
  name += sizeof words - 1;
  const bool is_openmp = has_prefix(name, "__kmpc_") || has_prefix(name, "omp_") || has_prefix(name, "GOMP_");
  if (is_openmp && !program->undefined[0])
    snprintf(program->undefined, sizeof program->undefined, "%.*s", (int)strcspn(name, ", \t\n"), name);
  return true;
}

/* A line of the loader's list: "\tlibgomp.so.1 => /lib/libgomp.so.1 (0x...)". */
static void note_listed(struct hd_program *program, char *line) {
  if (note_missing(program, line) || note_undefined(program, line))
    return;
  char *name = line + strspn(line, " \t");
  char *arrow = strstr(name, " => ");
  char *resolved = arrow ? arrow + 4 : name;
  if (arrow)
    *arrow = '\0';
  resolved[strcspn(resolved, " (\n")] = '\0';
  const bool is_path = strchr(resolved, '/') != NULL; /* of LD_PRELOAD and LD_LIBRARY_PATH perhaps a relative one */
  note_library(program, name, is_path ? resolved : NULL);
  struct hd_elf_file file;
  if (is_path && hd_elf_file_read(resolved, &file))
    note_file(program, resolved, &file);
}

/* Only a program that is named like a loader is asked: the name comes from the file, and nothing else is to be run. */
static bool is_loader(const char *path) {
  const char *base = strrchr(path, '/');
  return base && (has_prefix(base, "/ld-") || has_prefix(base, "/ld.so") || has_prefix(base, "/ld64.so"));
}

/* glibc's: asked by variables rather than by --list, it also tells which symbols no library has. */
static void ask_for_symbols(void) {
  setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
  setenv("LD_BIND_NOW", "1", 1);
  setenv("LD_WARN", "1", 1);
}

static _Noreturn void become_loader(const struct hd_program *program, int to) {
  const int null = open("/dev/null", O_RDWR);
  if (null >= 0)
    dup2(null, STDIN_FILENO);
  dup2(to, STDOUT_FILENO);
  dup2(to, STDERR_FILENO);
  if (strstr(program->interpreter, "/ld-linux")) {
    ask_for_symbols();
    execl(program->interpreter, program->interpreter, program->path, (char *)NULL);
  }
  execl(program->interpreter, program->interpreter, "--list", program->path, (char *)NULL);
  _exit(1);
}

/* The loader's list has the libraries of libraries too, found as they will be found at run time. */
static bool ask_loader(struct hd_program *program) {
  int ends[2];
  int status = -1;
  char line[2 * PATH_MAX];
  if (!is_loader(program->interpreter) || pipe2(ends, O_CLOEXEC) != 0)
    return false;
  const pid_t child = fork();
  if (child == 0)
    become_loader(program, ends[1]);
  close(ends[1]);
  FILE *list = fdopen(ends[0], "r");
  if (!list)
    close(ends[0]);
  while (list && fgets(line, sizeof line, list))
    note_listed(program, line);
  if (list)
    fclose(list);
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0;
}

/* Names in the file itself do when its loader does not answer. */
static void note_elf(struct hd_program *program) {
  const struct hd_elf_file *file = &program->file;
  program->kind = file->loader[0] ? HD_PROGRAM_DYNAMIC : HD_PROGRAM_STATIC;
  if (program->kind == HD_PROGRAM_STATIC)
    return;
  memcpy(program->interpreter, file->loader, sizeof program->interpreter);
  note_file(program, program->path, file);
  if (!ask_loader(program)) {
    program->links_libomp |= file->needs_libomp;
    program->links_libgomp |= file->needs_libgomp;
    program->links_mpi = file->needs_mpi;
  }
}

void hd_program_inspect(const char *command, struct hd_program *program) {
  memset(program, 0, sizeof *program);
  if (!hd_program_find(command, program->path))
    return;
  program->other_identity = changes_identity(program->path);
  if (!read_script(program) && hd_elf_file_read(program->path, &program->file) && program->file.is_elf)
    note_elf(program);
}

static bool is_launcher(const char *command) {
  static const char *const launchers[] = {"mpirun", "mpiexec", "orterun", "prterun", "srun", "aprun", "jsrun"};
  const char *slash = strrchr(command, '/'), *name = slash ? slash + 1 : command;
  const size_t length = strcspn(name, "."); /* mpirun.openmpi, mpiexec.hydra */
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
    if (strlen(launchers[i]) == length && strncmp(name, launchers[i], length) == 0)
      return true;
  return false;
}

static bool may_be_rank(const char *argument, struct hd_program *program) {
  if (*argument == '-')
    return false;
  hd_program_inspect(argument, program);
  return program->links_mpi != HD_MPI_NONE || program->links_libomp || program->links_libgomp;
}

void hd_program_inspect_started(char *const *command, struct hd_program *program) {
  for (char *const *argument = command + 1; is_launcher(command[0]) && *argument; argument++)
    if (may_be_rank(*argument, program))
      return;
  hd_program_inspect(command[0], program);
}
