/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/program/find_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/program/child.h"
#include "support/command/complain.h"
#include "support/command/directory.h"
#include "support/own_file.h"

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
