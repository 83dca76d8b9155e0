/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/program/find_libomp.h"

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
