/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/command/complain.h"

#include <errno.h>
#include <string.h>

bool hd_complain_of(const char *what, const char *path) {
  return HD_COMPLAIN("cannot %s %s: %s", what, path, strerror(errno));
}
