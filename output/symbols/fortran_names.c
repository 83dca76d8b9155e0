/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/symbols/fortran_names.h"

#include <string.h>

#include "support/command/memory.h"

static const char of_names[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

/* A submodule's procedures are shown as its module's: "__module.submodule_MOD_procedure". */
static char *gfortran_name(const char *name) {
  static const char mark[] = "_MOD_";
  const char *module = name + 2, *end = strncmp(name, "__", 2) == 0 ? strstr(module, mark) : NULL;
  if (!end || end == module || !end[sizeof mark - 1])
    return NULL;
  const char *dot = memchr(module, '.', (size_t)(end - module));
  return hd_print("%.*s::%s", (int)((dot ? dot : end) - module), module, end + sizeof mark - 1);
}

/* A capital letter says what the name behind it is of: a module, a submodule, the procedure around, the procedure. */
static char *flang_name(const char *name) {
  const char *module = NULL;
  int module_length = 0;
  if (strcmp(name, "_QQmain") == 0)
    return hd_print("MAIN__"); /* the name in the source is not kept */
  if (strncmp(name, "_Q", 2) != 0)
    return NULL;
  for (const char *at = name + 2;;) {
    const size_t length = *at ? strspn(at + 1, of_names) : 0;
    if (*at == 'P' && length > 0 && !at[1 + length])
      return module ? hd_print("%.*s::%s", module_length, module, at + 1) : hd_print("%s", at + 1);
    if (*at != 'M' && *at != 'S' && *at != 'F')
      return NULL;
    if (*at != 'S')
      module = *at == 'M' ? at + 1 : NULL;
    module_length = *at == 'M' ? (int)length : module_length;
    at += 1 + length;
  }
}

char *hd_fortran_name(const char *linkage_name) {
  char *name = gfortran_name(linkage_name);
  return name ? name : flang_name(linkage_name);
}
