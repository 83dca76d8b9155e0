/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/code/code_kind.h"

#include <string.h>
#include <sys/auxv.h>

#include "callpath/code/loaded_modules.h"

struct hd_code_range hd_code_runtime;
struct hd_code_range hd_code_entries;

/* A runtime that is linked into the program itself cannot be told from the user's code by its place. */
void hd_code_find_runtime(const void *runtime_function) {
  struct hd_loaded loaded;
  if (hd_loaded_find((uintptr_t)runtime_function, &loaded) && strstr(loaded.info.dlpi_name, "omp"))
    hd_code_runtime = (struct hd_code_range){loaded.begin, loaded.end};
}

static bool begins(const char *path, const char *begin) {
  const char *name = strrchr(path, '/');
  return !strncmp(name ? name + 1 : path, begin, strlen(begin));
}

static bool is_system_library(const char *path) {
  static const char *const names[] = {"libc.", "libc-", "ld-", "libpthread", "libstdc++", "libc++", "libgcc_s"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (begins(path, names[i]))
      return true;
  return false;
}

bool hd_code_in_module(const void *address, const char *begin) {
  struct hd_loaded loaded;
  return hd_loaded_find((uintptr_t)address - 1, &loaded) && begins(loaded.info.dlpi_name, begin);
}

enum hd_code_kind hd_code_kind(uintptr_t ip, uintptr_t function) {
  struct hd_loaded loaded;
  if (hd_code_in_runtime((const void *)ip))
    return HD_CODE_RUNTIME;
  if (hd_loaded_find(ip, &loaded) && is_system_library(loaded.info.dlpi_name))
    return HD_CODE_SYSTEM;
  return function && function == getauxval(AT_ENTRY) ? HD_CODE_ENTRY : HD_CODE_USER;
}
