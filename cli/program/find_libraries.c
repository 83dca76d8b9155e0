/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/program/find_libraries.h"

#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/program/child.h"
#include "support/command/complain.h"
#include "support/command/directory.h"
#include "support/own_file.h"

/* ---- libheddle.so ---- */

static bool take_library(const char *path, char *library) {
  if (!realpath(path, library))
    return false;
  return hd_is_directory(library) ? (errno = EISDIR, false) : access(library, R_OK) == 0;
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
  static const char *const places[] = {"../ompt", "../lib*", "../lib/*"};
  char self[PATH_MAX];
  char path[2 * PATH_MAX];
  if (!hd_own_file(self))
    return HD_COMPLAIN(
        "this program's own file cannot be found (is /proc mounted?); name libheddle.so with --library PATH");
  *strrchr(self, '/') = '\0';
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    snprintf(path, sizeof path, "%s/%s/libheddle.so", self, places[i]);
    if (take_library(path, library) || take_matching(path, library))
      return true;
  }
  return HD_COMPLAIN("libheddle.so is not where it belongs (%s/../lib); name it with --library PATH", self);
}

bool hd_library_choose(const char *named, char *library) {
  if (!named)
    named = getenv("HEDDLE_LIBRARY");
  if (named && *named) {
    if (!take_library(named, library))
      return hd_complain_of("use library", named);
  } else if (!find_library(library)) {
    return false;
  }
  return !strchr(library, ':') ||
         HD_COMPLAIN("cannot use library %s: OMP_TOOL_LIBRARIES separates its entries by ':'", library);
}

bool hd_mpi_wrappers_find(const char *library, enum hd_mpi mpi, char *path) {
  static const char *const names[] = {[HD_MPI_NONE] = "", [HD_MPI_OPEN_MPI] = "openmpi", [HD_MPI_MPICH] = "mpich"};
  const int directory = (int)(strrchr(library, '/') - library);
  const int length = snprintf(path, PATH_MAX, "%.*s/libheddle-%s.so", directory, library, names[mpi]);
  return length < PATH_MAX && access(path, R_OK) == 0;
}

static void load(void *library, int to) {
  const char *error = dlopen(library, RTLD_LAZY | RTLD_LOCAL) ? "" : dlerror();
  (void)!write(to, error, strlen(error));
}

bool hd_library_loads(const char *library, char *why, size_t why_bytes) {
  int status;
  const ssize_t length = hd_child_ask(load, (char *)library, why, why_bytes - 1, &status);
  why[length > 0 ? length : 0] = '\0';
  return why[0] == '\0';
}

/* ---- libomp ---- */

/* Is the symbol in the library itself, not in one that it needs? */
static bool defines(void *library, const struct link_map *map, const char *symbol) {
  Dl_info found;
  const void *address = dlsym(library, symbol);
  return address && dladdr(address, &found) && (uintptr_t)found.dli_fbase == (uintptr_t)map->l_addr;
}

/* Writes the path, or '!' and the reason. */
static void load_and_tell(void *name, int to) {
  char text[4096];
  const struct link_map *map = NULL;
  void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
    snprintf(text, sizeof text, "!%s", dlerror());
  else if (!defines(library, map, "__kmpc_fork_call") || !defines(library, map, "GOMP_parallel"))
    snprintf(text, sizeof text, "!%s: not a libomp that runs GCC's programs", (const char *)name);
  else
    snprintf(text, sizeof text, "%s", map->l_name);
  (void)!write(to, text, strlen(text));
}

/* Loads `name` in a child, since a runtime that was loaded into a process cannot be removed. False: `text` says why. */
static bool probe(const char *name, char *text, size_t text_bytes) {
  char answer[4096] = "";
  int status;
  if (hd_child_ask(load_and_tell, (char *)name, answer, sizeof answer - 1, &status) > 0)
    snprintf(text, text_bytes, "%s", answer + (answer[0] == '!'));
  else
    snprintf(text, text_bytes, "%s: cannot be tried", name);
  return answer[0] && answer[0] != '!';
}

static int newest_first(const void *a, const void *b) {
  return strverscmp(*(char *const *)b, *(char *const *)a);
}

static bool probe_llvm_directories(char *path, size_t path_bytes) {
  glob_t found;
  bool usable = false;
  if (glob("/usr/lib/llvm-*/lib/libomp.so*", GLOB_NOSORT, NULL, &found) != 0)
    return false;
  qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, newest_first);
  for (size_t i = 0; i < found.gl_pathc && !usable; i++)
    usable = probe(found.gl_pathv[i], path, path_bytes);
  globfree(&found);
  return usable;
}

bool hd_libomp_look_for(const char *named, char *path, size_t path_bytes) {
  char absolute[PATH_MAX];
  if (!named) {
    if (probe("libomp.so.5", path, path_bytes) || probe("libomp.so", path, path_bytes) ||
        probe_llvm_directories(path, path_bytes))
      return true;
    snprintf(path, path_bytes, "LLVM's libomp is not here: apt-get install libomp5-19 (or another libomp5)");
    return false;
  }
  if (realpath(named, absolute))
    return probe(absolute, path, path_bytes);
  snprintf(path, path_bytes, "%s: %s", named, strerror(errno));
  return false;
}

bool hd_libomp_find(const char *named, char *path, size_t path_bytes) {
  if (!hd_libomp_look_for(named, path, path_bytes))
    return HD_COMPLAIN(
        named ? "cannot use libomp %s" : "--gomp needs a runtime, but %s; or name one with --libomp PATH", path);
  return !strpbrk(path, ": ") ||
         HD_COMPLAIN("cannot use libomp %s: LD_PRELOAD separates its entries by ':' and ' '", path);
}
