/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/own_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

bool hd_own_file(char path[PATH_MAX]) {
  const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
  path[length > 0 ? length : 0] = '\0';
  if (length > 0)
    return true;
  const char *executed = (const char *)(uintptr_t)getauxval(AT_EXECFN);
  if (executed && realpath(executed, path))
    return true;
  path[0] = '\0'; /* realpath leaves there how far it came */
  return false;
}
