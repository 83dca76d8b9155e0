/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/program/output_name.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/profile_file.h"
#include "support/command/complain.h"
#include "support/command/directory.h"
#include "support/log.h"
#include "support/settings.h"

static const char default_name[] = HD_SAVE_DEFAULT_NAME;

/* NULL, or what `name` should be. */
static const char *expected_instead_of(const char *name) {
  struct hd_settings ignored;
  return hd_setting_read(HD_SET_OUTPUT, name, &ignored);
}

bool hd_take_output_name(const struct hd_option_use *use) {
  const char *expected = expected_instead_of(use->argument);
  *(const char **)use->field = use->argument;
  return !expected || hd_option_expect(use, expected);
}

/* That of the environment, as strictly as the option's. NULL: the reason is on stderr. */
static const char *name_of_environment(void) {
  const char *name = getenv("HEDDLE_OUTPUT");
  if (!name || !*name)
    return default_name;
  const char *expected = expected_instead_of(name);
  if (expected)
    hd_log("HEDDLE_OUTPUT expects %s, not '%s'", expected, name);
  return expected ? NULL : name;
}

/* A device or a pipe: a profile has to be a file, and grows in place. */
static bool is_no_file(const char *name) {
  struct stat status;
  return !strchr(name, '%') && stat(name, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static bool append(char *path, size_t *used, const char *text, size_t length) {
  if (*used + length + 1 > PATH_MAX)
    return false;
  memcpy(path + *used, text, length);
  *used += length;
  path[*used] = '\0';
  return true;
}

/* The current directory, with its own % doubled: the library expands the template. */
static bool start_with_directory(char *path, size_t *used) {
  char directory[PATH_MAX];
  if (!getcwd(directory, sizeof directory))
    return false;
  for (const char *c = directory; *c; c++)
    if (!append(path, used, "%%", *c == '%') || !append(path, used, c, 1))
      return false;
  return append(path, used, "/", directory[1] != '\0');
}

/* Absolute, because the program may change its directory before its first OpenMP construct. */
bool hd_output_name_template(const char *name, char *path) {
  if (!name || !*name)
    name = name_of_environment();
  if (!name)
    return false;
  if (is_no_file(name))
    return HD_COMPLAIN("cannot write a profile to %s: it is a device or a pipe; name a file or a folder", name);
  const size_t length = strlen(name);
  size_t used = 0;
  bool fits = (*name == '/' || start_with_directory(path, &used)) && append(path, &used, name, length);
  if (fits && (name[length - 1] == '/' || hd_is_directory(name)))
    fits =
        append(path, &used, "/", name[length - 1] != '/') && append(path, &used, default_name, sizeof default_name - 1);
  return fits || HD_COMPLAIN("cannot use '%s' as a file name: it is too long, or the current directory no longer "
                             "exists",
                             name);
}
